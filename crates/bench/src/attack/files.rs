//! Sound files of all formats, and files that differ a little from them.

#[path = "../../../io/tests/hardening/changed.rs"]
mod changed;
#[path = "../../../io/tests/hardening/crc.rs"]
mod crc;
#[path = "../../../io/tests/hardening/seeds.rs"]
mod seeds;

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, WriteOptions, write_bytes};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A file to read.
pub struct File {
    pub extension: &'static str,
    pub bytes: Vec<u8>,
}

/// A noisy shape that has colors and intensities.
pub fn cloud(count: usize, seed: u64) -> PointCloud {
    let shape = [Shape::Sphere, Shape::Torus][seed as usize % 2];
    let clean = shape.sample(count, seed);
    let mut cloud = add_noise(&clean, NoiseModel::Gaussian, 0.03, seed).unwrap_or(clean);
    let bytes = |n: usize| Values::U8((0..n).map(|i| (i * 37) as u8).collect());
    let numbers = Values::U16((0..count).map(|i| i as u16).collect());
    // The names are new and the lengths those of the cloud, so neither is refused.
    let _ = cloud.set_attribute(Attribute::vector("color", 3, bytes(3 * count)));
    let _ = cloud.set_attribute(Attribute::scalar("intensity", numbers));
    cloud
}

/// A cloud as a file; `None` if the format cannot hold it.
pub fn written(cloud: PointCloud, format: Format, encoding: Encoding) -> Option<Vec<u8>> {
    let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
    write_bytes(&Document::from(cloud), format, &options).ok()
}

/// Sound files of one reader: those of the tests, and one with enough points to denoise.
pub struct Seeds {
    extension: &'static str,
    format: Format,
    files: Vec<Vec<u8>>,
}

/// The seeds of all readers.
pub fn all_seeds() -> Vec<Seeds> {
    let of = |(target, format): &(&str, Format)| {
        let mut files = seeds::seeds(target);
        for (count, encoding) in [(60, Encoding::Ascii), (150, Encoding::BinaryLittle)] {
            files.extend(written(cloud(count, count as u64), *format, encoding));
        }
        Seeds { extension: format.extensions()[0], format: *format, files }
    };
    seeds::TARGETS.iter().map(of).collect()
}

/// A few other bytes: what the file says about its length stays true, so that more of it is read.
fn in_place(seed: &[u8], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..out.len());
        out[at] = match random.random_range(0..4) {
            0 => out[at] ^ 1 << random.random_range(0..8),
            1 => b"0123456789-. "[random.random_range(0..13usize)],
            _ => random.random(),
        };
    }
    out
}

impl Seeds {
    /// One of them, with a few changes.
    pub fn changed(&self, random: &mut Xoshiro256PlusPlus) -> File {
        let pick = |r: &mut Xoshiro256PlusPlus| &self.files[r.random_range(0..self.files.len())];
        let (seed, other) = (pick(random), pick(random));
        let mut bytes = match random.random_range(0..2) {
            0 => changed::changed(seed, other, random),
            _ => in_place(seed, random),
        };
        // Else most changes of E57 end at the checksums.
        if self.format == Format::E57 && random.random_range(0..4) > 0 {
            crc::mend_e57(&mut bytes);
        }
        File { extension: self.extension, bytes }
    }
}
