# %% [markdown]
# # Comparing methods
#
# Which method is best for which kind of cloud? This tutorial runs all of them with their defaults on two
# shapes whose true surface is known: a torus, which is smooth everywhere, and a bracket with sharp edges and
# thin walls.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pellucid

# %% [markdown]
# ## The methods
#
# `methods()` is the table that `pellucid methods` prints: what each method does, where it was published, and
# its parameters, presets and defaults.

# %%
methods = pellucid.methods()
for name, method in methods.items():
    print(f"{name:10} {method.summary}")

# %%
for name, meaning in list(methods["mls"].parameters.items())[:4]:
    print(f"{name} = {methods['mls'].defaults[name]}: {meaning}")

# %% [markdown]
# ## Two clouds with noise
#
# The noise is Gaussian, with a standard deviation of half a spacing on each axis. A much denser sample of the
# same surface, with normals, serves to measure distances.

# %%
clean = {name: pellucid.synthetic(name, 4_000, seed=1) for name in ("torus", "bracket")}
noisy = {
    name: pellucid.add_noise(cloud, 0.5, scale="spacing", seed=2) for name, cloud in clean.items()
}
surface = {name: pellucid.synthetic(name, 100_000, seed=9) for name in clean}

# %% [markdown]
# ## Run them all
#
# We measure the mean distance to the surface, divided by that of the noisy cloud. A method sees only the
# noisy points.

# %%


def left(points: object, shape: str) -> float:
    """Mean distance to the surface."""
    return pellucid.quality.point_to_plane(points, surface[shape])


share = {}
for name in methods:
    for shape, cloud in noisy.items():
        result = pellucid.denoise(cloud, name, seed=0)
        share[name, shape] = left(result.points, shape) / left(cloud, shape)

print("method      torus  bracket")
for name in sorted(methods, key=lambda name: share[name, "torus"] + share[name, "bracket"]):
    print(f"{name:10} {share[name, 'torus']:6.2f} {share[name, 'bracket']:8.2f}")

# %% [markdown]
# A method that expects smooth surfaces rounds off the edges of the bracket, and 4,000 points hardly show its
# thin walls. So the best method for one shape need not be the best for the other, and the default need not
# be best for either. Try which one suits your clouds.

# %%
for shape in noisy:
    order = sorted(methods, key=lambda name: share[name, shape])
    print(f"{shape}: best {', '.join(order[:3])}; {order[0]} leaves {share[order[0], shape]:.2f}, ", end="")
    print(f"auto {share['auto', shape]:.2f}, mls {share['mls', shape]:.2f}")
best = {shape: min(share[name, shape] for name in methods) for shape in noisy}
assert share["auto", "torus"] < 1.15 * best["torus"]
assert best["bracket"] < 0.85 * share["mls", "bracket"]

# %% [markdown]
# ## More than one number
#
# `quality.compare` gives every measure at once: distances both ways, the largest ones, and how
# evenly the points lie.

# %%
for name in ("mls", "lop", "mrpca"):
    result = pellucid.denoise(noisy["bracket"], name)
    found = pellucid.quality.compare(result.points, clean["bracket"])
    numbers = ("paper_mse", "point_to_plane", "hausdorff", "uniformity")
    print(f"{name:5}", ", ".join(f"{n} {found[n]:.4f}" for n in numbers))

# %% [markdown]
# ## Chance
#
# One cloud is one random draw of the noise. Three draws show whether a difference is more than chance.

# %%
draws = {"mls": [], "mrpca": []}
for seed in range(3):
    cloud = pellucid.add_noise(clean["bracket"], 0.5, scale="spacing", seed=10 + seed)
    for name, all_shares in draws.items():
        result = pellucid.denoise(cloud, name)
        all_shares.append(left(result.points, "bracket") / left(cloud, "bracket"))
for name, values in draws.items():
    print(f"{name}: " + ", ".join(f"{v:.3f}" for v in values))
assert max(draws["mrpca"]) < min(draws["mls"])

# %% [markdown]
# ## A picture
#
# The same numbers as a chart.

# %%
order = sorted(methods, key=lambda name: share[name, "torus"])
figure, axis = plt.subplots(figsize=(7, 3))
for step, shape in enumerate(noisy):
    bars = [share[name, shape] for name in order]
    axis.bar(np.arange(len(order)) + 0.4 * step, bars, 0.4, label=shape)
axis.set_xticks(np.arange(len(order)) + 0.2, order, rotation=45)
axis.set_ylabel("residual noise")
axis.legend()
figure.tight_layout()
figure.savefig("comparing.png", dpi=80)

# %% [markdown]
# ![Residual noise of each method](comparing.png)
#
# `pellucid-bench paper` does this for whole folders of clouds, and makes tables and plots.
