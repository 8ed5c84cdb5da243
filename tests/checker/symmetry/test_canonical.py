"""Renaming states, and the representative of an orbit: the reference against brute force, machine code against it."""

from __future__ import annotations

import ctypes
import itertools
import math
import random
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.checker.native.engine import NativeModel
from epochal.checker.native.llvm.instructions import LANES
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.program.program import EXTRA_WORDS, plain_changes, walk
from epochal.checker.native.runtime.memory import WORD, SuccessorBuffer
from epochal.checker.symmetry.canonical import CanonicalForm, Codes, Naming
from epochal.spec.language import Protocol
from tests.checker.native.machines import WITHOUT
from tests.checker.search.models import classic
from tests.checker.symmetry.zoo import Everywhere, ZooBounds, brute_force, random_state

PROTOCOLS: dict[str, Callable[[], Protocol]] = {
    "everywhere": lambda: Everywhere(ZooBounds(3, 2)),
    "everywhere-4": lambda: Everywhere(ZooBounds(4, 1)),
    "kip-320": lambda: classic("kip-320", 3, 2, 2, 2),
    "kip-320-5": lambda: classic("kip-320", 5, 1, 1, 1),
    "one-replica": lambda: classic("kip-320", 1, 2, 2, 2),
}


class Subject:
    """A protocol with its representatives, in Python and in machine code."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.model: Model = compile_protocol(protocol)
        self.naming = Naming(protocol)
        self.form = CanonicalForm(self.naming, self.model.layout)
        self._code = NativeModel(self.model, form=self.form).program
        self._canonical = self._code.function("canonical", None, ctypes.c_void_p)

    def keys(self, words: Sequence[int]) -> list[list[int]]:
        """The keys of all groups."""
        return [self.form.keys(group, words) for group in self.naming.groups]

    def native(self, codes: Codes) -> Codes:
        """The representative by machine code."""
        words = (WORD * self.model.layout.words)(*self.model.layout.pack(codes))
        self._canonical(ctypes.addressof(words))
        return self.model.layout.unpack(list(words))


@cache
def subject(name: str) -> Subject:
    """Compiled once for all tests."""
    return Subject(PROTOCOLS[name]())


def orbit_of(one: Subject, codes: Codes) -> list[Codes]:
    """All renamed states."""
    return sorted({one.naming.renamed(codes, names) for names in one.naming.renamings})


@pytest.mark.parametrize("name", PROTOCOLS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_one_representative_for_an_orbit(name: str, seed: int) -> None:
    """Every member of an orbit has the same representative, which is the first of the orbit by keys and words."""
    one, chance = subject(name), random.Random(seed)
    codes = random_state(one.protocol, chance)
    orbit = orbit_of(one, codes)
    first = brute_force(one.keys, one.model.layout.pack, orbit)
    for member in orbit if len(orbit) <= 12 else chance.sample(orbit, 12):
        assert one.form(member) == first
        assert one.native(member) == first


@pytest.mark.parametrize("machine", WITHOUT)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_many_at_a_time(name: str, machine: str) -> None:
    """Of any number of entries the states become what they become alone, with ties and without, and nothing else."""
    one, chance = subject(name), random.Random(13)
    protocol, layout = one.protocol, one.model.layout
    code = NativeModel(one.model, Compiler(*WITHOUT[machine]), one.form).program
    canonical_eight = code.function("canonical_eight", None, ctypes.c_void_p, ctypes.c_uint64)
    for count in (0, 1, 7, 8, 9, 40):
        states = [random_state(protocol, chance) if i % 3 else protocol.initial_states()[0] for i in range(count)]
        buffer = SuccessorBuffer(layout.words, count + LANES)
        for entry in range(buffer.entries):
            words = layout.pack(states[entry]) if entry < count else [chance.getrandbits(64)] * layout.words
            buffer.put(entry, words, [entry] * EXTRA_WORDS)
        before = list(buffer.array)
        canonical_eight(buffer.address, count)
        assert [layout.unpack(buffer.state(i)) for i in range(count)] == [one.native(codes) for codes in states]
        for entry in range(count):
            buffer.put(entry, layout.pack(states[entry]), [entry] * EXTRA_WORDS)
        assert list(buffer.array) == before


@pytest.mark.parametrize("name", PROTOCOLS)
def test_full_ties(name: str) -> None:
    """Initial states, where all identifiers have equal keys, and states where some have."""
    one, chance = subject(name), random.Random(5)
    for codes in one.protocol.initial_states():
        for _ in range(30):
            orbit = orbit_of(one, codes)
            first = brute_force(one.keys, one.model.layout.pack, orbit)
            assert one.form(codes) == first
            assert {one.native(member) for member in orbit[:40]} == {first}
            steps = list(one.protocol.successors(codes))
            if not steps:
                break
            codes = chance.choice(steps)[1]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_keys_go_with_the_identifiers(name: str) -> None:
    one, chance = subject(name), random.Random(7)
    for _ in range(20):
        codes = random_state(one.protocol, chance)
        names = chance.choice(one.naming.renamings)
        before = one.keys(one.model.layout.pack(codes))
        after = one.keys(one.model.layout.pack(one.naming.renamed(codes, names)))
        for group, old, new in zip(one.naming.groups, before, after, strict=True):
            assert [new[to] for to in names[group.prefix]] == old


@pytest.mark.parametrize("name", ["everywhere", "kip-320"])
def test_renaming_commutes_with_steps(name: str) -> None:
    one, chance = subject(name), random.Random(11)
    codes = one.protocol.initial_states()[0]
    for _ in range(60):
        steps = list(one.protocol.successors(codes))
        names = chance.choice(one.naming.renamings)
        renamed = {(one.naming.instance(i, names).number, one.naming.renamed(after, names)) for i, after in steps}
        again = one.protocol.successors(one.naming.renamed(codes, names))
        assert {(instance.number, after) for instance, after in again} == renamed
        codes = chance.choice(steps)[1] if steps else one.protocol.initial_states()[0]


def test_renaming_is_an_action_of_the_group() -> None:
    """Renaming back gives the state again, and shows names where they are: in keys, values, sets, logs."""
    one = subject("everywhere")
    assert isinstance(one.protocol, Everywhere)
    state = one.protocol.at(one.protocol.initial_states()[0])
    n1, n2, n3 = one.naming.groups[0].domain.values()
    state.peers[n1] = n2
    state.views[n3] = state.views[n3] | {n1, n2}
    state.queue.append(n1)
    names = {"n": (1, 2, 0)}
    renamed = one.protocol.at(one.naming.renamed(state.codes(), names))
    assert renamed.peers[n2] == n3 and renamed.peers[n1] is None
    assert renamed.views[n1] == {n2, n3}
    assert list(renamed.queue) == [n2] and renamed.current == n2
    assert one.naming.renamed(renamed.codes(), {"n": (2, 0, 1)}) == state.codes()


@pytest.mark.parametrize("size", range(1, 7))
def test_plain_changes(size: int) -> None:
    order, seen = list(range(size)), [tuple(range(size))]
    for at in plain_changes(size):
        order[at], order[at + 1] = order[at + 1], order[at]
        seen.append(tuple(order))
    assert len(seen) == math.factorial(size) and set(seen) == set(itertools.permutations(range(size)))


@pytest.mark.parametrize("ties", list(itertools.product([False, True], repeat=4)))
def test_walks_through_ties(ties: tuple[bool, ...]) -> None:
    """A walk visits every order that exchanges tied neighbours only, each once."""
    order, seen = list(range(5)), [tuple(range(5))]
    for at in walk(ties):
        assert ties[at]
        order[at], order[at + 1] = order[at + 1], order[at]
        seen.append(tuple(order))
    sizes = [len(list(run)) + 1 for tied, run in itertools.groupby(ties) if tied]
    assert len(seen) == len(set(seen)) == math.prod(map(math.factorial, sizes))
