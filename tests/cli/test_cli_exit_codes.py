"""The table of exit codes against every command: what each ends with, of each kind of finding and of mistake."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from epochal.cli.app.command import ProtocolCommand
from epochal.cli.main import main
from epochal.exit_codes import ExitCode
from tests.cli.conftest import Run
from tests.each import for_each

SPECIFICATION: Final = """
    from dataclasses import dataclass
    from typing import Annotated

    from epochal.language import (
        Bounds, Capacity, Integers, Log, Protocol, action, bound, invariant, leads_to, lemma, reachable,
        require,
    )


    @dataclass(frozen=True)
    class Most(Bounds):
        most: int = bound(3, least=1, most=9, help="the greatest value", why="it is small")


    class Holds(Protocol):
        bounds: Most
        x: Annotated[int, Integers(0, 9)]

        @action(fair="weak")
        def grow(self):
            \"\"\"One more.\"\"\"
            require(self.x < self.bounds.most)
            self.x += 1

        @invariant
        def small(self):
            \"\"\"It stays small.\"\"\"
            return self.x <= self.bounds.most

        @lemma
        def bounded(self):
            \"\"\"It never passes its bound.\"\"\"
            return self.x <= self.bounds.most


    class Violated(Holds):
        def small(self):
            return self.x < 2


    class Fails(Holds):
        log: Annotated[Log[bool], Capacity(1)]

        def small(self):
            return self.x < 2 or self.log[0]


    class Promises(Holds):
        @action
        def back(self):
            \"\"\"Starts again.\"\"\"
            require(self.x == 2)
            self.x = 0

        @leads_to(fair=())
        def ends(self):
            \"\"\"The greatest value comes in the end.\"\"\"
            return self.x == 0, self.x == self.bounds.most


    class Never(Holds):
        @action
        def never(self):
            \"\"\"It cannot happen.\"\"\"
            require(self.x > self.bounds.most)
            self.x = 0


    class Unreached(Holds):
        @reachable
        def beyond(self):
            \"\"\"Nothing gets there.\"\"\"
            return self.x > self.bounds.most


    class Outside(Holds):
        def small(self):
            while self.x:
                pass
            return True
"""


def leaves(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that can be run, with the words that name it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


COMMANDS: Final = dict(leaves())
OF_A_PROTOCOL: Final = [path for path, one in COMMANDS.items() if isinstance(one, ProtocolCommand)]
MORE: Final[dict[tuple[str, ...], list[str]]] = {
    ("compare",): ["m.py:Holds"],
}
"""What a command needs besides the protocol."""


def named(path: tuple[str, ...]) -> str:
    return " ".join(path)


@pytest.fixture
def files(folder: Path) -> Path:
    """The working folder with the specifications, and two files that cannot be loaded."""
    (folder / "m.py").write_text(textwrap.dedent(SPECIFICATION), encoding="utf-8")
    (folder / "broken.py").write_text("class Broken(\n", encoding="utf-8")
    (folder / "raises.py").write_text("raise RuntimeError('while it is imported')\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_of_every_command(path: tuple[str, ...], files: Path, run: Run) -> None:
    """Help, an option that does not exist, and a configuration file that says what nobody knows."""
    assert run(*path, "--help").exit_code == ExitCode.HOLDS
    unknown = run(*path, "--no-such-option")
    assert (unknown.exit_code, "Traceback" in unknown.output) == (ExitCode.USAGE, False), unknown.output
    (files / "epochal.toml").write_text("no-such-key = 1\n", encoding="utf-8")
    wrong = run(*path)
    assert wrong.exit_code == ExitCode.BAD_CONFIGURATION and "epochal.toml" in wrong.output, wrong.output


@for_each("path", OF_A_PROTOCOL)
@for_each(
    "said, code",
    [
        (["kip-1011"], ExitCode.NOT_LOADED),
        (["nowhere.py:Holds"], ExitCode.NOT_LOADED),
        (["broken.py:Broken"], ExitCode.NOT_LOADED),
        (["raises.py:Holds"], ExitCode.NOT_LOADED),
        (["m.py:Nobody"], ExitCode.NOT_LOADED),
        (["m.py:Holds", "--most", "10"], ExitCode.USAGE),
        (["m.py:Holds", "--least", "1"], ExitCode.USAGE),
    ],
)
def test_a_protocol_that_cannot_be_asked_about(
    path: tuple[str, ...], said: list[str], code: ExitCode, files: Path, run: Run
) -> None:
    done = run(*path, said[0], *MORE.get(path, []), *said[1:])
    assert done.exit_code == code and done.output.count("Traceback") == 0, done.output


VERDICTS: Final[dict[tuple[str, ...], tuple[int, ...]]] = {
    # .......................... Holds, Violated, Fails, Promises, Never, Unreached, Outside
    ("check",): (0, 12, 75, 13, 22, 21, 120),
    ("check", "--engine", "python"): (0, 12, 75, 13, 22, 21, 120),
    ("check", "--deadlock"): (11, 12, 75, 13, 11, 11, 120),
    ("check", "--max-states", "1"): (30, 30, 30, 30, 30, 30, 120),
    ("liveness",): (2, 2, 2, 13, 2, 2, 2),
    ("prove",): (0, 32, 32, 0, 22, 0, 120),
    ("bmc", "--length", "5"): (0, 12, 75, 0, 0, 0, 120),
    ("mutate",): (0, 22, 75, 0, 0, 0, 120),
    ("simulate",): (0, 12, 75, 0, 0, 0, 120),
    ("graph", "--out", "g.dot"): (0, 12, 75, 0, 0, 0, 120),
    ("gate", "add"): (0, 12, 75, 13, 22, 21, 120),
    ("show",): (0, 0, 0, 0, 0, 0, 0),
}
"""What each command ends with. `liveness` is asked of promises alone; `mutate` needs something that holds."""
PROTOCOLS: Final = ("Holds", "Violated", "Fails", "Promises", "Never", "Unreached", "Outside")


@pytest.mark.parametrize("words", VERDICTS, ids=named)
def test_a_verdict(words: tuple[str, ...], files: Path, run: Run) -> None:
    """The finding is the exit code, whoever finds it; rules outside the language are never run."""
    done = [run(*words, f"m.py:{one}") for one in PROTOCOLS]
    told = tuple(one.exit_code for one in done)
    assert told == VERDICTS[words], [one.output[-300:] for one in done]


def test_every_command_that_judges_a_protocol_is_in_the_table() -> None:
    """`compare` judges two, `guarantees` those of the newest family, and the explorer nothing until it is asked."""
    told = {words[:1] for words in VERDICTS} | {("compare",), ("explore",), ("guarantees",)}
    assert set(OF_A_PROTOCOL) <= told
