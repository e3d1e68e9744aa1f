"""`pellucid.FeatureGraph`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from pellucid import FeatureGraph  # noqa: E402


@parametrize_with_checks([FeatureGraph(random_state=0)])
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    return X, np.tanh(3 * X[:, 0])


@pytest.mark.parametrize("solver", ["full", "alternate", "diagonal"])
def test_the_feature_that_tells_takes_the_trace(data: tuple[Any, Any], solver: str) -> None:
    graph = FeatureGraph(solver, trace_limit=0.2).fit(*data)
    shares = np.diag(graph.metric_) / np.trace(graph.metric_)
    assert shares[0] > 0.9
    assert np.trace(graph.metric_) <= 0.2 * (1 + 1e-9)
    assert (np.diff(graph.objective_history_) <= 1e-12).all()
    assert np.linalg.eigvalsh(graph.metric_).min() > 0


def test_weights_and_laplacian_by_their_definition(data: tuple[Any, Any]) -> None:
    X, signal = data
    graph = FeatureGraph(n_neighbors=4).fit(X, signal)
    i, j = graph.edges_.astype(int).T
    g = X[i] - X[j]
    expected = np.exp(-np.einsum("ei,ij,ej->e", g, graph.metric_, g))
    assert np.allclose(np.asarray(graph.weights_[i, j]).ravel(), expected, rtol=1e-9)
    W = graph.weights_.toarray()
    assert np.array_equal(W, W.T)
    assert graph.laplacian_.format == "csr"
    assert np.allclose(graph.laplacian_.toarray(), np.diag(W.sum(axis=1)) - W, atol=1e-14)
    assert np.allclose(graph.components_.T @ graph.components_, graph.metric_, atol=1e-12)
    total = sum(w * (signal[a] - signal[b]) ** 2 for a, b, w in zip(i, j, expected))
    assert np.isclose(graph.objective_history_[-1], total, rtol=1e-9)


def test_edges_are_pairs_or_a_number(data: tuple[Any, Any]) -> None:
    X, signal = data
    pairs = [[0, 1], [1, 0], [1, 2], [5, 4]]
    graph = FeatureGraph().fit(X, signal, edges=pairs)
    assert graph.edges_.tolist() == [[0, 1], [1, 2], [4, 5]]
    assert len(FeatureGraph().fit(X, signal, edges=2).edges_) < 2 * len(X) + 1
    wrong: Any
    for wrong, message in [([[0, 200]], "of 120"), ([[3, 3]], "itself"), (0, "1 or more")]:
        with pytest.raises(ValueError, match=message):
            FeatureGraph().fit(X, signal, edges=wrong)


def test_parameters_are_checked(data: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="known solvers"):
        FeatureGraph("magic").fit(*data)
    with pytest.raises(ValueError, match="trace"):
        FeatureGraph(trace_limit=-1).fit(*data)
    again = clone(FeatureGraph(trace_limit=0.5))
    assert again.get_params()["trace_limit"] == 0.5


def test_seeds(data: tuple[Any, Any]) -> None:
    def metric(seed: Any) -> Any:
        return FeatureGraph(sample_fraction=0.3, random_state=seed).fit(*data).metric_

    assert np.array_equal(metric(1), metric(1))
    assert not np.array_equal(metric(1), metric(2))


def test_scipy_solves_with_the_laplacian(data: tuple[Any, Any]) -> None:
    from scipy.sparse import identity
    from scipy.sparse.linalg import spsolve

    X, signal = data
    L = FeatureGraph().fit(X, signal).laplacian_
    smooth = spsolve((identity(len(X)) + 0.5 * L).tocsc(), signal)
    assert np.allclose(smooth + 0.5 * (L @ smooth), signal, atol=1e-12)
    assert smooth @ (L @ smooth) < 0.5 * (signal @ (L @ signal))
    # The constant is in the null space, so the mean stays.
    assert np.isclose(smooth.mean(), signal.mean(), atol=1e-12)


def test_pygsp_takes_the_graph(data: tuple[Any, Any]) -> None:
    graphs = pytest.importorskip("pygsp.graphs")
    graph = FeatureGraph().fit(*data)
    theirs = graphs.Graph(graph.weights_)
    assert abs(theirs.L - graph.laplacian_).max() < 1e-12


def test_filters_spectrum_and_interpolation(data: tuple[Any, Any]) -> None:
    X, signal = data
    graph = FeatureGraph().fit(X, signal)
    L = graph.laplacian_.toarray()
    values, vectors = np.linalg.eigh(L)
    frequencies, modes = graph.spectrum(4)
    assert np.allclose(frequencies, values[:4], atol=1e-7)
    assert np.allclose(L @ modes, modes * frequencies, atol=1e-6)
    two = np.column_stack([signal, X[:, 1]])
    heat = graph.filter(two, lambda f: np.exp(-0.5 * f), order=60)
    assert np.allclose(heat, vectors @ (np.exp(-0.5 * values)[:, None] * (vectors.T @ two)), atol=1e-6)
    known = np.arange(len(X)) % 3 == 0
    filled = graph.interpolate(np.where(known, signal, np.nan), known)
    assert np.array_equal(filled[known], signal[known])
    assert np.abs((L @ filled)[~known]).max() < 1e-6
    with pytest.raises(ZeroDivisionError):
        graph.filter(signal, lambda f: 1 / 0)
    with pytest.raises(ValueError, match="120 nodes"):
        graph.filter(signal[:5], np.exp)


def test_steps_starts_and_settings_of_the_alternation(data: tuple[Any, Any]) -> None:
    X, signal = data
    plain = FeatureGraph(trace_limit=0.2).fit(X, signal)
    fast = FeatureGraph(trace_limit=0.2, step="accelerated").fit(X, signal)
    assert np.isclose(fast.objective_history_[-1], plain.objective_history_[-1], rtol=1e-3)
    assert FeatureGraph(step=1e-9, max_passes=3).fit(X, signal).n_iter_ <= 3
    again = clone(plain).set_params(warm_start=True).fit(X, signal).fit(X, signal)
    assert np.isclose(again.objective_history_[0], plain.objective_history_[-1], rtol=1e-6)
    settings = {"discs": "aligned", "alternations": 20}
    aligned = FeatureGraph("alternate", trace_limit=0.2, alternate=settings).fit(X, signal)
    assert aligned.objective_history_[-1] < 1.01 * plain.objective_history_[-1]
    with pytest.raises(ValueError, match="plain. or .aligned"):
        FeatureGraph("alternate", alternate={"discs": "round"}).fit(X, signal)


def test_partial_signals_and_missing_features(data: tuple[Any, Any]) -> None:
    X, signal = data
    observed = np.arange(len(X)) % 2 == 0
    edges = FeatureGraph().fit(X, signal).edges_
    part = FeatureGraph().fit(X, np.where(observed, signal, np.nan), edges=edges, observed=observed)
    inner = edges[observed[edges].all(axis=1)]
    assert np.array_equal(part.metric_, FeatureGraph().fit(X, signal, edges=inner).metric_)
    assert part.weights_.nnz == 2 * len(edges)
    holes = X.copy()
    holes[::7, 1] = np.nan
    graph = FeatureGraph(missing="by-edge").fit(holes, signal, edges=edges)
    assert np.isfinite(graph.weights_.data).all()
    with pytest.raises(ValueError, match="give edges"):
        FeatureGraph(missing="by-edge").fit(holes, signal)
    with pytest.raises(ValueError, match="NaN"):
        FeatureGraph().fit(holes, signal, edges=edges)
