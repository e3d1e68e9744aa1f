"""`pellucid.denoise`: arrays, results, errors, threads, progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid


@pytest.fixture(scope="module")
def noisy() -> pellucid.PointCloud:
    clean = pellucid.synthetic("torus", 3000, seed=1)
    return pellucid.add_noise(clean, 0.02, scale="absolute", seed=2)


def test_the_result_is_closer_to_the_surface(noisy: pellucid.PointCloud) -> None:
    clean = pellucid.synthetic("torus", 3000, seed=1)
    result = pellucid.denoise(noisy)
    before = pellucid.quality.point_to_plane(noisy, clean)
    assert pellucid.quality.point_to_plane(result.points, clean) < 0.7 * before
    assert result.points.dtype == np.float64 and result.points.shape == (3000, 3)
    assert result.iterations == len(result.history) > 0
    assert result.noise is not None and 0.01 < result.noise < 0.03
    assert result.metric is not None and result.metric.shape == (len(result.features),) * 2
    displacement = np.linalg.norm(result.points - noisy.points, axis=1)
    assert np.allclose(result.displacement, displacement, rtol=1e-12, atol=0)
    assert np.array_equal(result.cloud.attributes["normal"], noisy.attributes["normal"])


def test_the_result_says_what_took_no_part(noisy: pellucid.PointCloud) -> None:
    far = noisy.points.max(axis=0) + 3
    points = np.vstack([noisy.points, noisy.points[:2], [[np.nan] * 3], [far]])
    result = pellucid.denoise(points)
    assert result.skipped_rows == 1 and result.repeated_rows == 2 and result.gross_outliers == 1
    assert result.surface is not None and result.surface.dtype == np.bool_
    assert result.surface[:3000].sum() > 2900 and not result.surface[-2:].any()
    assert np.array_equal(result.points[-1], far)
    assert pellucid.denoise(points, "mls").surface is None


def test_strides_order_and_write_protection_change_nothing(noisy: pellucid.PointCloud) -> None:
    points = np.asarray(noisy.points)
    expected = pellucid.denoise(points, "mls").points
    wide = np.zeros((3000, 7))
    wide[:, 1:7:2] = points
    protected = points.copy()
    protected.flags.writeable = False
    packed = np.zeros(3000, dtype=[("flag", "u1"), ("xyz", "f8", 3)])
    packed["xyz"] = points
    forms = {
        "strided": wide[:, 1:7:2],
        "fortran": np.asfortranarray(points),
        "read-only": protected,
        "unaligned": packed["xyz"],
        "big-endian": points.astype(">f8"),
        "reversed twice": points[::-1].copy()[::-1],
    }
    for name, form in forms.items():
        kept = form.copy()
        assert np.array_equal(pellucid.denoise(form, "mls").points, expected), name
        assert np.array_equal(form, kept), name


def test_single_precision_is_taken_as_it_is(noisy: pellucid.PointCloud) -> None:
    single = np.asarray(noisy.points, dtype=np.float32)
    result = pellucid.denoise(single, "mls").points
    assert result.dtype == np.float64
    assert np.array_equal(result, pellucid.denoise(single.astype(np.float64), "mls").points)


def test_any_number_of_threads_gives_the_same_bits(noisy: pellucid.PointCloud) -> None:
    one, three = (pellucid.denoise(noisy, threads=n, seed=5).points for n in (1, 3))
    assert np.array_equal(one, three)


def test_rows_that_are_not_finite_stay(noisy: pellucid.PointCloud) -> None:
    points = np.array(noisy.points)
    points[7] = [np.nan, 1.0, 2.0]
    result = pellucid.denoise(points, "mls")
    assert np.array_equal(result.points[7], points[7], equal_nan=True)
    assert np.isnan(result.displacement[7])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "there is no method \"magic\"; known methods: auto, mls"),
        ({"method": "mls", "preset": "none"}, "has no preset \"none\""),
        ({"method": "mls", "speed": 1}, "has no parameter \"speed\"; it has:"),
        ({"method": "mls", "iterations": 0}, "parameter \"iterations\" is 0, but it must be"),
        ({"method": "mls", "iterations": "many"}, "parameter \"iterations\" = \"many\""),
        ({"method": "mls", "iterations": float("nan")}, "it must be finite"),
        ({"method": "mls", "normals": np.zeros((3000, 3))}, "has no parameter \"normals\""),
        ({"method": "fgl", "features": ["age"]}, "attribute \"age\""),
    ],
)
def test_what_is_wrong_is_said(
    noisy: pellucid.PointCloud, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as fault:
        pellucid.denoise(noisy, **arguments)
    assert message in str(fault.value)


@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((4, 2)), [["a", "b", "c"]]])
def test_points_have_a_shape(points: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        pellucid.denoise(points)


def test_too_few_points() -> None:
    with pytest.raises(ValueError, match="usable points"):
        pellucid.denoise(np.zeros((2, 3)), "mls")


def test_methods_mirror_the_program() -> None:
    table = pellucid.methods()
    assert "auto" in table and "fgl" in table
    for name, method in table.items():
        assert method.name == name and method.summary
        assert set(method.defaults) == set(method.parameters), name


def test_parameters_of_numpy(noisy: pellucid.PointCloud) -> None:
    plain = pellucid.denoise(noisy, "mls", iterations=2).points
    assert np.array_equal(pellucid.denoise(noisy, "mls", iterations=np.int64(2)).points, plain)


def test_normals_and_features_are_used(noisy: pellucid.PointCloud) -> None:
    points, normals = np.asarray(noisy.points), np.asarray(noisy.normals)
    given = pellucid.denoise(points, "apss", normals=normals).points
    assert not np.array_equal(given, pellucid.denoise(points, "apss").points)
    side = (points[:, 0] > 0).astype(np.float32)
    result = pellucid.denoise(points, "fgl", features={"side": side}, iterations=1)
    assert result.features[-1] == "side"


def test_progress_is_told_and_may_cancel(noisy: pellucid.PointCloud) -> None:
    seen: list[tuple[float, str, int]] = []
    caller = threading.get_ident()

    def watch(fraction: float, step: str, iteration: int) -> None:
        assert threading.get_ident() == caller
        seen.append((fraction, step, iteration))

    result = pellucid.denoise(noisy, progress=watch)
    assert len(seen) >= result.iterations
    assert all(0 <= f <= 1 for f, _, _ in seen)
    calls: list[float] = []

    def stop(fraction: float, step: str, iteration: int) -> bool:
        calls.append(fraction)
        return False

    with pytest.raises(pellucid.Cancelled):
        pellucid.denoise(noisy, progress=stop)
    assert len(calls) == 1


def test_a_fault_in_the_callable_comes_through(noisy: pellucid.PointCloud) -> None:
    def broken(fraction: float, step: str, iteration: int) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pellucid.denoise(noisy, progress=broken)


def test_a_bar_goes_to_stderr_and_nothing_else(
    noisy: pellucid.PointCloud, capfd: pytest.CaptureFixture[str]
) -> None:
    pellucid.denoise(noisy, "mls")
    assert capfd.readouterr() == ("", "")
    pellucid.denoise(noisy, "mls", progress=True)
    printed = capfd.readouterr()
    assert printed.out == "" and "%" in printed.err


def test_other_threads_run_meanwhile(noisy: pellucid.PointCloud) -> None:
    expected = pellucid.denoise(noisy, seed=3).points
    results: list[Any] = []
    ticks = 0
    threads = [
        threading.Thread(target=lambda: results.append(pellucid.denoise(noisy, seed=3).points))
        for _ in range(3)
    ]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        ticks += 1
        time.sleep(0.001)
    assert ticks > 3
    assert len(results) == 3 and all(np.array_equal(r, expected) for r in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_works(tmp_path: Path) -> None:
    # In a process of its own: a deadlock must not hang the others.
    script = """
import os, sys
import numpy as np
import pellucid
noisy = pellucid.add_noise(pellucid.synthetic("torus", 1500), 0.02, scale="absolute")
first = pellucid.denoise(noisy, "mls").points
pellucid.estimate_noise(noisy)
child = os.fork()
if child == 0:
    same = np.array_equal(pellucid.denoise(noisy, "mls").points, first)
    pellucid.estimate_noise(noisy)
    os._exit(0 if same else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", script], timeout=120, cwd=tmp_path)
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("progress", ["None", "lambda *a: None"])
def test_ctrl_c_ends_a_run(tmp_path: Path, progress: str) -> None:
    script = f"""
import signal
import pellucid
# Jobs in the background of a shell start with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
noisy = pellucid.add_noise(pellucid.synthetic("torus", 60000), 0.02, scale="absolute")
print("started", flush=True)
try:
    # Long enough on any machine, however little noise there is.
    pellucid.denoise(noisy, "fgl", stop="limit", progress={progress})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "started\n"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=120)
    assert out == "interrupted\n"


def test_uncertainty_is_of_the_same_points_twice() -> None:
    points = np.random.default_rng(0).random((50, 3)) * [1, 1, 0.01]
    points[3] = np.nan
    found = pellucid.uncertainty(points, points)
    assert np.isnan(found).tolist() == [i == 3 for i in range(50)]
    # Single precision and any strides, as everywhere.
    single = np.asfortranarray(points.astype(np.float32))
    assert np.allclose(pellucid.uncertainty(single, single), found, rtol=1e-3, equal_nan=True)
    with pytest.raises(ValueError, match="50 points before and 49 after"):
        pellucid.uncertainty(points, points[1:])
