//! An exponential that vectorizes.
//!
//! The standard library's `exp` is a call per value; this one is straight-line arithmetic, so
//! that a loop over it compiles to SIMD code. Only additions, multiplications and bit moves are
//! used (no fused multiply-add): every instruction set gives the same bits.

/// Largest argument whose exponential is finite.
const OVERFLOW: f64 = 709.782_712_893_384;
/// Below this the result would leave the normal range; it is returned as zero.
const UNDERFLOW: f64 = -708.0;
/// Adding this to |x| < 2^51 leaves round(x) in the low bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
// ln 2 in two parts; the first has trailing zeros, so n * LN2_HIGH is exact for |n| < 2^11.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `e^x`, with a relative error of about 2e-16 to 4e-16 in `[-708, 709.78]`, zero below and
/// infinity above; NaN stays NaN.
///
/// ```
/// assert!((featgraph::exp::exp(-1.0) - (-1.0_f64).exp()).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let bounded = if x < UNDERFLOW { UNDERFLOW } else { x };
    let bounded = if bounded > OVERFLOW { OVERFLOW } else { bounded };
    let rounded = bounded * std::f64::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (bounded - n * LN2_HIGH) - n * LN2_LOW;
    // Taylor series up to r^13 in Estrin's grouping; |r| <= 0.347 leaves a rest below 5e-18.
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let c23 = 1.0 / 2.0 + r * (1.0 / 6.0);
    let c45 = 1.0 / 24.0 + r * (1.0 / 120.0);
    let c67 = 1.0 / 720.0 + r * (1.0 / 5_040.0);
    let c89 = 1.0 / 40_320.0 + r * (1.0 / 362_880.0);
    let c1011 = 1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0);
    let c1213 = 1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0);
    let tail = (c23 + r2 * c45) + r4 * (c67 + r2 * c89) + r8 * (c1011 + r2 * c1213);
    let p = 1.0 + (r + r2 * tail);
    // 2p * 2^(n-1): n - 1 stays inside the exponent range even for n = 1024.
    let scale = f64::from_bits((rounded.to_bits().wrapping_add(1022)) << 52);
    let y = (p + p) * scale;
    let y = if x < UNDERFLOW { 0.0 } else { y };
    if x > OVERFLOW { f64::INFINITY } else { y }
}

/// Replaces each value by its [`exp`], with the widest instructions that the processor has. The bits are the same
/// with any.
///
/// ```
/// let mut values = [0.0, -800.0];
/// featgraph::exp::exp_each(&mut values);
/// assert_eq!(values, [1.0, 0.0]);
/// ```
pub fn exp_each(values: &mut [f64]) {
    crate::wide::run(|| values.iter_mut().for_each(|x| *x = exp(*x)));
}

#[cfg(test)]
mod tests {
    use super::{exp, exp_each};

    #[test]
    fn each_of_many_has_the_bits_of_one() {
        let values: Vec<f64> = (0..1000).map(|i| 0.37 * f64::from(i) - 250.0).collect();
        let mut each = values.clone();
        exp_each(&mut each);
        assert!(each.iter().zip(&values).all(|(e, &x)| e.to_bits() == exp(x).to_bits()));
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut worst = 0.0_f64;
        let count = 400_000;
        for i in 0..=count {
            let x = -708.0 + 1417.78 * f64::from(i) / f64::from(count);
            let (ours, std) = (exp(x), x.exp());
            worst = worst.max(((ours - std) / std).abs());
        }
        for i in 0..=count {
            let x = -2.0 * f64::from(i) / f64::from(count);
            let (ours, std) = (exp(x), x.exp());
            worst = worst.max(((ours - std) / std).abs());
        }
        assert!(worst < 1e-15, "relative error {worst:e}");
    }

    #[test]
    fn special_values() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(-708.5), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(709.8), f64::INFINITY);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert!(exp(f64::NAN).is_nan());
        assert!(exp(-708.0) > 0.0 && exp(709.78).is_finite());
        assert_eq!(exp(1e-320), 1.0);
    }
}
