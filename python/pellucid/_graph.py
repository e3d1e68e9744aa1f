"""Learning a graph for any features and signals, in the manner of scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Doubles

try:
    from scipy import sparse
    from scipy.spatial import cKDTree
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as fault:  # pragma: no cover
    raise ImportError(
        "FeatureGraph needs scipy and scikit-learn 1.6 or newer; pip install 'pellucid[graph]'"
    ) from fault

if TYPE_CHECKING:
    Edges = Union[NDArray[Any], Sequence[Sequence[int]], int, None]

_SOLVERS = ("full", "alternate", "diagonal", "fixed")


class FeatureGraph(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learns the metric M that makes a signal smooth on the graph of weights exp(-g'Mg).

    g is the difference of two nodes' features; the metric is positive definite and its trace no
    more than `trace_limit`. A small limit selects features (0.1 to 0.3 for features of unit
    scale), a generous one gives every feature a share.

    Parameters
    ----------
    solver : full, alternate (the paper's algorithm), diagonal, or fixed (no learning)
    trace_limit : bound of the trace
    tolerance : learning ends when the objective falls by less than this, relative to itself
    max_passes : most evaluations of the objective
    sample_fraction : part of the edges to learn from
    n_neighbors : nodes that each node is joined with, if `fit` is given no edges
    random_state : seed of that sample
    step : backtracking, accelerated, or a number: the same step every time
    warm_start : start from the metric of the last `fit`
    alternate : settings of the solver alternate: `discs` (plain or aligned), `alternations`,
        `diagonal_passes`, `row_passes`
    missing : refuse, or by-edge: features that are NaN are missing, and an edge counts the features
        that both its ends have; `fit` then needs edges

    Attributes
    ----------
    metric_ : M, (features, features)
    components_ : A with M = A'A; `transform` gives A f, whose plain distances are the learned
    edges_ : pairs of nodes, (edges, 2)
    weights_, laplacian_ : scipy CSR matrices over nodes
    objective_history_ : the objective at the start and after each step
    n_iter_, stop_ : steps that were taken, and why learning ended

    >>> import numpy as np
    >>> from pellucid import FeatureGraph
    >>> height_and_sea = np.array([[0.1, 0.0], [0.2, 1.1], [1.4, 0.2], [1.5, 1.0], [0.3, 0.5]])
    >>> temperature = np.array([18.0, 17.6, 9.8, 9.5, 17.0])
    >>> graph = FeatureGraph(n_neighbors=3).fit(height_and_sea, temperature)
    >>> bool(graph.metric_[0, 0] > graph.metric_[1, 1])  # height, not the sea
    True
    >>> graph.laplacian_.shape
    (5, 5)
    """

    def __init__(
        self,
        solver: str = "full",
        *,
        trace_limit: float = 3.0,
        tolerance: float = 1e-5,
        max_passes: int = 500,
        sample_fraction: float = 1.0,
        n_neighbors: int = 10,
        random_state: Any = None,
        step: Union[str, float] = "backtracking",
        warm_start: bool = False,
        alternate: Optional[Mapping[str, Any]] = None,
        missing: str = "refuse",
    ) -> None:
        self.solver = solver
        self.trace_limit = trace_limit
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.sample_fraction = sample_fraction
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.step = step
        self.warm_start = warm_start
        self.alternate = alternate
        self.missing = missing

    def fit(
        self, X: Any, y: Any = None, edges: Edges = None, observed: Any = None
    ) -> FeatureGraph:
        """Learns from features (nodes, features) and one or several signals of the nodes.

        `y` is the signal, (nodes,) or (nodes, signals); the name is scikit-learn's. `edges` are
        pairs of nodes, (edges, 2), or a number of neighbors. `observed`, a flag for each node, says
        where the signal is known: the metric is learned from the edges between such nodes.

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> line = np.arange(6.0)[:, None]
        >>> graph = FeatureGraph().fit(line, line[:, 0] > 2, edges=[[i, i + 1] for i in range(5)])
        >>> graph.weights_.nnz
        10
        """
        if y is None:
            raise ValueError(
                "FeatureGraph requires y to be passed, but the target y is None: give a signal"
            )
        if self.solver not in _SOLVERS:
            known = ", ".join(_SOLVERS)
            raise ValueError(f'there is no solver "{self.solver}"; known solvers: {known}')
        if self.missing not in ("refuse", "by-edge"):
            raise ValueError(f'parameter "missing" is "{self.missing}"; it is refuse or by-edge')
        if observed is not None:
            observed = np.ascontiguousarray(observed, dtype=bool)
            y = np.asarray(y, dtype=np.float64).copy()
            if observed.shape != y.shape[:1]:
                raise ValueError(f"observed has shape {observed.shape}, the signal {y.shape}")
            y[~observed] = 0
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True,
            ensure_min_samples=2,
            ensure_all_finite="allow-nan" if self.missing == "by-edge" else True,
        )
        signals = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        pairs = self._pairs(X, edges)
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31)
        parameters = {**self._learning(X.shape[1]), "seed": int(seed)}
        metric, factor, weights, info = _native.learn_graph(
            X, signals, pairs, observed, self.missing == "by-edge", parameters
        )
        answer = json.loads(info)
        self.metric_: Doubles = metric
        self.components_: Doubles = np.ascontiguousarray(factor.T)
        self.edges_: NDArray[np.uint32] = pairs
        self.objective_history_: Doubles = np.array(answer["history"], dtype=np.float64)
        self.n_iter_: int = answer["iterations"]
        self.stop_: str = answer["stop"]
        i, j = pairs.astype(np.intp).T
        shape = (len(X), len(X))
        upper = sparse.coo_matrix((weights, (i, j)), shape=shape)
        self.weights_ = (upper + upper.T).tocsr()
        degrees = np.asarray(self.weights_.sum(axis=1)).ravel()
        self.laplacian_ = (sparse.diags(degrees) - self.weights_).tocsr()
        return self

    def _learning(self, features: int) -> dict[str, Any]:
        """The parameters as the extension takes them."""
        parameters: dict[str, Any] = {
            "solver": self.solver,
            "trace_limit": self.trace_limit,
            "tolerance": self.tolerance,
            "max_passes": self.max_passes,
            "sample_fraction": self.sample_fraction,
            "step": self.step if isinstance(self.step, str) else {"fixed": {"size": self.step}},
        }
        if self.solver == "alternate":
            parameters["solver"] = {"alternate": dict(self.alternate or {})}
        if self.warm_start and hasattr(self, "metric_"):
            limit = max(float(np.trace(self.metric_)), self.trace_limit)
            start = {"features": len(self.metric_), "trace_limit": limit}
            parameters["start"] = {"metric": {**start, "values": self.metric_.ravel().tolist()}}
        return parameters

    def _pairs(self, X: Doubles, edges: Edges) -> NDArray[np.uint32]:
        """Every pair once, the smaller end first."""
        n = len(X)
        if edges is None:
            edges = self.n_neighbors
        given = np.asarray(edges)
        if given.ndim == 0:
            k = int(given)
            if k < 1 or k != given:
                raise ValueError(f'parameter "n_neighbors" is {edges}, but it must be 1 or more')
            if np.isnan(X).any():
                raise ValueError("features are missing, so there are no nearest nodes; give edges")
            _, near = cKDTree(X).query(X, k=min(k, n - 1) + 1)
            given = np.column_stack([np.repeat(np.arange(n), near.shape[1]), near.ravel()])
            given = given[given[:, 0] != given[:, 1]]
        if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
            raise ValueError(
                f"edges are {given.dtype} of shape {given.shape}, but they must be whole numbers "
                "of shape (edges, 2), or a number of neighbors"
            )
        if given.size and (given.min() < 0 or given.max() >= n):
            raise ValueError(f"edges name nodes from {given.min()} to {given.max()} of {n}")
        if (given[:, 0] == given[:, 1]).any():
            raise ValueError("an edge joins a node with itself; leave it out")
        return np.unique(np.sort(given, axis=1), axis=0).astype(np.uint32)

    def transform(self, X: Any) -> Doubles:
        """Features in which plain distances are the learned ones.

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> graph = FeatureGraph().fit(X, X[:, 0])
        >>> z = graph.transform(X)
        >>> d = np.linalg.norm(z[0] - z[1])
        >>> bool(np.isclose(d, graph.pair_distance([[X[0], X[1]]])[0]))
        True
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        moved: Doubles = X @ self.components_.T
        return moved

    def pair_distance(self, pairs: Any) -> Doubles:
        """Learned distances of pairs of feature vectors, (pairs, 2, features).

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> FeatureGraph().fit(X, X[:, 0]).pair_distance(X[:4].reshape(2, 2, 2)).shape
        (2,)
        """
        check_is_fitted(self)
        given = np.asarray(pairs, dtype=np.float64)
        k = len(self.metric_)
        if given.ndim != 3 or given.shape[1:] != (2, k):
            raise ValueError(f"pairs have shape {given.shape}, but it must be (pairs, 2, {k})")
        moved = (given[:, 1] - given[:, 0]) @ self.components_.T
        found: Doubles = np.sqrt((moved * moved).sum(axis=1))
        return found

    def get_mahalanobis_matrix(self) -> Doubles:
        """A copy of M.

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> graph = FeatureGraph().fit(X, X[:, 0])
        >>> A = graph.components_
        >>> bool(np.allclose(A.T @ A, graph.get_mahalanobis_matrix()))
        True
        """
        check_is_fitted(self)
        return self.metric_.copy()

    def _joined(self) -> tuple[NDArray[np.uint32], Doubles]:
        check_is_fitted(self)
        i, j = self.edges_.astype(np.intp).T
        return self.edges_, np.asarray(self.weights_[i, j], dtype=np.float64).ravel()

    def _columns(self, signal: Any) -> Doubles:
        given = np.ascontiguousarray(signal, dtype=np.float64)
        n = self.weights_.shape[0]
        if given.ndim not in (1, 2) or len(given) != n:
            raise ValueError(f"the signal has shape {given.shape}, but the graph has {n} nodes")
        return given.reshape(n, -1)

    def spectrum(self, count: int) -> tuple[Doubles, Doubles]:
        """The lowest graph frequencies (count,) and their eigenvectors (nodes, count).

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> X = np.random.default_rng(0).normal(size=(40, 2))
        >>> frequencies, modes = FeatureGraph().fit(X, X[:, 0]).spectrum(3)
        >>> bool(abs(frequencies[0]) < 1e-8), modes.shape
        (True, (40, 3))
        """
        edges = self._joined()
        values, rows = _native.graph_spectrum(self.weights_.shape[0], edges, count)
        return values, np.ascontiguousarray(rows.T)

    def filter(self, signal: Any, kernel: Callable[[float], float], order: int = 30) -> Doubles:
        """h(L) applied to a signal, (nodes,) or (nodes, channels); `kernel` is h over frequencies.

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> X = np.random.default_rng(0).normal(size=(40, 2))
        >>> graph = FeatureGraph().fit(X, X[:, 0])
        >>> smooth = graph.filter(X[:, 0], lambda frequency: 1 / (1 + frequency))
        >>> L = graph.laplacian_
        >>> bool(smooth @ (L @ smooth) < X[:, 0] @ (L @ X[:, 0]))
        True
        """
        edges = self._joined()
        columns = self._columns(signal)
        out = _native.filter_graph(edges, columns, kernel, order)
        return out.reshape(np.shape(signal))

    def interpolate(self, signal: Any, known: Any, smoothing: float = 0.0) -> Doubles:
        """The signal with unknown values filled in, smooth on the graph.

        With `smoothing` zero known values stay; above zero they are taken to be noisy.

        >>> import numpy as np
        >>> from pellucid import FeatureGraph
        >>> line = np.arange(5.0)[:, None]
        >>> graph = FeatureGraph("fixed").fit(line, line[:, 0], edges=1)
        >>> known = np.array([True, False, False, False, True])
        >>> graph.interpolate([0, np.nan, np.nan, np.nan, 4], known).round(6).tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0]
        """
        edges = self._joined()
        columns = self._columns(signal)
        flags = np.ascontiguousarray(known, dtype=bool)
        out = _native.interpolate_graph(edges, columns, flags, smoothing)
        return out.reshape(np.shape(signal))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = self.missing == "by-edge"
        return tags
