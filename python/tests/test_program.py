"""The same bits as the program's, for the same file and seed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid

PROGRAM = os.environ.get("PELLUCID_PROGRAM")


def run(*arguments: object) -> str:
    assert PROGRAM is not None
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="PELLUCID_PROGRAM names the program to compare with"
)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "noisy.npy"
    clean = pellucid.synthetic("torus", 2500, seed=3)
    cloud = pellucid.add_noise(clean, 0.02, scale="absolute", seed=4)
    np.save(path, np.asarray(cloud.points) + [1000.0, -2000.0, 10.0])
    return path


@pytest.mark.parametrize("method", list(pellucid.methods()))
def test_every_method(noisy: Path, tmp_path: Path, method: str) -> None:
    out, report = tmp_path / "out.npy", tmp_path / "out.json"
    run("denoise", noisy, out, "--method", method, "--seed", 9, "--report", report, "--quiet")
    result = pellucid.denoise(np.load(noisy), method, seed=9)
    assert np.array_equal(result.points, np.load(out))
    recorded = json.loads(report.read_text())["runs"][0]
    assert recorded["stop"] == result.stop and recorded["iterations"] == result.iterations
    metric = recorded["report"]["metric"]
    assert (result.metric is None) == (metric is None)
    if result.metric is not None:
        assert np.array_equal(np.array(metric), result.metric)
    # Everything that the report has is a field of the result; times differ from run to run.
    for name, value in recorded["report"].items():
        if name == "seconds":
            assert result.seconds.keys() == value.keys() and min(result.seconds.values()) >= 0
        elif name != "metric":
            assert getattr(result, name) == value, name


@pytest.mark.parametrize(
    ("flags", "arguments"),
    [
        (["--preset", "standard"], {"preset": "standard"}),
        (["--set", "iterations=2", "--set", "trace_limit=0.7"],
         {"iterations": 2, "trace_limit": 0.7}),
    ],
)
def test_presets_and_parameters(
    noisy: Path, tmp_path: Path, flags: list[str], arguments: dict[str, Any]
) -> None:
    out = tmp_path / "out.npy"
    run("denoise", noisy, out, "--method", "fgl", *flags, "--quiet")
    result = pellucid.denoise(np.load(noisy), "fgl", **arguments)
    assert np.array_equal(result.points, np.load(out))


def test_extra_attributes(noisy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ply"
    run("denoise", noisy, out, "--attributes", "displacement,uncertainty", "--quiet")
    written = pellucid.read(out)
    given = np.load(noisy)
    result = pellucid.denoise(given)
    assert np.array_equal(result.points, written.points)
    found = pellucid.uncertainty(given, result.points)
    # The program writes them in single precision.
    for name, values in (("displacement", result.displacement), ("uncertainty", found)):
        assert np.array_equal(values.astype(np.float32), written.attributes[name]), name
    assert found.min() > 0


def test_noise(noisy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    run("noise", noisy, out, "--level", 0.5, "--scale", "spacing", "--seed", 6, "--quiet")
    moved = pellucid.add_noise(np.load(noisy), 0.5, scale="spacing", seed=6)
    assert np.array_equal(np.asarray(moved.points), np.load(out))


def test_measures(noisy: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth.npy"
    np.save(truth, np.load(noisy)[::2] + 0.001)
    printed = json.loads(run("compare", noisy, truth, "--json"))
    found = pellucid.quality.compare(np.load(noisy), np.load(truth))
    shared = set(printed) & set(found)
    assert "chamfer" in shared and {k: printed[k] for k in shared} == {k: found[k] for k in shared}
