"""`epochal show`: what was understood of a protocol, without headings over nothing."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run

SPEC = """
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

class Empty(Protocol):
    flag: bool

class Small(Empty):
    \"\"\"A small one.\"\"\"

    @action(by="n", says="the flag is set to {value}")
    def set_flag(self, value: bool) -> None:
        require(self.may(value))
        self.flag = value

    def may(self, value: bool) -> bool:
        \"\"\"Whether it may be set. Never twice.\"\"\"
        return value != self.flag

    def _private(self) -> bool:
        return True

    @invariant
    def fine(self) -> bool:
        \"\"\"It is fine.\"\"\"
        return True
"""


def test_sentences_and_rules_are_shown(folder: Path, run: Run) -> None:
    """Of a step its sentence, and no empty line for a docstring that it does not have; then the rules of a variant."""
    (folder / "mine.py").write_text(SPEC)
    shown = run("show", "mine.py:Small").stdout
    assert '\n  set_flag(value)  [2 choices, mine.py:12]\n      "the flag is set to {value}"\n\nRules' in shown
    rules = shown.partition("Rules that steps and properties call, each to be replaced in a variant\n")[2]
    assert rules.splitlines()[:2] == ["  may(value)  mine.py:16  Whether it may be set.", ""]


def test_what_is_not_there_is_said_to_be_none(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(SPEC)
    shown = run("show", "mine.py:Empty").stdout
    assert "\nActions\n  none\n\nProperties\n  none\n" in shown
    assert shown.startswith("mine.py:Empty\n\nState\n") and "Rules that" not in shown


def test_the_rules_of_kafka_can_be_found(run: Run) -> None:
    shown = run("show", "kraft").stdout
    assert "\n  may_join(leader, follower)" in shown and "Partition.isFollowerInSync: the follower has all" in shown


def test_what_a_release_is_told_as_is_the_design_and_says_so(run: Run) -> None:
    """The sentences of the class are about the protocol as designed: N1 and S15 are open in 4.4."""
    told = run("show", "kraft", "--kafka", "4.4").stdout
    assert told.startswith("kraft-4.4\n  Under --kafka 4.4. Without that it is:\n  KRaft with eligible leader replicas")
    assert "Without that it is" not in run("show", "kraft").stdout


def test_a_bound_that_a_protocol_lacks_says_why(run: Run) -> None:
    refused = run("show", "kraft-reassignment", "--shrinks", "1")
    assert refused.exit_code == 2
    assert "must be at most 0 (kraft-reassignment leaves these steps out, kraft has them)" in refused.stderr


def test_what_can_be_read_for_every_choice_of_the_bounds(run: Run) -> None:
    """Rule by rule, and each refusal once with its line and advice."""
    read = run("show", "kip-320-proof", "--unbounded").stdout
    assert read.startswith("kip-320-proof: 31 of 31 rules can be read")
    assert run("show", "quorum-proof", "--unbounded").stdout.startswith("quorum-proof: 30 of 30 rules can be read")
    some = run("show", "kip-320-as-shipped", "--unbounded").stdout
    assert not some.startswith("kip-320-as-shipped: no rule")
    assert some.count("has no first-order semantics for every choice of the bounds") == 1
    none = run("show", "async-isr", "--unbounded").stdout
    assert "no rule can be read" in none and "a constraint has no first-order semantics" in none
    assert none.count("a set of records has no first-order semantics") == 2, (
        "what no rule can be read for is said at once"
    )
