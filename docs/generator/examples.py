"""The page of examples: the programs under examples/, whole."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from .markdown import fenced, page

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
INTRODUCTION = """
Programs of at most sixty lines, in the folder `examples/` of the repository. Each enters by `import epochal` alone, and
asserts the exact number of states that it finds; the tests run them. `python examples/counter.py` runs one.

Specifications that are known from TLA+ and other languages, such as Paxos and Peterson's algorithm, are in
`examples/classics`; [their page](from-other-languages.md) lists them.
"""
NOTEBOOK = """
`examples/notebook.ipynb` is a Jupyter notebook. Its cells, one after the other:
"""


def examples() -> str:
    """A section for each program, and one for the notebook."""
    parts = []
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        said = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0]
        title = path.stem.replace("_", " ").capitalize()
        parts.append(f"## {title}\n\n{said}\n\n{fenced(text, 'python', f'source: examples/{path.name}')}")
    return page("Examples", INTRODUCTION, *parts, "## Notebook", NOTEBOOK, *_cells())


def _cells() -> list[str]:
    """The cells of the notebook as Markdown."""
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    ran = "excerpt: a cell of examples/notebook.ipynb, which tests/examples runs"
    return [
        fenced("".join(cell["source"]), "python", ran)
        if cell["cell_type"] == "code"
        else "".join(cell["source"]).removeprefix("# Epochal in a notebook").strip()
        for cell in cells
    ]
