"""What a call from Python costs beyond the same call from Rust, in time and memory.

    cargo build --example time_denoise -p pellucid
    python python/bench/overhead.py target/debug/examples/time_denoise [METHOD] [POINTS]

Both must be built with the same profile. Runs take turns; the best of five counts. Every run has
a process of its own, so that each has its own peak of memory.
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
before = peak()
start = time.perf_counter()
result = pellucid.denoise(points, sys.argv[2])
seconds = time.perf_counter() - start
print(seconds, before, peak())
"""


def run(command: list[str]) -> tuple[float, float]:
    """Seconds, and megabytes on top of what there was before."""
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(told[0]), (float(told[2]) - float(told[1])) / 1000


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
    a, b = min(t for t, _ in theirs), min(t for t, _ in ours)
    x, y = min(m for _, m in theirs), min(m for _, m in ours)
    size = 24 * count / 1e6
    print(f"{method}, {count} points, best of five in turns")
    print(f"Rust   {a:.3f} s, {x:.1f} MB on top")
    print(f"Python {b:.3f} s, {y:.1f} MB on top")
    print(f"overhead {100 * (b / a - 1):.1f} %, {(y - x) / size:.2f} copies of the points")


if __name__ == "__main__":
    main()
