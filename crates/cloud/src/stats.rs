//! Medians and means of plain numbers, each defined once.

/// The middle value (the mean of the two middle ones), or `None` without any. The order of the values changes.
///
/// ```
/// use pellucid_cloud::stats::median;
/// assert_eq!(median(&mut [5.0, 1.0, 2.0]), Some(2.0));
/// assert_eq!(median(&mut [5.0, 1.0, 2.0, 4.0]), Some(3.0));
/// assert_eq!(median(&mut []), None);
/// ```
pub fn median(values: &mut [f64]) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, &mut middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return Some(middle);
    }
    let other = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(0.5 * (middle + other))
}

/// The middle value, of two the larger one, so that it is one of the values; `None` without any. The order of
/// the values changes.
///
/// ```
/// use pellucid_cloud::stats::upper_median;
/// assert_eq!(upper_median(&mut [5.0, 1.0, 2.0]), Some(2.0));
/// assert_eq!(upper_median(&mut [5.0, 1.0, 2.0, 4.0]), Some(4.0));
/// assert_eq!(upper_median(&mut []), None);
/// ```
pub fn upper_median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some(*values.select_nth_unstable_by(values.len() / 2, f64::total_cmp).1)
}

/// The root of the mean square; zero without values.
///
/// ```
/// use pellucid_cloud::stats::root_mean_square;
/// assert_eq!(root_mean_square([3.0, -4.0, 0.0, 0.0]), 2.5);
/// assert_eq!(root_mean_square([]), 0.0);
/// ```
pub fn root_mean_square(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for x in values {
        sum += x * x;
        count += 1;
    }
    (sum / count.max(1) as f64).sqrt()
}
