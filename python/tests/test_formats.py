"""Standard fields go from LAS to other formats and back, as independent readers see them."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

FIELDS = "intensity red green blue gps_time classification return_number number_of_returns nx ny nz".split()
COUNT = 50


def program() -> str:
    found = os.environ.get("PELLUCID_PROGRAM")
    if not found:
        pytest.skip("PELLUCID_PROGRAM does not say where the program is")
    return found


def convert(source: pathlib.Path, target: pathlib.Path) -> None:
    subprocess.run([program(), "convert", source, target], check=True, capture_output=True)


@pytest.fixture
def source(tmp_path: pathlib.Path) -> Any:
    """A file with every standard field, written by laspy."""
    laspy = pytest.importorskip("laspy")
    header = laspy.LasHeader(point_format=7, version="1.4")
    header.scales, header.offsets = [0.001] * 3, [0.0] * 3
    for name in FIELDS[-3:]:
        header.add_extra_dim(laspy.ExtraBytesParams(name=name, type=np.float32))
    las = laspy.LasData(header)
    random = np.random.default_rng(1)
    las.x, las.y, las.z = np.round(random.uniform(0, 9, (3, COUNT)), 3)
    las.intensity = random.integers(0, 65535, COUNT)
    # Colors that eight bits hold.
    las.red, las.green, las.blue = 257 * random.integers(0, 256, (3, COUNT))
    las.gps_time = random.uniform(1e5, 2e5, COUNT)
    las.classification = random.integers(0, 19, COUNT)
    las.return_number, las.number_of_returns = random.integers(1, 4, COUNT), np.full(COUNT, 4)
    normals = random.normal(size=(3, COUNT))
    las.nx, las.ny, las.nz = (normals / np.linalg.norm(normals, axis=0)).astype(np.float32)
    las.write(tmp_path / "source.las")
    return las


@pytest.mark.parametrize("extension", ["laz", "e57", "ply", "pcd", "xyz", "csv", "npy", "npz"])
def test_every_standard_field_comes_back(source: Any, tmp_path: pathlib.Path, extension: str) -> None:
    laspy = pytest.importorskip("laspy")
    other = tmp_path / f"other.{extension}"
    convert(tmp_path / "source.las", other)
    convert(other, tmp_path / "back.las")
    back = laspy.read(tmp_path / "back.las")
    assert np.allclose(source.xyz, back.xyz, rtol=0, atol=1e-9)
    for name in FIELDS:
        assert np.allclose(np.asarray(source[name]), np.asarray(back[name]), rtol=0, atol=1e-6), name


def test_pye57_reads_them(source: Any, tmp_path: pathlib.Path) -> None:
    pye57 = pytest.importorskip("pye57")
    convert(tmp_path / "source.las", tmp_path / "other.e57")
    file = pye57.E57(str(tmp_path / "other.e57"))
    data = file.read_scan_raw(0, ignore_unsupported_fields=True)
    assert np.array_equal(data["intensity"], np.asarray(source.intensity))
    for theirs, ours in {"colorRed": "red", "colorGreen": "green", "colorBlue": "blue"}.items():
        assert np.array_equal(257 * data[theirs].astype(int), np.asarray(source[ours])), theirs
    # It has names for these, and reads no values.
    assert {"timeStamp", "returnIndex", "returnCount"} <= set(file.get_header(0).point_fields)


def test_plyfile_reads_them(source: Any, tmp_path: pathlib.Path) -> None:
    plyfile = pytest.importorskip("plyfile")
    convert(tmp_path / "source.las", tmp_path / "other.ply")
    vertex = plyfile.PlyData.read(str(tmp_path / "other.ply"))["vertex"]
    for name in ["intensity", "classification", "return_number", "nx", "ny", "nz"]:
        assert np.allclose(vertex[name], np.asarray(source[name])), name
    # Open3D takes colors of eight bits only.
    assert vertex["red"].dtype == np.uint8
    assert np.array_equal(257 * vertex["red"].astype(int), np.asarray(source.red))


def test_open3d_reads_pts_pcd_and_ply(source: Any, tmp_path: pathlib.Path) -> None:
    open3d = pytest.importorskip("open3d")
    colors = np.column_stack([source.red, source.green, source.blue]) // 257
    for extension in ("pts", "pcd", "ply"):
        path = tmp_path / f"other.{extension}"
        convert(tmp_path / "source.las", path)
        # Its older reader takes coordinates of PCD for single precision.
        cloud = open3d.t.io.read_point_cloud(path)
        assert np.allclose(cloud.point.positions.numpy(), source.xyz, atol=1e-6), extension
        assert np.array_equal(cloud.point.colors.numpy(), colors), extension


def test_cloudcompare_reads_ptx_and_obj(source: Any, tmp_path: pathlib.Path) -> None:
    cloudcompare = shutil.which("CloudCompare")
    if not cloudcompare:
        pytest.skip("CloudCompare is not installed")
    colors = np.column_stack([source.red, source.green, source.blue]) // 257
    normals = np.column_stack([source.nx, source.ny, source.nz])
    for extension in ("ptx", "obj"):
        path, text = tmp_path / f"other.{extension}", tmp_path / f"{extension}.asc"
        convert(tmp_path / "source.las", path)
        words = ["-SILENT", "-AUTO_SAVE", "OFF", "-O", str(path), "-C_EXPORT_FMT", "ASC", "-PREC", "9", "-SAVE_CLOUDS"]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        subprocess.run([cloudcompare, *words, "FILE", str(text)], check=True, capture_output=True, env=environment)
        rows = np.loadtxt(text, comments="/")
        assert np.allclose(rows[:, :3], source.xyz, rtol=0, atol=1e-6), extension
        if extension == "ptx":
            assert np.array_equal(rows[:, 3:6], colors)
            assert np.allclose(rows[:, 6], source.intensity / 65535, rtol=0, atol=1e-6)
        else:
            # It keeps normals in sixteen bits or so.
            assert np.allclose(rows[:, -3:], normals, rtol=0, atol=0.01)
