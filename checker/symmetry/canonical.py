"""One representative of each orbit: of all renamings of a state, the one that comes first.

Every identifier has a *key*, a number made from what the state says of it and from nothing else: what its own entries
of maps hold, whether it is the leader or a member of a set here and there. Renaming the state takes the keys along.
The representative is, of all renamed states whose keys ascend, the one whose words are least. So it is found by
sorting, and only identifiers with equal keys have to be tried in every order.

The keys are made of masked words, so that machine code makes them quickly; `checker.native.program.program` does the
same.
"""

from __future__ import annotations

import dis
import hashlib
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from epochal.spec.language import ActionInstance, EvaluationError, Given, LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.domains import (
    Domain,
    IdentifierDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    Scalar,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from epochal.spec.language.errors import shown_path, source_line

from ..crosscheck.cross_check import disagree_on_step, result_in_words
from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.graph import Graph
from ..ir.layout import Field, Layout, leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Failure, Guard, Model
from ..trace.run import PlainRun, Step

if TYPE_CHECKING:
    from ..smt.terms import Z3Decider

# -- names ------------------------------------------------------------------------------------------------------------
# What it does to a state, and to the instances of actions, to rename identifiers.
#
# A renaming permutes the identifiers of each prefix (b1, b2, ...). It moves the entries of maps with their keys, and
# changes every identifier that is stored: alone, optional, in sets, in sets of records. A slot beyond the end of a log
# and an absent record stay all 0.

Codes = tuple[int, ...]
Names = Mapping[str, Sequence[int]]
"""A renaming: for each prefix the new index of every identifier. Prefixes that are left out keep their names."""

Relabelling = Mapping[int, int]
"""Where codes (of an identifier) or positions (of a set) go; those that are left out stay. Its own inverse."""

SYMMETRY = Given("symmetry")
"""The option of a search that messages name."""

RENAMINGS_LIMIT = math.factorial(8)


@dataclass(frozen=True)
class Group:
    """All identifiers of one prefix, which can be exchanged for each other."""

    domain: IdentifierDomain

    @property
    def prefix(self) -> str:
        """The prefix of the identifiers."""
        return self.domain.prefix

    @property
    def size(self) -> int:
        """How many there are."""
        return self.domain.size

    def exchange(self, a: int, b: int) -> Names:
        """The renaming that exchanges two identifiers."""
        names = list(range(self.size))
        names[a], names[b] = b, a
        return {self.prefix: names}


@dataclass(frozen=True)
class Place:
    """Where a leaf is: the same shape with other keys is the same part of another entry of a map.

    `used` is the nearest leaf that tells whether this one is in use, and from which of its codes on: the end of a log,
    the presence of a record.
    """

    shape: str
    keys: tuple[tuple[Scalar, int], ...]
    domain: Scalar
    used: tuple[int, int] | None


def moved(domain: Domain, position: int, names: Names) -> int:
    """The position, in the enumeration of a domain, of the renamed value."""
    if isinstance(domain, IdentifierDomain):
        return names[domain.prefix][position] if domain.prefix in names else position
    if isinstance(domain, OptionalScalar | OptionalStruct):
        return 0 if position == 0 else 1 + moved(domain.element, position - 1, names)
    if isinstance(domain, SetDomain):
        members = (i for i in range(len(domain.universe)) if position >> i & 1)
        return sum(1 << moved(domain.element, i, names) for i in members)
    if isinstance(domain, StructDomain):
        parts = list(domain.field_domains.values())
        found = [moved(part, at, names) for part, at in zip(parts, _digits(position, parts), strict=True)]
        return _number(found, parts)
    if isinstance(domain, UnionDomain):
        first = 0
        for kind in domain.kinds:
            if position < first + kind.cardinality:
                return first + moved(kind, position - first, names)
            first += kind.cardinality
    if isinstance(domain, MapDomain):
        values = [domain.value] * len(domain.keys)
        turned = dict[int, int]()
        for key, at in enumerate(_digits(position, values)):
            turned[moved(domain.key, key, names)] = moved(domain.value, at, names)
        return _number([turned[key] for key in range(len(values))], values)
    if isinstance(domain, LogDomain):
        length = next(n for n in range(domain.capacity + 1) if position < domain.shorter_than(n + 1))
        shorter, entries = domain.shorter_than(length), [domain.entry] * length
        found = [moved(domain.entry, at, names) for at in _digits(position - shorter, entries)]
        return shorter + _number(found, entries)
    return position


def _digits(position: int, parts: Sequence[Domain]) -> list[int]:
    """The positions of the parts of a value, the last of which changes with every next value."""
    found = []
    for part in reversed(parts):
        position, at = divmod(position, part.cardinality)
        found.append(at)
    return found[::-1]


def _number(digits: Iterable[int], parts: Sequence[Domain]) -> int:
    """The position of the value whose parts have these positions."""
    total = 0
    for at, part in zip(digits, parts, strict=True):
        total = total * part.cardinality + at
    return total


def identifiers_in(domain: Domain) -> Iterator[IdentifierDomain]:
    """The domains of identifiers that the values of a domain are made of."""
    if isinstance(domain, IdentifierDomain):
        yield domain
    elif isinstance(domain, OptionalScalar | OptionalStruct | SetDomain):
        yield from identifiers_in(domain.element)
    elif isinstance(domain, StructDomain):
        for part in domain.field_domains.values():
            yield from identifiers_in(part)
    elif isinstance(domain, UnionDomain):
        for kind in domain.kinds:
            yield from identifiers_in(kind)
    elif isinstance(domain, MapDomain):
        yield from identifiers_in(domain.key)
        yield from identifiers_in(domain.value)
    elif isinstance(domain, LogDomain):
        yield from identifiers_in(domain.entry)


def relabelling(domain: Scalar, names: Names) -> Relabelling:
    """What an exchange of two identifiers does to the codes of a domain; to the positions, if it is one of sets."""
    if isinstance(domain, SetDomain):
        places, element = range(len(domain.universe)), domain.element
        return {i: to for i in places if (to := moved(element, i, names)) != i}
    if next(identifiers_in(domain), None) is None:
        return {}
    return {code: to for code in range(domain.size) if (to := moved(domain, code, names)) != code}


def places(protocol: Protocol) -> tuple[Place, ...]:
    """The places of all leaves, in the order of the leaves."""
    found: list[Place] = []
    for name, variable in protocol.variables.items():
        _walk(variable.domain, name, (), None, found)
    return tuple(found)


def _walk(
    domain: Domain,
    shape: str,
    keys: tuple[tuple[Scalar, int], ...],
    used: tuple[int, int] | None,
    found: list[Place],
) -> None:
    if isinstance(domain, StructDomain):
        for name, part in domain.field_domains.items():
            _walk(part, f"{shape}.{name}", keys, used, found)
    elif isinstance(domain, MapDomain):
        for i in range(len(domain.keys)):
            _walk(domain.value, f"{shape}[]", (*keys, (domain.key, i)), used, found)
    elif isinstance(domain, OptionalStruct):
        presence = len(found)
        _walk(domain.leaves[0].domain, f"{shape}.present", keys, used, found)
        _walk(domain.element, shape, keys, (presence, 1), found)
    elif isinstance(domain, LogDomain):
        end = len(found)
        _walk(domain.length, f"{shape}.end", keys, used, found)
        for i in range(domain.capacity):
            _walk(domain.entry, f"{shape}[{i}]", keys, (end, i + 1), found)
    else:
        assert isinstance(domain, Scalar)
        found.append(Place(shape, keys, domain, used))


def has_identifiers(protocol: Protocol) -> bool:
    """Whether the states of a protocol name identifiers, so that some of them may differ in such names only."""
    return any(
        True
        for place in places(protocol)
        for domain in (place.domain, *(key for key, _ in place.keys))
        for _ in identifiers_in(domain)
    )


class Naming:
    """The identifiers of a protocol, and what their renamings do to its states and instances.

    Raises LanguageError if there are no identifiers, if two domains of the same prefix have different sizes, or if
    there are more renamings than a search can try.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.places = places(protocol)
        self.groups = self._groups()
        self._leaf = {(p.shape, tuple(i for _, i in p.keys)): leaf for leaf, p in enumerate(self.places)}
        self._known: dict[tuple[tuple[str, tuple[int, ...]], ...], list[tuple[int, dict[int, int] | None]]] = {}
        self._instances = {
            (i.action.name, tuple(p.domain.index(a) for p, a in zip(i.parameters, i.arguments, strict=True))): i
            for i in protocol.instances
        }

    def _groups(self) -> tuple[Group, ...]:
        stored: dict[str, Group] = {}
        for place in self.places:
            for domain in (place.domain, *(key for key, _ in place.keys)):
                for one in identifiers_in(domain):
                    self._same_size(stored.setdefault(one.prefix, Group(one)), one)
        for instance in self.protocol.instances:
            for parameter in instance.parameters:
                for one in identifiers_in(parameter.domain):
                    if one.prefix in stored:
                        self._same_size(stored[one.prefix], one)
        name = self.protocol.name or type(self.protocol).__name__
        if not stored:
            raise LanguageError(
                f"{name} has no identifiers, so nothing in it can be interchanged",
                advice=("Check without ", SYMMETRY, "."),
            )
        renamings = math.prod(math.factorial(group.size) for group in stored.values())
        if renamings > RENAMINGS_LIMIT:
            raise LanguageError(
                f"the identifiers of {name} can be renamed in {renamings:,} ways; at most "
                f"{RENAMINGS_LIMIT:,} are tried",
                advice=("Use smaller bounds, or check without ", SYMMETRY, "."),
            )
        return tuple(stored.values())

    def _same_size(self, group: Group, other: IdentifierDomain) -> None:
        if group.size != other.size:
            raise LanguageError(
                f"{other} is a part of {group.domain}, or the other way round, which tells the identifiers in both "
                "from the others",
                advice=("Give all domains of one prefix the same size, or check without ", SYMMETRY, "."),
            )

    @cached_property
    def renamings(self) -> tuple[Names, ...]:
        """Every renaming, the identity first."""
        choices = [[(group.prefix, p) for p in itertools.permutations(range(group.size))] for group in self.groups]
        return tuple(dict(chosen) for chosen in itertools.product(*choices))

    def target(self, leaf: int, names: Names) -> int:
        """The leaf to which the renamed content of a leaf belongs."""
        place = self.places[leaf]
        return self._leaf[place.shape, tuple(moved(key, i, names) for key, i in place.keys)]

    def renamed(self, codes: Sequence[int], names: Names) -> Codes:
        """A state after a renaming."""
        after = [0] * len(codes)
        for place, code, (target, known) in zip(self.places, codes, self._moves(names), strict=True):
            if known is None or not (place.used is None or codes[place.used[0]] >= place.used[1]):
                after[target] = code
                continue
            if code not in known:
                known[code] = moved(place.domain, code, names)
            after[target] = known[code]
        return tuple(after)

    def _moves(self, names: Names) -> list[tuple[int, dict[int, int] | None]]:
        """For each leaf its target and the codes seen so far after the renaming; None if it changes none."""
        key = tuple((prefix, tuple(to)) for prefix, to in names.items())
        found = self._known.get(key)
        if found is None:
            named = [next(identifiers_in(place.domain), None) is not None for place in self.places]
            found = [(self.target(leaf, names), {} if any_ else None) for leaf, any_ in enumerate(named)]
            self._known[key] = found
        return found

    def instance(self, instance: ActionInstance, names: Names) -> ActionInstance:
        """The instance of the same action with renamed arguments."""
        pairs = zip(instance.parameters, instance.arguments, strict=True)
        chosen = tuple(moved(p.domain, p.domain.index(a), names) for p, a in pairs)
        return self._instances[instance.action.name, chosen]


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


# -- invariance -------------------------------------------------------------------------------------------------------
# Whether a specification treats all identifiers alike: the check behind symmetry reduction.
#
# It does if the initial states, the steps, the properties that are evaluated and the constraint stay the same when any
# two neighbouring identifiers are exchanged; every renaming is a sequence of such exchanges. For the compiled model
# that means: each instance, on the state with the two exchanged, is the instance with exchanged arguments. Nearly
# everywhere the compiler's nodes are then literally the same; where they are not, Z3 is asked.

# -- substitution -----------------------------------------------------------------------------------------------------
# Expressions of the state before an exchange of two identifiers, as expressions of the state after it.
#
# A stored identifier or set of identifiers is not rewritten at once: it stays an expression with a *relabelling*, the
# codes or positions that the exchange moves. Comparisons, memberships and sizes absorb it (two relabelled values are
# equal exactly if the values are), so that the rules of a symmetric specification come out as the very nodes that they
# are for the renamed instance. What cannot absorb it gets the relabelling written out.


@dataclass(frozen=True)
class Relabelled:
    """The value of an expression after a relabelling."""

    expression: Expression
    by: Relabelling


class Substitution:
    """One exchange of two identifiers, applied to expressions over the leaves of a state."""

    def __init__(self, graph: Graph, naming: Naming, names: Names, leaves: Sequence[Expression]) -> None:
        self.graph, self.naming, self.names = graph, naming, names
        self.relabellings = [relabelling(place.domain, names) for place in naming.places]
        self.targets = [naming.target(leaf, names) for leaf in range(len(leaves))]
        self._leaves = leaves
        self._made: dict[int, Relabelled] = {}
        g = graph
        self._rows: dict[Op, Callable[[Expression, list[Relabelled]], Relabelled]] = {
            Op.OFFSET: self._offset,
            Op.ADD: self._plain(lambda n, a, b: g.add(a, b)),
            Op.SUB: self._plain(lambda n, a, b: g.sub(a, b)),
            Op.MUL: self._plain(lambda n, a, b: g.mul(a, b)),
            Op.FLOORDIV: self._plain(lambda n, a, b: g.floordiv(a, n.args[1].value)),
            Op.MOD: self._plain(lambda n, a, b: g.mod(a, n.args[1].value)),
            Op.MIN: self._plain(lambda n, a, b: g.min(a, b)),
            Op.MAX: self._plain(lambda n, a, b: g.max(a, b)),
            Op.EQ: self._eq,
            Op.LT: self._plain(lambda n, a, b: g.lt(a, b)),
            Op.NOT: self._plain(lambda n, a: g.not_(a)),
            Op.AND: self._plain(lambda n, *args: g.all_of(args)),
            Op.OR: self._plain(lambda n, *args: g.any_of(args)),
            Op.ITE: self._ite,
            Op.MEMBER: self._member,
            Op.SINGLETON: self._singleton,
            Op.UNION: self._sets(g.union),
            Op.INTERSECTION: self._sets(g.intersection),
            Op.DIFFERENCE: self._sets(g.difference),
            Op.CARDINALITY: lambda n, args: Relabelled(g.cardinality(args[0].expression), {}),
            Op.BITS: self._plain(lambda n, a: g.bits(a)),
        }

    def __call__(self, root: Expression) -> Relabelled:
        """The value that an expression has in the state with the two identifiers exchanged."""
        for node in reachable_nodes([root], self._made):
            if node.op is Op.CONST:
                self._made[node.id] = Relabelled(node, {})
            elif node.op is Op.FIELD:
                self._made[node.id] = self._field(node)
            else:
                self._made[node.id] = self._rows[node.op](node, [self._made[arg.id] for arg in node.args])
        return self._made[root.id]

    def condition(self, root: Expression) -> Expression:
        """The same for a truth value."""
        return self.written(self(root))

    def written(self, value: Relabelled) -> Expression:
        """An expression with its relabelling written out."""
        graph, node = self.graph, value.expression
        if not value.by:
            return node
        if node.sort == "set":
            total = graph.difference(node, graph.mask(sum(1 << position for position in value.by)))
            for position, to in value.by.items():
                there = graph.member(node, graph.integer(position))
                total = graph.union(total, graph.ite(there, graph.mask(1 << to), graph.mask(0)))
            return total
        total = node
        for code, to in value.by.items():
            total = graph.ite(graph.eq(node, graph.integer(code)), graph.integer(to), total)
        return total

    def relabelled(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A value after one more relabelling."""
        if value.by == by:
            return Relabelled(value.expression, {})
        if not value.by:
            return Relabelled(value.expression, by) if not value.expression.is_const else self._constant(value, by)
        return Relabelled(self.written(value), by) if by else value

    def _constant(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A relabelled constant is another constant."""
        node = value.expression
        if node.sort == "set":
            bits = range(node.value.bit_length())
            mask = sum(1 << by.get(i, i) for i in bits if node.value >> i & 1)
            return Relabelled(self.graph.mask(mask), {})
        return Relabelled(self.graph.integer(by.get(node.value, node.value)), {})

    # -- leaves ---------------------------------------------------------------------------------------------------

    def _field(self, node: Expression) -> Relabelled:
        """A leaf has what belongs to its target: the exchange is its own inverse."""
        target = self.targets[node.value]
        leaf, by = self._leaves[target], self.relabellings[node.value]
        used = self.naming.places[target].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[target].domain, SetDomain):
            return Relabelled(leaf, by)
        return Relabelled(self._where_used(used, self._leaves, leaf, by), {})

    def _where_used(
        self, used: tuple[int, int], leaves: Sequence[Expression], value: Expression, by: Relabelling
    ) -> Expression:
        """A relabelled identifier if its slot is in use; one that is not stays 0."""
        graph, (leaf, least) = self.graph, used
        marker = leaves[leaf]
        in_use = marker if marker.sort == "bool" else graph.le(graph.integer(least), marker)
        return graph.ite(in_use, self.written(Relabelled(value, by)), value)

    def stored(self, leaf: int, updates: Mapping[int, Expression]) -> Relabelled:
        """What is to be found in the target of a leaf when the new values of an instance are exchanged."""

        def value(at: int) -> Relabelled:
            return self(updates.get(at, self._leaves[at]))

        by, used = self.relabellings[leaf], self.naming.places[leaf].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[leaf].domain, SetDomain):
            return self.relabelled(value(leaf), by)
        ends = {used[0]: self.written(value(used[0]))}
        leaves = [ends.get(at, old) for at, old in enumerate(self._leaves)]
        return Relabelled(self._where_used(used, leaves, self.written(value(leaf)), by), {})

    # -- operators ------------------------------------------------------------------------------------------------

    def _plain(self, make: Callable[..., Expression]) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        """An operator that a relabelling does not commute with."""
        return lambda node, args: Relabelled(make(node, *map(self.written, args)), {})

    def _alike(self, a: Relabelled, b: Relabelled) -> tuple[Expression, Expression, Relabelling] | None:
        """Two values under one relabelling, if they have one in common; a constant has any."""
        if a.by == b.by:
            return a.expression, b.expression, a.by
        if a.expression.is_const:
            return self._constant(a, b.by).expression, b.expression, b.by
        if b.expression.is_const:
            return a.expression, self._constant(b, a.by).expression, a.by
        return None

    def _offset(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        by = {code + node.value: to + node.value for code, to in args[0].by.items()}
        return Relabelled(self.graph.offset(args[0].expression, node.value), by)

    def _eq(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        both = self._alike(*args)
        a, b = both[:2] if both else map(self.written, args)
        return Relabelled(self.graph.eq(a, b), {})

    def _ite(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        condition, both = args[0].expression, self._alike(args[1], args[2])
        a, b = both[:2] if both else map(self.written, args[1:])
        return Relabelled(self.graph.ite(condition, a, b), both[2] if both else {})

    def _member(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        position = node.args[1].value
        at = self.graph.integer(args[0].by.get(position, position))
        return Relabelled(self.graph.member(args[0].expression, at), {})

    def _singleton(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        return Relabelled(self.graph.singleton(args[0].expression), args[0].by)

    def _sets(
        self, make: Callable[[Expression, Expression], Expression]
    ) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        def row(node: Expression, args: list[Relabelled]) -> Relabelled:
            both = self._alike(*args)
            a, b = both[:2] if both else map(self.written, args)
            return Relabelled(make(a, b), both[2] if both else {})

        return row


def refuse_unsymmetrical(model: Model, naming: Naming, properties: Collection[str]) -> None:
    """Raise LanguageError, with line and reason, if the specification tells identifiers apart.

    `properties` are the ids of the properties that will be evaluated; the others may do what they like.
    """
    for group in naming.groups:
        for a in range(group.size - 1):
            _Exchange(model, naming, group, a).check(properties)


class _Exchange:
    """The check for two neighbouring identifiers."""

    def __init__(self, model: Model, naming: Naming, group: Group, first: int) -> None:
        self.model, self.naming, self.graph = model, naming, model.graph
        self.names: Names = group.exchange(first, first + 1)
        self.pair = f"{group.domain.value(first)} and {group.domain.value(first + 1)}"
        self.leaves = leaf_expressions(model.graph, model.protocol)
        self.exchanged = Substitution(model.graph, naming, self.names, self.leaves)

    @cached_property
    def _decider(self) -> Z3Decider:
        """Z3, which is loaded only where the nodes do not agree."""
        from ..smt.terms import Z3Decider

        return Z3Decider(self.graph, self.model.protocol, self.leaves)

    def check(self, properties: Collection[str]) -> None:
        """Raise LanguageError if exchanging the two changes anything."""
        self._initial_states()
        instances = {compiled.instance.number: compiled for compiled in self.model.instances}
        evaluated = [p for p in self.model.properties if p.member.name in properties]
        for compiled in self.model.instances:
            number = self.naming.instance(compiled.instance, self.names).number
            partner = instances.get(number)
            if partner is None:
                self._never(compiled)
            elif compiled.instance.number <= number:
                self._instance(compiled, partner)
                for one in evaluated:
                    if one.of_steps:
                        self._step_property(one, compiled, partner)
        for one in evaluated:
            if not one.of_steps:
                self._condition(one.member, one.holds, one.failures)
        for member in self.model.protocol.members("constraint")[:1]:
            self._condition(member, self.model.constraint, self.model.constraint_failures)

    # -- what is compared -----------------------------------------------------------------------------------------

    def _initial_states(self) -> None:
        initial = self.model.protocol.initial_states()
        if not {self.naming.renamed(codes, self.names) for codes in initial} <= set(initial):
            method, reason = type(self.model.protocol).initial, "exchanged, they give other initial states"
            if method is Protocol.initial:
                raise self._refusal(f"{reason}, as each variable begins with the first value of its domain", None)
            raise self._refusal(reason, source_line(method))

    def _never(self, compiled: CompiledInstance) -> None:
        """The exchanged instance is never possible, so this one must not be either."""
        failing = self._failing(compiled.failures)
        either = self.graph.or_(compiled.enabled, failing)
        if not self._same(either, self.graph.false):
            other = self.naming.instance(compiled.instance, self.names)
            raise self._refusal(
                f"{compiled.instance.label} is possible in some state, {other.label} in none",
                compiled.instance.action.where,
            )

    def _instance(self, compiled: CompiledInstance, partner: CompiledInstance) -> None:
        where = compiled.instance.action.where
        apart = f"{compiled.instance.label} is not {partner.instance.label} with the two exchanged"
        if not self._same(self.exchanged.condition(compiled.enabled), partner.enabled):
            guard = self._guard(compiled, partner)
            reason = "it has another guard" if guard else "it can be carried out in other states"
            raise self._refusal(f"{apart}: {reason}", guard or where)
        failing = self.exchanged.condition(self._failing(compiled.failures))
        if not self._same(failing, self._failing(partner.failures)):
            raise self._refusal(f"{apart}: it cannot be evaluated in other states", where)
        back = {target: leaf for leaf, target in enumerate(self.exchanged.targets)}
        touched = {self.exchanged.targets[leaf] for leaf in compiled.updates} | partner.updates.keys()
        for target in sorted(touched):
            left = self.exchanged.stored(back[target], compiled.updates)
            right = partner.updates.get(target, self.leaves[target])
            if not self._same_value(left, right, partner.enabled):
                path = self.model.protocol.leaves[target].path
                raise self._refusal(f"{apart}: it gives {path} another value", where)

    def _step_property(self, one: CompiledProperty, compiled: CompiledInstance, partner: CompiledInstance) -> None:
        first, second = compiled.instance.number, partner.instance.number
        failing = self.exchanged.condition(self._failing(one.step_failures.get(first, ())))
        other = self._failing(one.step_failures.get(second, ()))
        where = self.graph.and_(partner.enabled, self.graph.not_(other))
        holds = self.exchanged.condition(one.on_step[first])
        if not (self._same(failing, other, partner.enabled) and self._same(holds, one.on_step[second], where)):
            raise self._refusal(
                f"{one.member.name} is another for {compiled.instance.label} than for {partner.instance.label}",
                one.member.where,
            )

    def _condition(self, member: Member, holds: Expression, failures: Sequence[Failure]) -> None:
        failing = self._failing(failures)
        if not self._same(self.exchanged.condition(failing), failing):
            raise self._refusal(
                f"{member.name} cannot be evaluated in other states when they are exchanged, because it looks at one "
                "before the other (say first what keeps an index in its log, of all of them)",
                member.where,
            )
        if not self._same(self.exchanged.condition(holds), holds, self.graph.not_(failing)):
            raise self._refusal(f"{member.name} changes when they are exchanged", member.where)

    # -- comparing ------------------------------------------------------------------------------------------------

    def _failing(self, failures: Sequence[Failure]) -> Expression:
        return self.graph.any_of([failure.condition for failure in failures])

    def _same(self, a: Expression, b: Expression, where: Expression | None = None) -> bool:
        """Whether two expressions agree wherever a condition holds: in the graph, or else for Z3."""
        if a is b:
            return True
        return self._decider.agree(a, b, self.graph.true if where is None else where)

    def _same_value(self, left: Relabelled, right: Expression, where: Expression) -> bool:
        if not left.by and left.expression is right:
            return True
        return self._same(self.exchanged.written(left), right, where)

    # -- reporting ------------------------------------------------------------------------------------------------

    def _guard(self, compiled: CompiledInstance, partner: CompiledInstance) -> SourceLine | None:
        """The first line whose `require`s are not the same."""
        first, second = _by_line(compiled.guards), _by_line(partner.guards)
        for line in sorted({*first, *second}, key=lambda line: (line is None, line and (line.file, line.line))):
            a = self.exchanged.condition(self.graph.all_of(first.get(line, [])))
            if not self._same(a, self.graph.all_of(second.get(line, []))):
                return line
        return None

    def _refusal(self, reason: str, where: SourceLine | None) -> LanguageError:
        lines = ", ".join(str(line) for line in singled_out(self.model.protocol))
        told = f"self.member, used in {lines}, singles one out. " if lines else ""
        return LanguageError(
            f"{self.pair} are not symmetric: {reason}",
            where,
            (f"{told}Name identifiers by parameters and quantifiers only, or check without ", SYMMETRY, "."),
        )


def _by_line(guards: Sequence[Guard]) -> dict[SourceLine | None, list[Expression]]:
    found: dict[SourceLine | None, list[Expression]] = {}
    for guard in guards:
        found.setdefault(guard.where, []).append(guard.condition)
    return found


def singled_out(protocol: Protocol) -> list[SourceLine]:
    """The lines of the specification that call `self.member`."""
    found: dict[SourceLine, None] = {}
    for owner in type(protocol).__mro__:
        for function in vars(owner).values():
            if isinstance(function, FunctionType) and owner is not Protocol:
                found |= {
                    SourceLine(shown_path(function.__code__.co_filename), line, function.__name__): None
                    for line in _lines_of(function.__code__)
                }
    return list(found)


def _lines_of(code: CodeType) -> Iterator[int]:
    for instruction in dis.get_instructions(code):
        positions = instruction.positions
        named = instruction.argval == "member" and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if named and positions is not None and positions.lineno is not None:
            yield positions.lineno
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines_of(constant)
