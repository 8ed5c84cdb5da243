"""The shape of the house: arrows run one way, files hold one idea, names are told once."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

import networkx
import pytest

from docs.generator.rooms import ARCHITECTURE, ROOMS, with_rooms

pytestmark = pytest.mark.xdist_group("house")

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("spec", "checker", "cli")
FOLDERS = (*PACKAGES, "src/epochal")
LONGEST = 1_000
"""A file is one idea with one public name or family. Past so many lines it is asked whether it is two."""

BROKERS = (
    *("releases", "addresses", "configuration", "logging_files", "process", "checkpoints", "segments", "client"),
    *(
        "log_dirs",
        "history",
        "messages",
        "proxy",
        "node",
        "remote_store",
        "fixed",
        "cluster",
        "tools",
        "faults",
        "transactional_client",
        "client_process",
        "transactions",
        "share_groups",
        "scenario",
        "scenarios",
        "evidence",
    ),
    *("record", "reproduction", "reproductions", "reproduce", "plan", "workload", "injection", "inject"),
    "describe",
)
"""The files of `tests/brokers` from the ground up, without their tests: each imports of those before it alone."""

SEVERAL_CLASSES = frozenset((ROOT / "tests/house/several_classes.txt").read_text(encoding="utf-8").split())
"""Names that stand for several classes, each in a room of its own. The list only shrinks."""


def sources(package: str) -> list[Path]:
    """The source files of a package, which has some: a test of an empty folder would pass without looking.

    The links to other packages that an editable install makes are not followed.
    """
    links = {path for path in (ROOT / package).iterdir() if path.is_symlink()}
    found = sorted(p for p in (ROOT / package).rglob("*.py") if not links & set(p.parents))
    assert found, f"{package} has no sources"
    return found


def modules() -> dict[str, Path]:
    """The files of all modules by their names in `epochal`; a package has the name of its folder."""
    found = {path.relative_to(ROOT / "src/epochal"): path for path in sources("src/epochal")}
    found |= {path.relative_to(ROOT): path for package in PACKAGES for path in sources(package)}
    named = {".".join(name.with_suffix("").parts).removesuffix(".__init__"): path for name, path in found.items()}
    return {name: path for name, path in named.items() if name != "__init__"}


MODULES = modules()


@dataclass(frozen=True)
class Source:
    """What the tests of the house ask of a file, found in one pass: trees of all files would need a gigabyte.

    `imports` are lines, levels, modules (None: a plain import) and names; `calls` the plain functions and the methods
    that it calls; `classes`, `public` and `listed` (by `__all__`) are of its outermost level, `silent` the lines there
    that should have a docstring, 1 of the file's own.
    """

    imports: tuple[tuple[int, int, str | None, tuple[str, ...]], ...]
    functions: frozenset[str]
    methods: frozenset[str]
    classes: tuple[str, ...]
    public: frozenset[str]
    listed: tuple[str, ...]
    silent: tuple[int, ...]


@functools.cache
def source(path: Path) -> Source:
    """What stands in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports: list[tuple[int, int, str | None, tuple[str, ...]]] = []
    functions, methods = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.append((node.lineno, 0, None, tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.lineno, node.level, node.module or "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            functions.add(node.func.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            methods.add(node.func.attr)
    named = [n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    silent = [n for n in named if not (n.name.startswith(("_", "test_")) or n.decorator_list or ast.get_docstring(n))]
    assigned = [n for n in tree.body if isinstance(n, ast.Assign)]
    lists = [ast.unparse(n.value) for n in assigned if ast.unparse(n.targets[0]) == "__all__"]
    return Source(
        imports=tuple(imports),
        functions=frozenset(functions),
        methods=frozenset(methods),
        classes=tuple(n.name for n in named if isinstance(n, ast.ClassDef) and not n.name.startswith("_")),
        public=frozenset(n.name for n in named if not n.name.startswith("_")),
        listed=tuple(lists),
        silent=(*([] if ast.get_docstring(tree) else [1]), *(n.lineno for n in silent)),
    )


@functools.cache
def imported(name: str) -> frozenset[str]:
    """The modules of this project that a module imports anywhere: in functions and for types alone as well."""
    path = MODULES[name]
    found: set[str] = set()
    here = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for _, level, module, names in source(path).imports:
        if module is None:
            found |= {one.removeprefix("epochal.") for one in names}
        else:
            parts = here[: len(here) - level + 1] if level else ()
            base = ".".join((*parts, *module.split("."))).strip(".").removeprefix("epochal.")
            found |= {f"{base}.{one}".removeprefix("epochal.") for one in names} & MODULES.keys() or {base}
    return frozenset(found & MODULES.keys()) - {name}


def room_of(name: str) -> str:
    """The room that a module belongs to. Raises ValueError if it has none."""
    return max((room for room in ROOMS if name == room or name.startswith(room + ".")), key=len)


def test_no_circle_of_imports() -> None:
    """No module imports, by whatever way round, one that imports it."""
    arrows = networkx.DiGraph((name, other) for name in MODULES for other in imported(name))
    assert [sorted(part) for part in networkx.strongly_connected_components(arrows) if len(part) > 1] == []


def test_rooms_are_there() -> None:
    """Each room is a module or a package, and is listed once."""
    assert len(set(ROOMS)) == len(ROOMS) and set(ROOMS) <= MODULES.keys()


def test_arrows_run_one_way() -> None:
    """A module imports only from rooms above its own in docs/rooms.toml: in functions and for types alone as well."""
    assert [
        f"{name} imports {other}"
        for name in MODULES
        for other in sorted(imported(name))
        if ROOMS.index(room_of(other)) > ROOMS.index(room_of(name))
    ] == []


def test_the_checker_knows_no_protocol() -> None:
    """What checks specifications imports their language, and what loads them by name, but no protocol."""
    replication = ("spec.classic", "spec.quorum", "spec.zookeeper", "spec.epoch_cache", "spec.balancing", "spec.kraft")
    families = (*replication, "spec.transactions", "spec.share_groups", "spec.diskless")
    checker = [name for name in MODULES if name.startswith("checker")]
    found = {other for name in checker for other in imported(name) if other.startswith((*families, "spec.bugs"))}
    assert found == set()


def test_one_style_of_imports() -> None:
    """Relative within a top package of `epochal`, absolute across; the file that Spark gets alone knows no package."""
    alone = {"checker.search.spark.daemon"}
    wrong = []
    for name in sorted(MODULES.keys() - alone):
        top = name.partition(".")[0]
        for line, _, module, _ in source(MODULES[name]).imports:
            if "." in name and (module or "").startswith(f"epochal.{top}."):
                wrong.append(f"{name}:{line} imports {module} by its whole name")
    assert wrong == []


def test_a_class_has_a_name_of_its_own() -> None:
    """A public name stands for one class, unless the list says otherwise."""
    found: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for one in source(path).classes:
            found.setdefault(one, []).append(name)
    assert {name for name, places in found.items() if len(places) > 1} == SEVERAL_CLASSES


def test_a_list_of_public_names_is_whole() -> None:
    """Where `__all__` stands in a module, it has every public class and function of it: a part would hide the rest."""
    missing = [
        f"{name}: {sorted(left)}"
        for name, path in MODULES.items()
        for listed in source(path).listed
        if (left := source(path).public - set(ast.literal_eval(listed)))
    ]
    assert missing == []


def test_the_table_of_rooms_is_made_of_the_list() -> None:
    """ARCHITECTURE.md has the rooms of docs/rooms.toml; `python -m docs.generator` writes them."""
    assert with_rooms(ARCHITECTURE.read_text(encoding="utf-8")) == ARCHITECTURE.read_text(encoding="utf-8")


@pytest.mark.parametrize("package", (*FOLDERS, "tests"))
def test_one_idea_a_file(package: str) -> None:
    """A file past a thousand lines is asking to be two."""
    long = {str(p.relative_to(ROOT)): n for p in sources(package) if (n := len(p.read_text().splitlines())) > LONGEST}
    assert long == {}


def test_the_tests_mirror_the_house() -> None:
    """What a room does is tested in the folder of its name; questions across rooms have folders of their own."""
    across = {"checker/random_programs", "spec/liveness"}
    told_elsewhere = {
        "spec/bugs": "spec/kraft/test_catalogue.py",
        "checker/crosscheck": "checker/search/test_cross_check.py",
        "checker/semantics": "checker/compile/agreement.py",
        "checker/smt": "checker/solver/test_terms.py",
    }

    def folders(root: Path) -> set[str]:
        return {
            str(p.parent.relative_to(root)) for name in ("spec", "checker") for p in (root / name).rglob("__init__.py")
        }

    house, tests = folders(ROOT), folders(ROOT / "tests")
    assert tests - across - house == set()
    assert {name for name in house if name.count("/") == 1} - tests == told_elsewhere.keys()
    assert all((ROOT / "tests" / name).exists() for name in told_elsewhere.values())


def test_the_command_line_asks_and_shows() -> None:
    """A command parses, makes one call and shows the answer; what decides lies below."""
    lengths = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources("cli")}
    assert {name: n for name, n in lengths.items() if name.startswith("cli/commands/") and n > 260} == {}
    assert sum(lengths.values()) <= 6_500


def test_brokers_run_without_the_checker() -> None:
    """What starts Apache Kafka is a tool of its own: it imports nothing of this project, and its arrows run one way."""
    wrong = []
    for path in sources("tests/brokers"):
        name = path.relative_to(ROOT / "tests/brokers").with_suffix("").parts[0]
        if name in {"__init__", "conftest"} or name.startswith("test_"):
            continue
        for _, _, base, names in source(path).imports:
            for other in names:
                first, *rest = [*base.split("."), *other.split(".")] if base else other.split(".")
                own = rest[1] if first == "tests" and rest[0] == "brokers" else None
                allowed = own in {*BROKERS[: BROKERS.index(name)], name} if own else first not in {"epochal", "tests"}
                wrong += [] if allowed else [f"{name} imports {base}.{other}"]
    assert wrong == []


@pytest.mark.parametrize("package", (*FOLDERS, "tests/brokers"))
def test_every_module_says_what_it_is_for(package: str) -> None:
    """Every module and every public function and class has a docstring."""
    silent = [f"{path.relative_to(ROOT)}:{line}" for path in sources(package) for line in source(path).silent]
    assert silent == []
