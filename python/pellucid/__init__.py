"""Denoise 3D point clouds.

>>> import pellucid
>>> clean = pellucid.synthetic("sphere", 2000, seed=1)
>>> noisy = pellucid.add_noise(clean, 0.02, scale="absolute", seed=2)
>>> result = pellucid.denoise(noisy)
>>> result.points.shape
(2000, 3)
>>> before = pellucid.quality.point_to_plane(noisy, clean)
>>> pellucid.quality.point_to_plane(result.points, clean) < 0.8 * before
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import quality
from ._cloud import PointCloud, as_cloud, like, read, synthetic, write
from ._denoise import Denoised, Method, denoise, methods, uncertainty
from ._native import Cancelled, __version__
from ._noise import NoiseEstimate, add_noise, estimate_noise, find_outliers, remove_outliers
from ._steps import Done, apply, run

if TYPE_CHECKING:
    from ._graph import FeatureGraph

__all__ = [
    "Cancelled",
    "Denoised",
    "Done",
    "FeatureGraph",
    "Method",
    "NoiseEstimate",
    "PointCloud",
    "__version__",
    "add_noise",
    "apply",
    "as_cloud",
    "denoise",
    "estimate_noise",
    "find_outliers",
    "like",
    "methods",
    "quality",
    "read",
    "remove_outliers",
    "run",
    "synthetic",
    "uncertainty",
    "write",
]


def __getattr__(name: str) -> object:
    # scikit-learn takes a second to load and is not needed for anything else.
    if name == "FeatureGraph":
        from ._graph import FeatureGraph

        return FeatureGraph
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
