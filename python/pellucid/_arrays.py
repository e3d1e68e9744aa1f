"""Whatever people have as arrays that the library takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
Doubles = NDArray[np.float64]
# Single or double precision.
Points = NDArray[np.floating[Any]]


def native(values: NDArray[Any]) -> NDArray[Any]:
    """The same array, or a copy if its memory is not as numbers usually lie there."""
    if values.dtype.isnative and values.flags.aligned:
        return values
    return values.astype(values.dtype.newbyteorder("="))


def rows_of_three(values: Any, what: str = "points") -> Points:
    """An array of shape (N, 3) in single or double precision; not copied if it is one."""
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what} have shape {array.shape}, but it must be (N, 3)")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{what} are of type {array.dtype}, but they must be real numbers")
    if array.dtype.newbyteorder("=") not in (np.float32, np.float64):
        return array.astype(np.float64)
    return native(array)


def column(name: str, values: Any) -> Any:
    """An attribute as the extension takes it."""
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind == "b":
        return array.astype(np.uint8)
    if kind in "US" or (kind == "O" and all(isinstance(v, str) for v in array.flat)):
        width = int(np.prod(array.shape[1:]))
        return ("text", width, [str(v) for v in array.flat])
    if kind == "O":
        lists = [np.asarray(v) for v in array]
        offsets = np.cumsum([0, *(len(v) for v in lists)])
        return ("list", offsets.tolist(), native(np.concatenate(lists)) if lists else np.empty(0))
    if kind == "f" and array.dtype.itemsize == 2:
        return array.astype(np.float32)
    if kind not in "fiu" or array.dtype.itemsize > 8 or array.ndim == 0:
        raise ValueError(f'attribute "{name}" is of type {array.dtype}, which no column has')
    return native(array)


def from_column(given: Any) -> NDArray[Any]:
    """The reverse of `column`."""
    if not isinstance(given, tuple):
        return given  # type: ignore[no-any-return]
    if given[0] == "text":
        _, width, strings = given
        texts = np.array(strings, dtype=np.str_)
        return texts if width == 1 else texts.reshape(-1, width)
    _, offsets, values = given
    lists = np.empty(len(offsets) - 1, dtype=object)
    for i in range(len(lists)):
        lists[i] = np.asarray(values[offsets[i] : offsets[i + 1]])
    return lists
