"""Files: which are read and written, and those of the work folder that steps leave to each other."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._arrays import Doubles

PathLike = Union[str, "os.PathLike[str]"]

# Rows that are gone over at once.
ROWS = 1 << 20
# A point for a tile, one of its own (core) or one near them; and a point that a tile has moved.
SPILLED = np.dtype([("number", "<u4"), ("core", "u1"), ("point", "<f8", 3)])
MOVED = np.dtype([("number", "<u4"), ("point", "<f8", 3)])


def checked(
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


def positions(folder: PathLike, part: int) -> Path:
    """Where the positions of a part are."""
    return Path(folder) / f"positions-{part}.bin"


def on_disk(path: Path, mode: Any = "r") -> Doubles:
    """Rows of three doubles that stay on disk."""
    if path.stat().st_size == 0:
        return np.empty((0, 3))
    return np.memmap(path, dtype=np.float64, mode=mode).reshape(-1, 3)


def chunks(folder: PathLike, part: int) -> Iterator[Doubles]:
    """The finite positions of a part, some at a time."""
    all_rows = on_disk(positions(folder, part))
    for start in range(0, len(all_rows), ROWS):
        rows = np.array(all_rows[start : start + ROWS])
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows):
            yield rows


class whole:
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
