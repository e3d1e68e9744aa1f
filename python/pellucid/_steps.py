"""Pipelines: outliers, denoise, normals and more, one step after the other."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._arrays import column, from_column
from ._cloud import Path, PointCloud, as_cloud, read, write
from ._denoise import Progress


class Done(NamedTuple):
    """What a step did.

    >>> import pellucid
    >>> cloud, done = pellucid.apply(pellucid.synthetic("sphere", 1000), [{"do": "normals"}])
    >>> (done[0].name, done[0].points)
    ('normals', 1000)
    """

    name: str
    said: str
    points: int


def apply(
    cloud: Any,
    steps: Sequence[Mapping[str, Any]],
    *,
    seed: int = 0,
    target: Optional[Path] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> tuple[PointCloud, list[Done]]:
    """Does steps with a cloud, as `pellucid run` does those of a pipeline file.

    Each step is a mapping with the keys that it has in such a file. `target` is the file that the
    cloud will be written to, if labels of outliers are to fit its format.

    >>> import pellucid
    >>> sphere = pellucid.synthetic("sphere", 1000)
    >>> cloud, done = pellucid.apply(sphere, [{"do": "thin", "voxel": 0.5}, {"do": "normals"}])
    >>> [step.name for step in done]
    ['thin', 'normals']
    >>> len(cloud) < 1000
    True
    """
    pipeline = json.dumps({"seed": seed, "step": [dict(step) for step in steps]})
    return _apply(as_cloud(cloud), pipeline, target, threads, progress)


def _apply(
    cloud: PointCloud,
    pipeline: str,
    target: Optional[Path],
    threads: Optional[int],
    progress: Optional[Progress],
) -> tuple[PointCloud, list[Done]]:
    columns = {name: column(name, values) for name, values in cloud.attributes.items()}
    points, attributes, said = _native.apply_steps(
        cloud.points, columns, cloud._source, pipeline, target, threads, progress
    )
    found = {name: from_column(given) for name, given in attributes.items()}
    done = [Done(**step) for step in json.loads(said)]
    return PointCloud(points, found, source=cloud._source), done


def run(
    pipeline: Path,
    inputs: Union[Path, Sequence[Path], None] = None,
    output: Optional[Path] = None,
    *,
    overwrite: bool = False,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> dict[str, list[Done]]:
    """Runs a pipeline file; files given here go before those that it names.

    Several inputs are written to the folder `output`. The result lists what was done for each file
    that was written.

    >>> import os, pellucid, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lambda name: os.path.join(folder, name)
    ...     pellucid.write(path("in.ply"), pellucid.synthetic("torus", 500))
    ...     with open(path("steps.toml"), "w") as file:
    ...         _ = file.write('[[step]]\\ndo = "thin"\\nrandom = 100\\n')
    ...     done = pellucid.run(path("steps.toml"), path("in.ply"), path("out.ply"))
    ...     len(pellucid.read(path("out.ply")))
    100
    """
    with open(pipeline, encoding="utf-8") as file:
        text = _native.pipeline(file.read())
    known = json.loads(text)
    given = known["read"] if inputs is None else inputs
    files = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    target = known["write"] if output is None else output
    if not files or target is None:
        raise ValueError(f"{os.fspath(pipeline)} does not say what to read and to write; give both")
    many = len(files) > 1 or os.path.isdir(target)
    if many:
        os.makedirs(target, exist_ok=True)
    result = {}
    for path in files:
        name = os.path.basename(os.fspath(path))
        out = os.path.join(os.fspath(target), name) if many else os.fspath(target)
        if os.path.exists(out) and os.path.samefile(out, path):
            raise ValueError(f"{out} is an input and would be overwritten; choose another name")
        cloud, done = _apply(read(path), text, out, threads, progress)
        write(out, cloud, overwrite=overwrite or known["overwrite"])
        result[out] = done
    return result
