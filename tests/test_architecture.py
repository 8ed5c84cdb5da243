"""The shape of the house: arrows run one way, files hold one idea, names are told once."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("spec", "checker", "cli")
LONGEST = 400

ROOMS = {
    # the ground
    "exit_codes": "",
    "errors": "exit_codes",
    "spec.language": "",
    "checker.host": "",
    "checker.version": "",
    "checker.trace.verdicts": "",
    "checker.properties": "spec.language",
    "checker.reading": "spec.language checker.properties",
    # specifications
    "spec": "",
    "spec.former_names": "",
    "spec.known_bug": "",
    "spec.scenario": "",
    "spec.balancing": "spec.language",
    "spec.classic": "spec.language spec.known_bug",
    "spec.quorum": "spec.language spec.known_bug",
    "spec.zookeeper": "spec.language spec.known_bug",
    "spec.kraft": "spec.language spec.classic spec.scenario",
    "spec.catalogue": "spec.kraft spec.scenario",
    "spec.history": "spec.known_bug spec.classic spec.quorum spec.zookeeper",
    "spec.registry": "spec.language spec.kraft",
    "spec.loading": "spec.language spec.former_names spec.registry",
    "spec.door": "spec.language spec.loading spec.registry",
    # from source to the intermediate form
    "checker.ir": "spec.language checker.properties",
    "checker.compile.history": "",
    "checker.compile.source": "spec.language",
    "checker.compile.execution": "spec.language checker.ir checker.compile.history",
    "checker.compile.values": "spec.language checker.ir checker.compile.execution",
    "checker.compile": (
        "spec.language checker.ir checker.properties checker.compile.history checker.compile.source "
        "checker.compile.execution checker.compile.values"
    ),
    # traces
    "checker.trace": "spec.language checker.host checker.version checker.trace.verdicts",
    "checker.trace.replay": "spec.language checker.reading checker.trace",
    "checker.trace.export": "spec.language checker.reading checker.trace",
    "checker.disagreement": "spec.language checker.trace",
    "checker.cross_check": (
        "spec.language checker.disagreement checker.properties checker.reading checker.trace checker.trace.replay"
    ),
    # what expressions become
    "checker.solver.terms": "spec.language checker.ir",
    "checker.solver.equivalence": "spec.language checker.ir checker.solver.terms",
    "checker.symmetry": "spec.language checker.ir checker.disagreement checker.trace",
    "checker.native.llvm": "checker.host",
    "checker.native.program": "spec.language checker.ir checker.symmetry checker.native.llvm",
    "checker.native.kernel": "checker.ir checker.native.llvm checker.native.program",
    "checker.native": (
        "spec.language checker.ir checker.compile checker.disagreement checker.reading checker.symmetry checker.trace "
        "checker.native.llvm checker.native.program checker.native.kernel"
    ),
    # searches and proofs
    "checker.search": (
        "spec.language checker.host checker.ir checker.compile checker.properties checker.reading checker.version "
        "checker.trace checker.disagreement checker.cross_check checker.symmetry checker.solver.equivalence "
        "checker.native checker.native.llvm checker.native.program checker.native.kernel"
    ),
    "checker.search.spark": (
        "spec.language checker.host checker.ir checker.compile checker.reading checker.trace checker.disagreement "
        "checker.cross_check checker.native checker.native.llvm checker.native.program checker.native.kernel "
        "checker.search"
    ),
    "checker.solver": (
        "spec.language checker.host checker.ir checker.compile checker.properties checker.reading checker.trace "
        "checker.trace.replay checker.disagreement checker.cross_check checker.search checker.search.spark "
        "checker.solver.terms"
    ),
    # what uses them
    "checker.engines": "spec.language checker.ir checker.native checker.reading checker.search",
    "checker.confirm": (
        "spec.language checker.disagreement checker.engines checker.ir checker.reading checker.search checker.trace "
        "checker.trace.replay"
    ),
    "checker.door": "spec.language checker.confirm checker.engines checker.search",
    "checker.mutation": (
        "spec.language checker.ir checker.compile checker.compile.source checker.native.program checker.search"
    ),
    "checker.gate": (
        "spec.language checker.host checker.ir checker.native checker.native.program checker.search checker.trace "
        "checker.version"
    ),
    "checker.gate.reports": ("spec.language checker.gate checker.trace checker.trace.export checker.version"),
    "checker": "",
}
"""The rooms of the specifications and of the checker, from the ground up, and which other rooms each may import.

A room is a package or a module; a module belongs to the room with the longest name that fits. `cli` may import any.
"""

GROUND = {"errors", "exit_codes"}
"""What every room may import besides."""


def sources(package: str) -> list[Path]:
    """The source files of a package."""
    return sorted((ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    """The name of a module; that of a package for its `__init__`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for package in PACKAGES for path in sources(package)}
MODULES |= {path.stem: path for path in (ROOT / "epochal").glob("*.py")}


def imported(name: str) -> set[str]:
    """The modules of the three packages that a module imports anywhere: in functions and for types alone as well."""
    path = MODULES[name]
    found: set[str] = set()
    here = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("epochal.") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = here[: len(here) - node.level + 1] if node.level else ()
            base = ".".join((*parts, *(node.module or "").split("."))).strip(".").removeprefix("epochal.")
            parts_of = {f"{base}.{alias.name}".removeprefix("epochal.") for alias in node.names}
            found |= parts_of & MODULES.keys() or {base}
    return (found & MODULES.keys()) - {name}


def room_of(name: str) -> str | None:
    """The room that a module belongs to; None if it has none."""
    rooms = [room for room in ROOMS if name == room or name.startswith(room + ".")]
    return max(rooms, key=len, default=None)


def test_no_circle_of_imports() -> None:
    """No module imports, by whatever way round, one that imports it."""
    arrows = networkx.DiGraph((name, other) for name in MODULES for other in imported(name))
    assert [sorted(part) for part in networkx.strongly_connected_components(arrows) if len(part) > 1] == []


def test_rooms_have_floors() -> None:
    """The rooms that a room may import exist and lie below it."""
    arrows = networkx.DiGraph((room, below) for room, allowed in ROOMS.items() for below in allowed.split())
    assert arrows.nodes <= ROOMS.keys()
    assert [part for part in networkx.strongly_connected_components(arrows) if len(part) > 1] == []


@pytest.mark.parametrize("package", ["exit_codes", "errors", "spec", "checker"])
def test_arrows_run_one_way(package: str) -> None:
    """A module imports what its room may import: nothing from a floor above, and the checker never a protocol."""
    wrong = []
    for name in MODULES:
        room = room_of(name)
        if name.split(".")[0] == package:
            assert room is not None and (room != package or name == package), f"{name} has no room"
            allowed = {room, *ROOMS[room].split(), *GROUND}
            wrong += [f"{name} imports {other}" for other in imported(name) if room_of(other) not in allowed]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_one_idea_a_file(package: str) -> None:
    """A file past 400 lines is asking to be two."""
    long = {str(p.relative_to(ROOT)): n for p in sources(package) if (n := len(p.read_text().splitlines())) > LONGEST}
    assert long == {}


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
