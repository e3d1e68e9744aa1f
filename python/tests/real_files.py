"""Sends files of a folder through the program and reads what it writes with other people's readers.

    python python/tests/real_files.py --data FOLDER --program target/debug/pellucid [--only NAME]

Needs laspy[lazrs], pye57, plyfile and open3d from PyPI. Every file goes through `denoise`, `outliers`,
`thin`, `normals` and `distance`, each written in the format of the input; then points and attributes are
compared with those of the input, both read by the independent reader of the format. Not a part of the tests
that need no data.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Callable

import numpy as np

COMMANDS = ("denoise", "outliers", "thin", "normals", "distance")


class Table:
    """Positions and columns of a file, as an independent reader gives them."""

    def __init__(self, points: Any, columns: dict[str, Any], fields: set[str] | None = None) -> None:
        self.points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        self.columns = columns
        # Names that the header has beside the columns.
        self.fields = fields or set()


def with_laspy(path: pathlib.Path) -> Table:
    import laspy

    las = laspy.read(path)
    skipped = {"X", "Y", "Z"}
    columns = {n: np.asarray(las[n]) for n in las.point_format.dimension_names if n not in skipped}
    return Table(np.column_stack([las.x, las.y, las.z]), columns)


def with_pye57(path: pathlib.Path) -> Table:
    import pye57

    file = pye57.E57(str(path))
    points: list[Any] = []
    parts: dict[str, list[Any]] = {}
    fields: set[str] = set()
    for scan in range(file.scan_count):
        # pye57 reads standard fields; those of extensions are in the header only.
        fields |= set(file.get_header(scan).point_fields)
        data = file.read_scan_raw(scan, ignore_unsupported_fields=True)
        if "sphericalRange" in data:
            r, a, e = (data[k] for k in ("sphericalRange", "sphericalAzimuth", "sphericalElevation"))
            xyz = [r * np.cos(e) * np.cos(a), r * np.cos(e) * np.sin(a), r * np.sin(e)]
        else:
            xyz = [data[f"cartesian{c}"] for c in "XYZ"]
        points.append(np.column_stack(xyz))
        for name in data:
            # Other points than those of the file are Cartesian; the states mean the same.
            known = name.replace("spherical", "cartesian")
            if not known.startswith("cartesian") or "Invalid" in name:
                parts.setdefault(known, []).append(np.asarray(data[name]))
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return Table(np.concatenate(points), joined, fields)


def with_plyfile(path: pathlib.Path) -> Table:
    from plyfile import PlyData

    vertex = PlyData.read(str(path))["vertex"]
    names = [p.name for p in vertex.properties if p.name not in "xyz"]
    columns = {name: np.asarray(vertex[name]) for name in names}
    return Table(np.column_stack([vertex[c] for c in "xyz"]), columns)


def with_open3d(path: pathlib.Path) -> Table:
    import open3d

    cloud = open3d.t.io.read_point_cloud(path)
    columns = {}
    for name in cloud.point:
        if name != "positions":
            columns[name] = cloud.point[name].numpy()
    return Table(cloud.point.positions.numpy(), columns)


def with_numpy(path: pathlib.Path) -> Table:
    rows = [line for line in path.read_text().splitlines() if line and line[0] not in "#/"]
    values = np.array([line.replace(",", " ").split() for line in rows], dtype=np.float64)
    columns = {f"column {k}": values[:, k] for k in range(3, values.shape[1])}
    return Table(values[:, :3], columns)


READERS: dict[str, Callable[[pathlib.Path], Table]] = {
    ".las": with_laspy,
    ".laz": with_laspy,
    ".e57": with_pye57,
    ".ply": with_plyfile,
    ".pcd": with_open3d,
    ".xyz": with_numpy,
}


def same(a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    equal = a == b
    if a.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
    return bool(np.all(equal))


def kept_columns(command: str, before: Table, after: Table, rows: Any) -> list[str]:
    """What is wrong with the attributes of the input in the output; `rows` are those that were kept."""
    may_change = {"withheld"} if command == "outliers" else set()
    if command in ("normals", "denoise"):
        # Normals are estimated, or estimated again where points moved.
        may_change |= {n for n in before.columns if n.startswith("n") and n[1:] in "xyz"} | {"normals"}
        may_change |= {n for n in before.columns if n in ("normal_x", "normal_y", "normal_z", "curvature")}
        normals = [before.columns.get(f"column {k}", np.zeros(1)) for k in (3, 4, 5)]
        if np.allclose(sum(n * n for n in normals), 1, atol=1e-2):
            may_change |= {"column 3", "column 4", "column 5"}
    faults = []
    for name, values in before.columns.items():
        if name not in after.columns:
            faults.append(f"{name} is missing")
        elif name not in may_change and not same(values[rows], after.columns[name]):
            faults.append(f"{name} differs")
    return faults


def check(command: str, before: Table, after: Table, path: pathlib.Path) -> list[str]:
    """What is wrong with an output, as a list of words."""
    faults: list[str] = []
    rows: Any = slice(None)
    if command == "thin":
        if not 0 < len(after.points) < len(before.points):
            return [f"{len(after.points)} of {len(before.points)} points"]
        places: dict[bytes, list[int]] = {}
        for row, p in enumerate(before.points):
            places.setdefault(p.tobytes(), []).append(row)
        found = [places.get(p.tobytes(), []) for p in after.points]
        if not all(found):
            return ["a point is none of the input's"]
        if all(len(f) == 1 for f in found):
            rows = np.array([f[0] for f in found])
            faults += kept_columns(command, before, after, rows)
        return faults
    if len(after.points) != len(before.points):
        return [f"{len(after.points)} points of {len(before.points)}"]
    moved = np.abs(after.points - before.points)
    if command != "denoise" and not same(before.points, after.points):
        faults.append(f"positions differ by up to {np.nanmax(moved)}")
    if command == "denoise":
        finite = np.isfinite(before.points).all(axis=1)
        if not same(np.isfinite(after.points).all(axis=1), finite):
            faults.append("other rows are finite")
        diagonal = np.linalg.norm(np.ptp(before.points[finite], axis=0))
        if np.nanmax(moved[finite], initial=0) > 0.1 * diagonal:
            faults.append("a point moved by a tenth of the cloud")
    faults += kept_columns(command, before, after, rows)
    return faults + added(command, before, after, path)


def added(command: str, before: Table, after: Table, path: pathlib.Path) -> list[str]:
    """What is missing of that which the command adds."""
    wanted = {
        "outliers": ("withheld", "outlier"),
        "normals": ("nx", "normal", "normals", "normal_x", "column 3", "normal x"),
        "distance": ("distance", "column 3"),
    }.get(command)
    if not wanted:
        return []
    names = set(after.columns) | after.fields
    plain = {n.split(":")[-1].lower() for n in names}
    if any(w in plain or any(n.startswith(w) for n in plain) for w in wanted):
        return []
    if path.suffix == ".xyz" and len(after.columns) > len(before.columns):
        # Columns have numbers only.
        return []
    if path.suffix == ".pcd" and command in ("outliers", "distance"):
        # Open3D keeps standard fields only; the header tells.
        head = path.read_bytes()[:4096].split(b"DATA", 1)[0].decode("latin1")
        return [] if wanted[0] in head or wanted[-1] in head or command in head else ["no new field"]
    return [f"nothing was added ({', '.join(sorted(plain))})"]


def run(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True)


def one(program: str, path: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """All commands on one file; gives the lines that say what is wrong."""
    plain = path.name.replace(".copc.laz", "_copc.laz")
    before = READERS[path.suffix](path)
    info = json.loads(run(program, "info", path, "--json").stdout)
    spacing = info["spacing"] or 1.0
    flags: dict[str, list[object]] = {"thin": ["--voxel", 3 * spacing], "distance": []}
    faults = []
    for command in COMMANDS:
        out = folder / f"{command}-{plain}"
        inputs = [path, folder / f"denoise-{plain}"] if command == "distance" else [path]
        ran = run(program, command, *inputs, out, *flags.get(command, []), "--quiet")
        if ran.returncode:
            faults.append(f"{command}: {ran.stderr.strip()}")
            continue
        try:
            found = check(command, before, READERS[path.suffix](out), out)
        except Exception as e:  # a reader that refuses the file is what we are looking for
            found = [f"{type(e).__name__}: {e}"]
        faults += [f"{command}: {f}" for f in found]
    return faults


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    files = [p for p in args.data.rglob("*") if p.suffix in READERS and args.only in p.name]
    # Small ones first, which soon tell.
    files.sort(key=lambda p: (p.stat().st_size, p.name))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            faults = one(args.program, path, pathlib.Path(folder))
            print(f"{path.name}: {'all five agree' if not faults else ''}", flush=True)
            for fault in faults:
                print(f"  {fault}", flush=True)
            bad += bool(faults)
    print(f"{len(files) - bad} of {len(files)} files agree")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
