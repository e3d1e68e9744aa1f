//! Seconds and peak memory of one call, to hold the Python package against:
//! `time_denoise FILE METHOD` prints seconds, seconds of processors, and kilobytes before and after
//! (on Linux).

mod clock;

use std::time::Instant;

use clock::processors;
use pellucid::denoise::registry;
use pellucid::{PointCloud, Run, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(method)) = (args.next(), args.next()) else {
        return Err("usage: time_denoise FILE METHOD".into());
    };
    let cloud = io::read(file.as_ref())?.cloud;
    let method = registry::find(&method)?.build(None, &Default::default())?;
    // A small call first: the program's own pages are in memory then, and not taken for data.
    let few = PointCloud::new(cloud.positions().iter().take(1000).copied().collect());
    method.denoise(&few, &mut Run::default().with_threads(Some(0)))?;
    forget_peak();
    let (before, spent) = (peak(), processors());
    let start = Instant::now();
    let result = method.denoise(&cloud, &mut Run::default().with_threads(Some(0)))?;
    let (seconds, spent) = (start.elapsed().as_secs_f64(), processors() - spent);
    assert_eq!(result.cloud.len(), cloud.len());
    #[allow(clippy::print_stdout, reason = "it is what it is for")]
    {
        println!("{seconds} {spent} {before} {}", peak());
    }
    Ok(())
}

/// What was needed to read the file does not count.
fn forget_peak() {
    // Without it the number is an upper bound.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Most kilobytes of memory that this process has had, or zero where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
