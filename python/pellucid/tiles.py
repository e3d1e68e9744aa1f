"""A large cloud in pieces, step by step, so that any engine can run the steps.

The method is `auto`. What is global of a cloud (spacing, noise, metric, rounds) is learned once from a
sample; then tiles of the cloud, each with as much around it as matters, get what the whole run would
give them. `denoise` here does all of it with threads; `pellucid.dask.denoise` does it on a
cluster. Both call these functions, in this order, each for every file or every tile:

1. `unpack` copies the positions of a file to the work folder
2. `look` goes over them, several times, until the survey that `join` makes of all says `is_done`
3. `learn` is all that is global
4. `count` counts points by cell; `plan` makes tiles of the cells
5. `sort` puts the points of a file where the tiles find them
6. `tile` denoises a tile
7. `write` puts the results into a copy of a file, in its order and with its attributes

Files stay where they are; what travels between the steps is small. A step that is done again, after
a worker was lost, gives the same; files appear complete or not at all. The work folder must be on
a disk that all workers see.
"""

from __future__ import annotations

import copyreg
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _native
from ._cloud import read
from ._cloud import write as write_cloud
from ._native import Learned, Survey
from ._plan import Cells, Plan, Tile, added, cells_of, counted, in_bytes, plan
from ._work import MOVED, SPILLED, PathLike, checked, chunks, on_disk, positions, whole

__all__ = [
    "Finished",
    "Learned",
    "Plan",
    "Survey",
    "Tile",
    "count",
    "denoise",
    "join",
    "learn",
    "look",
    "plan",
    "sort",
    "tile",
    "unpack",
    "write",
]


def _survey(text: str) -> Survey:
    return Survey.from_json(text)


def _learned(text: str) -> Learned:
    return Learned.from_json(text)


copyreg.pickle(Survey, lambda survey: (_survey, (survey.to_json(),)))
copyreg.pickle(Learned, lambda learned: (_learned, (learned.to_json(),)))


@dataclass(frozen=True)
class Finished:
    """The result of a run; lengths are in the units of the files.

    >>> from pellucid.tiles import Finished
    >>> Finished([], points=0, tiles=0, noise=0.0, spacing=1.0, notes=[]).tiles
    0
    """

    paths: list[Path]
    """The files that were written."""
    points: int
    tiles: int
    noise: float
    spacing: float
    notes: list[str]
    """Decisions, in words."""


def unpack(path: PathLike, folder: PathLike, part: int) -> int:
    """Copies the positions of a file, the part of that number, to the work folder; gives the number
    of rows.

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pellucid.write(os.path.join(folder, "a.ply"), pellucid.synthetic("torus", 500))
    ...     tiles.unpack(os.path.join(folder, "a.ply"), folder, 0)
    500
    """
    with whole(positions(folder, part)) as own:
        rows = _native.unpack(path, own)
        if rows is None:
            points = np.ascontiguousarray(read(path).points, dtype=np.float64)
            points.tofile(own)
            rows = len(points)
    return rows


def look(folder: PathLike, part: int, survey: Survey, first: int = 0) -> Survey:
    """Goes over the points of a part once, for what the survey wants to know at present.

    `first` is the number of the part's first point in the whole cloud: the sum of the finite
    points of the parts before it, which the first pass counts (`points`).

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pellucid.write(os.path.join(folder, "a.ply"), pellucid.synthetic("torus", 500))
    ...     _ = tiles.unpack(os.path.join(folder, "a.ply"), folder, 0)
    ...     tiles.look(folder, 0, tiles.Survey()).points
    500
    """
    seen = survey.part()
    for points in chunks(folder, part):
        first += seen.see(points, first)
    return seen


def join(survey: Survey, parts: Iterable[Survey]) -> Survey:
    """What all parts have seen in a pass, together: the survey for the next pass, or done.

    >>> from pellucid import tiles
    >>> tiles.join(tiles.Survey(), [tiles.Survey(), tiles.Survey()]).is_done
    False
    """
    whole = survey.part()
    for part in parts:
        whole.join(part)
    whole.end_pass()
    return whole


def learn(survey: Survey, *, seed: int = 0, threads: Optional[int] = None, **params: Any) -> Learned:
    """All that is global, from a survey that is done; parameters are those of the method `auto`.

    >>> import pellucid
    >>> from pellucid import tiles
    >>> noisy = pellucid.add_noise(pellucid.synthetic("torus", 3000), 0.02, scale="absolute")
    >>> survey = tiles.Survey()
    >>> while not survey.is_done:
    ...     _ = survey.see(noisy.points, 0)
    ...     survey.end_pass()
    >>> learned = tiles.learn(survey)
    >>> round(learned.noise, 2), learned.halo > 20 * learned.spacing
    (0.02, True)
    """
    return Learned.of(survey, params, seed, threads)


def count(folder: PathLike, part: int, origin: Sequence[float], edge: float) -> Cells:
    """Cells that have points of a part, and how many.

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pellucid.write(os.path.join(folder, "a.ply"), [[0, 0, 0], [0.5, 0, 0], [2.5, 0, 0]])
    ...     _ = tiles.unpack(os.path.join(folder, "a.ply"), folder, 0)
    ...     cells, counts = tiles.count(folder, 0, (0.0, 0.0, 0.0), 1.0)
    >>> cells.tolist(), counts.tolist()
    ([[0, 0, 0], [2, 0, 0]], [2, 1])
    """
    found = []
    for points in chunks(folder, part):
        found.append(counted(cells_of(points, origin, edge)))
    return added(found)


def sort(folder: PathLike, part: int, first: int, plan: Plan) -> None:
    """Puts the points of a part where the tiles find them.

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pellucid.write(os.path.join(folder, "a.ply"), [[0, 0, 0], [0.5, 0, 0], [2.5, 0, 0]])
    ...     _ = tiles.unpack(os.path.join(folder, "a.ply"), folder, 0)
    ...     plan = tiles.Plan((0, 0, 0), 1.0, 1.0, [tiles.Tile((0, 0, 0), (0, 0, 0), 2, 2)])
    ...     tiles.sort(folder, 0, 0, plan)
    ...     os.listdir(os.path.join(folder, "sorted-0"))
    ['0.bin']
    """
    final = Path(folder) / f"sorted-{part}"
    if final.is_dir():
        return
    own = final.with_name(f"{final.name}.{uuid.uuid4().hex}")
    own.mkdir()
    origin = np.asarray(plan.origin)
    for points in chunks(folder, part):
        cells = cells_of(points, plan.origin, plan.edge)
        numbers = first + np.arange(len(points), dtype=np.uint32)
        first += len(points)
        least, most = points.min(axis=0), points.max(axis=0)
        for t, tile in enumerate(plan.tiles):
            low = origin + np.array(tile.low) * plan.edge - plan.halo
            high = origin + (np.array(tile.high) + 1) * plan.edge + plan.halo
            if (most < low).any() or (least > high).any():
                continue
            near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
            if len(near) == 0:
                continue
            spilled = np.empty(len(near), dtype=SPILLED)
            spilled["number"] = numbers[near]
            spilled["point"] = points[near]
            inside = (cells[near] >= tile.low) & (cells[near] <= tile.high)
            spilled["core"] = inside.all(axis=1)
            with open(own / f"{t}.bin", "ab") as file:
                spilled.tofile(file)
    try:
        own.rename(final)
    except OSError:
        # Done elsewhere in the meantime.
        if not final.is_dir():
            raise
        shutil.rmtree(own, ignore_errors=True)


def tile(folder: PathLike, number: int, learned: Learned, threads: Optional[int] = None) -> int:
    """Denoises a tile and keeps what came of its own points in the work folder; gives their number.

    >>> import inspect
    >>> from pellucid import tiles
    >>> list(inspect.signature(tiles.tile).parameters)
    ['folder', 'number', 'learned', 'threads']
    """
    done = Path(folder) / f"done-{number}.bin"
    if done.is_file():
        return done.stat().st_size // MOVED.itemsize
    files = sorted(Path(folder).glob(f"sorted-*/{number}.bin"))
    files = [file for file in files if re.fullmatch(r"sorted-\d+", file.parent.name)]
    spilled = np.concatenate([np.fromfile(file, dtype=SPILLED) for file in files])
    # Own points first, all of them by number: the result does not depend on which part came first.
    spilled = spilled[np.lexsort((spilled["number"], spilled["core"] == 0))]
    core = int(np.count_nonzero(spilled["core"]))
    points, numbers = np.ascontiguousarray(spilled["point"]), spilled["number"].astype(np.uint32)
    del spilled
    moved = np.empty(core, dtype=MOVED)
    moved["number"] = numbers[:core]
    moved["point"] = learned.piece(points, numbers, core, threads)
    with whole(done) as own:
        moved.tofile(own)
    return core


def write(
    path: PathLike,
    out: PathLike,
    folder: PathLike,
    part: int,
    first: int,
    *,
    overwrite: bool = False,
) -> Path:
    """Writes a file as another with the results of the tiles: same order, same attributes.

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a, b = (os.path.join(folder, name) for name in ("a.ply", "b.ply"))
    ...     pellucid.write(a, pellucid.synthetic("torus", 500))
    ...     _ = tiles.unpack(a, folder, 0)
    ...     _ = tiles.write(a, b, folder, 0, 0)  # no tile moved anything
    ...     pellucid.read(b)
    PointCloud(500 points, {normal: float64[500, 3]})
    """
    # All finite points of the file; on disk, since they may be many.
    with whole(Path(folder) / f"moved-{part}.bin") as own:
        with open(own, "wb") as file:
            for points in chunks(folder, part):
                points.tofile(file)
        moved = on_disk(own, "r+")
        for source in (Path(folder) / f"sorted-{part}").glob("*.bin"):
            results = np.fromfile(Path(folder) / f"done-{source.stem}.bin", dtype=MOVED)
            numbers = results["number"].astype(np.int64) - first
            mine = (numbers >= 0) & (numbers < len(moved))
            moved[numbers[mine]] = results["point"][mine]
        target = Path(out)
        if not _native.rewrite(path, target, moved, overwrite):
            cloud = read(path)
            points = np.array(cloud.points, dtype=np.float64)
            points[np.isfinite(points).all(axis=1)] = moved
            cloud.points = points
            write_cloud(target, cloud, overwrite=overwrite)
    return target


def denoise(
    paths: Union[PathLike, Sequence[PathLike]],
    out: PathLike,
    *,
    memory: Union[int, str] = "2G",
    workers: int = 1,
    folder: Optional[PathLike] = None,
    seed: int = 0,
    overwrite: bool = False,
    **params: Any,
) -> Finished:
    """Denoises files that are parts of one cloud, tile by tile, on this machine.

    One path is written to the file `out`; several to a folder of that name, each under its own
    name. Files are neighbors of each other: there is no seam where they meet. `memory` is for
    each tile, of which `workers` are worked on at once. The work folder is made beside the output
    unless `folder` says where, and removed at the end.

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> noisy = pellucid.add_noise(pellucid.synthetic("torus", 3000), 0.02, scale="absolute")
    >>> with tempfile.TemporaryDirectory() as here:
    ...     a, b = (os.path.join(here, name) for name in ("noisy.ply", "clean.ply"))
    ...     pellucid.write(a, noisy)
    ...     done = tiles.denoise(a, b)
    ...     done.points, done.tiles, len(pellucid.read(b))
    (3000, 1, 3000)
    """
    with ThreadPoolExecutor(max(1, workers)) as pool:

        def each(step: Callable[..., Any], *lists: Iterable[Any]) -> list[Any]:
            return list(pool.map(step, *lists))

        threads = None if workers <= 1 else 1
        return _run(each, paths, out, memory, threads, folder, seed, overwrite, params)


def _run(
    each: Callable[..., list[Any]],
    paths: Union[PathLike, Sequence[PathLike]],
    out: PathLike,
    memory: Union[int, str],
    threads: Optional[int],
    folder: Optional[PathLike],
    seed: int,
    overwrite: bool,
    params: dict[str, Any],
) -> Finished:
    """All steps; `each` calls a step with the items of some lists and gives what they return."""
    in_bytes(memory)
    inputs, outputs = checked(paths, Path(out), overwrite)
    parent = Path(folder) if folder is not None else Path(out).resolve().parent
    home = tempfile.mkdtemp(prefix=f".{Path(out).name}.pellucid-", dir=parent)
    try:
        parts = range(len(inputs))
        same = [home] * len(inputs)
        each(unpack, inputs, same, parts)
        seen = each(look, same, parts, [Survey()] * len(inputs), [0] * len(inputs))
        firsts = [0, *np.cumsum([one.points for one in seen]).tolist()][:-1]
        survey = join(Survey(), seen)
        if survey.points >= 1 << 32:
            raise ValueError(f"{survey.points} points are too many for one cloud; divide it")
        while not survey.is_done:
            survey = join(survey, each(look, same, parts, [survey] * len(inputs), firsts))
        [learned] = each(_learn, [survey], [seed], [params])
        made = Plan((0.0, 0.0, 0.0), 0.0, 0.0, [])
        if not learned.is_idle and survey.bounds is not None:
            origin, edge = survey.bounds[0], learned.halo / 2
            counts = each(count, same, parts, [origin] * len(inputs), [edge] * len(inputs))
            made = plan(counts, origin, edge, learned.halo, memory)
        each(sort, same, parts, firsts, [made] * len(inputs))
        tiles = range(len(made.tiles))
        each(tile, [home] * len(tiles), tiles, [learned] * len(tiles), [threads] * len(tiles))
        for target in outputs:
            target.parent.mkdir(parents=True, exist_ok=True)
        written = each(_write, inputs, outputs, same, parts, firsts, [overwrite] * len(inputs))
        return Finished(
            written, survey.points, len(tiles), learned.noise, learned.spacing, learned.notes
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _learn(survey: Survey, seed: int, params: dict[str, Any]) -> Learned:
    return learn(survey, seed=seed, **params)


def _write(
    path: PathLike, out: Path, folder: PathLike, part: int, first: int, overwrite: bool
) -> Path:
    return write(path, out, folder, part, first, overwrite=overwrite)
