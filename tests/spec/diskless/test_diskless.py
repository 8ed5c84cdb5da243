"""Diskless topics: with every rule the promises hold, and without one of them a shortest run shows what it is for."""

from __future__ import annotations

import pytest

from epochal.api.check import liveness
from epochal.spec.bugs.diskless import BUGS
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.diskless.diskless import Diskless
from epochal.spec.diskless.state import Entry, EntryKind, ObjectPhase
from epochal.spec.diskless.transactions import DisklessTransactions, TransactionDecision
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered
from tests.spec.searches import assert_both_engines_agree, judged, named, shortest_run, violated, witnesses

SOUND: tuple[tuple[str, dict[str, int], int, int], ...] = (
    ("diskless", {}, 163_162, 21),
    ("diskless-transactions", {}, 42_320, 28),
)
LARGER = (
    pytest.param("diskless", {"entries": 4, "failovers": 2}, 248_033, 22, marks=pytest.mark.long),
    pytest.param("diskless", {"objects": 3}, 8_265_754, 24, marks=pytest.mark.long),
)
"""Distinct states and depth; these figures are this specification's own."""


@pytest.mark.parametrize(("name", "bounds", "states", "depth"), [*SOUND, *LARGER], ids=str)
def test_with_every_rule_the_promises_hold(name: str, bounds: dict[str, int], states: int, depth: int) -> None:
    result = judged(named(name, bounds))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)
    assert None not in witnesses(result).values()
    assert result.never_taken == ()


BROKEN = {
    "DK1": {"offset_is_given_once": 6, "no_batch_twice": 6},
    "DK2": {"acknowledged_is_readable": 5},
    "DK3": {"no_batch_twice": 7},
    "DK4": {"order_is_kept": 4},
    "DK5": {"named_objects_are_there": 7, "acknowledged_is_readable": 8},
    "DK6": {"acknowledged_is_readable": 6},
    "DK7": {"offset_is_given_once": 9, "acknowledged_is_readable": 6, "named_objects_are_there": 7},
    "DK8": {"named_objects_are_there": 6, "acknowledged_is_readable": 7},
    "DK9": {"named_objects_are_there": 6, "acknowledged_is_readable": 7},
    "DK10": {"named_objects_are_there": 5, "acknowledged_is_readable": 6},
    "DK11": {"named_objects_are_there": 6, "acknowledged_is_readable": 7},
    "DK12": {"named_objects_are_there": 6, "acknowledged_is_readable": 7},
    "DK14": {"consumer_misses_nothing": 6},
    "DK15": {"aborted_is_never_visible": 17, "fenced_adds_nothing": 8},
    "DK16": {"aborted_is_never_visible": 10},
    "DK17": {"complete_is_marked": 6},
    "DK18": {"aborted_is_never_visible": 9},
}
"""What each choice breaks at its bounds, with the number of states of the shortest run. DK13 is about liveness."""


def without_rule(bug: KnownBug) -> Protocol:
    """The protocol without a rule, within the bounds of its entry."""
    return instantiate(registered(bug.without_rule), dict(bug.other_bounds))


def bug_of(id: str) -> KnownBug:
    """The entry with this id."""
    return next(one for one in BUGS if one.id == id)


def steps_of(id: str) -> list[str]:
    """The steps of the run that an entry shows."""
    bug = bug_of(id)
    return [step.instance.action.name for step in shortest_run(without_rule(bug), bug.property_id).steps]


def test_without_a_rule_what_is_listed_breaks_and_all_else_holds() -> None:
    """By a run of that length; the catalogue names all of it."""
    assert BROKEN.keys() | {"DK13"} == {bug.id for bug in BUGS}
    for id, broken in BROKEN.items():
        assert set(bug_of(id).properties) == broken.keys(), id
        assert violated(judged(without_rule(bug_of(id)))) == broken, id


def test_with_the_rule_within_the_same_bounds() -> None:
    """Where several entries have the same bounds one search is enough."""
    for name, bounds in dict.fromkeys((bug.with_rule, bug.other_bounds) for bug in BUGS):
        assert violated(judged(instantiate(registered(name), dict(bounds)))) == {}, (name, bounds)


AT_THEIR_BOUNDS = {"DK7": (5_213, 16), "DK14": (121, 11)}
"""Distinct states and depth with the rule, where nothing but this choice is in question."""


@pytest.mark.parametrize("id", AT_THEIR_BOUNDS)
def test_a_choice_that_loses_or_skips_is_closed_at_its_own_bounds(id: str) -> None:
    """All that must never happen, and what must happen in the end."""
    bug = bug_of(id)
    sound = instantiate(registered(bug.with_rule), dict(bug.other_bounds))
    result = judged(sound)
    assert violated(result) == {} and (result.distinct_states, result.depth) == AT_THEIR_BOUNDS[id]
    found = liveness(sound).search.liveness
    assert found is not None and {one.verdict for one in found.promises} == {"holds"}


BEYOND = (
    ("DK7", {"batches": 1, "entries": 3, "failovers": 2, "objects": 3}, 222_437, 21),
    ("DK14", {"producers": 1, "batches": 3, "objects": 2, "entries": 2}, 72_556, 17),
    ("DK14", {"producers": 1, "batches": 3, "objects": 2, "failovers": 2, "deletions": 2}, 446_559, 21),
)
"""DK7 with another object and record; DK14 where the coordinator fails over and records are deleted meanwhile."""


@pytest.mark.parametrize(("id", "bounds", "states", "depth"), BEYOND, ids=str)
def test_the_same_beyond_their_bounds(id: str, bounds: dict[str, int], states: int, depth: int) -> None:
    """Every step happens, and everything that must be possible is."""
    result = judged(named(bug_of(id).with_rule, bounds))
    assert violated(result) == {} and None not in witnesses(result).values() and result.never_taken == ()
    assert (result.distinct_states, result.depth) == (states, depth)


def test_garbage_goes_unless_nobody_sweeps() -> None:
    """An object whose broker fails before it asks for the commit: two steps, and nothing more happens to it."""
    bug = bug_of("DK13")
    assert bug.properties == ("garbage_goes",)
    for name, holds in ((bug.with_rule, True), (bug.without_rule, False)):
        found = liveness(instantiate(registered(name), dict(bug.other_bounds)), properties=bug.property_id)
        assert found.search.liveness is not None
        assert found.search.liveness.promises[0].verdict == ("holds" if holds else "violated")


def test_no_release_has_them() -> None:
    """The proposals are in no release, and the catalogue says so of each entry."""
    for bug in BUGS:
        assert bug.had_by().startswith("No released Kafka: ")
        assert not bug.was_in("4.4") and bug.shown_on == ()


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("diskless", {"batches": 1, "entries": 2}),
        ("diskless-transactions", {"entries": 3, "deletions": 0}),
        ("diskless-loads-to-log-end", {"batches": 1, "entries": 1, "deletions": 0}),
    ],
)
def test_machine_code_and_python_agree(name: str, bounds: dict[str, int]) -> None:
    assert_both_engines_agree(named(name, bounds))


# -- what the rules do ------------------------------------------------------------------------------------------------


def stored(protocol: Diskless, object: int, first: int, last: int) -> None:
    """An object is in the store."""
    protocol.objects[object].phase = ObjectPhase.STORED
    protocol.objects[object].first = first
    protocol.objects[object].last = last


def batches(object: int, producer: int, first: int, offset: int) -> Entry:
    """A record of the coordinator's log."""
    return Entry(kind=EntryKind.BATCHES, producer=producer, object=object, first=first, offset=offset)


def test_of_an_object_what_is_new_is_committed() -> None:
    """The second object repeats a batch and has another one, which gets the next offset."""
    protocol = named("diskless", {"producers": 1, "batches": 2})
    assert isinstance(protocol, Diskless)
    stored(protocol, 0, 0, 0)
    stored(protocol, 1, 0, 1)
    protocol.log.append(batches(0, 0, 0, 0))
    assert protocol.may_commit(1) and protocol.accepted_from(1) == 1
    protocol.commit(1)
    assert [(e.first, e.offset, e.object) for e in protocol.log] == [(0, 0, 0), (1, 1, 1)]
    assert not protocol.may_commit(1)


def test_an_object_lives_as_long_as_its_last_batch() -> None:
    protocol = named("diskless", {"producers": 1, "batches": 2})
    assert isinstance(protocol, Diskless)
    stored(protocol, 0, 0, 1)
    protocol.log.append(batches(0, 0, 0, 0))
    for start in (1, 2):
        protocol.log.append(Entry(kind=EntryKind.DELETION, producer=0, object=0, first=0, offset=start))
        protocol.replicated = len(protocol.log)
        assert protocol.is_over(0) == (start == 2)


def test_a_marker_ends_what_is_open() -> None:
    """The last stable offset stands at the first open batch, and a late batch is ended by the next marker."""
    protocol = named("diskless-transactions", {})
    assert isinstance(protocol, DisklessTransactions)
    protocol.decisions[0] = TransactionDecision.ABORT
    stored(protocol, 0, 0, 0)
    stored(protocol, 1, 1, 1)
    marker = Entry(kind=EntryKind.ABORT, producer=0, object=0, first=0, offset=0)
    protocol.log = [batches(0, 0, 0, 0), marker, batches(1, 1, 1, 1)]
    assert [protocol.last_stable(upto) for upto in range(4)] == [0, 0, 1, 1]
    assert protocol.ends_as(0, EntryKind.ABORT, 2) and not protocol.ends_as(0, EntryKind.ABORT, 1)
    assert protocol.is_open(2, 3)
    assert not protocol.may_commit(0)


def test_the_runs_are_those_that_are_told() -> None:
    """The stories of docs/kafka/diskless.md, by their steps."""
    assert steps_of("DK6") == ["upload", "upload", "commit", "answer_duplicate", "fail_over"]
    assert steps_of("DK9") == ["upload", "expire", "sweep", "commit", "replicate"]
    assert steps_of("DK10") == ["upload", "sweep", "commit", "replicate"]
    assert steps_of("DK11") == ["upload", "commit", "expire", "sweep", "replicate"]
    assert steps_of("DK14")[-2:] == ["fetch", "be_reset"]
    assert steps_of("DK7").count("fail_over") == 2
    run = steps_of("DK15")
    assert run.index("abort_transaction") < run.index("write_marker") < run.index("commit_transaction")
