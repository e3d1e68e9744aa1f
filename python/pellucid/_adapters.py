"""Clouds of other packages, recognized by what they can do, so that none of them is needed."""

from __future__ import annotations

import copy
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray


def _kind(given: Any) -> Optional[str]:
    """Which package's object it is."""
    home = (type(given).__module__ or "").split(".")[0]
    has = {name for name in ("point_data", "vertices", "point", "points") if hasattr(given, name)}
    if home == "laspy" or (hasattr(given, "point_format") and hasattr(given, "xyz")):
        return "laspy"
    if home == "open3d":
        return "open3d tensor" if "point" in has else "open3d"
    if home == "pyvista" or {"point_data", "points"} <= has:
        return "pyvista"
    if home == "trimesh":
        return "trimesh"
    return None


def taken_apart(given: Any) -> Optional[tuple[Any, dict[str, Any]]]:
    """Points and attributes of an object of another package; None for anything else."""
    kind = _kind(given)
    if kind == "open3d":
        columns = {}
        if given.has_normals():
            columns["normal"] = np.asarray(given.normals)
        # A mesh says so by another name.
        if getattr(given, "has_colors", lambda: False)():
            columns["color"] = np.asarray(given.colors)
        return np.asarray(given.points), columns
    if kind == "open3d tensor":
        names = {"normals": "normal", "colors": "color"}
        columns = {
            names.get(name, name): value.cpu().numpy()
            for name, value in given.point.items()
            if name != "positions"
        }
        return given.point["positions"].cpu().numpy(), columns
    if kind == "laspy":
        columns = {
            name: np.asarray(given[name])
            for name in given.point_format.dimension_names
            if name not in ("X", "Y", "Z")
        }
        return np.asarray(given.xyz), columns
    if kind == "pyvista":
        names = {"Normals": "normal", "RGB": "color", "RGBA": "color"}
        columns = {names.get(n, n): np.asarray(v) for n, v in given.point_data.items()}
        return np.asarray(given.points), columns
    if kind == "trimesh":
        colors = getattr(given, "colors", None)
        points = np.asarray(given.vertices)
        fits = colors is not None and len(colors) == len(points)
        return points, {"color": np.asarray(colors)} if fits else {}
    return None


def moved(given: Any, points: NDArray[Any]) -> Any:
    """A copy of an object of another package with its points elsewhere."""
    kind = _kind(given)
    if kind == "open3d":
        out = copy.deepcopy(given)
        out.points = type(given.points)(np.ascontiguousarray(points, dtype=np.float64))
        return out
    if kind == "open3d tensor":
        out = given.clone()
        old = given.point["positions"]
        new = np.ascontiguousarray(points, dtype=old.cpu().numpy().dtype)
        out.point["positions"] = type(old)(new, device=old.device)
        return out
    if kind == "laspy":
        # LasData does not stand copy.deepcopy.
        out = type(given)(copy.deepcopy(given.header), given.points.copy())
        out.x, out.y, out.z = points[:, 0], points[:, 1], points[:, 2]
        return out
    if kind == "pyvista":
        out = given.copy()
        out.points = np.asarray(points, dtype=np.asarray(given.points).dtype)
        return out
    if kind == "trimesh":
        out = given.copy()
        out.vertices = points
        return out
    return points
