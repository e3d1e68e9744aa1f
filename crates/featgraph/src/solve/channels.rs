//! Signals with a number of channels that is known at run time only.

/// Channels that are worked on at once.
pub const LANES: usize = 4;

/// Splits a signal of `channels` values a node, node after node, into groups of [`LANES`] channels,
/// the last filled up with zeros, has `work` turn each into a result, and joins the results.
///
/// # Errors
/// Whatever `work` gives.
pub fn by_lanes<E>(
    channels: usize,
    signal: &[f64],
    mut work: impl FnMut(&[[f64; LANES]]) -> Result<Vec<[f64; LANES]>, E>,
) -> Result<Vec<f64>, E> {
    let mut out = vec![0.0; signal.len()];
    for first in (0..channels).step_by(LANES) {
        let width = LANES.min(channels - first);
        let lanes: Vec<[f64; LANES]> = signal
            .chunks_exact(channels)
            .map(|row| std::array::from_fn(|l| if l < width { row[first + l] } else { 0.0 }))
            .collect();
        let result = work(&lanes)?;
        for (row, lanes) in out.chunks_exact_mut(channels).zip(&result) {
            row[first..first + width].copy_from_slice(&lanes[..width]);
        }
    }
    Ok(out)
}
