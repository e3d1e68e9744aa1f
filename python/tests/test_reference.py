"""`fgl --preset reference` against a page of numpy written from the paper.

The page shares no code with the library: neighbors by brute force, dense matrices, a metric found over
the rays of the set instead of by alternating. `python python/tests/test_reference.py` prints the numbers
that `crates/denoise/tests/reference.rs` holds the library to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

POINTS, SEMI_AXES, NOISE = 1500, np.array([9.0, 6.0, 4.0]), 0.45
PATCH, SHARE, LINKS, AROUND, TRACE = 9, 0.3, 10, 100, 5.0


def clouds() -> tuple[Any, Any]:
    """A spiral over an ellipsoid, and the same with noise from a congruential generator."""
    i = np.arange(POINTS)
    z = 1 - (2 * i + 1) / POINTS
    angle = i * np.pi * (3 - np.sqrt(5))
    r = np.sqrt(1 - z * z)
    clean = SEMI_AXES * np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    state, drawn = 1, []
    for _ in range(POINTS * 3 * 12):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        drawn.append((state >> 11) / 2**53)
    normal = np.reshape(drawn, (POINTS, 3, 12)).sum(axis=2) - 6
    return clean, clean + NOISE * normal


def squares(a: Any, b: Any) -> Any:
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)


def mse(a: Any, b: Any) -> float:
    d = np.sqrt(squares(a, b))
    return float(0.5 * (d.min(axis=0).mean() + d.min(axis=1).mean()))


def normals_of(y: Any, nearest: Any) -> Any:
    """Eigenvectors of the smallest eigenvalue over the nearest points, away from the middle."""
    around = y[nearest[:, :AROUND]]
    around = around - around.mean(axis=1, keepdims=True)
    normals = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))[1][:, :, 0]
    outward = np.sign((normals * (y - y.mean(axis=0))).sum(axis=1))
    return normals * outward[:, None]


def farthest(y: Any, count: int) -> Any:
    chosen, distance = [0], ((y - y[0]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, ((y - y[chosen[-1]]) ** 2).sum(axis=1))
    return np.array(chosen)


def learn(g: Any, d: Any) -> tuple[Any, float]:
    """Eq. 12 over {tr M <= C, m_ii >= sum of |m_ij|}, and its objective as part of the start's.

    The set is a simplex whose corners are C times e_i e_i' and (e_i ± e_j)(e_i ± e_j)' / 2.
    """
    k = g.shape[1]
    rays = [np.eye(k)[i] for i in range(k)]
    for i in range(k):
        for j in range(i):
            rays += [(np.eye(k)[i] + s * np.eye(k)[j]) / np.sqrt(2) for s in (1, -1)]
    along = (g @ np.array(rays).T) ** 2  # b'Mb of every ray, for every edge
    x = np.where(np.arange(len(rays)) < k, TRACE / k, 0.0)
    start = f = (d * np.exp(-along @ x)).sum()
    y, momentum, step = x, 1.0, TRACE / start
    for _ in range(400):
        w = d * np.exp(-along @ y)
        slope = -(w @ along)
        while True:
            after = to_simplex(y - step * slope)
            move = after - y
            f_after = (d * np.exp(-along @ after)).sum()
            if f_after <= w.sum() + slope @ move + move @ move / (2 * step) + 1e-12 * start:
                break
            step /= 2
        if f_after > f:
            y, momentum = x, 1.0
            continue
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        y = to_simplex(after + (momentum - 1) / next_momentum * (after - x))
        gain = f - f_after
        x, f, momentum, step = after, f_after, next_momentum, 1.2 * step
        if gain < 1e-8 * start:
            break
    metric = sum(weight * np.outer(ray, ray) for weight, ray in zip(x, rays))
    return metric, float(f / start)


def to_simplex(x: Any) -> Any:
    if np.maximum(x, 0).sum() <= TRACE:
        return np.maximum(x, 0)
    low, high = 0.0, x.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(x - middle, 0).sum() > TRACE else (low, middle)
    return np.maximum(x - high, 0)


def iterate(y: Any) -> tuple[Any, float, float]:
    """One iteration of Algorithm 1 as the published runs did it: points, objective ratio, trace."""
    between = squares(y, y)
    nearest = between.argsort(axis=1)
    normals = normals_of(y, nearest)
    centers = farthest(y, round(SHARE * POINTS))
    members = nearest[centers, :PATCH]
    origins = y[members].mean(axis=1)
    v = y[members] - origins[:, None, :]
    linked = between[np.ix_(centers, centers)].argsort(axis=1)[:, 1 : LINKS + 1]

    # Every point of a patch and its counterpart in each linked patch (Eq. 38).
    edges = []
    for s, row in enumerate(linked):
        for t in row:
            slots = squares(v[s], v[t]).argmin(axis=1)
            edges += [(s * PATCH + a, t * PATCH + b) for a, b in enumerate(slots)]
    i, j = np.array(edges).T
    point = members.ravel()
    features = np.hstack([y, normals])
    g = features[point[i]] - features[point[j]]
    metric, ratio = learn(g, ((y[point[i]] - y[point[j]]) ** 2).sum(axis=1))

    patch_normals = normals[members].sum(axis=1)
    patch_normals /= np.linalg.norm(patch_normals, axis=1, keepdims=True)
    cosine = np.abs((patch_normals[i // PATCH] * patch_normals[j // PATCH]).sum(axis=1))
    weights = np.exp(-np.einsum("ei,ij,ej->e", g, metric, g)) * cosine
    weights[weights < 1e-3] = 0
    w = np.zeros((len(point), len(point)))
    w[i, j] = w[j, i] = weights
    degree = w.sum(axis=1)
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    laplacian = np.eye(len(point)) - root[:, None] * w * root[None, :]

    # (I + γ T'LT) Y = P + γ T'LC (Eq. 51), P the result before.
    gamma = 1 / (25 * (np.exp(1 / 20) - 1))
    left, right = np.eye(POINTS), y.copy()
    rows, columns = np.nonzero(laplacian)
    np.add.at(left, (point[rows], point[columns]), gamma * laplacian[rows, columns])
    np.add.at(right, point, gamma * laplacian @ np.repeat(origins, PATCH, axis=0))
    return np.linalg.solve(left, right), ratio, float(np.trace(metric))


def page() -> tuple[float, list[tuple[float, float, float]]]:
    """The noisy MSE, and MSE, objective ratio and trace after each of five iterations."""
    clean, y = clouds()
    noisy, middle = mse(y, clean), y.mean(axis=0)
    # Gershgorin's discs depend on the axes: those of the cloud.
    axes = np.linalg.eigh((y - middle).T @ (y - middle))[1]
    y, clean, rows = (y - middle) @ axes, (clean - middle) @ axes, []
    for _ in range(5):
        y, ratio, trace = iterate(y)
        rows.append((mse(y, clean), ratio, trace))
    return noisy, rows


def test_reference() -> None:
    import pellucid

    clean, cloud = clouds()
    rows = page()[1]
    settings: dict[str, Any] = {"iterations": len(rows), "stop": "limit", "learn_edges": 1.0}
    out = pellucid.denoise(cloud, "fgl", preset="reference", **settings)
    for found, (_, ratio, trace) in zip(out.history, rows):
        assert abs(found["objective_after"] / found["objective_before"] - ratio) < 1e-4
        assert abs(np.trace(found["metric"]) - trace) < 1e-9
    assert abs(mse(out.points, clean) - rows[-1][0]) < 1e-4 * rows[-1][0]


if __name__ == "__main__":
    noisy, rows = page()
    print(f"noisy {noisy:.6f}")
    for row in rows:
        print("MSE %.6f, objective ratio %.6f, trace %.6f" % row)
