"""Clouds with named attributes, and their files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._adapters import moved, taken_apart
from ._arrays import Doubles, Points, column, from_column, rows_of_three

Path = Union[str, "os.PathLike[str]"]


class _Attributes(MutableMapping[str, "NDArray[Any]"]):
    """Columns by name; each has a row for each point."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._columns: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __setitem__(self, name: str, values: Any) -> None:
        array = np.asarray(values)
        if array.ndim == 0 or len(array) != self._count:
            raise ValueError(
                f'attribute "{name}" has shape {array.shape}, but the cloud has {self._count} '
                "points; give a row for each point"
            )
        self._columns[name] = array

    def __delitem__(self, name: str) -> None:
        del self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}: {v.dtype}{list(v.shape)}" for k, v in self.items())
        return "{" + inner + "}"


class PointCloud:
    """Points and any number of named attributes, all of them numpy arrays.

    Arrays are taken as they are and not copied; changing one changes the cloud.

    >>> import numpy as np
    >>> import pellucid
    >>> cloud = pellucid.PointCloud([[0, 0, 0], [1, 2, 3]], {"intensity": np.array([7, 9], "u2")})
    >>> cloud
    PointCloud(2 points, {intensity: uint16[2]})
    >>> cloud.attributes["intensity"][0] = 8
    >>> cloud.select([0]).attributes["intensity"]
    array([8], dtype=uint16)
    """

    def __init__(
        self,
        points: Any,
        attributes: Union[Mapping[str, Any], Iterable[tuple[str, Any]]] = (),
        *,
        source: Optional[_native.Source] = None,
    ) -> None:
        self._points = rows_of_three(points)
        self.attributes = _Attributes(len(self._points))
        self.attributes.update(attributes)
        self._source = source

    @property
    def points(self) -> Points:
        """Where the points are, (N, 3)."""
        return self._points

    @points.setter
    def points(self, points: Any) -> None:
        array = rows_of_three(points)
        if len(array) != len(self._points):
            raise ValueError(
                f"{len(array)} positions were given for a cloud of {len(self._points)} points"
            )
        self._points = array

    @property
    def normals(self) -> Optional[NDArray[Any]]:
        """The attribute `normal`, if there is one."""
        return self.attributes.get("normal")

    @property
    def format(self) -> Optional[str]:
        """The format of the file it was read from."""
        return self._source.format if self._source else None

    @property
    def comments(self) -> list[str]:
        """Comments of the file it was read from."""
        return self._source.comments if self._source else []

    @property
    def viewpoints(self) -> Doubles:
        """Where the scanner stood, (V, 3), as far as the file says."""
        found = self._source.viewpoints if self._source else []
        return np.array(found, dtype=np.float64).reshape(-1, 3)

    def with_points(self, points: Any) -> PointCloud:
        """The same attributes at other points.

        >>> import pellucid
        >>> cloud = pellucid.PointCloud([[0, 0, 0]], {"time": [2.5]})
        >>> cloud.with_points([[1, 1, 1]]).attributes["time"]
        array([2.5])
        """
        other = PointCloud(self._points, self.attributes, source=self._source)
        other.points = points
        return other

    def select(self, rows: Any) -> PointCloud:
        """Some of the points, by indices or a mask, with their attributes.

        >>> import pellucid
        >>> len(pellucid.synthetic("torus", 100).select(slice(0, 10)))
        10
        """
        kept = {name: values[rows] for name, values in self.attributes.items()}
        # What else the file held may name points by number.
        return PointCloud(self._points[rows], kept)

    def __len__(self) -> int:
        return len(self._points)

    def __repr__(self) -> str:
        return f"PointCloud({len(self)} points, {self.attributes!r})"

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        if copy:
            return np.array(self._points, dtype=dtype)
        return np.asarray(self._points, dtype=dtype)

    def __getstate__(self) -> dict[str, Any]:
        # The rest of the file stays behind; points and attributes travel.
        return {"points": self._points, "attributes": dict(self.attributes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        PointCloud.__init__(self, state["points"], state["attributes"])


def read(path: Path) -> PointCloud:
    """Reads a file with all its attributes; the format is given by extension and content.

    >>> import pellucid, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.xyz")
    ...     with open(path, "w") as file:
    ...         _ = file.write("0 0 0\\n1 2 3\\n")
    ...     pellucid.read(path).points
    array([[0., 0., 0.],
           [1., 2., 3.]])
    """
    points, attributes, source = _native.read(path)
    columns = {name: from_column(given) for name, given in attributes.items()}
    return PointCloud(points, columns, source=source)


def write(path: Path, cloud: Any, *, overwrite: bool = False) -> None:
    """Writes a cloud (or bare points) in the format that the extension names.

    The file appears complete or not at all. What else the file held that the cloud was read
    from is written too. A warning says what the format cannot hold.

    >>> import pellucid, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.ply")
    ...     pellucid.write(path, pellucid.synthetic("sphere", 50))
    ...     pellucid.read(path)
    PointCloud(50 points, {normal: float64[50, 3]})
    """
    cloud = as_cloud(cloud)
    columns = {name: column(name, values) for name, values in cloud.attributes.items()}
    dropped, changed = _native.write(path, cloud.points, columns, cloud._source, overwrite)
    for name, reason in dropped:
        warnings.warn(f"{os.fspath(path)}: {name} was left out: {reason}", stacklevel=2)
    for name, reason in changed:
        warnings.warn(f"{os.fspath(path)}: {name} was changed: {reason}", stacklevel=2)


def synthetic(name: str, count: int, *, seed: int = 0) -> PointCloud:
    """Points of an exact shape, with normals: `sphere`, `torus`, `box` …

    >>> import numpy as np
    >>> import pellucid
    >>> sphere = pellucid.synthetic("sphere", 100, seed=1)
    >>> bool(np.allclose(np.linalg.norm(sphere.points, axis=1), 1))
    True
    """
    points, normals = _native.shape(name, count, seed)
    return PointCloud(points, {"normal": normals})


def as_cloud(given: Any) -> PointCloud:
    """Points, or a cloud of Open3D, laspy, trimesh or PyVista, as a `PointCloud`.

    Everything in this package that takes points takes these objects, too.

    >>> import pellucid
    >>> pellucid.as_cloud([[0.0, 0.0, 0.0]])
    PointCloud(1 points, {})
    """
    if isinstance(given, PointCloud):
        return given
    apart = None if isinstance(given, (np.ndarray, list, tuple)) else taken_apart(given)
    return PointCloud(given) if apart is None else PointCloud(*apart)


def like(given: Any, points: Any) -> Any:
    """A copy of `given`, of whatever package it is, with its points elsewhere.

    >>> import numpy as np
    >>> import pellucid
    >>> noisy = pellucid.synthetic("sphere", 500)  # or a cloud of Open3D, laspy, trimesh, PyVista
    >>> clean = pellucid.like(noisy, pellucid.denoise(noisy, "mls").points)
    >>> type(clean).__name__
    'PointCloud'
    """
    array = rows_of_three(points)
    cloud = as_cloud(given)
    if len(array) != len(cloud):
        raise ValueError(f"{len(array)} positions were given for a cloud of {len(cloud)} points")
    return cloud.with_points(array) if cloud is given else moved(given, array)
