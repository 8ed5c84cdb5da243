"""A guard whose loss only blocks is missed by nobody but a promise."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import epochal
from epochal.cli.main import main
from epochal.language import Protocol, action, invariant, leads_to, require


class Door(Protocol):
    """A door that opens, and jams if somebody turns the key while it is shut."""

    open: bool
    jammed: bool

    @action(fair="weak")
    def push(self) -> None:
        """Somebody opens it."""
        require(not self.open and not self.jammed)
        self.open = True

    @action
    def slam(self) -> None:
        """The wind shuts it."""
        require(self.open and not self.jammed)
        self.open = False

    @action
    def turn_key(self) -> None:
        """Somebody turns the key in an open door, where it does no harm for long."""
        require(self.open)
        self.jammed = True

    @action(fair="weak")
    def oil(self) -> None:
        """A door that jams is oiled while it is open."""
        require(self.jammed and self.open)
        self.jammed = False

    @invariant
    def no_third_hinge(self) -> bool:
        """Whoever looks sees a door."""
        return self.open or not self.open or self.jammed

    @leads_to(fair=("push", "oil"))
    def opens(self) -> tuple[bool, bool]:
        """A door that is shut is open some time."""
        return not self.open, self.open


def test_a_mutant_that_only_blocks_is_killed_by_a_promise() -> None:
    found = epochal.mutate(Door())
    outcomes = {one.mutant.id.partition(" ")[2]: one for one in found.mutation.outcomes}
    blocked = outcomes["Door.turn_key: drop require #1"]
    assert (blocked.verdict, blocked.property, blocked.length, blocked.round) == ("violated", "opens", 2, 0)
    assert outcomes["Door.slam: drop require #1 conjunct #2"].property == "opens"
    assert outcomes["Door.slam: drop require #1 conjunct #1"].verdict == "changed", "shutting what is shut"
    assert "opens" in found.mutation.judged
    one = next(one for one in found.to_dict()["mutants"] if one["id"] == blocked.mutant.id)
    assert (one["property"], one["length"], one["round"]) == ("opens", 2, 0)
    assert "2, 0 for ever" in str(found)


def test_without_liveness_it_only_changes() -> None:
    found = epochal.mutate(Door(), liveness=False)
    assert "opens" in found.mutation.not_judged
    assert not any(one.property == "opens" for one in found.mutation.outcomes)
    assert "Door.turn_key: drop require #1" in " ".join(one.mutant.id for one in found.mutation.with_verdict("changed"))


@pytest.mark.parametrize(("options", "why"), [(["--symmetry"], "symmetry"), (["--no-liveness"], "left out")])
def test_the_report_says_why_promises_are_not_judged(options: list[str], why: str) -> None:
    only = ["--only", "fetch: drop require #1"]
    done = CliRunner().invoke(main, ["mutate", "kip-320", "--max-epoch", "1", "--replicas", "2", *only, *options])
    (line,) = [line for line in done.output.splitlines() if line.strip().startswith("not checked  leader_takes")]
    assert why in line


def test_a_guard_of_kraft_that_only_promises_miss() -> None:
    """A leader that proposes to add who is in its ISR waits for ever: the controller answers that it knows."""
    protocol = epochal.load("kraft", replication_factor=2, max_epoch=1, records=1)
    (one,) = epochal.mutate(protocol, only="may_join: drop conjunct #1").mutation.outcomes
    assert (one.verdict, one.property, one.length, one.round) == ("violated", "proposal_is_resolved", 3, 0)
