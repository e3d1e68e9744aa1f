"""Pipelines from Python do what the program does."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import pellucid

STEPS = """
[[step]]
do = "outliers"

[[step]]
do = "denoise"
method = "mls"

[[step]]
do = "normals"
viewpoint = [0, 0, 0]
"""


def scan() -> pellucid.PointCloud:
    noisy = pellucid.add_noise(pellucid.synthetic("sphere", 1500), 0.02, scale="absolute")
    points = np.vstack([noisy.points, [[5.0, 0.0, 0.0]]])
    return pellucid.PointCloud(points, {"row": np.arange(len(points), dtype="u4")})


def test_a_file_and_a_list_of_steps_do_the_same(tmp_path: pathlib.Path) -> None:
    pellucid.write(tmp_path / "in.ply", scan())
    (tmp_path / "steps.toml").write_text(STEPS)
    out = tmp_path / "out.ply"
    done = pellucid.run(tmp_path / "steps.toml", tmp_path / "in.ply", out)
    assert [step.name for step in done[str(out)]] == ["outliers", "denoise", "normals"]
    written = pellucid.read(out)
    steps: list[dict[str, Any]] = [
        {"do": "outliers"},
        {"do": "denoise", "method": "mls"},
        {"do": "normals", "viewpoint": [0, 0, 0]},
    ]
    cloud, _ = pellucid.apply(scan(), steps)
    assert np.array_equal(cloud.points, written.points)
    assert np.array_equal(cloud.attributes["row"], np.arange(1500))
    assert np.all(np.einsum("ij,ij->i", cloud.points, np.asarray(cloud.normals)) < 0)


def test_the_program_gives_the_same_bits(tmp_path: pathlib.Path) -> None:
    program = os.environ.get("PELLUCID_PROGRAM")
    if not program:
        pytest.skip("PELLUCID_PROGRAM does not say where the program is")
    pellucid.write(tmp_path / "in.ply", scan())
    (tmp_path / "steps.toml").write_text(STEPS)
    pellucid.run(tmp_path / "steps.toml", tmp_path / "in.ply", tmp_path / "python.ply")
    words: list[str | pathlib.Path] = ["run", tmp_path / "steps.toml", tmp_path / "in.ply", tmp_path / "program.ply"]
    subprocess.run([program, *words], check=True, capture_output=True)
    assert (tmp_path / "python.ply").read_bytes() == (tmp_path / "program.ply").read_bytes()


def test_mistakes_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="step 1: there is no step"):
        pellucid.apply(scan(), [{"do": "polish"}])
    with pytest.raises(ValueError, match="one of voxel"):
        pellucid.apply(scan(), [{"do": "thin"}])
    (tmp_path / "steps.toml").write_text(STEPS)
    with pytest.raises(ValueError, match="does not say what to read"):
        pellucid.run(tmp_path / "steps.toml")
    pellucid.write(tmp_path / "in.ply", scan())
    with pytest.raises(ValueError, match="input"):
        pellucid.run(tmp_path / "steps.toml", tmp_path / "in.ply", tmp_path / "in.ply")


def test_several_files_go_to_a_folder(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / "a.ply.gz", tmp_path / "b.ply.zst"]
    for path in paths:
        pellucid.write(path, scan())
    (tmp_path / "thin.toml").write_text('[[step]]\ndo = "thin"\nrandom = 50\n')
    done = pellucid.run(tmp_path / "thin.toml", paths, tmp_path / "out")
    assert len(done) == 2
    assert [len(pellucid.read(path)) for path in done] == [50, 50]
