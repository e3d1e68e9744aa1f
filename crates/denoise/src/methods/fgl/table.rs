//! What help, docs and the conformance tests know about the method.

use crate::frame::NOISE;
use crate::registry::{Parameter, Preset, Properties};

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

/// Unit and meaning of each field, for help and docs.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "patch_size",
        unit: "points",
        about: "points per patch, the centre included",
    },
    Parameter { name: "patch_share", unit: "", about: "patches per point" },
    Parameter {
        name: "patch_neighbors",
        unit: "patches",
        about: "neighbour patches of each patch",
    },
    Parameter { name: "sampling", unit: "", about: "how centres are chosen: farthest, poisson" },
    Parameter {
        name: "patch_origin",
        unit: "",
        about: "patch coordinates are relative to: mean, center, moving-center",
    },
    Parameter { name: "uncovered", unit: "", about: "points in no patch: extra-patches, leave" },
    Parameter {
        name: "normal_neighbors",
        unit: "points",
        about: "neighbours that a normal is fitted to",
    },
    Parameter {
        name: "normal_sign",
        unit: "",
        about: "sign of normals: consistent, sheets, outward",
    },
    Parameter {
        name: "normal_distance",
        unit: "spacings",
        about: "distance that a difference of one between normals counts as, in choosing patches",
    },
    Parameter { name: "features", unit: "", about: "position, normal, or attributes of the cloud" },
    Parameter { name: "units", unit: "", about: "work in units of: spacing, file" },
    Parameter { name: "position_scale", unit: "", about: "factor on positions as features" },
    Parameter {
        name: "trace_limit",
        unit: "",
        about: "largest trace of the metric; larger is narrower",
    },
    Parameter {
        name: "metric",
        unit: "",
        about: "alternate, published, diagonal, full, fixed, random",
    },
    Parameter { name: "learn_edges", unit: "", about: "share of the edges to learn from" },
    Parameter { name: "learn_points", unit: "", about: "share of the points to learn from" },
    Parameter {
        name: "learn_coordinates",
        unit: "",
        about: "positions the learner sees: absolute, relative",
    },
    Parameter {
        name: "weight_coordinates",
        unit: "",
        about: "positions weights are made of: absolute, relative",
    },
    Parameter {
        name: "normal_agreement",
        unit: "",
        about: "multiply weights by the cosine of patch normals",
    },
    Parameter { name: "weight_floor", unit: "", about: "drop smaller weights" },
    Parameter { name: "intra_patch", unit: "", about: "also connect the points within a patch" },
    Parameter { name: "laplacian", unit: "", about: "combinatorial, normalized" },
    Parameter { name: "observation", unit: "", about: "the solve stays close to: previous, noisy" },
    Parameter {
        name: "schedule",
        unit: "",
        about: "strength per iteration: constant, text, published, noise",
    },
    Parameter { name: "gamma", unit: "", about: "strength of the regulariser" },
    Parameter { name: "solver", unit: "", about: "cg, lsqr" },
    Parameter { name: "solver_tolerance", unit: "", about: "relative residual to stop at" },
    NOISE,
    Parameter { name: "iterations", unit: "iterations", about: "most outer iterations" },
    Parameter { name: "stop", unit: "", about: "what ends the loop: movement, objective, limit" },
    Parameter {
        name: "stop_movement",
        unit: "spacings",
        about: "mean movement per iteration at which the rule movement stops",
    },
    Parameter {
        name: "stop_noise",
        unit: "",
        about: "part of the estimated noise after which the rule movement stops, too",
    },
];
