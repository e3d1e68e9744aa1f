use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::install;

#[test]
fn no_more_jobs_run_at_once_than_there_are_workers() {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let job = |_: i32| {
        install(Some(1), || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            now.fetch_sub(1, Ordering::SeqCst);
        });
    };
    install(Some(2), || (0..40).into_par_iter().with_max_len(1).for_each(job));
    assert!(most.into_inner() <= 2);
}
