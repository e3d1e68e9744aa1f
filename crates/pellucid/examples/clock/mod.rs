//! Time that was worked.

/// Seconds of processors so far, of all threads, or zero where the system does not say.
pub fn processors() -> f64 {
    #[cfg(target_os = "linux")]
    {
        // Not /proc/self/stat, which counts in hundredths: those are percents of a short run.
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(target_os = "linux"))]
    0.0
}
