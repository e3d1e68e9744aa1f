//! Watching, stopping and cancelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pellucid_cloud::vec3::Point;
use pellucid_denoise::{Control, DenoiseError, Observer, Progress, Run, Snapshot, Stop};

use crate::clouds::{SPHERE, bits};
use crate::variants;

/// Says the same to everything, and remembers what it saw.
struct Answer<'a> {
    progress: Control,
    iteration: Control,
    seen: &'a mut Seen,
}

#[derive(Default)]
struct Seen {
    fractions: Vec<f64>,
    positions: Vec<Vec<Point>>,
}

impl Observer for Answer<'_> {
    fn progress(&mut self, progress: &Progress) -> Control {
        self.seen.fractions.push(progress.fraction);
        self.progress
    }

    fn iteration(&mut self, snapshot: &Snapshot) -> Control {
        self.seen.positions.push((snapshot.positions)());
        self.iteration
    }
}

#[test]
fn progress_runs_from_zero_to_one() {
    for v in variants() {
        let mut seen = Seen::default();
        let (progress, iteration) = (Control::Continue, Control::Continue);
        let watch = Answer { progress, iteration, seen: &mut seen };
        let out =
            v.denoiser.denoise(&SPHERE.cloud, &mut Run::default().with_observer(watch)).unwrap();
        assert_eq!(seen.fractions.first(), Some(&0.0), "{v}");
        assert_eq!(seen.fractions.last(), Some(&1.0), "{v}");
        assert!(seen.fractions.is_sorted(), "{v}: {:?}", seen.fractions);
        assert_eq!(seen.positions.len(), out.iterations, "{v}");
        if out.stop == Stop::IterationLimit {
            let last = seen.positions.last().unwrap();
            assert_eq!(bits(last), bits(out.cloud.positions()), "{v}");
        }
    }
}

#[test]
fn an_observer_can_cancel() {
    for v in variants() {
        for (progress, iteration) in
            [(Control::Cancel, Control::Continue), (Control::Continue, Control::Cancel)]
        {
            let mut seen = Seen::default();
            let watch = Answer { progress, iteration, seen: &mut seen };
            let out = v.denoiser.denoise(&SPHERE.cloud, &mut Run::default().with_observer(watch));
            assert!(matches!(out, Err(DenoiseError::Cancelled)), "{v}");
        }
    }
}

/// Raises the flag in the middle of the work.
struct Raise(Arc<AtomicBool>);

impl Observer for Raise {
    fn progress(&mut self, progress: &Progress) -> Control {
        if progress.fraction > 0.0 {
            self.0.store(true, Ordering::Relaxed);
        }
        Control::Continue
    }
}

#[test]
fn a_flag_can_cancel() {
    for v in variants() {
        let flag = Arc::new(AtomicBool::new(true));
        let out = v.denoiser.denoise(&SPHERE.cloud, &mut Run::default().with_cancel(flag));
        assert!(matches!(out, Err(DenoiseError::Cancelled)), "{v}: raised before");

        let flag = Arc::new(AtomicBool::new(false));
        let mut run = Run::default().with_cancel(flag.clone()).with_observer(Raise(flag));
        let out = v.denoiser.denoise(&SPHERE.cloud, &mut run);
        assert!(matches!(out, Err(DenoiseError::Cancelled)), "{v}: raised while working");
    }
}

#[test]
fn stopping_keeps_the_first_iteration() {
    for v in variants() {
        let mut seen = Seen::default();
        let (progress, iteration) = (Control::Continue, Control::Stop);
        let watch = Answer { progress, iteration, seen: &mut seen };
        let out =
            v.denoiser.denoise(&SPHERE.cloud, &mut Run::default().with_observer(watch)).unwrap();
        assert_eq!((out.stop, out.iterations), (Stop::Observer, 1), "{v}");
        assert_eq!(bits(&seen.positions[0]), bits(out.cloud.positions()), "{v}");
    }
}
