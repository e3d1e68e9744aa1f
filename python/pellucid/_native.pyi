from collections.abc import Callable
from os import PathLike
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

_Booleans = NDArray[np.bool_]
_Doubles = NDArray[np.float64]
_Weighted = tuple[NDArray[np.uint32], _Doubles]
_Points = NDArray[np.floating[Any]]
_Progress = Callable[[float, str, int], object]

__version__: str

class Cancelled(Exception): ...

class Source:
    @property
    def format(self) -> Optional[str]: ...
    @property
    def comments(self) -> list[str]: ...
    @property
    def viewpoints(self) -> list[list[float]]: ...

def shape(name: str, count: int, seed: int) -> list[_Doubles]: ...
def denoise(
    points: _Points,
    attributes: dict[str, Any],
    method: str,
    preset: Optional[str],
    parameters: dict[str, Any],
    seed: int,
    threads: Optional[int],
    progress: Optional[_Progress],
) -> tuple[_Doubles, _Doubles, Optional[_Booleans], str]: ...
def methods() -> str: ...
def read(path: Union[str, PathLike[str]]) -> tuple[_Doubles, dict[str, Any], Source]: ...
def write(
    path: Union[str, PathLike[str]],
    points: _Points,
    attributes: dict[str, Any],
    source: Optional[Source],
    overwrite: bool,
) -> list[list[tuple[str, str]]]: ...
def pipeline(text: str) -> str: ...
def apply_steps(
    points: _Points,
    attributes: dict[str, Any],
    source: Optional[Source],
    pipeline: str,
    target: Union[str, PathLike[str], None],
    threads: Optional[int],
    progress: Optional[Any],
) -> tuple[_Doubles, dict[str, Any], str]: ...
def unpack(
    path: Union[str, PathLike[str]], target: Union[str, PathLike[str]]
) -> Optional[int]: ...
def rewrite(
    path: Union[str, PathLike[str]],
    out: Union[str, PathLike[str]],
    moved: _Doubles,
    overwrite: bool,
) -> bool: ...
def learn_graph(
    features: _Doubles,
    signals: _Doubles,
    pairs: NDArray[np.uint32],
    observed: Optional[NDArray[np.bool_]],
    missing: bool,
    parameters: dict[str, Any],
) -> tuple[_Doubles, _Doubles, _Doubles, str]: ...
def filter_graph(
    edges: _Weighted,
    signal: _Doubles,
    kernel: Callable[[float], float],
    order: int,
) -> _Doubles: ...
def interpolate_graph(
    edges: _Weighted,
    signal: _Doubles,
    known: NDArray[np.bool_],
    smoothing: float,
) -> _Doubles: ...
def graph_spectrum(
    nodes: int, edges: _Weighted, count: int
) -> tuple[_Doubles, _Doubles]: ...
def smooth_graph(
    nodes: int,
    pairs: NDArray[np.uint32],
    distances: _Doubles,
    log_degrees: float,
    evenness: float,
) -> _Doubles: ...
def measure(name: str, result: _Points, truth: _Points) -> float: ...
def point_to_plane(result: _Points, truth: _Points, normals: _Points) -> float: ...
def point_to_mesh(
    result: _Points, vertices: _Points, triangles: NDArray[np.uint32], two_way: bool
) -> float: ...
def uniformity(points: _Points) -> Optional[float]: ...
def compare(
    result: _Points,
    truth: _Points,
    normals: Optional[_Points],
    surface: Optional[tuple[_Points, NDArray[np.uint32]]],
) -> str: ...
def add_noise(
    points: _Points,
    normals: Optional[_Points],
    level: float,
    model: str,
    scale: str,
    seed: int,
) -> tuple[_Doubles, float]: ...
def estimate_noise(points: _Points) -> str: ...
def uncertainty(before: _Points, after: _Points) -> _Doubles: ...
def outliers(points: _Points, rule: str, parameters: dict[str, Any]) -> NDArray[np.bool_]: ...

class Survey:
    def __init__(self) -> None: ...
    @staticmethod
    def from_json(text: str) -> Survey: ...
    def to_json(self) -> str: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def points(self) -> int: ...
    @property
    def bounds(self) -> Optional[tuple[list[float], list[float]]]: ...
    def part(self) -> Survey: ...
    def join(self, part: Survey) -> None: ...
    def see(self, points: _Points, first: int) -> int: ...
    def end_pass(self) -> None: ...

class Learned:
    @staticmethod
    def of(
        survey: Survey, parameters: dict[str, Any], seed: int, threads: Optional[int]
    ) -> Learned: ...
    @staticmethod
    def from_json(text: str) -> Learned: ...
    def to_json(self) -> str: ...
    @property
    def halo(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def spacing(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def is_idle(self) -> bool: ...
    @property
    def notes(self) -> list[str]: ...
    def piece(
        self, points: _Points, numbers: NDArray[np.uint32], core: int, threads: Optional[int]
    ) -> _Doubles: ...
