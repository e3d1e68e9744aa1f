//! Loops compiled for the widest instructions that a processor has.
//!
//! No fused multiply-add and sums in the order of the source, so every instruction set gives the same bits.

/// Work compiled for the instruction set it is dispatched to. A bare closure that changes what it
/// captured is called through a shim of the compiler, which stays a function of its own, compiled
/// for the baseline; called by reference it is inlined.
pub(crate) struct Inlined<F>(pub F);

impl<F: FnMut()> pulp::WithSimd for Inlined<F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _simd: S) {
        (self.0)();
    }
}

/// Runs work whose loops are inlined into it with the widest instructions that this processor has.
///
/// ```
/// let (mut x, y) = ([1.0, 2.0, 3.0, 4.0], [0.5; 4]);
/// featgraph::wide::run(|| x.iter_mut().zip(&y).for_each(|(x, y)| *x += y));
/// assert_eq!(x, [1.5, 2.5, 3.5, 4.5]);
/// ```
#[inline]
pub fn run(work: impl FnMut()) {
    pulp::Arch::new().dispatch(Inlined(work));
}

/// Work that is more than a compiler inlines of itself: `run` of what implements it is to be
/// `#[inline(always)]`, as are the functions that it calls.
pub trait Work {
    /// Does it.
    fn run(self);
}

impl<W: Work> pulp::WithSimd for Whole<W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        self.0.run();
    }
}

struct Whole<W>(W);

/// The same as [`run`] for large pieces of work.
#[inline]
pub fn run_work(work: impl Work) {
    pulp::Arch::new().dispatch(Whole(work));
}
