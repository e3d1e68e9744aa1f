//! What help, docs and the conformance tests know about the method.

use crate::registry::{Preset, Properties};

/// The published runs worked in file units.
const FILE_UNITS: Properties = Properties { scale_invariant: false, ..Properties::USUAL };

const fn preset(name: &'static str, about: &'static str, properties: Properties) -> Preset {
    Preset { name, about, properties }
}

/// The presets by name; the first is the default.
pub const PRESETS: &[Preset] = &[
    preset("standard", "the text's model made to work; the default", Properties::USUAL),
    preset(
        "text",
        "what the paper's text poses: patches around center points that move with the rest",
        FILE_UNITS,
    ),
    preset(
        "text-literal",
        "the equations as printed; each patch carries the noise of its center, so noise grows",
        Properties { for_the_record: true, ..FILE_UNITS },
    ),
    preset("reference", "what the published runs did, so that the tables come out", FILE_UNITS),
    preset("diagonal", "reference with a diagonal metric (the paper's Diagonal)", FILE_UNITS),
    preset("baseline1", "reference with random weights", FILE_UNITS),
    preset("baseline2", "reference with a fixed exponential kernel", FILE_UNITS),
    preset("vanilla", "reference with eigenvalue projection (Vanilla PG)", FILE_UNITS),
];
