"""Space in cells, and cells in tiles that memory has room for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import Doubles

Cells = tuple[NDArray[np.int32], NDArray[np.int64]]

# Bytes that a tile takes: fixed, and for each of its points.
BASE = 160_000_000
PER_POINT = 750


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
    cells, numbers = added(list(counts))
    most = (in_bytes(memory) - BASE) // PER_POINT
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
            needed = (BASE + PER_POINT * (total + 1)) // 1_000_000 + 1
            raise ValueError(f"memory of {memory} is too little for a tile; give at least {needed}M")
        corner = tuple(int(c) for c in low), tuple(int(c) for c in high)
        tiles.append(Tile(*corner, core=int(numbers[own].sum()), all=total))  # type: ignore[arg-type]

    if len(cells):
        divide(np.arange(len(cells)))
    x, y, z = (float(c) for c in origin)
    return Plan((x, y, z), float(edge), float(halo), tiles)


def in_bytes(memory: Union[int, str]) -> int:
    """Bytes of an amount such as `2G`."""
    if isinstance(memory, int):
        return memory
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory, re.I)
    if not found:
        raise ValueError(f'"{memory}" is no amount of memory; write a number and K, M, G or T, as in 2G')
    power = " kmgt".index(found[2].lower() or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


def cells_of(points: Doubles, origin: Sequence[float], edge: float) -> NDArray[np.int32]:
    """The cell of each point."""
    if edge <= 0:
        # Nothing is to be moved, so nothing is to be divided.
        return np.zeros(points.shape, dtype=np.int32)
    cells: NDArray[np.int32] = np.floor((points - np.asarray(origin)) / edge).astype(np.int32)
    return cells


def counted(cells: NDArray[np.int32], weights: Any = None) -> Cells:
    """Each cell once, with how often it is there or the sum of its weights."""
    found, where = np.unique(cells, axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights, minlength=len(found)).astype(np.int64)
    return found, counts


def added(counts: list[Cells]) -> Cells:
    """Counts of several parts as those of one."""
    if not counts:
        return np.empty((0, 3), dtype=np.int32), np.empty(0, dtype=np.int64)
    cells = np.concatenate([c for c, _ in counts])
    return counted(cells, np.concatenate([n for _, n in counts]))
