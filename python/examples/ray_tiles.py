"""A large cloud on Ray, by the steps of `pellucid.tiles`.

    pip install ray
    python python/examples/ray_tiles.py clean/ noisy/*.laz

All nodes must see the files and the work folder, which is made in the output folder.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import ray

from pellucid import tiles


def each(step: Any, *lists: Any) -> list[Any]:
    """Calls a step with the items of some lists, one task each, tried again if a node is lost."""
    task = ray.remote(max_retries=3, retry_exceptions=True)(step)
    found: list[Any] = ray.get([task.remote(*items) for items in zip(*lists)])
    return found


def main() -> None:
    out = Path(sys.argv[1])
    paths = [Path(path) for path in sys.argv[2:]]
    out.mkdir(parents=True, exist_ok=True)
    ray.init()
    work = tempfile.mkdtemp(prefix=".pellucid-", dir=out)
    try:
        parts = range(len(paths))
        same = [work] * len(paths)
        each(tiles.unpack, paths, same, parts)

        survey = tiles.Survey()
        seen = each(tiles.look, same, parts, [survey] * len(paths), [0] * len(paths))
        firsts = [sum(one.points for one in seen[:part]) for part in parts]
        survey = tiles.join(survey, seen)
        while not survey.is_done:
            survey = tiles.join(survey, each(tiles.look, same, parts, [survey] * len(paths), firsts))

        learned = tiles.learn(survey)
        assert survey.bounds is not None
        origin, edge = survey.bounds[0], learned.halo / 2
        counts = each(tiles.count, same, parts, [origin] * len(paths), [edge] * len(paths))
        plan = tiles.plan(counts, origin, edge, learned.halo, memory="2G")
        each(tiles.sort, same, parts, firsts, [plan] * len(paths))
        count = len(plan.tiles)
        each(tiles.tile, [work] * count, range(count), [learned] * count, [1] * count)
        each(tiles.write, paths, [out / path.name for path in paths], same, parts, firsts)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
