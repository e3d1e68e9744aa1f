use std::collections::BTreeMap;

use super::clouds::short;
use super::table::{self, Key, Measured, Row, Table, Unit};

fn key(method: &str, points: usize, threads: usize) -> Key {
    Key { method: method.to_owned(), points, threads }
}

fn measured(wall: f64, unit: Option<f64>, steps: &[(&str, f64)]) -> Measured {
    let steps = steps.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect::<BTreeMap<_, _>>();
    let unit = unit.map(|wall| Unit { cpu: 4.0 * wall, wall });
    Measured { cpu: 2.0 * wall, wall, unit, peak: Some(4000.0), steps }
}

#[test]
fn the_quickest_run_counts_against_the_quickest_unit() {
    let (ours, other) = (key("mls", 10, 2), key("peer", 10, 2));
    let mut table = Table::new([ours.clone(), other.clone(), key("never", 10, 2)].into_iter());
    table.add(&ours, measured(6.0, Some(2.0), &[("a", 5.0)]));
    table.add(&ours, measured(4.0, Some(3.0), &[("a", 1.0), ("b", 2.5)]));
    table.add(&other, measured(8.0, None, &[]));
    let rows = table.rows();
    assert_eq!(rows.len(), 2, "what never ran has no row");
    assert_eq!((rows[0].best.wall, rows[0].best.cpu, rows[0].units), (4.0, 8.0, Some(2.0)));
    assert_eq!((rows[0].cpu_units, rows[0].rest()), (Some(1.0), 0.5));
    assert_eq!(rows[0].bytes_per_point(), Some(400.0));
    // Measured by another program, given in our unit.
    assert_eq!(rows[1].units, Some(4.0));
}

#[test]
fn a_unit_of_other_threads_or_points_is_none() {
    let (ours, other) = (key("mls", 10, 2), key("peer", 10, 1));
    let mut table = Table::new([ours.clone(), other.clone()].into_iter());
    table.add(&ours, measured(6.0, Some(2.0), &[]));
    table.add(&other, measured(8.0, None, &[]));
    assert_eq!(table.rows()[1].units, None);
}

#[test]
fn the_file_has_a_column_for_each_step_of_any_row() {
    let row =
        |method, best| Row { key: key(method, 10, 1), best, units: Some(1.5), cpu_units: None };
    let mut bare = row("b", measured(1.0, None, &[("y", 0.5)]));
    (bare.units, bare.best.peak) = (None, None);
    let rows = [row("a", measured(1.0, None, &[("x", 0.25)])), bare];
    let text = String::from_utf8(table::csv(&rows).unwrap()).unwrap();
    let wanted = "method,points,threads,cpu_seconds,wall_seconds,knn_units,peak_bytes_per_point,x,y\n\
                  a,10,1,2.0000,1.0000,1.500,400.0,0.2500,\n\
                  b,10,1,2.0000,1.0000,,,,0.5000\n";
    assert_eq!(text, wanted);
}

#[test]
fn sizes_are_written_as_they_are_typed() {
    let texts = [100, 2_000, 100_000, 999_999, 1_000_000, 1_500_000, 10_000_000].map(short);
    assert_eq!(texts, ["100", "2k", "100k", "999999", "1M", "1.5M", "10M"]);
}
