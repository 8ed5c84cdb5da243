"""What people read of a state."""

from __future__ import annotations

from typing import Annotated, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.spec.classic.async_isr import AsyncIsr
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds, LeaderAndIsr, Record, ReplicaState
from epochal.spec.language import Capacity, Identifier, Log, Map, Protocol, Set, Struct
from epochal.spec.language.display import shown_leaves, shown_lines
from tests.checker.trace.trace_zoo import Node, Zoo, ZooBounds, states_of

ZOO = Zoo()


def replicated(**fields: Any) -> Kip320:
    """Two replicas; b1 leads in epoch 0 and holds a record."""
    protocol = Kip320(ClassicBounds(replicas=2, log_size=2, records=2, max_epoch=1))
    state = protocol.at(protocol.initial_states()[0])
    b1, _ = state.replicas
    state.replicas[b1] = ReplicaState(
        log=[Record(id=1, epoch=0)], hw=1, epoch=0, leader=b1, isr=Set(state.replicas)
    )  # fmt: skip
    state.requests.append(LeaderAndIsr(leader=None, isr=Set([b1])))
    return state


def test_leaves_are_named_as_a_kafka_engineer_would() -> None:
    state = replicated()
    assert shown_leaves(state, state.codes()) == {
        "next_record": "0",
        "b1.log[0]": "r1@e0",
        "b1.log[1]": "-",
        "b1.hw": "1",
        "b1.epoch": "0",
        "b1.leader": "b1",
        "b1.isr": "{b1, b2}",
        "b2.log[0]": "-",
        "b2.log[1]": "-",
        "b2.hw": "0",
        "b2.epoch": "-1",
        "b2.leader": "-",
        "b2.isr": "{}",
        "quorum.leader": "-",
        "quorum.isr": "{b1, b2}",
        "requests[0]": "- {b1}",
        "requests[1]": "-",
    }


def test_leaves_come_in_the_order_of_the_state() -> None:
    paths = list(shown_leaves(state := replicated(), state.codes()))
    assert paths[:3] == ["next_record", "b1.log[0]", "b1.log[1]"]
    assert paths[-2:] == ["requests[0]", "requests[1]"]


def test_a_map_without_records_puts_the_key_before_the_variable() -> None:
    protocol = AsyncIsr()
    leaves = shown_leaves(protocol, protocol.initial_states()[0])
    assert leaves["b2.offsets"] == "0"
    assert leaves["controller"] == "{b1, b2, b3} v0"
    assert leaves["leader.pending_version"] == "-"


def test_lines_are_one_for_each_broker() -> None:
    state = replicated()
    assert shown_lines(state, state.codes()) == {
        "next_record": "0",
        "b1": "log [r1@e0], hw 1, epoch 0, leader b1, isr {b1, b2}",
        "b2": "log [], hw 0, epoch -1, leader -, isr {}",
        "quorum": "leader -, isr {b1, b2}",
        "requests": "[- {b1}]",
    }


def test_every_kind_of_domain_has_leaves(zoo: Zoo) -> None:
    leaves = shown_leaves(zoo, zoo.initial_states()[0])
    assert leaves["flag"] == "false"
    assert leaves["maybe_flag"] == "-"
    assert leaves["color"] == "dark-red"
    assert leaves["entry.number"] == "-"
    assert leaves["secret"] == "sfalse"
    assert leaves["maybe_secret"] == "-"
    assert leaves["n1.counts[dark-red]"] == "-1"
    assert leaves["by_flag[true]"] == "-"
    assert leaves["by_number[0].number"] == "-1"
    assert leaves["by_maybe[-]"] == "false"
    assert leaves["numbers[2]"] == "-"
    assert leaves["n1.states.log[0].color"] == "-"
    assert leaves["history"] == "{}"


def test_leaves_of_two_variables_that_would_be_named_alike_keep_the_variable(zoo: Zoo) -> None:
    leaves = shown_leaves(zoo, zoo.initial_states()[0])
    assert leaves["n1.states.x"] == "-1"
    assert leaves["n1.others.x"] == "false"
    assert "n1.x" not in leaves


class Hw(Struct):
    """A record with one field."""

    hw: bool


class Clash(Protocol):
    """A variable that is called like a node."""

    bounds: ZooBounds
    nodes: Map[Node, Hw]
    n1: Hw


def test_a_variable_called_like_an_identifier_does_not_swallow_leaves() -> None:
    protocol = Clash()
    assert list(shown_leaves(protocol, protocol.codes())) == ["n1.nodes.hw", "n2.nodes.hw", "n1.hw"]


class Inner(Struct):
    """A record called like the variable of DeepClash."""

    hw: bool


class Outer(Struct):
    """Its leaves are named as those of `Map[Node, Hw]` in the variable `nodes`."""

    nodes: Inner
    hw: bool


class DeepClash(Protocol):
    """Even the key with the variable is not unique here."""

    bounds: ZooBounds
    nodes: Map[Node, Hw]
    n1: Outer


def test_the_last_resort_is_the_path_of_the_specification() -> None:
    protocol = DeepClash()
    assert list(shown_leaves(protocol, protocol.codes())) == [
        "nodes[n1].hw",
        "nodes[n2].hw",
        "n1.nodes.hw",
        "n1.hw",
    ]


class Nested(Struct):
    """An entry that holds a map."""

    seen: Map[Node, bool]


class DeepLog(Protocol):
    """A log of records with a map inside."""

    bounds: ZooBounds
    log: Annotated[Log[Nested], Capacity(1)]


def test_the_leaves_of_a_free_slot_are_all_dashes() -> None:
    protocol = DeepLog()
    empty = {"log[0].seen[n1]": "-", "log[0].seen[n2]": "-"}
    assert shown_leaves(protocol, protocol.codes()) == empty
    state = protocol.at(protocol.codes())
    nodes: list[Identifier] = list(protocol.each(Node))
    state.log.append(Nested(seen={nodes[0]: True, nodes[1]: False}))
    assert shown_leaves(protocol, state.codes()) == {"log[0].seen[n1]": "true", "log[0].seen[n2]": "false"}


@settings(max_examples=50, deadline=None)
@given(st.lists(states_of(ZOO), min_size=2, max_size=2))
def test_the_paths_do_not_depend_on_the_state(states: list[tuple[int, ...]]) -> None:
    first, second = (shown_leaves(ZOO, codes) for codes in states)
    assert list(first) == list(second)
    assert all(value for value in first.values())
