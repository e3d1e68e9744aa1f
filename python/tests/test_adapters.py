"""Objects of other packages, in and out, where they are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid

POINTS = np.random.default_rng(0).normal(size=(400, 3))


def check(given: Any, attributes: dict[str, Any], places: float = 0.0) -> Any:
    """It comes in as it is and goes out with points elsewhere and all else kept."""
    before = np.array(pellucid.as_cloud(given).points)
    cloud = pellucid.as_cloud(given)
    assert np.abs(np.asarray(cloud.points) - POINTS).max() <= places
    for name, values in attributes.items():
        assert np.array_equal(cloud.attributes[name], values), name
    result = pellucid.denoise(given, "mls").points
    assert not np.array_equal(result, before)
    out = pellucid.like(given, result)
    assert type(out) is type(given)
    again = pellucid.as_cloud(out)
    assert np.abs(np.asarray(again.points) - result).max() <= places
    for name in cloud.attributes:
        assert np.array_equal(again.attributes[name], cloud.attributes[name]), name
    assert np.array_equal(pellucid.as_cloud(given).points, before)
    with pytest.raises(ValueError, match="3 positions"):
        pellucid.like(given, np.zeros((3, 3)))
    return out


def test_open3d() -> None:
    o3d = pytest.importorskip("open3d", exc_type=ImportError)
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(POINTS))
    colors = np.random.default_rng(1).random((400, 3))
    cloud.colors = o3d.utility.Vector3dVector(colors)
    check(cloud, {"color": colors})


def test_open3d_tensor() -> None:
    o3d = pytest.importorskip("open3d", exc_type=ImportError)
    cloud = o3d.t.geometry.PointCloud(o3d.core.Tensor(POINTS.astype(np.float32)))
    quality = np.arange(400, dtype=np.float32).reshape(-1, 1)
    cloud.point["quality"] = o3d.core.Tensor(quality)
    check(cloud, {"quality": quality}, 1e-6)


def test_laspy() -> None:
    laspy = pytest.importorskip("laspy")
    header = laspy.LasHeader(point_format=3, version="1.2")
    header.scales = np.full(3, 1e-6)
    las = laspy.LasData(header)
    las.x, las.y, las.z = POINTS.T
    las.intensity = np.arange(400, dtype=np.uint16)
    las.classification = (np.arange(400) % 7).astype(np.uint8)
    out = check(las, {"intensity": np.arange(400)}, 1e-6)
    assert np.array_equal(out.classification, np.arange(400) % 7)


def test_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    colors = np.random.default_rng(1).integers(0, 255, (400, 4), dtype=np.uint8)
    check(trimesh.PointCloud(POINTS, colors=colors), {"color": colors})
    check(trimesh.Trimesh(POINTS, [[0, 1, 2], [3, 4, 5]], process=False), {})


def test_pyvista() -> None:
    pyvista = pytest.importorskip("pyvista")
    mesh = pyvista.PolyData(POINTS)
    mesh.point_data["height"] = POINTS[:, 2]
    check(mesh, {"height": POINTS[:, 2]})


def test_arrays_go_out_as_arrays() -> None:
    assert isinstance(pellucid.like(POINTS, POINTS + 1), np.ndarray)
