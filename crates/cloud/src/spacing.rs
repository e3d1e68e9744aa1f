//! The mean spacing of a cloud: the unit in which methods measure.

use crate::NeighborTable;

/// The mean over all points of the mean distance to the neighbours in `table` (the point itself
/// left out), or 1 if there is none.
pub fn mean_spacing(table: &NeighborTable) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for i in 0..table.len() {
        for d in table.distances2(i).iter().skip(1).filter(|d| d.is_finite()) {
            sum += d.sqrt();
            count += 1;
        }
    }
    if sum > 0.0 { sum / count as f64 } else { 1.0 }
}
