"""Large clouds on Dask, which many already run; without a cluster, on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional, Union

from . import tiles
from ._work import PathLike
from .tiles import Finished

__all__ = ["denoise"]


def denoise(
    paths_or_tiles: Union[PathLike, Sequence[PathLike]],
    out: PathLike,
    client: Any = None,
    *,
    memory: Union[int, str] = "2G",
    folder: Optional[PathLike] = None,
    seed: int = 0,
    overwrite: bool = False,
    threads: int = 1,
    retries: int = 3,
    **params: Any,
) -> Finished:
    """Denoises files that are parts of one cloud, on the workers of a `distributed.Client`.

    One path is written to the file `out`; several to a folder of that name. Results have the rows
    and attributes of the inputs in their order, and appear complete or not at all. What a lost worker
    was doing is done by another; a step that fails is tried `retries` times more. All workers must
    see the files and the work folder, which is made beside the output unless `folder` says where.

    `memory` is for each tile: a worker works on as many at once as it has threads, each with
    `threads` threads. Steps have the names of the functions in `pellucid.tiles` on the dashboard.
    Without a client, threads of this process do it, one for each processor, and Dask need not be
    installed.

    >>> import pellucid, tempfile, os
    >>> import pellucid.dask
    >>> noisy = pellucid.add_noise(pellucid.synthetic("torus", 3000), 0.02, scale="absolute")
    >>> with tempfile.TemporaryDirectory() as here:
    ...     a, b = (os.path.join(here, name) for name in ("noisy.ply", "clean.ply"))
    ...     pellucid.write(a, noisy)
    ...     done = pellucid.dask.denoise(a, b)  # client=distributed.Client(...)
    ...     done.points, len(pellucid.read(b))
    (3000, 3000)
    """
    if client is None:
        return tiles.denoise(
            paths_or_tiles,
            out,
            memory=memory,
            workers=os.cpu_count() or 1,
            folder=folder,
            seed=seed,
            overwrite=overwrite,
            **params,
        )

    def each(step: Callable[..., Any], *lists: Iterable[Any]) -> list[Any]:
        columns = [list(column) for column in lists]
        if not columns[0]:
            return []
        # Not pure: a step has effects, and must not be taken from an earlier run.
        futures = client.map(step, *columns, pure=False, retries=retries)
        found: list[Any] = client.gather(futures)
        return found

    return tiles._run(each, paths_or_tiles, out, memory, threads, folder, seed, overwrite, params)
