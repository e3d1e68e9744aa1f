"""Denoising."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from . import _native
from ._arrays import Booleans, Doubles, column, rows_of_three
from ._cloud import PointCloud, as_cloud

Progress = Callable[[float, str, int], object]


@dataclass(frozen=True)
class Denoised:
    """The result of a run; lengths are in the units of the input.

    >>> import pellucid
    >>> noisy = pellucid.add_noise(pellucid.synthetic("sphere", 1000), 0.02, scale="absolute")
    >>> result = pellucid.denoise(noisy, "mls", iterations=1)
    >>> result
    Denoised(1000 points, 1 iteration, stop 'iteration-limit')
    >>> result.displacement.shape
    (1000,)
    """

    points: Doubles
    """The points, (N, 3), in the order of the input."""
    noise: Optional[float]
    """Estimated standard deviation of the noise per axis, if the method estimates it."""
    metric: Optional[Doubles]
    """The learned metric, if the method learns one; rows as in `features`."""
    stop: str
    """Why it stopped, such as `converged` or `noise-removed`."""
    iterations: int
    """Outer iterations done."""
    history: list[dict[str, Any]] = field(repr=False)
    """What each iteration did."""
    displacement: Doubles = field(repr=False)
    """How far each point moved, (N,); NaN where the input is not finite."""
    features: list[str] = field(repr=False)
    """Names of the rows of `metric`."""
    spacing: Optional[float] = field(repr=False)
    """Mean spacing of the points."""
    notes: list[str] = field(repr=False)
    """Decisions, in words."""
    cloud: PointCloud = field(repr=False)
    """The points with the attributes of the input."""
    surface: Optional[Booleans] = field(repr=False)
    """Which points were taken as those of a surface, (N,), if the method decides it; the others kept
    their positions and had no influence."""
    skipped_rows: int = field(repr=False)
    """Rows that stayed as they were and had no influence: not finite, absurdly far, or missing."""
    repeated_rows: int = field(repr=False)
    """Rows at the position of an earlier row; they went where that one went."""
    uncovered_points: int = field(repr=False)
    """Points in no patch before the method's rule for them was applied."""
    gross_outliers: int = field(repr=False)
    """Points that belong to no surface near them; they were not moved."""
    volume_points: int = field(repr=False)
    """Points of volumes such as foliage; they were not moved."""
    line_points: int = field(repr=False)
    """Points of lines such as wires and rails; they were not moved."""
    seconds: dict[str, float] = field(repr=False)
    """Seconds spent in each step; not part of the deterministic result."""

    def __repr__(self) -> str:
        plural = "" if self.iterations == 1 else "s"
        return (
            f"Denoised({len(self.points)} points, {self.iterations} iteration{plural}, "
            f"stop {self.stop!r})"
        )


def denoise(
    points: Any,
    method: str = "auto",
    *,
    normals: Any = None,
    features: Union[Mapping[str, Any], Iterable[str], None] = None,
    preset: Optional[str] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Union[Progress, bool, None] = None,
    **params: Any,
) -> Denoised:
    """Moves points back onto the surface they were measured from.

    `points` is an array of shape (N, 3), in single or double precision, or a `PointCloud`; it is
    never changed. Number and order of the points stay; rows that are not finite stay as they are.
    The result is the same to the last bit for any number of `threads`.

    `normals`, an array of shape (N, 3), is for the methods that take normals from outside;
    `features` for those that learn from features: arrays by name, used beside positions and
    normals, or the names of what to use. All other parameters of a method, in `params`, have the
    names that `methods` shows; a wrong name or value raises `ValueError`.

    `progress` is called with the share that is done, the step and the iteration; if it returns
    False the run ends with `Cancelled`. `True` shows a bar. Ctrl-C ends a run, too.

    >>> import numpy as np
    >>> import pellucid
    >>> flat = np.random.default_rng(0).random((500, 3)) * [1, 1, 0.02]
    >>> result = pellucid.denoise(flat, "mls", seed=1)
    >>> bool(result.points[:, 2].std() < 0.5 * flat[:, 2].std())
    True
    >>> pellucid.denoise(flat, "mls", iterations=0)
    Traceback (most recent call last):
    ...
    ValueError: parameter "iterations" is 0, but it must be from 1 to 1000
    """
    cloud = as_cloud(points)
    given = cloud.points
    columns = {}
    if features is not None:
        if isinstance(features, Mapping):
            columns = {str(k): column(str(k), v) for k, v in features.items()}
            params["features"] = ["position", "normal", *columns]
        elif isinstance(features, str):
            params["features"] = [features]
        else:
            params["features"] = list(features)
        wanted = [n for n in params["features"] if n in cloud.attributes and n not in columns]
        columns.update({n: column(n, cloud.attributes[n]) for n in wanted})
    if isinstance(normals, str):
        params["normals"] = normals
    elif normals is not None:
        cloud = PointCloud(given, {**cloud.attributes, "normal": normals}, source=cloud._source)
        params["normals"] = "file"
    if params.get("normals") == "file" and cloud.normals is not None:
        columns["normal"] = rows_of_three(cloud.normals, "normals")
    bar = _Bar() if progress is True else None
    watcher = bar or (progress if callable(progress) else None)
    try:
        moved, displacement, surface, rest = _native.denoise(
            given, columns, method, preset, params, seed, threads, watcher
        )
    finally:
        if bar:
            bar.close()
    answer = json.loads(rest)
    report = answer["report"]
    metric = report["metric"]
    return Denoised(
        points=moved,
        noise=report["noise"],
        metric=None if metric is None else np.array(metric, dtype=np.float64),
        stop=answer["stop"],
        iterations=answer["iterations"],
        history=report["history"],
        displacement=displacement,
        features=report["features"],
        spacing=report["spacing"],
        notes=report["notes"],
        cloud=cloud.with_points(moved),
        surface=surface,
        skipped_rows=report["skipped_rows"],
        repeated_rows=report["repeated_rows"],
        uncovered_points=report["uncovered_points"],
        gross_outliers=report["gross_outliers"],
        volume_points=report["volume_points"],
        line_points=report["line_points"],
        seconds=report["seconds"],
    )


def uncertainty(before: Any, after: Any) -> Doubles:
    """About how far each denoised point still is from the surface, (N,), judged without the truth.

    One standard deviation across the surface, in the units of the points: the residual noise
    and what a mean of noisy points is off by. It is large at edges and at points that stand by
    themselves; NaN where a position is not finite and where fewer than eight other points are
    there. An error that all points of a place share cannot be seen this way.

    `before` and `after` are the same points, given to `denoise` and returned by it: this is what
    `pellucid denoise --attributes uncertainty` adds to a file, there in single precision.

    >>> import numpy as np
    >>> import pellucid
    >>> noisy = pellucid.add_noise(pellucid.synthetic("sphere", 3000), 0.02, scale="absolute")
    >>> result = pellucid.denoise(noisy)
    >>> guess = pellucid.uncertainty(noisy, result.points).mean()
    >>> actual = np.abs(np.linalg.norm(result.points, axis=1) - 1).mean()
    >>> bool(actual / 2 < guess < 2 * actual)
    True
    """
    return _native.uncertainty(as_cloud(before).points, as_cloud(after).points)


class _Bar:
    """A bar on stderr."""

    WIDTH = 30

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, fraction: float, step: str, iteration: int) -> None:
        full = round(self.WIDTH * min(max(fraction, 0.0), 1.0))
        bar = "#" * full + "." * (self.WIDTH - full)
        text = f"{fraction:4.0%} [{bar}] iteration {iteration}: {step}"
        if text != self._last:
            sys.stderr.write("\r" + text.ljust(len(self._last)))
            sys.stderr.flush()
            self._last = text

    def close(self) -> None:
        if self._last:
            sys.stderr.write("\r" + " " * len(self._last) + "\r")
            sys.stderr.flush()


@dataclass(frozen=True)
class Method:
    """A row of the table of methods.

    >>> import pellucid
    >>> pellucid.methods()["mls"].defaults["iterations"]
    2
    """

    name: str
    summary: str
    reference: str
    doi: Optional[str]
    min_points: int
    properties: dict[str, bool]
    presets: dict[str, str]
    """What each preset is for."""
    parameters: dict[str, str]
    """Meaning of each parameter, with its unit."""
    defaults: dict[str, Any]


def methods() -> dict[str, Method]:
    """Every method by its name.

    >>> import pellucid
    >>> list(pellucid.methods())[:3]
    ['auto', 'mls', 'lop']
    >>> pellucid.methods()["fgl"].doi
    '10.1109/TSP.2020.2978617'
    """

    def meaning(parameter: dict[str, str]) -> str:
        unit = f" Unit: {parameter['unit']}." if parameter["unit"] else ""
        return parameter["about"] + unit

    return {
        row["name"]: Method(
            name=row["name"],
            summary=row["summary"],
            reference=row["reference"],
            doi=row["doi"],
            min_points=row["min_points"],
            properties=row["properties"],
            presets={p["name"]: p["about"] for p in row["presets"]},
            parameters={p["name"]: meaning(p) for p in row["parameters"]},
            defaults=row["defaults"],
        )
        for row in json.loads(_native.methods())
    }
