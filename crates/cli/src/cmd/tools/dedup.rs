//! `pellucid dedup`: each place once.

use pellucid::cloud::sample::poisson_disk_by_rank;
use pellucid::cloud::{DistinctRows, Point};

use super::keep_rows;
use crate::args::Dedup;
use crate::failure::Failure;

pub fn run(args: &Dedup) -> Result<(), Failure> {
    let what = match args.within {
        Some(x) => format!("the first of those nearer than {x}"),
        None => "the first of those at one place".to_owned(),
    };
    keep_rows(&args.files, &what, |document| {
        let points = document.cloud.positions();
        let mut repeated = vec![false; points.len()];
        match args.within {
            None => {
                let copies = DistinctRows::of(points).copies;
                copies.iter().for_each(|&(row, _)| repeated[row as usize] = true);
            }
            Some(radius) => {
                let finite = document.cloud.finite_rows();
                let places: Vec<Point> = finite.iter().map(|&row| points[row]).collect();
                let ranks: Vec<u64> = (0..places.len() as u64).collect();
                finite.iter().for_each(|&row| repeated[row] = true);
                for i in poisson_disk_by_rank(&places, radius, &ranks) {
                    repeated[finite[i as usize]] = false;
                }
            }
        }
        Ok((0..points.len()).filter(|&row| !repeated[row]).collect())
    })
}
