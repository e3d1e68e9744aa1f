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
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Doubles
from ._cloud import read
from ._cloud import write as write_cloud
from ._native import Learned, Survey

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

PathLike = Union[str, "os.PathLike[str]"]
Cells = tuple[NDArray[np.int32], NDArray[np.int64]]

# Rows that are gone over at once.
_ROWS = 1 << 20
# Bytes that a tile takes: at rest, and for each of its points.
_BASE = 160_000_000
_PER_POINT = 750
_SPILLED = np.dtype([("number", "<u4"), ("core", "u1"), ("point", "<f8", 3)])
_MOVED = np.dtype([("number", "<u4"), ("point", "<f8", 3)])


def _survey(text: str) -> Survey:
    return Survey.from_json(text)


def _learned(text: str) -> Learned:
    return Learned.from_json(text)


copyreg.pickle(Survey, lambda survey: (_survey, (survey.to_json(),)))
copyreg.pickle(Learned, lambda learned: (_learned, (learned.to_json(),)))


@dataclass(frozen=True)
class Tile:
    """A box of cells.

    >>> from pellucid.tiles import Tile
    >>> Tile((0, 0, 0), (2, 1, 0), core=900, all=2500).core
    900
    """

    low: tuple[int, int, int]
    """First cell along each axis."""
    high: tuple[int, int, int]
    """Last cell along each axis."""
    core: int
    """Points of its own."""
    all: int
    """With those of the cells around."""


@dataclass(frozen=True)
class Plan:
    """Cells and tiles.

    >>> from pellucid.tiles import Plan
    >>> Plan((0.0, 0.0, 0.0), 1.0, 2.0, []).edge
    1.0
    """

    origin: tuple[float, float, float]
    edge: float
    """Side of a cell."""
    halo: float
    """How far around itself a tile must see."""
    tiles: list[Tile]


@dataclass(frozen=True)
class Finished:
    """What came of it; lengths in the units of the files.

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
    with _whole(_positions(folder, part)) as own:
        rows = _native.unpack(path, own)
        if rows is None:
            points = np.ascontiguousarray(read(path).points, dtype=np.float64)
            points.tofile(own)
            rows = len(points)
    return rows


def look(folder: PathLike, part: int, survey: Survey, first: int = 0) -> Survey:
    """Goes over the points of a part once, for what the survey wants to know at present.

    `first` is the number of the part's first point in the whole cloud: the sum of the finite
    points of the parts before it, which the first pass tells (`points`).

    >>> import pellucid, tempfile, os
    >>> from pellucid import tiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pellucid.write(os.path.join(folder, "a.ply"), pellucid.synthetic("torus", 500))
    ...     _ = tiles.unpack(os.path.join(folder, "a.ply"), folder, 0)
    ...     tiles.look(folder, 0, tiles.Survey()).points
    500
    """
    seen = survey.part()
    for points in _chunks(folder, part):
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
    for points in _chunks(folder, part):
        found.append(_counted(_cells(points, origin, edge)))
    return _added(found)


def plan(
    counts: Iterable[Cells],
    origin: Sequence[float],
    edge: float,
    halo: float,
    memory: Union[int, str] = "2G",
) -> Plan:
    """Makes tiles of the cells of all parts, as large as the memory for one of them allows.

    >>> import numpy as np
    >>> from pellucid import tiles
    >>> row = np.array([[x, 0, 0] for x in range(100)], dtype=np.int32)
    >>> made = tiles.plan([(row, np.full(100, 10_000))], (0, 0, 0), 1.0, 2.0, memory="400M")
    >>> len(made.tiles), sum(t.core for t in made.tiles)
    (4, 1000000)
    """
    cells, numbers = _added(list(counts))
    most = (_bytes(memory) - _BASE) // _PER_POINT
    reach = int(np.ceil(halo / edge)) if edge > 0 else 0
    tiles: list[Tile] = []

    def divide(own: NDArray[np.intp]) -> None:
        low, high = cells[own].min(axis=0), cells[own].max(axis=0)
        near = ((cells >= low - reach) & (cells <= high + reach)).all(axis=1)
        total = int(numbers[near].sum())
        if total > most and len(own) > 1:
            axis = int(np.argmax(high - low))
            places = cells[own, axis]
            order = np.argsort(places, kind="stable")
            half = np.cumsum(numbers[own][order]).searchsorted(numbers[own].sum() / 2)
            # At least one layer of cells on either side.
            cut = min(max(int(places[order[half]]), int(low[axis]) + 1), int(high[axis]))
            divide(own[places < cut])
            divide(own[places >= cut])
            return
        if total > most:
            needed = (_BASE + _PER_POINT * (total + 1)) // 1_000_000 + 1
            raise ValueError(f"memory of {memory} is too little for a tile; give at least {needed}M")
        corner = tuple(int(c) for c in low), tuple(int(c) for c in high)
        tiles.append(Tile(*corner, core=int(numbers[own].sum()), all=total))  # type: ignore[arg-type]

    if len(cells):
        divide(np.arange(len(cells)))
    x, y, z = (float(c) for c in origin)
    return Plan((x, y, z), float(edge), float(halo), tiles)


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
    for points in _chunks(folder, part):
        cells = _cells(points, plan.origin, plan.edge)
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
            spilled = np.empty(len(near), dtype=_SPILLED)
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
        return done.stat().st_size // _MOVED.itemsize
    files = sorted(Path(folder).glob(f"sorted-*/{number}.bin"))
    files = [file for file in files if re.fullmatch(r"sorted-\d+", file.parent.name)]
    spilled = np.concatenate([np.fromfile(file, dtype=_SPILLED) for file in files])
    # Own points first, all of them by number: the result does not depend on which part came first.
    spilled = spilled[np.lexsort((spilled["number"], spilled["core"] == 0))]
    core = int(np.count_nonzero(spilled["core"]))
    points, numbers = np.ascontiguousarray(spilled["point"]), spilled["number"].astype(np.uint32)
    del spilled
    moved = np.empty(core, dtype=_MOVED)
    moved["number"] = numbers[:core]
    moved["point"] = learned.piece(points, numbers, core, threads)
    with _whole(done) as own:
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
    with _whole(Path(folder) / f"moved-{part}.bin") as own:
        with open(own, "wb") as file:
            for points in _chunks(folder, part):
                points.tofile(file)
        moved = _rows(own, "r+")
        for source in (Path(folder) / f"sorted-{part}").glob("*.bin"):
            results = np.fromfile(Path(folder) / f"done-{source.stem}.bin", dtype=_MOVED)
            numbers = results["number"].astype(np.int64) - first
            mine = (numbers >= 0) & (numbers < len(moved))
            moved[numbers[mine]] = results["point"][mine]
        target = Path(out)
        beside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
        try:
            if not _native.rewrite(path, target, beside, moved, overwrite):
                cloud = read(path)
                whole = np.array(cloud.points, dtype=np.float64)
                whole[np.isfinite(whole).all(axis=1)] = moved
                cloud.points = whole
                write_cloud(target, cloud, overwrite=overwrite)
        finally:
            beside.unlink(missing_ok=True)
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
    name. Files are neighbours of each other: there is no seam where they meet. `memory` is for
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
    _bytes(memory)
    inputs, outputs = _files(paths, Path(out), overwrite)
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


def _files(
    paths: Union[PathLike, Sequence[PathLike]], out: Path, overwrite: bool
) -> tuple[list[Path], list[Path]]:
    """Inputs and outputs; an error now rather than at the end."""
    if isinstance(paths, (str, os.PathLike)):
        inputs, outputs = [Path(paths)], [out]
    else:
        inputs = [Path(path) for path in paths]
        outputs = [out / path.name for path in inputs]
    if not inputs:
        raise ValueError("no file was given")
    if len({path.name for path in outputs}) < len(outputs):
        raise ValueError("two files have the same name; the output folder has room for one of them")
    for path in inputs:
        if not path.is_file():
            raise FileNotFoundError(f"{path}: there is no such file")
    for path, target in zip(inputs, outputs):
        if target.exists() and path.samefile(target):
            raise FileExistsError(f"{target}: the output is the input; give another name")
        if target.exists() and not overwrite:
            raise FileExistsError(f"{target}: exists already; overwrite=True replaces it")
    return inputs, outputs


def _bytes(memory: Union[int, str]) -> int:
    if isinstance(memory, int):
        return memory
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory, re.I)
    if not found:
        raise ValueError(f'"{memory}" is no amount of memory; write a number and K, M, G or T, as in 2G')
    power = " kmgt".index(found[2].lower() or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


def _positions(folder: PathLike, part: int) -> Path:
    return Path(folder) / f"positions-{part}.bin"


def _rows(path: Path, mode: Any = "r") -> Doubles:
    """Rows of three doubles that stay on disk."""
    if path.stat().st_size == 0:
        return np.empty((0, 3))
    return np.memmap(path, dtype=np.float64, mode=mode).reshape(-1, 3)


def _chunks(folder: PathLike, part: int) -> Iterator[Doubles]:
    """The finite positions of a part, some at a time."""
    all_rows = _rows(_positions(folder, part))
    for start in range(0, len(all_rows), _ROWS):
        rows = np.array(all_rows[start : start + _ROWS])
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows):
            yield rows


def _cells(points: Doubles, origin: Sequence[float], edge: float) -> NDArray[np.int32]:
    if edge <= 0:
        # Nothing is to be moved, so nothing is to be divided.
        return np.zeros(points.shape, dtype=np.int32)
    cells: NDArray[np.int32] = np.floor((points - np.asarray(origin)) / edge).astype(np.int32)
    return cells


def _counted(cells: NDArray[np.int32], weights: Any = None) -> Cells:
    found, where = np.unique(cells, axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights, minlength=len(found)).astype(np.int64)
    return found, counts


def _added(counts: list[Cells]) -> Cells:
    if not counts:
        return np.empty((0, 3), dtype=np.int32), np.empty(0, dtype=np.int64)
    cells = np.concatenate([c for c, _ in counts])
    return _counted(cells, np.concatenate([n for _, n in counts]))


class _whole:
    """A file that appears complete or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own = path.with_name(f"{path.name}.{uuid.uuid4().hex}")

    def __enter__(self) -> Path:
        return self._own

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            os.replace(self._own, self._path)
        else:
            self._own.unlink(missing_ok=True)
