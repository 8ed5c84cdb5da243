"""The shape of the house: arrows run one way, files hold one idea, names are told once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("spec", "checker", "cli")
LONGEST = 400

FORBIDDEN = {
    "spec": ("checker", "cli"),
    "checker": ("cli", "spec.classic", "spec.quorum", "spec.zookeeper", "spec.history"),
}
"""What the files of a package may not import: arrows run cli -> checker -> spec.language, and cli -> spec."""


def sources(package: str) -> list[Path]:
    """The source files of a package."""
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The modules that a file imports anywhere, relative imports resolved."""
    found: set[str] = set()
    here = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(("epochal", *here[: len(here) - node.level + 1])) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return {name.removeprefix("epochal.") for name in found}


@pytest.mark.parametrize("package", sorted(FORBIDDEN))
def test_arrows_run_one_way(package: str) -> None:
    """No file imports from a floor above it, and the checker never imports a protocol."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(package)
        for name in imported(path)
        for forbidden in FORBIDDEN[package]
        if name == forbidden or name.startswith(forbidden + ".")
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_one_idea_a_file(package: str) -> None:
    """A file past 400 lines is asking to be two."""
    long = {str(p.relative_to(ROOT)): n for p in sources(package) if (n := len(p.read_text().splitlines())) > LONGEST}
    assert long == {}


def test_the_language_is_the_lowest_floor() -> None:
    """The language imports nothing but itself and the standard library."""
    wrong = [
        f"{path.name} imports {name}"
        for path in sources("spec/language")
        for name in imported(path)
        if name.startswith("spec.") and not name.startswith("spec.language")
    ]
    assert wrong == []


def test_compile_does_not_search() -> None:
    """Inside the checker too, the compiler knows nothing of searches, machine code or traces."""
    above = ("checker.search", "checker.native", "checker.trace", "checker.reading")
    wrong = [
        f"{path.name} imports {name}"
        for path in sources("checker/compile")
        for name in imported(path)
        if name.startswith(above)
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is_for(package: str) -> None:
    """Every module and every public function and class has a docstring."""
    silent = []
    for path in sources(package):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not ast.get_docstring(tree):
            silent.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            public = (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and not node.decorator_list
            )
            if public and not ast.get_docstring(node):  # type: ignore[arg-type]
                silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert silent == []
