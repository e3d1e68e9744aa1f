use pellucid::cloud::{Attribute, Values};

use super::*;

fn grid() -> PointCloud {
    PointCloud::new((0..100).map(|i| [f64::from(i % 10), f64::from(i / 10), 0.0]).collect())
}

#[test]
fn a_plane_has_one_normal_and_its_spacing() {
    let look = Look::of(&grid());
    assert!(look.normals.iter().all(|n| n[2].abs() > 1.0 - 1e-12));
    assert_eq!(look.spacing, 1.0);
    // Inside, four neighbors at one and two at the diagonal.
    let inside = (4.0 + 2.0 * 2.0_f64.sqrt()) / 6.0;
    assert!((look.sizes[55] - inside).abs() < 1e-12);
}

#[test]
fn displacement_has_the_sign_of_the_normal() {
    let before = [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]];
    let after = [[0.0, 0.0, 2.0], [0.0, 0.0, -3.0], [1.0, 0.0, 0.0]];
    let numbers = displacement(&before, &after, &[[0.0, 0.0, 1.0]; 3]);
    assert_eq!(numbers.values, [2.0, -3.0, 0.0]);
    let r = range([&numbers].into_iter());
    assert_eq!((r.lo, r.hi), (-3.0, 3.0));
}

#[test]
fn attributes_are_found_by_name_and_component() {
    let mut cloud = grid();
    let values = Values::U16((0..200).collect());
    cloud.set_attribute(Attribute::vector("pair", 2, values)).unwrap();
    cloud.set_attribute(Attribute::scalar("word", Values::Text(vec![String::new(); 100]))).unwrap();
    assert_eq!(Numbers::of(&cloud, "pair.1").unwrap().values[3], 7.0);
    assert_eq!(Numbers::of(&cloud, "y").unwrap().values[42], 4.0);
    assert!(Numbers::of(&cloud, "word").is_none());
    assert!(Numbers::of(&cloud, "pair.2").is_none());
    assert_eq!(Numbers::names(&cloud), ["pair.0", "pair.1"]);
}

#[test]
fn colors_are_scaled_by_their_type() {
    let with = |values: Values| {
        let mut cloud = PointCloud::new(vec![[0.0; 3]]);
        cloud.set_attribute(Attribute::vector("color", 3, values)).unwrap();
        colors(&cloud).unwrap()[0]
    };
    assert_eq!(with(Values::U8(vec![1, 128, 255])), [1, 128, 255]);
    assert_eq!(with(Values::U16(vec![0, 65535, 257 * 7])), [0, 255, 7]);
    assert_eq!(with(Values::F32(vec![0.0, 1.0, 0.2])), [0, 255, 51]);
    // Fields that nobody filled.
    let mut cloud = PointCloud::new(vec![[0.0; 3]; 2]);
    cloud.set_attribute(Attribute::vector("color", 3, Values::U16(vec![0; 6]))).unwrap();
    assert!(colors(&cloud).is_none());
}

#[test]
fn maps_meet_their_ends() {
    assert_eq!(maps::AMOUNT.at(-1.0), [68, 1, 84]);
    assert_eq!(maps::AMOUNT.at(2.0), [253, 231, 37]);
    assert_eq!(maps::SIGNED.at(0.5), [238, 236, 232]);
}
