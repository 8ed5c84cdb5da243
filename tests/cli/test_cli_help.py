"""The help: fast, complete, and its examples work as typed."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from epochal.api import catalogue, check, mutate
from epochal.checker.search import engines
from epochal.checker.search.engines import NO_CLUSTER, ClusterChoice
from epochal.checker.search.result import CheckResult, Options
from epochal.cli.app.command import CommandWithOthers, EpochalCommand, EpochalGroup
from epochal.cli.main import COMMANDS, START, main
from epochal.spec.language import Protocol
from tests.checker.gate.conftest import SEALED
from tests.cli.conftest import Run
from tests.documents.harness import blocks, commands, pages
from tests.each import for_each

ROOT = Path(__file__).parents[2]
HEAVY = (
    "llvmlite",
    "z3",
    "networkx",
    "rich",
    "numpy",
    "epochal.spec.classic",
    "epochal.spec.language",
    "epochal.checker",
    "tomllib",
)


def every_command() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = [("epochal", main)]
    context = click.Context(main, info_name="epochal")
    for lazy in COMMANDS:
        command = main.get_command(context, lazy.name)
        assert command is not None
        found.append((f"epochal {lazy.name}", command))
        if isinstance(command, click.Group | CommandWithOthers):
            found += [(f"epochal {lazy.name} {name}", inner) for name, inner in command.commands.items()]
    return found


def every_example() -> list[str]:
    """The examples that no page shows with their output: those are run there (`tests/documents/test_pages.py`)."""
    examples: dict[str, None] = {}
    for _, command in every_command():
        assert isinstance(command, EpochalCommand | EpochalGroup)
        examples |= dict.fromkeys(command.examples)
    del examples["epochal counterexamples"]  # the same searches as with --check
    return [example for example in examples if example not in shown_on_pages()]


@cache
def shown_on_pages() -> frozenset[str]:
    """The commands of blocks that the tests of pages run, within the same minutes."""
    run = (block for page in pages() for block in blocks(page) if block.is_run and "long" not in block.marks)
    return frozenset(one.typed for block in run if block.language == "console" for one in commands(block))


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from epochal.cli.main import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as leave:\n    assert leave.code == 0\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "epochal.cli.main" in loaded
    assert [name for name in loaded if name.startswith(HEAVY)] == []


def test_checking_with_plain_output_imports_neither_rich_nor_networkx() -> None:
    code = (
        "import sys; from epochal.cli.main import main\n"
        "try:\n    main(['check', 'async-isr', '--replicas', '2', '--engine', 'python'])\n"
        "except SystemExit as leave:\n    assert leave.code == 0\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in done.stderr.split() if name in ("rich", "networkx")] == []


def test_the_help_of_the_group_lists_every_command_with_its_own_first_sentence(run: Run) -> None:
    shown = run("--help").stdout
    for lazy in COMMANDS:
        assert (f"  {lazy.name} " in shown) != lazy.hidden
        assert (lazy.help in shown) != lazy.hidden
        command = main.get_command(click.Context(main), lazy.name)
        assert command is not None
        assert command.name == {"catalog": "catalogue", "bugs": "catalogue"}.get(lazy.name, lazy.name)


@for_each("path", [path for path, _ in every_command()])
def test_every_help_has_examples(path: str, run: Run) -> None:
    for option in ("--help", "-h"):
        result = run(*path.split()[1:], option)
        assert result.exit_code == 0
        assert f"Usage: {path}" in result.stdout
        assert "Examples:\n  epochal " in result.stdout


@for_each("path, command", every_command())
def test_every_help_begins_with_a_plain_sentence(path: str, command: click.Command) -> None:
    """A verb, a line or two, and a full stop: what the command does, not how."""
    first = " ".join((command.help or "").split("\n\n")[0].split()).partition(". ")[0]
    assert 15 < len(first) < 150
    assert first[0].isupper() and not first.split()[0].endswith(("s", "ing"))


def test_the_help_of_a_protocol_lists_its_bounds(run: Run) -> None:
    shown = run("check", "async-isr", "--help").stdout
    assert "Bounds of async-isr:" in shown
    assert "--max-version N" in shown
    assert "--max-epoch N" not in shown
    assert "'epochal check kip-320 --help' lists those" in " ".join(run("check", "--help").stdout.split())


def test_the_version_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the commit of a checkout, and without it where git is missing."""
    from epochal.checker.base.installed import tool_version

    told = re.escape(f"epochal {tool_version()}")
    assert re.fullmatch(told + r"( \(commit [0-9a-f]{10,}(, changed since)?\))?\n", run("--version").stdout)
    monkeypatch.setenv("PATH", "/nowhere")
    result = run("--version")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"epochal {tool_version()}\n", "")


def test_alone_it_says_what_to_type_first(run: Run) -> None:
    result = run()
    assert result.exit_code == 0
    assert result.stdout == START
    named = re.findall(r"^  epochal (\w+)", START, re.MULTILINE)
    assert len(named) > 4 and set(named) <= {lazy.name for lazy in COMMANDS if not lazy.hidden}
    assert max(map(len, START.splitlines())) <= 120


@pytest.fixture(scope="module")
def searches() -> Iterator[None]:
    """Remember searches: the examples of `counterexamples` make the same ones, of several seconds."""
    honest, known = engines.search_of, {}

    def remembering(engine: str, cluster: ClusterChoice = NO_CLUSTER, *_: object) -> engines.Search:
        def search(protocol: Protocol, options: Options) -> CheckResult:
            key = (engine, type(protocol), protocol.bounds, options)
            if key not in known:
                known[key] = honest(engine, cluster)(protocol, options)
            return known[key]

        return search

    with pytest.MonkeyPatch.context() as patch:
        for module in (engines, catalogue, check, mutate):  # all are imported: none keeps the patched one
            patch.setattr(module, "search_of", remembering)
        yield


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one model, recorded and committed, and the cache of that. Examples get copies."""
    made = tmp_path_factory.mktemp("gate")
    folder, bounds = made / "work", "{ log-size = 1, records = 1, max-epoch = 1 }"
    folder.mkdir()
    (folder / "epochal.toml").write_text(f'[model.kip-320]\nprotocol = "kip-320"\nbounds = {bounds}\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("EPOCHAL_CACHE_DIR", str(made / "cache"))
        patch.setenv("EPOCHAL_CACHE_KEY", SEALED)
        assert CliRunner().invoke(main, ["gate", "approve"]).exit_code == 0
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "a model")):
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)
    return made


def set_the_gate_up(gate: Path, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, model: bool) -> None:
    """Copies of a recorded repository and its cache, or of what is compiled for any model."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(cache))
    monkeypatch.setenv("EPOCHAL_CACHE_KEY", SEALED)
    if model:
        shutil.copytree(gate / "work", folder, dirs_exist_ok=True)
        shutil.copytree(gate / "cache", cache, dirs_exist_ok=True)
    else:
        shutil.copytree(gate / "cache" / "objects", cache / "objects")


FILES = {
    "conform": ("tests/evidence",),
    "audit": ("tests/audit/clusters", "examples"),
    "sweep": ("examples",),
    "mcp": ("tests/audit/clusters", "examples"),
}
"""What the examples of a command read, besides counterexamples."""


def link(folder: Path, *names: str) -> None:
    """Put folders of a checkout where they are in a checkout."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(ROOT / name)


def set_the_explorer_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file to explore, no browser, and a server that ends at once."""
    source = "from epochal.spec.classic.kip_320 import Kip320\n\n\nclass MyVariant(Kip320):\n    pass\n"
    (folder / "mine.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)


def a_free_port() -> str:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return str(asking.getsockname()[1])


LONG = (
    "epochal counterexamples",
    "--minimize",
    "mutate k",
    "simulate k",
    "guarantees --kafka",
    "guarantees --matrix",
    "--causes",
)
LONG_ALONE = ("epochal guarantees", "epochal cache java")
"""Examples that take half a minute or more, by a part of them, and as a whole."""


LOCKSTEP = "epochal lockstep "
"""Examples that need the jars of a Kafka."""


@pytest.mark.parametrize("example", [e for e in every_example() if LOCKSTEP in e])
def test_examples_of_lockstep_say_which_kafka_is_not_here(
    example: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is taken as it is typed, up to the class path."""
    link(folder, "counterexamples")
    source = 'from epochal.spec.kraft.configuration import ConfigurableKraft as WithMyKip\n\n__all__ = ["WithMyKip"]\n'
    (folder / "mine.py").write_text(source, encoding="utf-8")
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(folder / "none"))
    result = run(*shlex.split(example)[1:])
    missing = {"--classes": "is no folder", "--classpath": "there is no jar in libs"}
    told = next((text for option, text in missing.items() if option in example), "the jars of Kafka 4")
    assert told in result.stderr
    assert result.exit_code == (153 if told not in missing.values() else 2)


def is_long(example: str) -> bool:
    return example in LONG_ALONE or any(part in example for part in LONG)


@pytest.mark.parametrize(
    "example",
    [pytest.param(e, marks=[pytest.mark.long] if is_long(e) else []) for e in every_example() if LOCKSTEP not in e],
)
def test_examples_work_as_typed(
    example: str,
    folder: Path,
    run: Run,
    gate: Path,
    searches: None,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = shlex.split(example)
    if words[1] in ("gate", "baseline", "cache"):
        set_the_gate_up(gate, folder, tmp_path_factory.mktemp("cache"), monkeypatch, model="add" not in words)
    link(folder, "counterexamples", *FILES.get(words[1], ()))
    if words[1] == "explore":
        set_the_explorer_up(folder, monkeypatch)
    if "--port" in words:  # the port of the example may be taken, by an explorer of another test or of the developer
        words[words.index("--port") + 1] = a_free_port()
    if words[1] == "export":
        run("check", "truncate-to-hw", "--replicas", "2", "--checkpoint", "run")
    result = run(*words[1:])
    expected = {
        "check": (0, 12),
        "liveness": (0, 13),
        "simulate": (0, 12),
        "graph": (0, 12),
        "prove": (0, 32),
        "bmc": (0, 12),
        "mutate": (0, 21),
        "replay": (0, 20),
        "conform": (0, 20),
        "audit": (12, 20),
    }
    assert result.exit_code in expected.get(words[1], (0,)), result.output
    assert result.stdout or "--out" in words or words[1] == "mcp"
