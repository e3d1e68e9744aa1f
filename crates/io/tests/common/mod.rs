//! Random clouds and comparison by bits.
#![allow(dead_code)]

use pellucid_cloud::{Attribute, List, PointCloud, Values};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

pub type Rng = Xoshiro256PlusPlus;

pub fn rng(seed: u64) -> Rng {
    rand::SeedableRng::seed_from_u64(seed)
}

/// Whether two columns are the same down to the bits of NaN.
pub fn same(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::F32(a), Values::F32(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        }
        (Values::F64(a), Values::F64(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        }
        (Values::List(a), Values::List(b)) => a.offsets == b.offsets && same(&a.values, &b.values),
        _ => a == b,
    }
}

#[track_caller]
pub fn assert_same(a: &PointCloud, b: &PointCloud) {
    assert_eq!(a.len(), b.len());
    for (i, (p, q)) in a.positions().iter().zip(b.positions()).enumerate() {
        assert_eq!(p.map(f64::to_bits), q.map(f64::to_bits), "position {i}: {p:?} {q:?}");
    }
    let names = |c: &PointCloud| c.attributes().map(|a| a.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    for (a, b) in a.attributes().zip(b.attributes()) {
        assert_eq!(a.width(), b.width(), "{}", a.name());
        assert!(same(a.values(), b.values()), "{}: {:?} {:?}", a.name(), a.values(), b.values());
    }
}

fn float32(r: &mut Rng, nan: bool) -> f32 {
    match r.random_range(0..8) {
        0 => 0.0,
        1 => -0.0,
        2 => f32::from_bits(r.random_range(1..100)),
        3 => r.random_range(-1e6f32..1e6),
        4 => [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE]
            [r.random_range(0..4usize)],
        5 if nan => f32::from_bits(0x7f80_0001 | r.random::<u32>() & 0x803f_ffff),
        _ => loop {
            let x = f32::from_bits(r.random());
            if !x.is_nan() {
                break x;
            }
        },
    }
}

fn float64(r: &mut Rng, nan: bool) -> f64 {
    match r.random_range(0..8) {
        0 => -0.0,
        1 => 4_512_345.678_9 + r.random_range(-1.0..1.0),
        2 => f64::from_bits(r.random_range(1..100)),
        3 => [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.1 + 0.2][r.random_range(0..4usize)],
        4 if nan => f64::from_bits(0x7ff0_0000_0000_0001 | r.random::<u64>() & (!0 >> 13)),
        _ => loop {
            let x = f64::from_bits(r.random());
            if !x.is_nan() {
                break x;
            }
        },
    }
}

/// Random numbers of one of PLY's eight types; any bits, or (for text) any but NaN payloads.
pub fn values(r: &mut Rng, n: usize, nan: bool) -> Values {
    match r.random_range(0..8) {
        0 => Values::U8((0..n).map(|_| r.random()).collect()),
        1 => Values::I8((0..n).map(|_| r.random()).collect()),
        2 => Values::U16((0..n).map(|_| r.random()).collect()),
        3 => Values::I16((0..n).map(|_| r.random()).collect()),
        4 => Values::U32((0..n).map(|_| r.random()).collect()),
        5 => Values::I32((0..n).map(|_| r.random()).collect()),
        6 => Values::F32((0..n).map(|_| float32(r, nan)).collect()),
        _ => Values::F64((0..n).map(|_| float64(r, nan)).collect()),
    }
}

/// A cloud with random attributes of types that PLY holds.
pub fn cloud(r: &mut Rng, n: usize, nan: bool) -> PointCloud {
    let positions = (0..n).map(|_| [(); 3].map(|()| float64(r, nan))).collect();
    let mut cloud = PointCloud::new(positions);
    let mut set = |a: Attribute| cloud.set_attribute(a).unwrap();
    if r.random() {
        let v = (0..3 * n).map(|_| float32(r, nan)).collect();
        set(Attribute::vector("normal", 3, Values::F32(v)));
    }
    if r.random() {
        let w = r.random_range(3..5);
        set(Attribute::vector("color", w, Values::U8((0..w * n).map(|_| r.random()).collect())));
    }
    for k in 0..r.random_range(0..6) {
        let v = values(r, n, nan);
        set(Attribute::scalar(format!("field_{k}"), v));
    }
    for k in 0..r.random_range(0..3) {
        let mut offsets = vec![0];
        for i in 0..n {
            offsets.push(offsets[i] + r.random_range(0..5usize));
        }
        let v = values(r, offsets[n], nan);
        set(Attribute::scalar(
            format!("list_{k}"),
            Values::List(Box::new(List { offsets, values: v })),
        ));
    }
    cloud
}
