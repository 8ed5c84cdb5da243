"""Steps that are tried on one instance, one after the other: each is as from a state that no other step has touched."""

from __future__ import annotations

import random
from functools import partial
from typing import Annotated

import pytest

from epochal.language import (
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    require,
)
from epochal.spec.language import EvaluationError, LanguageError
from epochal.spec.language.protocol import Scratch, to_read
from epochal.spec.registry import registered
from tests.each import for_each

Small = Annotated[int, Integers(0, 3)]
Key = Annotated[Identifier, Identifiers("k", 2)]


class Entry(Struct):
    number: Small


class Place(Struct):
    number: Small
    log: Annotated[Log[Entry], Capacity(2)]


class Careless(Protocol):
    """Every way in which a rule may write, and then turn out not to be enabled, or fail."""

    flag: bool
    alone: Place
    places: Map[Key, Place]
    numbers: Map[Key, Small]
    maybe: Entry | None

    def write(self, key: Identifier, how: int) -> None:
        if how == 0:
            self.flag = True
        elif how == 1:
            self.alone.number = 2
        elif how == 2:
            self.places[key].log.append(Entry(number=1))
        elif how == 3:
            self.places[key] = Place(number=3, log=[])
        elif how == 4:
            self.numbers[key] = 1
        elif how == 5:
            self.places = dict.fromkeys(self.places, self.alone)
            self.places[key].number = 1
        elif how == 6:
            self.maybe = Entry(number=2)
            self.maybe.number = 3
        else:
            read = self.places[key]
            self.alone = read
            read.number = 2  # of the map's entry alone: what is stored is a copy

    @action
    def stays(self, key: Key, how: Annotated[int, Integers(0, 7)]) -> None:
        self.write(key, how)

    @action
    def is_refused(self, key: Key, how: Annotated[int, Integers(0, 7)]) -> None:
        self.write(key, how)
        require(False)

    @action
    def fails(self, key: Key, how: Annotated[int, Integers(0, 7)]) -> None:
        self.write(key, how)
        self.alone.log.truncate(3)

    @action
    def takes_apart(self, how: Annotated[int, Integers(0, 2)]) -> None:
        if how == 0:
            del self.flag
        elif how == 1:
            del self.maybe
        else:
            del self.alone.number


def tried(protocol: Protocol, seed: int, steps: int) -> None:
    """Walk at random, and try every step from each state and again from one before: on a scratch, and on a state of
    its own."""
    scratch, walk = Scratch(protocol), random.Random(seed)
    states = [protocol.initial_states()[0]]
    for _ in range(steps):
        reached = []
        for codes in (states[-1], walk.choice(states)):
            for instance in walk.sample(protocol.instances, min(60, len(protocol.instances))):
                after, why = None, ""
                try:
                    after = protocol.step(protocol.at(codes), instance)
                except EvaluationError as failed:
                    why = str(failed)
                if why:
                    with pytest.raises(EvaluationError) as again:
                        scratch.step(codes, instance)
                    assert str(again.value) == why
                else:
                    assert scratch.step(codes, instance) == after, instance.label
                reached += [] if after is None else [after]
        states.append(walk.choice(reached or states))


@pytest.mark.parametrize("seed", range(3))
def test_no_step_sees_what_another_wrote(seed: int) -> None:
    tried(Careless(), seed, 25)


@for_each("name", ["kraft", "kraft-observed", "kip-320", "balancing-kraft", "share-groups", "quorum", "transactions"])
def test_no_step_of_a_registered_protocol_does(name: str) -> None:
    tried(registered(name)(), 1, 12)


def test_outcomes_are_those_of_single_steps() -> None:
    protocol = Careless()
    codes = protocol.initial_states()[0]
    failed = 0
    for instance, after in protocol.outcomes(codes):
        if isinstance(after, EvaluationError):
            failed += 1
        else:
            assert after == protocol.step(protocol.at(codes), instance)
    # what `write` itself refuses is no more: 16 truncations, and three that take the state apart
    assert failed == 16 + 3


def test_whatever_interrupts_a_step_nothing_of_it_is_left() -> None:
    """Also where it is no error of the rule, and came between a write and the note of it."""

    class Interrupted(Careless):
        @action
        def is_interrupted(self) -> None:
            self.__dict__["flag"] = True
            self.alone.__dict__["number"] = 3
            raise KeyboardInterrupt

    protocol = Interrupted()
    codes = protocol.initial_states()[0]
    scratch = Scratch(protocol)
    *others, interrupts = protocol.instances
    for other in others:
        if other.action.name == "stays":
            with pytest.raises(KeyboardInterrupt):
                scratch.step(codes, interrupts)
            assert scratch.step(codes, other) == protocol.step(protocol.at(codes), other)


def test_a_state_that_several_read_is_not_written_to() -> None:
    protocol = Careless()
    state = to_read(protocol, protocol.initial_states()[0])
    assert state.codes() == protocol.initial_states()[0]
    for instance in protocol.instances:
        if instance.action.name == "stays":
            with pytest.raises(LanguageError, match="read by several"):
                protocol.step(state, instance)
            assert state.codes() == protocol.initial_states()[0], instance.label


class Kept(Struct):
    place: Place
    numbers: Map[Key, Small]
    maybe: Entry | None
    some: Set[Entry]


class Deep(Protocol):
    """Every way to change a part of what was read from a log, without a new entry."""

    kept: Annotated[Log[Kept], Capacity(2)]
    flat: Annotated[Log[Entry], Capacity(2)]
    some: Set[Entry]

    def initial(self) -> None:
        number = Entry(number=1)
        first = Kept(
            place=Place(number=1, log=[number]),
            numbers=dict.fromkeys(self.each(Key), 1),
            maybe=number,
            some=Set({number}),
        )
        self.kept, self.flat, self.some = [first], [number], Set({number})

    @action
    def changes(self, how: Annotated[int, Integers(0, 9)]) -> None:
        entry = self.kept[0]
        if how == 0:
            entry.place.number = 2
        elif how == 1:
            entry.place.log.append(Entry(number=2))
        elif how == 2:
            entry.place.log.truncate(0)
        elif how == 3:
            entry.place.log[0] = Entry(number=2)
        elif how == 4:
            entry.numbers[next(iter(entry.numbers))] = 2
        elif how == 5:
            assert entry.maybe is not None
            entry.maybe.number = 2
        elif how == 6:
            del entry.place.number
        elif how == 7:
            del self.flat[0].number
        elif how == 8:
            for one in self.some:
                del one.number
        else:
            for one in entry.some:
                one.number = 2

    @action
    def copies(self) -> None:
        self.kept.append(self.kept[0])
        self.flat = [self.kept[1].place.log[0], *self.flat]


def test_nothing_of_what_was_read_from_a_log_is_changed_in_place() -> None:
    """Entries are values: states share them, and no write to a part of one would be noted. The compiler refuses it."""
    protocol = Deep()
    codes = protocol.initial_states()[0]
    scratch, state = Scratch(protocol), to_read(protocol, codes)
    *changes, copies = protocol.instances
    after = protocol.step(protocol.at(codes), copies)
    assert after is not None and scratch.step(codes, copies) == after
    for instance in changes:
        for step in (
            partial(scratch.step, codes),
            partial(protocol.step, state),
            partial(protocol.step, protocol.at(codes)),
        ):
            with pytest.raises(LanguageError, match="was read from a log and cannot be changed in place"):
                step(instance)
        assert state.codes() == protocol.at(codes).codes() == codes, instance.label
        assert scratch.step(codes, copies) == after, instance.label
