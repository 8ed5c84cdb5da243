"""The shape of the house: arrows run one way, files hold one idea, names are told once."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("spec", "checker", "cli")
FOLDERS = (
    *PACKAGES,
    "src/epochal/kafka",
    "src/epochal/render",
    "src/epochal/door",
    "src/epochal/evidence",
    "src/epochal/conformance",
    "src/epochal/auditing",
    "src/epochal/sweeps",
    "src/epochal/explorer",
)
LONGEST = 400

ROOMS = {
    # the ground
    "exit_codes": "",
    "errors": "",
    "sentences": "",
    "spec.language": "",
    "checker.base": "",
    "checker.base.version": "",
    "checker.trace.run": "",
    "checker.semantics.properties": "spec.language",
    "checker.semantics.reading": "spec.language checker.semantics.properties",
    "checker.semantics.fairness": "spec.language",
    # specifications
    "spec": "",
    "spec.former_names": "",
    "spec.balancing": "spec.language",
    "spec.epoch_cache": "spec.language",
    "spec.classic": "spec.language",
    "spec.quorum": "spec.language",
    "spec.zookeeper": "spec.language",
    "spec.kraft": "spec.language spec.classic",
    "spec.bugs": "spec.language spec.kraft",
    "spec.registry": "spec.language spec.bugs",
    "spec.loading": "spec.language spec.former_names spec.registry",
    "spec.loading": "spec.language spec.loading",
    "spec.starting_files": "",
    "spec.loading": "spec.language spec.registry spec.loading",
    "checker.crosscheck.same_steps": "spec.language checker.semantics.reading",
    # from source to the intermediate form
    "checker.ir": "spec.language checker.semantics.properties",
    # what an answer rests on
    "checker.identity.engine": "checker.base",
    "checker.identity.specification": "spec.language checker.identity.engine",
    "checker.identity.specification": "spec.language checker.identity.engine checker.identity.specification",
    "checker.identity.specification": "spec.language checker.identity.engine checker.identity.specification",
    "checker.identity.specification": "spec.language checker.identity.engine checker.identity.specification",
    "checker.identity": "spec.language checker.semantics.fairness checker.ir",
    "checker.compile.execution": "",
    "checker.compile.source": "spec.language",
    "checker.compile.execution": "spec.language checker.ir checker.compile.execution",
    "checker.compile.values": "spec.language checker.ir checker.compile.execution",
    "checker.compile": (
        "spec.language checker.base checker.semantics.properties checker.ir checker.compile.execution checker.compile.source "
        "checker.compile.execution checker.compile.values"
    ),
    # rules for every choice of the bounds
    "checker.parametric": "spec.language checker.compile.source checker.compile",
    # traces
    "checker.trace": (
        "spec.language checker.semantics.fairness checker.base checker.base.version checker.compile.source checker.trace.run"
    ),
    "checker.trace.replay": "spec.language checker.semantics.fairness checker.semantics.reading checker.trace",
    "checker.trace.replay": "spec.language checker.semantics.reading checker.trace checker.trace.replay",
    "checker.trace.replay": "spec.language checker.semantics.reading checker.trace checker.trace.replay",
    "checker.trace.export": "spec.language checker.base checker.semantics.reading checker.trace",
    "checker.state_graph": "spec.language checker.base checker.semantics.reading checker.trace checker.trace.export",
    "checker.crosscheck.disagreement": "spec.language checker.trace",
    "checker.crosscheck.cross_check": (
        "spec.language checker.semantics.properties checker.semantics.reading checker.trace checker.trace.replay checker.crosscheck.disagreement"
    ),
    # what expressions become
    "checker.smt.terms": "spec.language checker.ir",
    "checker.smt.equivalence": "spec.language checker.ir checker.smt.terms",
    "checker.symmetry": "spec.language checker.ir checker.trace checker.crosscheck.disagreement",
    "checker.native.llvm": "checker.base checker.identity.engine",
    "checker.native.program": "spec.language checker.ir checker.symmetry checker.native.llvm",
    "checker.native.kernel": "checker.ir checker.native.llvm checker.native.program",
    "checker.native": (
        "spec.language checker.base checker.semantics.reading checker.ir checker.compile checker.trace checker.crosscheck.disagreement "
        "checker.crosscheck.cross_check checker.symmetry checker.native.llvm checker.native.program checker.native.kernel"
    ),
    # promises
    "checker.liveness": (
        "spec.language checker.semantics.fairness checker.ir checker.trace checker.native.llvm checker.native.program "
        "checker.native.kernel checker.native"
    ),
    # searches and proofs
    "checker.search": (
        "spec.language checker.base checker.base.version checker.semantics.properties checker.semantics.fairness checker.semantics.reading checker.ir "
        "checker.liveness checker.compile checker.trace checker.trace.replay checker.crosscheck.disagreement "
        "checker.crosscheck.cross_check checker.smt.equivalence checker.symmetry checker.native.llvm checker.native.program "
        "checker.native.kernel checker.native checker.identity.engine checker.identity.specification"
    ),
    "checker.search.spark": (
        "spec.language checker.base checker.base.version checker.semantics.fairness checker.semantics.reading checker.ir checker.liveness "
        "checker.compile checker.trace checker.crosscheck.disagreement checker.crosscheck.cross_check checker.native.llvm "
        "checker.native.program checker.native.kernel checker.native checker.search"
    ),
    "checker.workers": "checker.base checker.search.spark",
    "checker.solver": (
        "spec.language checker.workers checker.base checker.semantics.properties checker.semantics.reading checker.ir checker.compile "
        "checker.compile.source checker.trace checker.trace.replay checker.crosscheck.disagreement checker.crosscheck.cross_check "
        "checker.smt.terms checker.search checker.search.spark checker.identity.engine"
    ),
    # what uses them
    "checker.trace.protocol_of": "spec.language spec.registry spec.loading spec.loading checker.trace",
    "checker.described": "spec.language checker.base spec.loading",
    "checker.command_lines": "spec.language",
    "checker.doctor": "checker.base checker.search.spark",
    "checker.solver.prove": "spec.language spec.former_names spec.loading",
    "checker.solver.chosen_start": (
        "spec.language spec.registry spec.loading checker.trace checker.solver checker.trace.protocol_of"
    ),
    "checker.tables": (
        "spec.language spec.registry spec.loading spec.loading checker.base checker.base.version checker.semantics.properties "
        "checker.semantics.reading checker.ir checker.trace checker.symmetry checker.native.kernel checker.native.program "
        "checker.search checker.search.spark"
    ),
    "checker.unbounded": (
        "spec.language checker.base checker.compile checker.parametric checker.workers checker.solver checker.trace "
        "checker.crosscheck.cross_check checker.identity.engine"
    ),
    "checker.solver.prove": (
        "spec.language checker.base spec.registry checker.crosscheck.cross_check checker.workers checker.solver"
    ),
    "checker.search.engines": (
        "spec.language checker.semantics.reading checker.ir checker.native checker.search checker.search.spark"
    ),
    "checker.search.confirm": (
        "spec.language checker.semantics.reading checker.ir checker.trace checker.trace.replay checker.crosscheck.disagreement "
        "checker.search checker.search.engines"
    ),
    "checker.mutation.apart": (
        "spec.language spec.loading checker.base checker.workers checker.search checker.mutation"
    ),
    "checker.mutation": (
        "spec.language checker.ir checker.compile.source checker.compile checker.native.program checker.search"
    ),
    "checker.difference": (
        "spec.language checker.base checker.ir checker.trace checker.trace.replay checker.native.llvm "
        "checker.native.program checker.native.kernel checker.native checker.search"
    ),
    "checker.difference.unreached": "checker.ir checker.trace checker.smt.terms checker.solver checker.difference",
    "checker.difference.unreached": (
        "spec.language checker.base checker.ir checker.search checker.difference checker.difference.unreached"
    ),
    "checker.difference.compare": (
        "spec.language checker.base checker.semantics.properties checker.ir checker.compile checker.search checker.difference "
        "checker.difference.unreached"
    ),
    "checker.gate.record": "spec.language checker.base.version checker.trace checker.liveness checker.search",
    "checker.gate.verdict": "checker.difference",
    "checker.gate.verdict": "checker.gate.record",
    "checker.gate.verdict": "spec.language checker.base checker.difference checker.gate.record",
    "checker.gate.verdict": (
        "spec.language checker.trace checker.difference checker.gate.record checker.gate.verdict "
        "checker.gate.verdict checker.gate.verdict"
    ),
    "checker.gate.disagreement_report": (
        "spec.language checker.base checker.base.version spec.loading checker.trace checker.crosscheck.disagreement "
        "checker.command_lines checker.gate.verdict"
    ),
    "checker.gate": (
        "spec.language checker.base checker.base.version checker.semantics.properties checker.semantics.fairness spec.loading checker.ir "
        "checker.compile checker.trace checker.trace.export checker.crosscheck.disagreement checker.workers checker.search "
        "checker.difference checker.difference.unreached checker.described checker.solver.prove checker.search.engines "
        "checker.search.confirm checker.gate.record checker.gate.verdict checker.gate.verdict checker.gate.verdict "
        "checker.gate.disagreement_report checker.identity.engine checker.identity.specification checker.identity"
    ),
    "checker.gate.base_worker": (
        "checker.base spec spec.language spec.former_names spec.registry spec.loading checker.search checker.described "
        "checker.difference checker.gate.record checker.gate"
    ),
    "checker": "",
    # what brokers leave behind
    "evidence": "",
    "conformance": "spec.* evidence checker.trace checker.search",
    # what people meet
    "kafka": "spec.* checker.*",
    "auditing": "spec.* checker.* kafka evidence",
    "render": "spec.* checker.* kafka evidence conformance auditing",
    "door": "spec.* checker.* kafka evidence conformance auditing render",
    "sweeps": "spec.* checker.* kafka render door",
    "explorer": "spec.* checker.* render",
    "cli": "spec.* checker.* kafka evidence conformance auditing render door sweeps explorer",
}
"""The rooms of the project, from the ground up, and which other rooms each may import.

A room is a package or a module; a module belongs to the room with the longest name that fits. `spec.*` stands for all
rooms of a package.
"""

BROKERS = (
    *("releases", "addresses", "configuration", "logging_files", "process", "checkpoints", "segments", "client"),
    *(
        "log_dirs",
        "history",
        "messages",
        "proxy",
        "node",
        "cluster",
        "tools",
        "faults",
        "scenario",
        "scenarios",
        "evidence",
    ),
    *("record", "reproduction", "reproductions", "reproduce", "plan", "workload", "injection", "inject"),
    "describe",
)
"""The files of `tests/brokers` from the ground up, without their tests: each imports of those before it alone."""

PARTED = ("spec", "checker")
"""The packages whose modules all belong to rooms of their own."""

GROUND = {"errors", "exit_codes", "sentences"}
"""What every room may import besides."""


def sources(package: str) -> list[Path]:
    """The source files of a package, which has some: a test of an empty folder would pass without looking."""
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, f"{package} has no sources"
    return found


def modules() -> dict[str, Path]:
    """The files of all modules by their names in `epochal`; a package has the name of its folder."""
    own = sources("src/epochal")
    found = {path.relative_to(ROOT / "src/epochal"): path for path in own}
    found |= {path.relative_to(ROOT): path for package in PACKAGES for path in sources(package)}
    return {".".join(name.with_suffix("").parts).removesuffix(".__init__"): path for name, path in found.items()}


MODULES = modules()


def imported(name: str) -> set[str]:
    """The modules of this project that a module imports anywhere: in functions and for types alone as well."""
    path = MODULES[name]
    found: set[str] = set()
    here = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
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


def below(room: str) -> set[str]:
    """The rooms that a room may import."""
    found: set[str] = set()
    for entry in ROOMS[room].split():
        package = entry.removesuffix(".*")
        found |= {one for one in ROOMS if f"{one}.".startswith(f"{package}.")} if package != entry else {entry}
    return found


def test_no_circle_of_imports() -> None:
    """No module imports, by whatever way round, one that imports it."""
    arrows = networkx.DiGraph((name, other) for name in MODULES for other in imported(name))
    assert [sorted(part) for part in networkx.strongly_connected_components(arrows) if len(part) > 1] == []


def test_rooms_have_floors() -> None:
    """The rooms that a room may import exist and lie below it."""
    arrows = networkx.DiGraph((room, other) for room in ROOMS for other in below(room))
    assert arrows.nodes <= ROOMS.keys()
    assert [part for part in networkx.strongly_connected_components(arrows) if len(part) > 1] == []


@pytest.mark.parametrize(
    "package",
    [
        "exit_codes",
        "errors",
        "sentences",
        "spec",
        "checker",
        "evidence",
        "conformance",
        "auditing",
        "kafka",
        "render",
        "door",
        "sweeps",
        "explorer",
        "cli",
    ],
)
def test_arrows_run_one_way(package: str) -> None:
    """A module imports what its room may import: nothing from a floor above, and the checker never a protocol."""
    wrong = []
    for name in MODULES:
        room = room_of(name)
        if name.split(".")[0] == package:
            assert room is not None and (room not in PARTED or name == room), f"{name} has no room"
            allowed = {room, *below(room), *GROUND}
            wrong += [f"{name} imports {other}" for other in imported(name) if room_of(other) not in allowed]
    assert wrong == []


@pytest.mark.parametrize("package", (*FOLDERS, "tests"))
def test_one_idea_a_file(package: str) -> None:
    """A file past 400 lines is asking to be two."""
    long = {str(p.relative_to(ROOT)): n for p in sources(package) if (n := len(p.read_text().splitlines())) > LONGEST}
    assert long == {}


def test_the_tests_mirror_the_house() -> None:
    """What a room does is tested in the folder of its name; questions across rooms have folders of their own."""
    across = {"checker/random_programs", "spec/liveness"}
    told_elsewhere = {"spec/bugs": "spec/kraft/test_catalogue.py"}

    def folders(root: Path) -> set[str]:
        return {str(p.parent.relative_to(root)) for name in PARTED for p in (root / name).rglob("__init__.py")}

    house, tests = folders(ROOT), folders(ROOT / "tests")
    assert tests - across - house == set()
    assert {name for name in house if name.count("/") == 1} - tests == told_elsewhere.keys()
    assert all((ROOT / "tests" / name).exists() for name in told_elsewhere.values())


def test_the_command_line_asks_and_shows() -> None:
    """A command parses, makes one call and shows the answer; what decides lies below."""
    lengths = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources("cli")}
    assert {name: n for name, n in lengths.items() if name.startswith("cli/commands/") and n > 100} == {}
    assert sum(lengths.values()) <= 5_500


def test_brokers_run_without_the_checker() -> None:
    """What starts Apache Kafka is a tool of its own: it imports nothing of this project, and its arrows run one way."""
    wrong = []
    for path in sources("tests/brokers"):
        name = path.relative_to(ROOT / "tests/brokers").with_suffix("").parts[0]
        if name in {"__init__", "conftest"} or name.startswith("test_"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                base = getattr(node, "module", None) or ""
                for alias in node.names:
                    first, *rest = [*base.split("."), *alias.name.split(".")] if base else alias.name.split(".")
                    own = rest[1] if first == "tests" and rest[0] == "brokers" else None
                    allowed = (
                        own in {*BROKERS[: BROKERS.index(name)], name} if own else first not in {"epochal", "tests"}
                    )
                    wrong += [] if allowed else [f"{name} imports {base}.{alias.name}"]
    assert wrong == []


@pytest.mark.parametrize("package", (*FOLDERS, "tests/brokers"))
def test_every_module_says_what_it_is_for(package: str) -> None:
    """Every module and every public function and class has a docstring."""
    silent = []
    for path in sources(package):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not ast.get_docstring(tree):
            silent.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not (node.name.startswith(("_", "test_")) or node.decorator_list)
                and not ast.get_docstring(node)
            ):
                silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert silent == []
