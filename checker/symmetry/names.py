"""What it does to a state, and to the instances of actions, to rename identifiers.

A renaming permutes the identifiers of each prefix (b1, b2, ...). It moves the entries of maps with their keys, and
changes every identifier that is stored: alone, optional, in sets, in sets of records. A slot beyond the end of a log
and an absent record stay all 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from epochal.spec.language import ActionInstance, Given, LanguageError, Protocol
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
)

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
    if isinstance(domain, OptionalScalar):
        return 0 if position == 0 else 1 + moved(domain.element, position - 1, names)
    if isinstance(domain, SetDomain):
        members = (i for i in range(len(domain.universe)) if position >> i & 1)
        return sum(1 << moved(domain.element, i, names) for i in members)
    if isinstance(domain, StructDomain):
        total, weight = 0, 1
        for part in reversed(list(domain.field_domains.values())):
            position, at = divmod(position, part.cardinality)
            total += weight * moved(part, at, names)
            weight *= part.cardinality
        return total
    return position


def identifiers_in(domain: Domain) -> Iterator[IdentifierDomain]:
    """The domains of identifiers that the values of a scalar or record are made of."""
    if isinstance(domain, IdentifierDomain):
        yield domain
    elif isinstance(domain, OptionalScalar | SetDomain):
        yield from identifiers_in(domain.element)
    elif isinstance(domain, StructDomain):
        for part in domain.field_domains.values():
            yield from identifiers_in(part)


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
