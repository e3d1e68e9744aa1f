"""Noise and outliers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import rows_of_three
from ._cloud import PointCloud, as_cloud


class NoiseEstimate(NamedTuple):
    """The noise of a cloud and how it was found; lengths in the units of the cloud.

    >>> import pellucid
    >>> pellucid.NoiseEstimate._fields[:2]
    ('sigma', 'spacing')
    """

    sigma: float
    """Standard deviation of the points' offset from the surface along its normal."""
    spacing: float
    """Mean spacing of the points."""
    radius: float
    """Radius of the neighborhoods that gave `sigma`."""
    neighbors: int
    """Median number of points in them."""
    samples: int
    """How many neighborhoods could be used."""
    reliable: bool
    """Whether the cloud looks like a surface with noise."""


def estimate_noise(points: Any) -> NoiseEstimate:
    """Estimates the noise from the cloud alone.

    >>> import pellucid
    >>> clean = pellucid.synthetic("torus", 5000, seed=1)
    >>> noisy = pellucid.add_noise(clean, 0.02, scale="absolute", seed=2)
    >>> found = pellucid.estimate_noise(noisy)
    >>> found.reliable, round(found.sigma, 2)
    (True, 0.02)
    """
    return NoiseEstimate(**json.loads(_native.estimate_noise(as_cloud(points).points)))


def add_noise(
    points: Any,
    level: float,
    *,
    model: str = "gaussian",
    scale: str = "paper",
    seed: int = 0,
) -> PointCloud:
    """Moves points by noise, as `pellucid noise` does.

    `model` is gaussian, laplace, ball, normal or outliers:FRACTION; `scale` says what `level`
    means: paper (times the root of the extent), absolute, spacing, or diagonal.

    >>> import numpy as np
    >>> import pellucid
    >>> noisy = pellucid.add_noise(np.zeros((1000, 3)), 0.1, scale="absolute", seed=7)
    >>> round(float(noisy.points.std()), 2)
    0.1
    """
    cloud = as_cloud(points)
    normals = cloud.normals if model == "normal" else None
    if normals is not None:
        normals = rows_of_three(normals, "normals")
    moved, _ = _native.add_noise(cloud.points, normals, level, model, scale, seed)
    return cloud.with_points(moved)


def find_outliers(points: Any, rule: str = "isolated", **params: Any) -> NDArray[np.bool_]:
    """A mask of the outliers by one of the rules isolated, statistical, radius and local-outlier.

    >>> import numpy as np
    >>> import pellucid
    >>> points = np.vstack([pellucid.synthetic("sphere", 1000).points, [[3.0, 0.0, 0.0]]])
    >>> pellucid.find_outliers(points).nonzero()[0].tolist()
    [1000]
    """
    return _native.outliers(as_cloud(points).points, rule, params)


def remove_outliers(
    points: Any, rule: str = "isolated", **params: Any
) -> tuple[PointCloud, NDArray[np.int64]]:
    """The cloud without outliers, and the indices of the points that are left.

    >>> import numpy as np
    >>> import pellucid
    >>> points = np.vstack([[[3.0, 0.0, 0.0]], pellucid.synthetic("sphere", 1000).points])
    >>> cloud, indices = pellucid.remove_outliers(points, "radius", radius=5.0, neighbors=3)
    >>> len(cloud), int(indices[0])
    (1000, 1)
    """
    cloud = as_cloud(points)
    kept = np.flatnonzero(~find_outliers(cloud, rule, **params)).astype(np.int64)
    return cloud.select(kept), kept
