"""How close a result is to the truth; distances in the units of the clouds."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Points, rows_of_three
from ._cloud import as_cloud

__all__ = [
    "chamfer",
    "compare",
    "hausdorff",
    "hausdorff95",
    "paper_mse",
    "paper_snr",
    "point_to_mesh",
    "point_to_mesh_two_way",
    "point_to_plane",
    "uniformity",
]


def _points(given: Any) -> Points:
    return as_cloud(given).points


def _triangles(given: Any) -> NDArray[np.uint32]:
    array = np.asarray(given)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iu":
        raise ValueError(
            f"triangles are {array.dtype} of shape {array.shape}, but they must be whole numbers "
            "of shape (N, 3)"
        )
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.uint32).max):
        raise ValueError("triangles name vertices by numbers from 0 up")
    return array.astype(np.uint32)


def paper_mse(result: Any, truth: Any) -> float:
    """The measure the paper calls MSE: mean nearest distance, both ways, not squared.

    >>> from pellucid import quality
    >>> quality.paper_mse([[0, 0, 1]], [[0, 0, 0]])
    1.0
    """
    return _native.measure("paper_mse", _points(result), _points(truth))


def paper_snr(result: Any, truth: Any) -> float:
    """The paper's signal-to-noise ratio, in dB.

    >>> import pellucid
    >>> clean = pellucid.synthetic("sphere", 500)
    >>> noisy = pellucid.add_noise(clean, 0.01, scale="absolute")
    >>> pellucid.quality.paper_snr(noisy, clean) > 30
    True
    """
    return _native.measure("paper_snr", _points(result), _points(truth))


def chamfer(result: Any, truth: Any) -> float:
    """Mean squared nearest distance, both ways added.

    >>> from pellucid import quality
    >>> quality.chamfer([[0, 0, 2]], [[0, 0, 0]])
    8.0
    """
    return _native.measure("chamfer", _points(result), _points(truth))


def hausdorff(result: Any, truth: Any) -> float:
    """Largest nearest distance.

    >>> from pellucid import quality
    >>> quality.hausdorff([[0, 0, 2], [0, 0, 0]], [[0, 0, 0]])
    2.0
    """
    return _native.measure("hausdorff", _points(result), _points(truth))


def hausdorff95(result: Any, truth: Any) -> float:
    """The distance that 95 of 100 nearest distances do not pass.

    >>> from pellucid import quality
    >>> quality.hausdorff95([[0, 0, 2]] + [[0, 0, 0]] * 99, [[0, 0, 0]])
    0.0
    """
    return _native.measure("hausdorff95", _points(result), _points(truth))


def point_to_plane(result: Any, truth: Any, normals: Any = None) -> float:
    """Mean distance to the planes at the nearest points of the truth.

    >>> from pellucid import quality
    >>> quality.point_to_plane([[0.3, 0.1, -0.5]], [[0, 0, 0]], [[0, 0, 1]])
    0.5
    """
    if normals is None:
        normals = as_cloud(truth).normals
    if normals is None:
        raise ValueError("the truth has no normals; give them")
    plane = rows_of_three(normals, "normals")
    return _native.point_to_plane(_points(result), _points(truth), plane)


def point_to_mesh(result: Any, vertices: Any, triangles: Any) -> float:
    """Mean distance of the points to a mesh.

    >>> from pellucid import quality
    >>> quality.point_to_mesh([[0.2, 0.2, 0.5]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    0.5
    """
    return _native.point_to_mesh(
        _points(result), rows_of_three(vertices, "vertices"), _triangles(triangles), False
    )


def point_to_mesh_two_way(result: Any, vertices: Any, triangles: Any) -> float:
    """Mean squared distance of points to the mesh and of its faces to the points.

    >>> from pellucid import quality
    >>> corner = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> quality.point_to_mesh_two_way([[0.2, 0.2, 0.5]], corner, [[0, 1, 2]])
    0.5
    """
    return _native.point_to_mesh(
        _points(result), rows_of_three(vertices, "vertices"), _triangles(triangles), True
    )


def uniformity(points: Any) -> Optional[float]:
    """How unevenly points are spread; smaller is more even. None for too few points.

    >>> import numpy as np
    >>> from pellucid import quality
    >>> grid = np.stack(np.meshgrid(range(9), range(9), [0]), axis=-1).reshape(-1, 3)
    >>> random = np.random.default_rng(0).random((81, 3)) * [9, 9, 0]
    >>> quality.uniformity(grid) < quality.uniformity(random)
    True
    """
    return _native.uniformity(_points(points))


def compare(
    result: Any,
    truth: Any,
    *,
    normals: Any = None,
    mesh: Optional[tuple[Any, Any]] = None,
) -> dict[str, Any]:
    """All measures by name, as printed by `pellucid compare --json`.

    `normals` are those of the truth; `mesh` is vertices and triangles.

    >>> import pellucid
    >>> clean = pellucid.synthetic("sphere", 500)
    >>> found = pellucid.quality.compare(clean, clean)
    >>> found["chamfer"], found["truth_points"]
    (0.0, 500)
    """
    if normals is None:
        normals = as_cloud(truth).normals
    planes = None if normals is None else rows_of_three(normals, "normals")
    surface = None
    if mesh is not None:
        surface = (rows_of_three(mesh[0], "vertices"), _triangles(mesh[1]))
    text = _native.compare(_points(result), _points(truth), planes, surface)
    found: dict[str, Any] = json.loads(text)
    return found
