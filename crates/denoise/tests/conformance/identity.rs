//! What must not change, whatever a method does.

use pellucid_cloud::vec3;
use pellucid_denoise::Run;

use crate::clouds::{DRESSED, SPHERE, bits};
use crate::variants;

#[test]
fn count_order_and_attributes_stay() {
    for v in variants() {
        let out = v.run(&DRESSED).cloud;
        assert_eq!(out.len(), DRESSED.len(), "{v}");
        assert!(out.attributes().eq(DRESSED.attributes()), "{v}");
        // A method that keeps points where they were measured moves none by half the shape; had
        // the order changed, most would be that far from their own old place.
        if !v.method.properties.redistributes {
            for (p, q) in out.positions().iter().zip(DRESSED.positions()) {
                assert!(!vec3::is_finite(*q) || vec3::distance2(*p, *q) < 25.0, "{v}: {q:?} {p:?}");
            }
        }
    }
}

#[test]
fn rows_that_are_not_finite_pass_through_and_take_no_part() {
    let finite = DRESSED.finite_rows();
    for v in variants() {
        let out = v.run(&DRESSED);
        assert_eq!(out.report.skipped_rows, 3, "{v}");
        let (before, after) = (bits(DRESSED.positions()), bits(out.cloud.positions()));
        for (row, p) in DRESSED.positions().iter().enumerate() {
            if vec3::is_finite(*p) {
                assert!(vec3::is_finite(out.cloud.positions()[row]), "{v} row {row}");
            } else {
                assert_eq!(before[row], after[row], "{v} row {row}");
            }
        }
        let alone = v.run(&DRESSED.select(&finite));
        let rest = out.cloud.select(&finite);
        assert_eq!(bits(alone.cloud.positions()), bits(rest.positions()), "{v}");
    }
}

#[test]
fn same_seed_same_bits_on_one_and_two_threads() {
    for v in variants() {
        let mut results = [Some(1), Some(2), None].map(|threads| {
            let mut run = Run::default().with_seed(9).with_threads(threads);
            bits(v.denoiser.denoise(&SPHERE.cloud, &mut run).unwrap().cloud.positions())
        });
        let first = std::mem::take(&mut results[0]);
        assert!(first == results[1] && first == results[2], "{v}");
    }
}
