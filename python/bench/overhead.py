"""What a call from Python costs beyond the same call from Rust, in time and memory.

    pip install . && cargo build --release --example time_denoise -p pellucid
    python python/bench/overhead.py target/release/examples/time_denoise [METHOD] [POINTS]

Both must be built with the same profile. Runs take turns; the best of five counts. Every run has
a process of its own, so that each has its own peak of memory. On a machine that does other things at
the same time, look at the seconds of processors.
"""

from __future__ import annotations

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
with open("/proc/self/clear_refs", "w") as forget:
    forget.write("5")
before = peak()
start, spent = time.perf_counter(), time.process_time()
result = pellucid.denoise(points, sys.argv[2])
seconds, spent = time.perf_counter() - start, time.process_time() - spent
print(seconds, spent, before, peak())
"""


def run(command: list[str]) -> tuple[float, float, float]:
    """Seconds, seconds of processors, and megabytes on top of what there was before."""
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    seconds, spent, before, after = map(float, told)
    return seconds, spent, (after - before) / 1000


def main() -> None:
    rust = sys.argv[1]
    method = sys.argv[2] if len(sys.argv) > 2 else "mls"
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "noisy.npy")
        clean = pellucid.synthetic("torus", count, seed=1)
        noisy = pellucid.add_noise(clean, 0.3, scale="spacing", seed=2)
        pellucid.write(path, noisy.points)
        theirs, ours = [], []
        for _ in range(5):
            theirs.append(run([rust, path, method]))
            ours.append(run([sys.executable, "-c", OURS, path, method]))
    (a, s, x), (b, t, y) = (map(min, zip(*runs)) for runs in (theirs, ours))
    size = 24 * count / 1e6
    print(f"{method}, {count} points, best of five in turns")
    print(f"Rust   {a:.3f} s, {s:.2f} s of processors, {x:.1f} MB on top")
    print(f"Python {b:.3f} s, {t:.2f} s of processors, {y:.1f} MB on top")
    print(f"overhead {100 * (b / a - 1):.1f} %, of processors {100 * (t / s - 1):.1f} %")
    print(f"{(y - x) / size:.2f} copies of the points")


if __name__ == "__main__":
    main()
