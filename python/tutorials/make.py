"""Runs the tutorials and makes pages of them, with what they print and draw.

    python python/tutorials/make.py           # writes docs/tutorials
    python python/tutorials/make.py --check   # runs them, and compares with what is there

A tutorial is a script in cells, as editors and Jupyter know them: `# %% [markdown]` begins text, `# %%`
begins code. A check runs everything: the assertions hold what the text claims, and the page must
have the text and code of the script. What is printed may differ, as methods become better.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGES = HERE.parents[1] / "docs" / "tutorials"
NAMES = ("cleaning", "comparing", "graphs")
LARGEST = 150_000


def cells(text: str) -> list[tuple[bool, str]]:
    """Cells as (is text, content)."""
    found = []
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        words = "markdown" in head
        if words:
            body = "\n".join(re.sub(r"^# ?", "", line) for line in body.splitlines())
        found.append((words, body.strip()))
    return found


def page(name: str, folder: Path) -> str:
    """Runs a tutorial in a folder and gives its page."""
    source = HERE / f"{name}.py"
    out = []
    spaces: dict[str, Any] = {"__name__": "tutorial"}
    for words, body in cells(source.read_text("utf-8")):
        if words:
            out.append(body)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(body, str(source), "exec"), spaces)
        out.append(f"```python\n{body}\n```")
        if printed.getvalue().strip():
            out.append(f"```text\n{printed.getvalue().rstrip()}\n```")
    out.append(f"*Made from `python/tutorials/{name}.py` by `scripts/tutorials`.*")
    for picture in folder.glob("*.png"):
        if picture.stat().st_size > LARGEST:
            raise SystemExit(f"{picture.name} has {picture.stat().st_size} bytes, more than {LARGEST}")
    return "\n\n".join(out) + "\n"


def without_outputs(text: str) -> str:
    """What must not differ."""
    return re.sub(r"^```text\n.*?^```", "", text, flags=re.M | re.S)


def main() -> int:
    check = "--check" in sys.argv[1:]
    wanted = [name for name in sys.argv[1:] if name != "--check"] or list(NAMES)
    os.environ.setdefault("MPLBACKEND", "Agg")
    start = os.getcwd()
    faults = []
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                made = page(name, Path(folder))
            finally:
                os.chdir(start)
            if not check:
                PAGES.mkdir(parents=True, exist_ok=True)
                (PAGES / f"{name}.md").write_text(made, "utf-8")
                for picture in Path(folder).glob("*.png"):
                    shutil.copy(picture, PAGES / picture.name)
                continue
            there = (PAGES / f"{name}.md").read_text("utf-8")
            if without_outputs(there) != without_outputs(made):
                faults.append(f"docs/tutorials/{name}.md is not what its script makes")
            for picture in re.findall(r"!\[.*?\]\((.*?)\)", made):
                if not (PAGES / picture).is_file():
                    faults.append(f"docs/tutorials/{picture} is missing")
    for fault in faults:
        print(f"{fault}; run scripts/tutorials", file=sys.stderr)
    print(f"{len(wanted)} tutorials ran")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
