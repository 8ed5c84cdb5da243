"""The run of an address, taken in the Python reading; what is asked along it; another protocol on its schedule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.trace.trace import Trace
from epochal.cli.explorer.pages import ask, beside, refuse_no_expression
from epochal.cli.explorer.walk import Address, Opened, Shelf, address_of, walk
from epochal.errors import UsageError
from epochal.spec.language import BoundsError, Protocol
from tests.explorer.conftest import stored


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


def test_a_stored_run_is_walked_to_its_end(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279)
    assert found.refused is None and found.address.at == 10
    assert [one.member.name for one in found.false_here()] == ["weak_isr", "strong_isr"]
    assert found.false_here()[1].because == "leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0"


def test_a_step_before_nothing_is_false(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279.looking_at(9))
    assert found.false_here() == []
    assert "BecomeFollower(b2, b3, 1)" in dict(found.choices().possible)


def test_a_run_that_is_not_possible_ends_before_that_step(shelf: Shelf, kip_279: Address) -> None:
    wrong = replace(kip_279, steps=(*kip_279.steps[:5], "Fetch(b3, b2)", "LeaderWrite(b1)"), at=7)
    found = walk(shelf.open(wrong.protocol, wrong.bounds), wrong)
    assert found.refused is not None and found.refused.number == 6
    assert [guard.holds for guard in found.refused.guards] == [False]
    assert found.address.steps == kip_279.steps[:5] and found.address.at == 5


def test_a_step_that_is_none(shelf: Shelf, kip_279: Address) -> None:
    found = walk(shelf.open("kip-279"), replace(kip_279, steps=("Explode(b1)",), at=1))
    assert found.refused is not None and found.refused.why == "the protocol has no such step within these bounds"


def test_every_choice_leads_where_python_says(shelf: Shelf) -> None:
    opened = shelf.open("kraft")
    found = walk(opened, Address("kraft"))
    expected = {instance.label for instance, _ in opened.protocol.successors(found.here)}
    choices = found.choices()
    assert {label for label, _ in choices.possible} == expected
    refused = [label for group in choices.refused for _, labels in group.actions for label in labels]
    assert len(refused) + len(expected) == len(opened.protocol.instances)
    for label in expected:
        after = walk(opened, found.address.taking(label))
        assert after.refused is None and after.address.at == 1


def test_a_counterexample_to_induction_begins_where_no_run_leads(shelf: Shelf) -> None:
    address = stored("kip-279-proof-leader-expands-isr-quorum-isr-holds-what-is-committed")
    assert address.codes
    found = walk(shelf.open(address.protocol, address.bounds), address)
    assert found.refused is None
    assert "quorum_isr_holds_what_is_committed" in [one.member.name for one in found.false_here()]


def test_a_first_state_that_is_none(shelf: Shelf) -> None:
    for address in (Address("kip-279", codes=(1, 2)), Address("kip-279", first=99)):
        with pytest.raises(UsageError, match="state"):
            walk(shelf.open("kip-279"), address)


def test_the_address_of_a_trace_leads_back(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    trace: Trace = walk(opened, kip_279).trace
    assert replace(address_of(trace, opened), about=kip_279.about) == kip_279


def test_a_run_that_goes_on_for_ever_comes_back(shelf: Shelf) -> None:
    address = stored("quorum-same-cadence-leader-is-elected-log-size-1-max-epoch-1")
    found = walk(shelf.open(address.protocol, address.bounds), address)
    assert found.refused is None
    assert found.again.get(len(found.address.steps)) is not None


# -- protocols ----------------------------------------------------------------------------------------------------


def test_no_file_is_opened_because_an_address_names_it(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="no file runs because an address names it"):
        shelf.open("evil.py:P")


def test_a_name_that_is_none(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match=r"(?s)kip-32.*kip-320"):
        shelf.open("kip-32")


def test_bounds_that_are_not_allowed(shelf: Shelf) -> None:
    with pytest.raises(BoundsError, match="replicas"):
        shelf.open("kip-279", [("replicas", 99)])


def test_what_the_command_line_names_can_be_opened() -> None:
    from epochal.spec.classic.kip_320 import Kip320

    class Mine(Kip320):
        """A variant."""

    assert Shelf({"mine.py:Mine": Mine}).open("mine.py:Mine").protocol.__class__ is Mine


def test_few_protocols_are_kept() -> None:
    shelf = Shelf()
    for records in range(1, 5):
        for epoch in range(1, 6):
            shelf.open("kip-279", [("records", min(records, 3)), ("max_epoch", min(epoch, 3))])
    assert len(shelf.kept) <= 16


# -- expressions --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(shelf: Shelf, kip_279: Address) -> tuple[Protocol, list[tuple[int, ...]]]:
    found = walk(shelf.open(kip_279.protocol, kip_279.bounds), kip_279)
    return found.protocol, list(found.trace.states)


@pytest.mark.parametrize(
    ("expression", "last"),
    [
        ("len(self.quorum.isr)", "2"),
        ("self.replicas[b1].hw", "1"),
        ("[r for r in self.replicas if self.replicas[r].hw]", "[b1]"),
        ("(r for r in self.replicas)", "[b1, b2, b3]"),
        ("self.quorum.leader", "b1"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("self.nothing", "AttributeError: 'Kip279' object has no attribute 'nothing'"),
        ("exit(3)", "SystemExit: 3"),
        ("'\\x1b[31m'", "?[31m"),
        ("'x' * 10_000", "x" * 120 + "…"),
    ],
)
def test_an_expression_along_a_run(run: tuple[Protocol, list[tuple[int, ...]]], expression: str, last: str) -> None:
    found = ask(expression, *run)
    assert found.wrong == "" and len(found.answers) == 11
    assert found.answers[-1].text == last


@pytest.mark.parametrize("expression", ["self.", "x = 1", "import os", "\0", "(" * 5000, "x" * 600])
def test_what_is_no_expression(run: tuple[Protocol, list[tuple[int, ...]]], expression: str) -> None:
    found = ask(expression, *run)
    assert found.wrong and found.answers == ()
    with pytest.raises(UsageError):
        refuse_no_expression(expression)


def test_an_expression_changes_nothing_for_the_next(run: tuple[Protocol, list[tuple[int, ...]]]) -> None:
    ask("self.__setattr__('next_record', 0)", *run)
    assert ask("self.next_record", *run).answers[-1].text != "0"


# -- two at once --------------------------------------------------------------------------------------------------


def opened_beside(shelf: Shelf, name: str, first: Opened) -> Opened:
    return shelf.open_beside(name, first.protocol)


def test_the_fix_refuses_and_says_why(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "kip-320", opened), walk(opened, kip_279))
    assert found.said == "kip-320 cannot go along beyond state 1: step 2 is not possible there."
    assert found.guards[0].text == "self.presumes_leadership(leader)" and len(found.rows) == 2


def test_the_same_protocol_goes_along(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "kip-279", opened), walk(opened, kip_279))
    assert (found.refused, found.differs_at) == (None, None)


def test_another_family_has_no_such_step(shelf: Shelf, kip_279: Address) -> None:
    opened = shelf.open(kip_279.protocol, kip_279.bounds)
    found = beside(opened_beside(shelf, "quorum", opened), walk(opened, kip_279))
    assert found.refused == 1 and "no such step" in found.why
