"""One representative of each orbit: of all renamings of a state, the one that comes first.

Every identifier has a *key*, a number made from what the state says of it and from nothing else: what its own entries
of maps hold, whether it is the leader or a member of a set here and there. Renaming the state takes the keys along.
The representative is, of all renamed states whose keys ascend, the one whose words are least. So it is found by
sorting, and only identifiers with equal keys have to be tried in every order.

The keys are made of masked words, so that machine code makes them quickly; `checker.native.program.program` does
the same.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from epochal.spec.language import ActionInstance, EvaluationError
from epochal.spec.language.domains import IdentifierDomain, OptionalScalar, SetDomain

from ..crosscheck.disagreement import disagree_on_step, result_in_words
from ..ir.layout import Field, Layout
from ..ir.model import Model
from ..trace.run import PlainRun, Step
from .invariance import refuse_unsymmetrical
from .names import Codes, Group, Naming, Place, identifiers_in

MASK = (1 << 64) - 1
ENOUGH = 8
"""From so many bits on, what an identifier's entries hold and where it is named tell nearly all identifiers apart.

Who names whom in the entries is then left out of the keys: it doubled their cost, and resolved no ties worth it.
"""


@dataclass(frozen=True)
class KeyPart:
    """A part of the keys of a group's identifiers, each made alike from a word of the state.

    For identifier i: word `words[i]`, shifted right by `shifts[i]`, and masked. With `codes` the lowest bits of some
    fields of `width` bits are masked, and each becomes 1 where the field has the code `codes[i]`, else 0. With `count`
    the value is the number of ones. The key is the sum of the values times their constants, modulo 2**64.
    """

    words: tuple[int, ...]
    shifts: tuple[int, ...]
    mask: int
    constant: int
    codes: tuple[int, ...] = ()
    width: int = 0
    count: bool = False

    def value(self, identifier: int, words: Sequence[int]) -> int:
        """The value for an identifier in a state with these words."""
        found = words[self.words[identifier]] >> self.shifts[identifier]
        if self.codes:
            found ^= self.mask * self.codes[identifier]
            found = ~sum_of_bits(found, self.width)
        found &= self.mask
        return found.bit_count() if self.count else found


def sum_of_bits(word: int, width: int) -> int:
    """At the lowest bit of every field of this width: whether any bit of the field is set."""
    total = word
    for by in range(1, width):
        total |= word >> by
    return total


@dataclass(frozen=True)
class _Owned:
    """A leaf that every identifier of a group has one of, such as its own high watermark."""

    place: Place
    fields: tuple[Field, ...]


class CanonicalForm:
    """The representatives of a protocol's states."""

    def __init__(self, naming: Naming, layout: Layout) -> None:
        self.naming, self.layout = naming, layout
        self._constants = 0
        self.parts = {group.prefix: self._parts(group) for group in naming.groups}

    def __call__(self, codes: Codes) -> Codes:
        """The representative of a state."""
        words = self.layout.pack(codes)
        orders = [list(self._orders(group, self.keys(group, words))) for group in self.naming.groups]
        renamed = [
            self.naming.renamed(codes, dict(zip(self._prefixes, chosen, strict=True)))
            for chosen in itertools.product(*orders)
        ]
        return renamed[0] if len(renamed) == 1 else min(renamed, key=self.layout.pack)

    def keys(self, group: Group, words: Sequence[int]) -> list[int]:
        """The keys of a group's identifiers in a state with these words."""
        return [
            sum(part.constant * part.value(i, words) for part in self.parts[group.prefix]) & MASK
            for i in range(group.size)
        ]

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        return tuple(group.prefix for group in self.naming.groups)

    def _orders(self, group: Group, keys: list[int]) -> Iterator[Sequence[int]]:
        """The renamings of a group after which the keys ascend."""
        ordered = sorted(range(group.size), key=keys.__getitem__)
        ties = [list(tied) for _, tied in itertools.groupby(ordered, key=keys.__getitem__)]
        for chosen in itertools.product(*(itertools.permutations(tied) for tied in ties)):
            names = [0] * group.size
            for to, identifier in enumerate(itertools.chain.from_iterable(chosen)):
                names[identifier] = to
            yield names

    # -- what keys are made of ------------------------------------------------------------------------------------

    def _constant(self) -> int:
        """The next constant: odd, and without a pattern."""
        self._constants += 1
        return int.from_bytes(hashlib.blake2b(str(self._constants).encode(), digest_size=8).digest(), "little") | 1

    def _parts(self, group: Group) -> list[KeyPart]:
        shared, owned = self._leaves_of(group)
        parts = [*self._own_values(owned), *self._shared_names(group, shared)]
        if sum(part.mask.bit_count() for part in parts) < ENOUGH:
            parts += [*self._own_names(group, owned), *self._named_by_others(group, owned)]
        return parts

    def _leaves_of(self, group: Group) -> tuple[list[tuple[Place, Field]], list[_Owned]]:
        """The leaves that belong to no identifier, and those that each identifier of the group has one of."""
        shared: list[tuple[Place, Field]] = []
        owned: dict[tuple[object, ...], list[tuple[Place, Field]]] = {}
        for place, field in zip(self.naming.places, self.layout.fields, strict=True):
            owners = [key for key, _ in place.keys if next(identifiers_in(key), None) is not None]
            if not field.bits:
                continue
            if not owners:
                shared.append((place, field))
            elif len(owners) == 1 and isinstance(owners[0], IdentifierDomain) and owners[0].prefix == group.prefix:
                others = tuple(-1 if isinstance(key, IdentifierDomain) else i for key, i in place.keys)
                owned.setdefault((place.shape, others), []).append((place, field))
        return shared, [_Owned(found[0][0], tuple(f for _, f in found)) for found in owned.values()]

    def _own_values(self, owned: list[_Owned]) -> Iterator[KeyPart]:
        """What an identifier's own leaves hold, where renaming does not change it; neighbours are read together."""
        runs: list[tuple[tuple[Field, ...], int]] = []
        for one in owned:
            if next(identifiers_in(one.place.domain), None) is not None:
                continue
            for at, (base, mask) in enumerate(runs):
                gaps = {f.shift - b.shift if f.word == b.word else -1 for f, b in zip(one.fields, base, strict=True)}
                if len(gaps) == 1 and (gap := gaps.pop()) > 0:
                    runs[at] = (base, mask | one.fields[0].mask >> one.fields[0].shift << gap)
                    break
            else:
                runs.append((one.fields, one.fields[0].mask >> one.fields[0].shift))
        for fields, mask in runs:
            yield KeyPart(tuple(f.word for f in fields), tuple(f.shift for f in fields), mask, self._constant())

    def _own_names(self, group: Group, owned: list[_Owned]) -> Iterator[KeyPart]:
        """Whether an identifier names itself in its own leaves."""
        for one in owned:
            words = tuple(f.word for f in one.fields)
            if _is_set_of(group, one.place):
                shifts = tuple(f.shift + i for i, f in enumerate(one.fields))
                yield KeyPart(words, shifts, 1, self._constant())
            elif (first := _code_of_first(group, one.place)) is not None:
                codes = tuple(first + i for i in range(group.size))
                shifts = tuple(f.shift for f in one.fields)
                yield KeyPart(words, shifts, 1, self._constant(), codes, one.fields[0].bits)

    def _shared_names(self, group: Group, shared: list[tuple[Place, Field]]) -> Iterator[KeyPart]:
        """Where an identifier is named in leaves that belong to nobody."""
        yield from self._names_in(group, [(place, field, 0) for place, field in shared], count=False)

    def _named_by_others(self, group: Group, owned: list[_Owned]) -> Iterator[KeyPart]:
        """How often an identifier is named in the leaves of all."""
        leaves = [(one.place, field, at) for at, one in enumerate(owned) for field in one.fields]
        yield from self._names_in(group, leaves, count=True)

    def _names_in(self, group: Group, leaves: list[tuple[Place, Field, int]], count: bool) -> Iterator[KeyPart]:
        """One part for all leaves of one family and kind in one word. Counts of a family have the same constant."""
        masks: dict[tuple[int, int | None, int, int], int] = {}
        for place, field, family in leaves:
            first = _code_of_first(group, place)
            if first is None and not _is_set_of(group, place):
                continue
            key = (family, first, field.bits if first is not None else 0, field.word)
            masks[key] = masks.get(key, 0) | 1 << field.shift
        constants: dict[int, int] = {}
        for (family, first, width, word), mask in masks.items():
            constant = constants.setdefault(family, self._constant()) if count else self._constant()
            same = (word,) * group.size
            if first is None:
                yield KeyPart(same, tuple(range(group.size)), mask, constant, count=count)
            else:
                codes = tuple(first + i for i in range(group.size))
                yield KeyPart(same, (0,) * group.size, mask, constant, codes, width, count)


def _is_set_of(group: Group, place: Place) -> bool:
    """Whether a leaf is a set of the group's identifiers."""
    element = place.domain.element if isinstance(place.domain, SetDomain) else None
    return isinstance(element, IdentifierDomain) and element.prefix == group.prefix


def _code_of_first(group: Group, place: Place) -> int | None:
    """The code of the group's first identifier in a leaf that holds one or none; None for any other leaf.

    A leaf that is 0 for want of use, and not because it holds the first identifier, says nothing.
    """
    optional = isinstance(place.domain, OptionalScalar)
    element = place.domain.element if isinstance(place.domain, OptionalScalar) else place.domain
    if not isinstance(element, IdentifierDomain) or element.prefix != group.prefix:
        return None
    if place.used is not None and not optional:
        return None
    return int(optional)


# -- reduction --------------------------------------------------------------------------------------------------------
# Symmetry reduction for a search: representatives in place of states, and runs of the protocol from them again.


class Reduction:
    """The representatives of a protocol whose identifiers are interchangeable, which is checked first.

    `properties` are the ids of the properties that the search evaluates. Raises LanguageError, with reason and line,
    if the specification or one of them tells identifiers apart. With `checked` it is known that they do not.
    """

    def __init__(self, model: Model, properties: Collection[str], checked: bool = False) -> None:
        self.naming = Naming(model.protocol)
        if not checked:
            refuse_unsymmetrical(model, self.naming, properties)
        self.form = CanonicalForm(self.naming, model.layout)

    @property
    def interchangeable(self) -> tuple[str, ...]:
        """The identifiers that are interchangeable, as `b1..b3`."""
        return tuple(str(group.domain) for group in self.naming.groups)

    def representatives(self, states: Iterable[Codes]) -> list[Codes]:
        """The representatives of some states, each once, in the order of the states."""
        return list(dict.fromkeys(map(self.form, states)))

    def concrete(self, run: PlainRun, instance: ActionInstance | None) -> tuple[PlainRun, ActionInstance | None]:
        """A run of the protocol through the orbits of a run of representatives, and what an instance at its end is.

        It begins in the first initial state whose representative is the run's first; each step is the first instance,
        in the order of the specification, that leads on to the next orbit. The instance gets the names that the last
        state has got. Raises SemanticsDisagree if no step leads on to the next orbit.
        """
        protocol, form, (first, path) = self.naming.protocol, self.form, run
        now = initial = next(codes for codes in protocol.initial_states() if form(codes) == first)
        steps: list[Step] = []
        for taken in path:
            found = (Step(i, after) for i, after in protocol.outcomes(now) if not isinstance(after, EvaluationError))
            step = next((step for step in found if form(step.codes) == taken.codes), None)
            if step is None:
                says = result_in_words(protocol, now, taken.codes)
                answers = [("native", f"up to names, {says}"), ("python", "no step leads to such a state")]
                raise disagree_on_step(protocol, now, taken.instance, answers)
            steps.append(step)
            now = step.codes
        if instance is not None:
            last = path[-1].codes if path else first
            names = next(names for names in self.naming.renamings if self.naming.renamed(last, names) == now)
            instance = self.naming.instance(instance, names)
        return (initial, tuple(steps)), instance
