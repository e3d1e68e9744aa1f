from collections.abc import Callable
from os import PathLike
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

_Doubles = NDArray[np.float64]
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
) -> tuple[_Doubles, _Doubles, str]: ...
def methods() -> str: ...
def read(path: Union[str, PathLike[str]]) -> tuple[_Doubles, dict[str, Any], Source]: ...
def write(
    path: Union[str, PathLike[str]],
    points: _Points,
    attributes: dict[str, Any],
    source: Optional[Source],
    overwrite: bool,
) -> list[list[tuple[str, str]]]: ...
def learn_graph(
    features: _Doubles,
    signals: _Doubles,
    pairs: NDArray[np.uint32],
    parameters: dict[str, Any],
) -> tuple[_Doubles, _Doubles, _Doubles, str]: ...
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
def outliers(points: _Points, rule: str, parameters: dict[str, Any]) -> NDArray[np.bool_]: ...
