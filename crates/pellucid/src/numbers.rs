//! Numbers as people read them.

/// Three significant digits, without an exponent where that is readable.
///
/// ```
/// use pellucid::numbers::three_digits;
///
/// assert_eq!([0.0, 0.005687, 1.4738, 6541.0].map(three_digits), ["0", "0.00569", "1.47", "6541"]);
/// assert_eq!(three_digits(1.234e-9), "1.23e-9");
/// ```
pub fn three_digits(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let places = 2.0 - x.abs().log10().floor();
    if (-4.0..=7.0).contains(&places) {
        format!("{x:.*}", places.max(0.0) as usize)
    } else {
        format!("{x:.2e}")
    }
}

/// A number as it is stored, but for what its last bits add: `0.000001` for `0.0000010000000000000002`.
///
/// ```
/// use pellucid::numbers::as_written;
///
/// assert_eq!([0.0000010000000000000002, 0.01, -0.0, 848899.7].map(as_written), ["0.000001", "0.01", "0", "848899.7"]);
/// ```
pub fn as_written(x: f64) -> String {
    let rounded: f64 = format!("{x:.14e}").parse().unwrap_or(x);
    (rounded + 0.0).to_string()
}
