"""What a call from Python costs beyond the same call from Rust, in time and memory.

    pip install . && cargo build --release --example time_denoise -p pellucid
    python python/bench/overhead.py target/release/examples/time_denoise [METHOD] [POINTS]

Both must be built with the same profile. Runs take turns; the best of five counts. Every run has
a process of its own, so that each has its own peak of memory; a small call goes before. How many copies
of the points Python holds more at its peak is given for this number of points and, without what does not
depend on it, from here to three times as many. On a busy machine, compare the processor times.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pellucid

OURS = """
import sys, time
import numpy as np
import pellucid

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))

points = np.load(sys.argv[1])
# As in Rust: the extension's own pages are in memory then, and not taken for data.
pellucid.denoise(points[:1000], sys.argv[2])
with open("/proc/self/clear_refs", "w") as forget:
    forget.write("5")
before = peak()
start, spent = time.perf_counter(), time.process_time()
result = pellucid.denoise(points, sys.argv[2])
seconds, spent = time.perf_counter() - start, time.process_time() - spent
print(seconds, spent, before, peak())
"""

# Memory that was given back is given back, on both sides: otherwise the peak also has what the allocator
# keeps, which depends on what was read or imported before.
ENVIRONMENT = {
    **os.environ,
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}


def run(command: list[str]) -> tuple[float, float, float]:
    """Seconds, seconds of processors, and megabytes on top of what there was before."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    seconds, spent, before, after = map(float, done.stdout.split())
    return seconds, spent, (after - before) * 1024 / 1e6


def make(path: Path, count: int) -> str:
    """A noisy torus in a file."""
    clean = pellucid.synthetic("torus", count, seed=1)
    pellucid.write(path, pellucid.add_noise(clean, 0.3, scale="spacing", seed=2).points)
    return str(path)


def main() -> None:
    rust = sys.argv[1]
    method = sys.argv[2] if len(sys.argv) > 2 else "mls"
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000

    def both(path: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return run([rust, path, method]), run([sys.executable, "-c", OURS, path, method])

    with tempfile.TemporaryDirectory() as folder:
        path = make(Path(folder) / "noisy.npy", count)
        turns = [both(path) for _ in range(5)]
        more = both(make(Path(folder) / "more.npy", 3 * count))
    (a, s, x), (b, t, y) = (map(min, zip(*runs)) for runs in zip(*turns))
    pairs = [100 * (mine[1] / its[1] - 1) for its, mine in turns]
    extra, extra_of_more = y - x, more[1][2] - more[0][2]
    size = 24 * count / 1e6
    print(f"{method}, {count} points, best of five in turns")
    print(f"Rust   {a:.3f} s, {s:.3f} s of processors, {x:.2f} MB on top")
    print(f"Python {b:.3f} s, {t:.3f} s of processors, {y:.2f} MB on top")
    print(f"overhead {100 * (b / a - 1):.1f} %, of processors {100 * (t / s - 1):.1f} % "
          f"(median of pairs {statistics.median(pairs):.1f} %)")
    print(f"{extra / size:.2f} copies of the points; {(extra_of_more - extra) / (2 * size):.2f} "
          f"of each point more")


if __name__ == "__main__":
    main()
