"""`pellucid.tiles` and `pellucid.dask`: pieces of a cloud, here and on workers."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.dask
from pellucid import _plan, tiles

# So little that the strip below is cut into several tiles.
MEMORY = _plan.BASE + 6_500 * _plan.PER_POINT


@pytest.fixture(scope="module")
def strip() -> pellucid.PointCloud:
    """A long wavy strip with noise: some 600 by 20 spacings, much longer than a halo."""
    rng = np.random.default_rng(5)
    x, y = rng.uniform(0, 600, 12_000), rng.uniform(0, 20, 12_000)
    points = np.column_stack([x, y, 3 * np.sin(x / 15)]) + 0.3 * rng.normal(size=(12_000, 3))
    points += [500_000, 4_000_000, 100]
    points[77] = np.nan
    times = np.linspace(0, 1, 12_000)
    return pellucid.PointCloud(points, {"intensity": np.arange(12_000, dtype=np.uint16), "time": times})


@pytest.fixture(scope="module")
def scan(strip: pellucid.PointCloud, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scan") / "scan.ply"
    pellucid.write(path, strip)
    return path


@pytest.fixture(scope="module")
def local(scan: Path) -> pellucid.PointCloud:
    """The tiled run in one process."""
    out = scan.with_name("local.ply")
    done = tiles.denoise(scan, out, memory=MEMORY)
    assert done.tiles >= 3
    assert done.points == 11_999
    assert done.paths == [out]
    return pellucid.read(out)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_tiles_give_what_one_piece_gives(
    scan: Path, strip: pellucid.PointCloud, local: pellucid.PointCloud
) -> None:
    out = scan.with_name("one.ply")
    done = tiles.denoise(scan, out)
    assert done.tiles == 1
    one = pellucid.read(out)
    ok = np.arange(12_000) != 77
    moved = np.linalg.norm(one.points - strip.points, axis=1)[ok] / done.spacing
    assert moved.mean() > 0.1
    apart = np.linalg.norm(one.points - local.points, axis=1)[ok] / done.spacing
    assert apart.max() <= 0.02
    assert apart.mean() <= 0.002
    assert np.isnan(one.points[77]).all()
    for name, values in strip.attributes.items():
        assert np.array_equal(local.attributes[name], values), name
    # Nothing of the work stays.
    assert not [name for name in left(scan.parent) if name.startswith(".")]


def test_files_are_parts_of_one_cloud(
    scan: Path, strip: pellucid.PointCloud, local: pellucid.PointCloud, tmp_path: Path
) -> None:
    cuts = [slice(0, 5_000), slice(5_000, 5_010), slice(5_010, 12_000)]
    paths = [tmp_path / f"part{i}.ply" for i in range(3)]
    for path, rows in zip(paths, cuts):
        pellucid.write(path, strip.select(rows))
    done = tiles.denoise(paths, tmp_path / "clean", memory=MEMORY, workers=2)
    assert done.paths == [tmp_path / "clean" / path.name for path in paths]
    for path, rows in zip(done.paths, cuts):
        result = pellucid.read(path)
        assert np.array_equal(result.points, local.points[rows], equal_nan=True)
        assert np.array_equal(result.attributes["time"], strip.attributes["time"][rows])


@pytest.mark.parametrize("ending", ["laz", "xyz"])
def test_other_formats(ending: str, tmp_path: Path) -> None:
    """LAZ goes through in pieces, text as a whole."""
    noisy = pellucid.add_noise(pellucid.synthetic("torus", 1500), 0.02, scale="absolute")
    paths = tmp_path / f"noisy.{ending}", tmp_path / f"clean.{ending}"
    pellucid.write(paths[0], noisy.points)
    given = pellucid.read(paths[0])
    done = tiles.denoise(*paths)
    survey = tiles.Survey()
    while not survey.is_done:
        survey.see(given.points, 0)
        survey.end_pass()
    numbers = np.arange(1500, dtype=np.uint32)
    expected = tiles.learn(survey).piece(given.points, numbers, 1500, None)
    result = pellucid.read(paths[1])
    # To the steps in which the file counts.
    assert np.abs(result.points - expected).max() < 1e-5
    assert np.abs(result.points - given.points).max() > 0.1 * done.spacing
    assert result.attributes.keys() == given.attributes.keys()
    assert result.format == given.format


def test_what_was_learned_can_travel() -> None:
    noisy = pellucid.add_noise(pellucid.synthetic("torus", 2000), 0.02, scale="absolute")
    survey = tiles.Survey()
    while not survey.is_done:
        # In two parts, one of which went elsewhere.
        a, b = survey.part(), pickle.loads(pickle.dumps(survey.part()))
        assert a.see(noisy.points[:900], 0) == 900
        b.see(noisy.points[900:], 900)
        survey = tiles.join(survey, [pickle.loads(pickle.dumps(b)), a])
    learned = tiles.learn(survey, seed=3)
    again = pickle.loads(pickle.dumps(learned))
    numbers = np.arange(2000, dtype=np.uint32)
    expected = learned.piece(noisy.points, numbers, 2000, None)
    assert np.array_equal(again.piece(noisy.points, numbers, 2000, 1), expected)
    with pytest.raises(ValueError, match="not done"):
        tiles.learn(tiles.Survey())
    with pytest.raises(ValueError, match="strength"):
        tiles.learn(survey, strength=-1.0)
    with pytest.raises(ValueError, match="not finite"):
        learned.piece(np.full((5, 3), np.nan), numbers[:5], 5, None)


def test_faults_are_told_at_once(scan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ply"
    with pytest.raises(FileNotFoundError, match="no such file"):
        tiles.denoise(tmp_path / "nothing.ply", out)
    with pytest.raises(ValueError, match="2G"):
        tiles.denoise(scan, out, memory="much")
    with pytest.raises(ValueError, match="at least"):
        tiles.denoise(scan, out, memory="161M")
    with pytest.raises(FileExistsError, match="is the input"):
        tiles.denoise(scan, scan, overwrite=True)
    out.write_text("mine")
    with pytest.raises(FileExistsError, match="overwrite"):
        tiles.denoise(scan, out)
    with pytest.raises(ValueError, match="same name"):
        tiles.denoise([scan, scan], tmp_path / "two")
    assert (left(tmp_path), out.read_text()) == ({"out.ply"}, "mine")


@pytest.fixture()
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def test_workers_give_the_same(client: Any, scan: Path, local: pellucid.PointCloud) -> None:
    out = scan.with_name("dask.ply")
    done = pellucid.dask.denoise(scan, out, client, memory=MEMORY)
    assert done.tiles >= 3
    result = pellucid.read(out)
    assert np.array_equal(result.points, local.points, equal_nan=True)
    assert result.attributes.keys() == local.attributes.keys()


def test_a_lost_worker_changes_nothing(
    client: Any, scan: Path, local: pellucid.PointCloud, tmp_path: Path
) -> None:
    out = tmp_path / "dask.ply"
    failure: list[BaseException] = []

    def work() -> None:
        try:
            pellucid.dask.denoise(scan, out, client, memory=MEMORY)
        except BaseException as fault:
            failure.append(fault)

    pids = list(client.run(os.getpid).values())
    thread = threading.Thread(target=work)
    thread.start()
    killed = False
    deadline = time.monotonic() + 300
    while thread.is_alive() and time.monotonic() < deadline:
        # A file is there in full or not at all.
        if out.exists():
            assert len(pellucid.read(out)) == 12_000
        # Tiles are being worked on once the points are sorted.
        if not killed and list(tmp_path.glob(".dask.ply.*/sorted-0")):
            os.kill(pids[0], signal.SIGKILL)
            killed = True
        time.sleep(0.01)
    thread.join(1)
    assert killed
    assert not failure, failure
    assert np.array_equal(pellucid.read(out).points, local.points, equal_nan=True)
    assert left(tmp_path) == {"dask.ply"}
