"""A large file on two worker processes against the run of one process.

    pellucid denoise IN.laz SINGLE.laz --memory 2G
    python python/bench/cluster.py IN.laz SINGLE.laz FOLDER [--memory 2G] [--workers 2] [--kill]

Denoises IN.laz into FOLDER on a local Dask cluster whose workers are processes of one thread each,
looks there all the time for a file under the final name that is not complete, and holds the result
against SINGLE.laz, point by point. With `--kill` one worker is killed (SIGKILL) once the second tile
is done.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import distributed
import numpy as np

import pellucid
import pellucid.dask
from pellucid.tiles import Finished

# It has no types.
engine: Any = distributed
# Tiles that are done before a worker is killed.
BEFORE = 2


class Looker(threading.Thread):
    """Polls the output folder until it is stopped; kills a worker if it is asked to."""

    def __init__(self, out: Path, victim: int | None) -> None:
        super().__init__(daemon=True)
        self.out = out
        self.victim = victim
        self.killed_after: int | None = None
        self.looks = 0
        self.sizes: set[int] = set()
        self.names: set[str] = set()
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.05):
            self.look()
        self.look()

    def look(self) -> None:
        self.looks += 1
        for entry in os.scandir(self.out.parent):
            if not entry.name.startswith("."):
                self.names.add(entry.name)
        try:
            self.sizes.add(self.out.stat().st_size)
        except FileNotFoundError:
            pass
        if self.victim is not None and self.killed_after is None:
            done = len(list(self.out.parent.glob(f".{self.out.name}.*/done-*.bin")))
            if done >= BEFORE:
                os.kill(self.victim, signal.SIGKILL)
                self.killed_after = done


def run(options: argparse.Namespace, out: Path) -> tuple[Finished, Looker, float]:
    with engine.LocalCluster(
        n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, engine.Client(cluster) as client:
        pids: list[int] = list(client.run(os.getpid).values())
        looker = Looker(out, pids[0] if options.kill else None)
        looker.start()
        start = time.perf_counter()
        done = pellucid.dask.denoise(options.input, out, client, memory=options.memory)
        seconds = time.perf_counter() - start
        looker.over.set()
        looker.join()
    return done, looker, seconds


def apart(one: Any, other: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """How far the points of two clouds are apart, some at a time, since they are many."""
    assert len(one) == len(other), (len(one), len(other))
    distances = np.empty(len(one))
    for start in range(0, len(one), 1 << 20):
        rows = slice(start, start + (1 << 20))
        distances[rows] = np.linalg.norm(one.points[rows] - other.points[rows], axis=1)
    return distances


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("input", type=Path)
    parser.add_argument("single", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    out = options.folder / options.input.name
    if out.exists():
        parser.error(f"{out} exists already")
    done, looker, seconds = run(options, out)
    print(f"{done.points} points, {done.tiles} tiles, {seconds:.0f} s, noise {done.noise:.4g}, "
          f"spacing {done.spacing:.4g}")
    if options.kill:
        print(f"a worker was killed when {looker.killed_after} of {done.tiles} tiles were done")
    # Complete from the first time it was seen: its size never changed.
    final = out.stat().st_size
    partial = sorted(looker.sizes - {final})
    print(f"looked {looker.looks} times: names {sorted(looker.names)}, "
          f"sizes {sorted(looker.sizes)}, not complete {partial}, "
          f"left {sorted(p.name for p in options.folder.iterdir())}")
    assert not partial, partial

    result, single = pellucid.read(out), pellucid.read(options.single)
    differences = apart(result, single) / done.spacing
    print(f"against one process, in spacings: largest {differences.max():.3g}, mean {differences.mean():.3g}, "
          f"{np.count_nonzero(differences):d} points differ")
    del single
    given = pellucid.read(options.input)
    displacements = apart(result, given) / done.spacing
    print(f"moved, in spacings: largest {displacements.max():.3g}, mean {displacements.mean():.3g}")
    same = all(np.array_equal(result.attributes[n], v) for n, v in given.attributes.items())
    print(f"attributes {sorted(given.attributes)}: {'as' if same else 'NOT as'} in the input")


if __name__ == "__main__":
    main()
