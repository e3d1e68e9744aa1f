# %% [markdown]
# # Cleaning a scan
#
# This tutorial turns a scan with noise, holes and stray points into a cloud that lies on the surface.
# It makes the scan itself, so that the true surface is known and the result can be compared with it. The
# truth is used only where the text says so.

# %%
import os
import subprocess

import numpy as np

import pellucid

# %% [markdown]
# ## A scan
#
# A scanner measures a bracket with sharp edges from two positions. It sees only what faces it, with fewer
# points where the ray grazes the surface; the rest of the bracket is missing. The ranges have noise of
# 0.6 % of the size of the bracket, and one point in a hundred is a stray point somewhere near it, as
# reflections cause them.

# %%
rng = np.random.default_rng(7)
bracket = pellucid.synthetic("bracket", 40_000, seed=1)
normals = bracket.attributes["normal"]
size = np.ptp(bracket.points, axis=0).max()
middle = bracket.points.mean(axis=0)

rows, noisy, across = [], [], []
for direction in ([1.0, -1.6, 0.9], [-1.4, -0.7, 1.2]):
    scanner = middle + 3 * size * np.array(direction)
    ray = bracket.points - scanner
    distance = np.linalg.norm(ray, axis=1)
    ray /= distance[:, None]
    facing = -(ray * normals).sum(axis=1)
    seen = np.flatnonzero(rng.random(len(ray)) < 0.7 * facing)
    error = 0.006 * size * rng.normal(size=len(seen))
    rows.append(seen)
    across.append(error * facing[seen])
    noisy.append(bracket.points[seen] + error[:, None] * ray[seen])

rows = np.concatenate(rows)
sigma = np.concatenate(across).std()  # along the normals
truth = bracket.select(rows)
strays = middle + size * rng.uniform(-0.7, 0.7, (len(rows) // 100, 3))
points = np.vstack([*noisy, strays])
intensity = np.append(200 + rng.integers(0, 50, len(rows)), np.full(len(strays), 90))
pellucid.write("scan.ply", pellucid.PointCloud(points, {"intensity": intensity.astype(np.uint16)}))
print(f"{len(points)} points, {len(strays)} of them stray")

# %% [markdown]
# From here on, only the file is used.
#
# ## How noisy is it?
#
# `estimate_noise` uses the cloud alone and gives the noise along the normals (that along the rays is
# larger). `reliable` says whether the cloud looks like a surface with noise at all.

# %%
scan = pellucid.read("scan.ply")
print(scan)
found = pellucid.estimate_noise(scan)
print(f"noise {found.sigma / size:.4f} of the size, {found.sigma / found.spacing:.2f} spacings")
print(f"in truth {sigma / size:.4f}")
assert found.reliable
assert abs(found.sigma / sigma - 1) < 0.25

# %% [markdown]
# ## Stray points
#
# Denoising moves points onto a surface, so it cannot help points that belong to no surface. The
# statistical rule removes points that are much farther from their neighbors than usual. It returns the
# remaining points with their attributes, and their indices.

# %%
cloud, kept = pellucid.remove_outliers(scan, "statistical")
stray = kept >= len(rows)
lost = len(rows) - np.count_nonzero(~stray)
print(f"{len(scan) - len(cloud)} points dropped; {stray.sum()} strays left, {lost} good ones lost")
assert stray.sum() < 0.2 * len(strays)
assert lost < 0.02 * len(rows)

# %% [markdown]
# The few strays that remain are so close to the surface that they cannot be distinguished from it.
#
# ## Denoise
#
# No parameter is needed. The result reports what was estimated and decided.

# %%
result = pellucid.denoise(cloud)
print(result)
for note in result.notes:
    print("-", note)
assert result.points.shape == cloud.points.shape
pellucid.write("clean.ply", result.cloud)

# %% [markdown]
# ## View it
#
# `pellucid render` draws the files. (`pellucid denoise scan.ply clean.ply --report run.html` makes a page
# to turn and compare both.)

# %%
pellucid.write("no-strays.ply", cloud)
program = os.environ.get("PELLUCID_PROGRAM", "pellucid")
picture = ["--size", "270x240", "--view=-50,25", "--zoom", "1.6", "--quiet"]
picture += ["--focus", ",".join(f"{x:.3f}" for x in middle), "--color", "plain"]
clouds = ["scan.ply", "no-strays.ply", "clean.ply", "cleaning.png"]
subprocess.run([program, "render", *clouds, *picture, "--caption", "scan,without strays,denoised"], check=True)

# %% [markdown]
# ![The scan, without stray points, and denoised](cleaning.png)
#
# ## Was it right?
#
# Now we use the truth: how far are the points from the surface that they were measured on?

# %%
good = kept < len(rows)


def off(points: np.ndarray) -> float:
    """Mean distance from the surface, in hundredths of the size."""
    return 100 * pellucid.quality.point_to_plane(points[good], bracket) / size


before, after = off(cloud.points), off(result.points)
print(f"mean distance from the surface: {before:.3f} before, {after:.3f} after ({before / after:.1f} times less)")
assert after < 0.65 * before

# %% [markdown]
# The attributes are kept: every point has its row and its intensity.

# %%
again = pellucid.read("clean.ply")
assert np.array_equal(again.attributes["intensity"], scan.attributes["intensity"][kept])
print(again)
