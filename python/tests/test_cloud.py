"""Clouds and files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import pellucid

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"]


def test_every_type_of_attribute_comes_back(tmp_path: Path) -> None:
    points = np.random.default_rng(0).normal(size=(20, 3))
    given = {f"a_{t}": np.arange(20).astype(t) for t in TYPES}
    cloud = pellucid.PointCloud(points, given)
    # In Fortran's order: rows must stay rows.
    cloud.attributes["normal"] = np.asfortranarray(points / np.linalg.norm(points, axis=1)[:, None])
    pellucid.write(tmp_path / "a.ply", cloud)
    again = pellucid.read(tmp_path / "a.ply")
    assert np.array_equal(again.points, points)
    for name, values in cloud.attributes.items():
        assert again.attributes[name].dtype == values.dtype, name
        assert np.array_equal(again.attributes[name], values), name


def test_text_and_lists(tmp_path: Path) -> None:
    header = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
    header += "property float z\nproperty list uchar int seen\nend_header\n"
    text = header + "0 0 0 2 5 6\n1 2 3 0\n"
    (tmp_path / "a.ply").write_text(text)
    cloud = pellucid.read(tmp_path / "a.ply")
    assert [v.tolist() for v in cloud.attributes["seen"]] == [[5, 6], []]
    pellucid.write(tmp_path / "b.ply", cloud)
    assert (tmp_path / "b.ply").read_text() == text
    (tmp_path / "a.csv").write_text("x,y,z,name\n0,0,0,left\n1,2,3,right\n")
    named = pellucid.read(tmp_path / "a.csv")
    assert named.attributes["name"].tolist() == ["left", "right"]
    pellucid.write(tmp_path / "b.csv", named)
    assert pellucid.read(tmp_path / "b.csv").attributes["name"].tolist() == ["left", "right"]


def test_the_rest_of_a_file_is_kept(tmp_path: Path) -> None:
    text = "ply\nformat ascii 1.0\ncomment of mine\nelement vertex 3\nproperty float x\n"
    text += "property float y\nproperty float z\nelement face 1\n"
    text += "property list uchar int vertex_indices\nend_header\n"
    text += "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    (tmp_path / "a.ply").write_text(text)
    cloud = pellucid.read(tmp_path / "a.ply")
    assert cloud.format == "PLY" and cloud.comments == ["of mine"]
    pellucid.write(tmp_path / "b.ply", cloud.with_points(cloud.points))
    assert (tmp_path / "b.ply").read_text() == text


def test_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.ply"
    pellucid.write(path, np.zeros((2, 3)))
    with pytest.raises(FileExistsError, match="exists already"):
        pellucid.write(path, np.ones((2, 3)))
    pellucid.write(path, np.ones((2, 3)), overwrite=True)
    assert np.array_equal(pellucid.read(path).points, np.ones((2, 3)))


def test_what_a_format_cannot_hold_is_said(tmp_path: Path) -> None:
    cloud = pellucid.PointCloud(np.zeros((2, 3)), {"time": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="time was left out"):
        pellucid.write(tmp_path / "a.off", cloud)


def test_faults_of_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        pellucid.read(tmp_path / "none.ply")
    with pytest.raises(IsADirectoryError):
        pellucid.read(tmp_path)
    (tmp_path / "bad.ply").write_text("ply\nformat ascii 1.0\nelement vertex x\n")
    with pytest.raises(ValueError, match="line 3"):
        pellucid.read(tmp_path / "bad.ply")


def test_attributes_fit_the_points() -> None:
    cloud = pellucid.PointCloud(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="a row for each point"):
        cloud.attributes["time"] = [1.0]
    with pytest.raises(ValueError, match="3 positions were given"):
        cloud.points = np.zeros((3, 3))


def test_arrays_are_not_copied() -> None:
    points, time = np.zeros((2, 3)), np.zeros(2)
    cloud = pellucid.PointCloud(points, {"time": time})
    assert np.shares_memory(cloud.points, points)
    assert np.shares_memory(cloud.attributes["time"], time)
    assert np.shares_memory(np.asarray(cloud), points)


def test_clouds_travel() -> None:
    cloud = pellucid.synthetic("sphere", 30)
    again = pickle.loads(pickle.dumps(cloud))
    assert np.array_equal(again.points, cloud.points)
    assert np.array_equal(again.attributes["normal"], cloud.attributes["normal"])


def test_outliers_are_removed_with_their_attributes() -> None:
    sphere = pellucid.synthetic("sphere", 500).points
    points = np.vstack([sphere[:100], [[4.0, 0.0, 0.0]], sphere[100:]])
    cloud = pellucid.PointCloud(points, {"row": np.arange(501)})
    for rule in ("isolated", "statistical", "radius", "local-outlier"):
        kept, indices = pellucid.remove_outliers(cloud, rule)
        assert 100 not in indices and len(kept) == len(indices) >= 490, rule
        assert np.array_equal(kept.attributes["row"], indices)
        assert np.array_equal(kept.points, points[indices])
    with pytest.raises(ValueError, match="known rules: isolated"):
        pellucid.remove_outliers(cloud, "none")
    with pytest.raises(ValueError, match="ratio.*above 0"):
        pellucid.remove_outliers(cloud, "statistical", ratio=-1.0)
    with pytest.raises(ValueError, match="unknown field `ratoi`"):
        pellucid.remove_outliers(cloud, ratoi=1.0)


def test_quality_against_numpy() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((40, 3)), rng.random((60, 3))
    d = np.linalg.norm(a[:, None] - b[None], axis=2)
    near_a, near_b = d.min(axis=1), d.min(axis=0)
    q = pellucid.quality
    assert np.isclose(q.chamfer(a, b), (near_a**2).mean() + (near_b**2).mean(), rtol=1e-12)
    assert np.isclose(q.hausdorff(a, b), max(near_a.max(), near_b.max()), rtol=1e-12)
    found = q.compare(a, b)
    assert found["chamfer"] == q.chamfer(a, b) and found["point_to_plane"] is None
    for name in ("paper_mse", "paper_snr", "hausdorff", "hausdorff95"):
        assert found[name] == getattr(q, name)(a, b)
    with pytest.raises(ValueError, match="has no normals"):
        q.point_to_plane(a, b)
    with pytest.raises(ValueError, match="names vertex 3"):
        q.point_to_mesh(a, b[:3], [[0, 1, 3]])
