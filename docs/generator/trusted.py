"""The table of docs/trust.md: the code that a proof for all bounds trusts, and how many lines of it there are."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path
from typing import Final

from .markdown import table

ROOT: Final = Path(__file__).resolve().parents[2]
TRUST: Final = ROOT / "docs" / "trust.md"
BEGIN: Final = "<!-- made by `python -m docs.generator` from the files -->\n"
END: Final = "<!-- as far as it is made -->\n"

TRUSTED: Final[dict[str, tuple[str, ...]]] = {
    "the language: domains, variables, members of a protocol": ("spec/language",),
    "a rule becomes a first-order term": (
        *(
            f"checker/parametric/{one}.py"
            for one in ("domains", "loops", "operations", "pieces", "rules", "terms", "values")
        ),
        "checker/compile/source/rewrite.py",
        "checker/compile/source/admitted.py",
        "checker/compile/source/desugar.py",
        "checker/compile/source/patterns.py",
        "checker/compile/source/state_proxy.py",
    ),
    "what has to be proved, and what is known of sizes, minima and witnesses": tuple(
        f"checker/unbounded/{one}.py" for one in ("obligations", "question", "sizes", "witnesses")
    ),
    "what Z3 is asked, and which of its answers count": (
        *(f"checker/unbounded/{one}.py" for one in ("z3_terms", "ladder", "proof")),
        "checker/solver/answer.py",
    ),
}
"""If these files, Z3 and Python are right, what is reported as proved is true."""

UNTRUSTED: Final[dict[str, tuple[str, ...]]] = {
    "which terms quantifiers are tried with": ("checker/unbounded/pools.py",),
    "which lemmas are tried first": ("checker/unbounded/premises.py",),
    "cvc5, hints and certificates": ("checker/unbounded/oracle.py", "checker/unbounded/certificate.py"),
    "the comparison of each rule with Python": ("checker/parametric/compared.py",),
}
"""A mistake in these leaves a cell open, or a difference unseen."""


def lines_of_code(path: Path) -> int:
    """The lines with code of a file, or of all in a folder: without docstrings, comments and blank lines."""
    if path.is_dir():
        return sum(map(lines_of_code, sorted(path.rglob("*.py"))))
    text = path.read_text(encoding="utf-8")
    silent = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER"}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    coded = (one for one in tokens if tokenize.tok_name[one.type] not in silent)
    found = {line for one in coded for line in range(one.start[0], one.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(found)


def _named(paths: tuple[str, ...]) -> str:
    """Files by their folders, each folder once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return "; ".join(f"`{folder}`: {', '.join(names)}" for folder, names in folders.items())


def _rows(files: dict[str, tuple[str, ...]]) -> list[list[str]]:
    return [
        [does, _named(paths), f"{sum(lines_of_code(ROOT / one) for one in paths):,}"] for does, paths in files.items()
    ]


def with_trusted(text: str) -> str:
    """The page with the table as it is now. Raises ValueError if the page has no such table."""
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    heads = ["what it does", "files", "lines of code"]
    every = sum(lines_of_code(ROOT / one) for paths in TRUSTED.values() for one in paths)
    made = [
        table(heads, [*_rows(TRUSTED), ["**all that is trusted**", "", f"**{every:,}**"]]),
        "What chooses or compares, and is not trusted:",
        table(heads, _rows(UNTRUSTED)),
    ]
    return text[:start] + "\n" + "\n\n".join(made) + "\n\n" + text[end:]
