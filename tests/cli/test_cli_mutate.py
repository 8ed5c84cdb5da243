"""`epochal mutate`: the report, the JSON, the list of survivors, the exit codes, and what can be asked wrongly."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

DOOR = """
    from typing import Annotated, ClassVar

    from epochal.language import Bounds, Integers, Protocol, action, invariant, reachable, require


    class Door(Protocol):
        \"\"\"A door with a lock.\"\"\"

        name: ClassVar[str] = "door"
        bounds: Bounds
        opened: Annotated[int, Integers(0, 3)]
        locked: bool

        @action
        def open(self) -> None:
            \"\"\"Open it.\"\"\"
            require(not self.locked and self.opened < 3)
            require(self.opened <= 3)
            self.opened += 1

        @action
        def lock(self) -> None:
            \"\"\"Lock it.\"\"\"
            require(self.opened == 2)
            self.locked = True

        @invariant
        def seldom(self) -> bool:
            \"\"\"A locked door was opened twice.\"\"\"
            return not self.locked or self.opened == 2

        @reachable
        def safe(self) -> bool:
            \"\"\"It can be locked.\"\"\"
            return self.locked


    class Lost(Door):
        \"\"\"A door that goes too far.\"\"\"

        name: ClassVar[str] = "lost"

        def open(self) -> None:
            require(not self.locked)
            self.opened += 1


    class Stays(Door):
        \"\"\"A door that promises too much.\"\"\"

        name: ClassVar[str] = "stays"

        @reachable
        def wide(self) -> bool:
            \"\"\"It opens three times, although it is locked.\"\"\"
            return self.locked and self.opened == 3

        @invariant
        def never_open(self) -> bool:
            \"\"\"It does not open twice.\"\"\"
            return self.opened < 2


    class Free(Door):
        \"\"\"A door without guards.\"\"\"

        name: ClassVar[str] = "free"

        def open(self) -> None:
            self.opened = 0

        def lock(self) -> None:
            self.locked = self.opened == 2
"""

SURVIVORS = """
protocol = "door"
bounds = {}

[[survivor]]
mutant = "door.py Door.open: drop require #2"
removed = "self.opened <= 3"
reason = "The first require asks for more."
"""


@pytest.fixture(autouse=True)
def door(folder: Path) -> Path:
    """A user's file with the protocols Door, Lost and Free."""
    file = folder / "door.py"
    file.write_text(textwrap.dedent(DOOR), encoding="utf-8")
    return file


def listed(folder: Path, text: str) -> str:
    """A file of survivors."""
    file = folder / "survivors.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_report(run: Any) -> None:
    """Killed, changed and surviving mutants of a user's file, and the tables that accept the survivor."""
    shown = run("mutate", "door.py:Door", "--progress", "none")
    assert shown.exit_code == 21
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0] == "door: 1 of 6 mutants survives, and nobody has said why"
    for line in (
        "Killed: 5",
        "seldom 5 door.py:18 door.py Door.open: drop require #1: not self.locked and self.opened < 3",
        "seldom 5 door.py:18 door.py Door.open: drop require #1 conjunct #1: not self.locked",
        "cannot be evaluated: opened: 4 is outside 0..3 4 door.py:18 door.py Door.open: drop require #1 conjunct #2: "
        "self.opened < 3",
        "seldom 2 door.py:25 door.py Door.lock: drop require #1: self.opened == 2",
        "NEW door.py:19 door.py Door.open: drop require #2: self.opened <= 3",
        'mutant = "door.py Door.open: drop require #2"',
        'removed = "self.opened <= 3"',
        'protocol = "door"',
        "bounds = { }",
    ):
        assert line in lines, shown.stdout
    assert shown.stderr == ""


def test_json(run: Any, folder: Path) -> None:
    """Everything that is known of each mutant, in the order of the text; the same for any number of workers."""
    documents = []
    for workers in ("1", "2"):
        shown = run("mutate", "door.py:Door", "--workers", workers, "--format", "json", "--progress", "none")
        assert shown.exit_code == 21
        documents.append(json.loads(shown.stdout))
    one, two = ({k: v for k, v in d.items() if not k.endswith("seconds")} for d in documents)
    assert one == two
    assert [m["verdict"] for m in one["mutants"]] == [
        "violated",
        "survived",
        "violated",
        "violated",
        "failed",
        "violated",
    ]
    assert one["mutants"][0]["property"] == "seldom"
    assert one["mutants"][1]["same_program"] is True
    assert one["checked"] == ["seldom", "safe"]
    assert one["exit_code"] == 21


def test_what_is_not_judged_says_why(run: Any) -> None:
    """A violated property is another thing than one that must be reachable and is not."""
    shown = run("mutate", "door.py:Stays", "--progress", "none")
    assert "  not checked  never_open: violated by the protocol itself\n" in shown.stdout
    assert "  not checked  wide: not reached by the protocol itself within these bounds\n" in shown.stdout


def test_the_headline_does_not_say_that_a_guard_matters_which_only_changes_states(run: Any, folder: Path) -> None:
    (folder / "gate.py").write_text(textwrap.dedent(GATE), encoding="utf-8")
    shown = run("mutate", "gate.py:Gate", "--progress", "none")
    assert shown.stdout.startswith("gate.py:Gate: of 2 mutants 1 is killed, 1 only changes states or steps; none sur")


GATE = """
    from typing import Annotated

    from epochal.language import Integers, Protocol, action, invariant, require


    class Gate(Protocol):
        \"\"\"A gate that goes up and down.\"\"\"

        height: Annotated[int, Integers(0, 5)]

        @action
        def up(self) -> None:
            \"\"\"Up, from below.\"\"\"
            require(self.height < 2)
            self.height = self.height + 1

        @action
        def down(self) -> None:
            \"\"\"Down, from above.\"\"\"
            require(self.height == 2)
            self.height = 0

        @invariant
        def low(self) -> bool:
            \"\"\"It is never high.\"\"\"
            return self.height <= 2
"""


def test_both_engines(run: Any) -> None:
    """The reference finds the same."""
    found = []
    for engine in ("native", "python"):
        shown = run("mutate", "door.py:Door", "--engine", engine, "--format", "json", "--progress", "none")
        found.append(json.loads(shown.stdout)["mutants"])
    assert found[0] == found[1]


def test_listed_survivors(run: Any, folder: Path) -> None:
    """A listed survivor is accepted with its reason, a listed one that does not survive is told."""
    shown = run("mutate", "door.py:Door", "--survivors", listed(folder, SURVIVORS), "--progress", "none")
    assert shown.exit_code == 0
    assert "every guard matters, as far as 6 mutants can tell; 1 survivor, all of them listed" in shown.stdout
    assert "(The first require asks for more.)" in shown.stdout
    more = SURVIVORS + (
        '\n[[survivor]]\nmutant = "door.py Door.lock: drop require #1"\nremoved = "self.opened == 2"\nreason = "x"\n'
        '\n[[survivor]]\nmutant = "door.py Door.close: drop require #1"\nremoved = "y"\nreason = "x"\n'
    )
    shown = run("mutate", "door.py:Door", "--survivors", listed(folder, more), "--progress", "none")
    assert shown.exit_code == 20
    assert "door.py Door.lock: drop require #1: its verdict is now: violated" in shown.stdout
    assert "door.py Door.close: drop require #1: there is no such mutant" in shown.stdout
    other = SURVIVORS.replace("self.opened <= 3", "self.opened <= 2")
    shown = run("mutate", "door.py:Door", "--survivors", listed(folder, other), "--progress", "none")
    assert shown.exit_code == 21
    assert "it takes away another text now: self.opened <= 3" in shown.stdout


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("protocol", "protocl"), 151, "unknown key 'protocl'. Did you mean protocol?"),
        (('reason = "The first require asks for more."', 'reason = " "'), 151, "needs a text for 'reason'"),
        (("removed", "remove"), 151, "unknown key 'remove'. Did you mean removed?"),
        (("[[survivor]]", "[[survivor"), 151, "is not valid TOML"),
        (('"door"', '"lift"'), 2, "is about 'lift'"),
        (("{}", "{ n = 1 }"), 2, "is about 'door' at --n 1"),
    ],
)
def test_a_broken_list(change: tuple[str, str], code: int, message: str, run: Any, folder: Path) -> None:
    """Each mistake in the file is one message."""
    file = listed(folder, SURVIVORS.replace(*change))
    shown = run("mutate", "door.py:Door", "--survivors", file)
    assert (shown.exit_code, shown.stdout) == (code, "")
    assert message in shown.stderr


def test_a_list_with_one_mutant_twice(run: Any, folder: Path) -> None:
    """The second entry would never be looked at."""
    entry = SURVIVORS.partition("[[survivor]]")[2]
    shown = run("mutate", "door.py:Door", "--survivors", listed(folder, f"{SURVIVORS}\n[[survivor]]{entry}"))
    assert shown.exit_code == 151
    assert "door.py Door.open: drop require #2 is listed twice" in shown.stderr


def test_only(run: Any, folder: Path) -> None:
    """Some of the mutants, by a part of their id; other entries of the list are not asked about."""
    shown = run("mutate", "door.py:Door", "--only", "lock*require", "--survivors", listed(folder, SURVIVORS))
    assert shown.exit_code == 0
    assert "1 of 6 asked for, 1 tried" in shown.stdout
    shown = run("mutate", "door.py:Door", "--only", "window")
    assert shown.exit_code == 2
    assert "no mutant of door has 'window' in its id" in shown.stderr
    assert "There are 6; the first is 'door.py Door.open: drop require #1'" in shown.stderr


def test_a_property(run: Any) -> None:
    """Only what is asked for kills: that the door can be locked does not need the guards of open."""
    shown = run("mutate", "door.py:Door", "--property", "safe", "--format", "json", "--progress", "none")
    found = json.loads(shown.stdout)
    assert found["checked"] == ["safe"]
    assert {m["verdict"] for m in found["mutants"]} == {"changed", "survived", "failed"}


def test_budgets(run: Any) -> None:
    """The original must be searched whole; a mutant that is not is open."""
    shown = run("mutate", "door.py:Door", "--max-states", "2")
    assert shown.exit_code == 30
    assert "door itself cannot be searched completely" in shown.stderr
    shown = run(
        *("mutate", "kip-320", "--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1"),
        *("--max-states", "290", "--only", "elect_leader: drop require #2"),
    )
    assert shown.exit_code == 30
    assert "the budget of 290 states is spent" in shown.stdout


def test_a_protocol_that_cannot_be_mutated(run: Any) -> None:
    """Without a guard there is nothing to take away; with a rule that fails already nothing to compare with."""
    shown = run("mutate", "door.py:Free")
    assert shown.exit_code == 2
    assert "free has no guard that could be taken away" in shown.stderr
    shown = run("mutate", "door.py:Lost")
    assert shown.exit_code == 75
    assert "a rule of lost cannot be evaluated even without a mutation: opened: 4 is outside 0..3" in shown.stderr


def test_progress(run: Any) -> None:
    """One JSON object a mutant on stderr, and nothing of it on stdout."""
    shown = run("mutate", "door.py:Door", "--progress", "json", "--format", "json")
    lines = [json.loads(line) for line in shown.stderr.splitlines()]
    assert [line["done"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert lines[1] == {"done": 2, "of": 6, "mutant": "door.py Door.open: drop require #2", "verdict": "survived"}
    assert json.loads(shown.stdout)["exit_code"] == 21
