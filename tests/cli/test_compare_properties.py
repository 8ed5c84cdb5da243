"""`epochal compare --check-properties`: which properties and promises hold in one of the two alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DOORS = '''
from epochal.language import Protocol, action, invariant, leads_to, require


class Door(Protocol):
    """A door that somebody opens, and the wind shuts."""

    open: bool
    locked: bool

    @action(fair="weak")
    def push(self) -> None:
        """Somebody opens it."""
        require(not self.open and not self.locked)
        self.open = True

    @action
    def slam(self) -> None:
        """The wind shuts it."""
        require(self.open)
        self.open = False

    @action
    def lock(self) -> None:
        """Somebody turns the key."""
        require(self.open)
        self.locked = True

    @action(fair="weak")
    def unlock(self) -> None:
        """Somebody turns it back."""
        require(self.locked)
        self.locked = False

    @leads_to(fair=("push", "unlock"))
    def opens(self) -> tuple[bool, bool]:
        """A door that is shut is opened some time."""
        return not self.open, self.open


class Shut(Door):
    """A door that nobody unlocks while it is shut, and that is never open and locked."""

    def lock(self) -> None:
        """Somebody turns the key of a door that is shut."""
        require(not self.open)
        self.locked = True

    def unlock(self) -> None:
        """Somebody turns it back."""
        require(self.locked and self.open)
        self.locked = False

    @invariant
    def never_both(self) -> bool:
        """A door that is open is not locked."""
        return not (self.open and self.locked)
'''


@pytest.fixture(autouse=True)
def doors(folder: Path) -> None:
    """A user's file with both."""
    (folder / "doors.py").write_text(DOORS, encoding="utf-8")


def test_a_promise_that_one_breaks_is_told(run: Any, folder: Path) -> None:
    shown = run("compare", "doors.py:Door", "doors.py:Shut", "--check-properties", "--out", "found")
    assert shown.exit_code == 0, shown.output
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["opens", "VIOLATED", "in", "2", "states,", "then", "for", "ever"] not in lines, "the first keeps it"
    assert ["opens", "holds", "VIOLATED", "in", "2", "states,", "then", "for", "ever"] in lines
    assert ["never_both", "not", "there", "holds"] in lines
    (written,) = [path for path in (folder / "found").iterdir() if path.match("*second-breaks*.itf.json")]
    again = run("replay", str(written), "--protocol", "doors.py:Shut")
    assert again.exit_code == 0, again.output


def test_the_json_has_both(run: Any) -> None:
    asked = json.loads(
        run("compare", "doors.py:Door", "doors.py:Shut", "--check-properties", "--format", "json").stdout
    )
    (opens,) = [one for one in asked["checked"] if one["property"] == "opens"]
    assert opens == {
        "property": "opens",
        "kind": "leads_to",
        "first": {"verdict": "holds", "length": None, "round": None},
        "second": {"verdict": "violated", "length": 2, "round": 0},
    }
    assert json.loads(run("compare", "doors.py:Door", "doors.py:Shut", "--format", "json").stdout)["checked"] is None


def test_what_is_not_known_is_said(run: Any) -> None:
    """A cut search does not say that a promise holds."""
    shown = run("compare", "doors.py:Door", "doors.py:Shut", "--check-properties", "--max-states", "2")
    assert "doors.py:Door: not every state was explored: the budget of 2 states is spent" in shown.stdout
    assert "opens" in next(line for line in shown.stdout.splitlines() if "not checked in both" in line)
