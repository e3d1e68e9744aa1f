"""Runs the examples of all docstrings and of pages against the installed package.

Every public function and class must have one.
"""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pellucid
import pellucid.dask
from pellucid import quality, tiles

ROOT = Path(__file__).parents[2]


def public(module: ModuleType) -> list[tuple[str, Any]]:
    """Functions and classes that the module offers, and the public methods of the classes."""
    found: list[tuple[str, Any]] = []
    for name in module.__all__:
        thing = getattr(module, name)
        if isinstance(thing, (str, ModuleType)) or thing is pellucid.Cancelled:
            continue
        found.append((name, thing))
        if inspect.isclass(thing):
            own = thing.__module__
            methods = [m for m in vars(thing).items() if inspect.isfunction(m[1])]
            found += [
                (f"{name}.{m}", f)
                for m, f in methods
                if not m.startswith("_") and f.__module__ == own
            ]
    return found


def main() -> int:
    runner = doctest.DocTestRunner()
    finder = doctest.DocTestFinder(recurse=False)
    without = []
    count = 0
    things = [("pellucid", pellucid)]
    for module in (pellucid, quality, tiles, pellucid.dask):
        things += public(module)
    for name, thing in things:
        tests = [t for t in finder.find(thing, name, globs={}) if t.examples]
        if not tests:
            without.append(name)
        for test in tests:
            count += 1
            runner.run(test)
    pages = ["README.md", "docs/cluster.md"]
    if importlib.util.find_spec("distributed") is None:
        pages.pop()
    blocks = []
    for page in pages:
        text = (ROOT / page).read_text("utf-8")
        blocks += [(page, code) for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)]
    with tempfile.TemporaryDirectory() as folder:
        import os

        os.chdir(folder)
        noisy = pellucid.add_noise(pellucid.synthetic("torus", 2000), 0.02, scale="absolute")
        pellucid.write("scan.ply", noisy)
        pellucid.write("north.laz", noisy.points[noisy.points[:, 1] >= 0])
        pellucid.write("south.laz", noisy.points[noisy.points[:, 1] < 0])
        for page, block in blocks:
            exec(compile(block, page, "exec"), {"__name__": "page"})
        os.chdir(ROOT)
    if without:
        print("no example: " + ", ".join(without), file=sys.stderr)
    print(f"{count} docstrings and {len(blocks)} blocks of pages ran, {runner.failures} failed")
    return 1 if runner.failures or without else 0


if __name__ == "__main__":
    sys.exit(main())
