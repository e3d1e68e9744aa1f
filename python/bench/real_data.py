"""Graphs for real data that ships with scikit-learn, one table by one command.

    pip install '.[graph]' metric-learn pygsp 'scikit-learn<1.8'  # metric-learn 0.7 needs the last
    python python/bench/real_data.py [--seeds 5] [--first-seed 0] [--methods gaussian,full,...]

Digits, wine and breast cancer: 5, 10 or 20 % of the labels are known, the rest is to be guessed; the
figure is the share of unknown labels that come out right. Diabetes: as many of the values are known;
the figure is the root mean square error in standard deviations of the target. Means over seeds.

Features are standardized. Metrics are learned from the known labels only. Every graph joins ten nearest
neighbors in the metric of its method, weighs them by a Gaussian of median width, and spreads the known
values over it with `FeatureGraph.interpolate` (a column for each class, the largest wins). LabelSpreading
is scikit-learn's own way from end to end, `pygsp` PyGSP's (`NNGraph`, `regression_tikhonov`; release 0.6
learns no graphs); `smooth` takes its weights from the features as signals (Kalofolias 2016). `none` uses no
graph: the commonest class, or the mean. The best of each column is bold, and so is what is within one standard
error of the difference over the seeds, as no one can say which of the two is better.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from pellucid import FeatureGraph, _native

NEIGHBORS = 10
# Trace limit, in traces of the Gaussian kernel of median width; of 1, 4 and 16, on seed 100.
TRACE = 4
SHARES = (0.05, 0.10, 0.20)
# Methods that need labels.
CLASSES_ONLY = ("mmc", "lmnn", "nca", "LabelSpreading")
# Features, signal and which nodes are known give features or values of all nodes.
Method = Callable[[Any, Any, Any], Any]


def pairs_of(X: Any) -> Any:
    """Ten nearest neighbors, by a graph that learns nothing."""
    return FeatureGraph("fixed", n_neighbors=NEIGHBORS).fit(X, np.zeros(len(X))).edges_


def feature_graph(solver: str) -> Method:
    """Learns from the edges between known nodes, then gives features in the learned metric."""

    def transform(X: Any, signal: Any, known: Any) -> Any:
        rows = np.flatnonzero(known)
        i, j = np.triu_indices(len(rows), 1)
        if len(i) > 50_000:
            chosen = np.random.default_rng(0).choice(len(i), 50_000, replace=False)
            i, j = i[chosen], j[chosen]
        edges = np.column_stack([rows[i], rows[j]])
        squares = ((X[edges[:, 0]] - X[edges[:, 1]]) ** 2).sum(axis=1)
        limit = TRACE * 0.5 * X.shape[1] / np.median(squares)
        graph = FeatureGraph(solver, trace_limit=limit)
        return graph.fit(X, signal, edges=edges, observed=known).transform(X)

    return transform


def metric_learner(name: str) -> Method:
    def transform(X: Any, signal: Any, known: Any) -> Any:
        import metric_learn

        labels = signal[known].argmax(axis=1)
        learner: Any = {
            "mmc": lambda: metric_learn.MMC_Supervised(random_state=0, max_iter=50),
            "lmnn": lambda: metric_learn.LMNN(
                random_state=0, n_neighbors=max(1, min(3, np.bincount(labels).min() - 1))
            ),
            "nca": lambda: metric_learn.NCA(random_state=0, max_iter=100),
        }[name]()
        return learner.fit(X[known], labels).transform(X)

    return transform


def spread(X: Any, signal: Any, known: Any) -> Any:
    """Values of all nodes from a graph over these features."""
    edges = pairs_of(X)
    lengths = np.linalg.norm(X[edges[:, 0].astype(int)] - X[edges[:, 1].astype(int)], axis=1)
    width = np.median(lengths[lengths > 0])
    graph = FeatureGraph("fixed", trace_limit=0.5 * X.shape[1] / width**2)
    graph.fit(X, np.zeros(len(X)), edges=edges)
    return graph.interpolate(signal, known, smoothing=1e-3)


def smooth(X: Any, signal: Any, known: Any) -> Any:
    edges = pairs_of(X)
    i, j = edges.astype(int).T
    squares = ((X[i] - X[j]) ** 2).sum(axis=1)
    weights = _native.smooth_graph(len(X), edges, squares, 1.0, 1.0)
    signal = np.ascontiguousarray(signal)
    return _native.interpolate_graph((edges, weights), signal, known, 1e-3)


def pygsp(X: Any, signal: Any, known: Any) -> Any:
    from pygsp import graphs, learning

    graph = graphs.NNGraph(X, k=NEIGHBORS, center=False, rescale=False)
    return learning.regression_tikhonov(graph, signal.copy(), known, tau=1e-3)


def label_spreading(X: Any, signal: Any, known: Any) -> Any:
    from sklearn.semi_supervised import LabelSpreading

    labels = np.where(known, signal.argmax(axis=1), -1)
    model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS).fit(X, labels)
    out = np.zeros_like(signal)
    out[:, model.classes_] = model.label_distributions_
    return out


def none(X: Any, signal: Any, known: Any) -> Any:
    return np.tile(signal[known].mean(axis=0), (len(X), 1))


def over(transform: Method) -> Method:
    """Spreads over the graph of transformed features."""
    return lambda X, signal, known: spread(transform(X, signal, known), signal, known)


METHODS: dict[str, Method] = {
    "none": none,
    "gaussian": spread,
    **{solver: over(feature_graph(solver)) for solver in ("full", "alternate", "diagonal")},
    "smooth": smooth,
    "pygsp": pygsp,
    "LabelSpreading": label_spreading,
    **{name: over(metric_learner(name)) for name in ("mmc", "lmnn", "nca")},
}


def load(name: str) -> tuple[Any, Any]:
    """Features, and a column for each class or one of values."""
    data = getattr(datasets, f"load_{name}")()
    X = StandardScaler().fit_transform(data.data)
    if name == "diabetes":
        y = (data.target - data.target.mean()) / data.target.std()
        return X, y[:, None]
    return X, np.eye(data.target.max() + 1)[data.target]


def draw(signal: Any, share: float, seed: int) -> Any:
    """Which nodes are known: so many of each class, at least two."""
    rng = np.random.default_rng(seed)
    known = np.zeros(len(signal), dtype=bool)
    groups = signal.argmax(axis=1) if signal.shape[1] > 1 else np.zeros(len(signal), dtype=int)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        known[rng.choice(rows, max(2, round(share * len(rows))), replace=False)] = True
    return known


def score(signal: Any, found: Any, known: Any) -> float:
    if signal.shape[1] == 1:
        return float(np.sqrt(((found - signal)[~known] ** 2).mean()))
    return float((found.argmax(axis=1) == signal.argmax(axis=1))[~known].mean())


def scores_of(method: str, tables: dict[str, tuple[Any, Any]], seeds: range) -> dict[str, Any]:
    """Scores of all seeds by column; columns without an answer for every seed are left out."""
    found = {}
    for name, (X, signal) in tables.items():
        if signal.shape[1] == 1 and method in CLASSES_ONLY:
            continue
        for share in SHARES:
            scores = []
            for seed in seeds:
                known = draw(signal, share, seed)
                # No method may see what it is to guess.
                given = np.where(known[:, None], signal, 0.0)
                try:
                    scores.append(score(signal, METHODS[method](X, given, known), known))
                except np.linalg.LinAlgError as error:
                    print(f"{method} on {name}, seed {seed}: {error}", file=sys.stderr)
            # A method that broke down on some of the seeds has no mean to compare.
            if len(scores) == len(seeds):
                found[f"{name} {round(100 * share)} %"] = np.array(scores)
    return found


def is_best(column: str, own: Any, all_scores: list[Any]) -> bool:
    """Whether no method is ahead by more than one standard error of the difference."""
    sign = 1 if column.startswith("diabetes") else -1
    best = min(all_scores, key=lambda s: sign * s.mean())
    behind = sign * (own - best)
    return bool(behind.mean() <= behind.std(ddof=1) / np.sqrt(len(behind)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Graphs for real data, one table.")
    parser.add_argument("--seeds", type=int, default=5, help="how many, at least two")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds must be at least 2: one run says nothing about differences")
    warnings.filterwarnings("ignore")
    # PyGSP reports every search for neighbors.
    logging.disable(logging.INFO)
    tables = {name: load(name) for name in ("digits", "wine", "breast_cancer", "diabetes")}
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    rows: dict[str, tuple[dict[str, Any], float]] = {}
    for method in options.methods.split(","):
        start = time.process_time()
        scores = scores_of(method, tables, seeds)
        rows[method] = scores, time.process_time() - start
        means = {column: round(float(s.mean()), 3) for column, s in scores.items()}
        print(f"{method}: {rows[method][1]:.0f} s {means}", file=sys.stderr, flush=True)
    columns = [f"{name} {round(100 * share)} %" for name in tables for share in SHARES]
    print("| method | " + " | ".join(columns) + " | seconds |")
    print("|---" * (len(columns) + 2) + "|")
    for method, (scores, seconds) in rows.items():
        cells = []
        for column in columns:
            if column not in scores:
                cells.append("–")
                continue
            others = [s[column] for s, _ in rows.values() if column in s]
            mark = "**" if is_best(column, scores[column], others) else ""
            cells.append(f"{mark}{scores[column].mean():.3f}{mark}")
        print(f"| {method} | " + " | ".join(cells) + f" | {seconds:.0f} |")


if __name__ == "__main__":
    main()
