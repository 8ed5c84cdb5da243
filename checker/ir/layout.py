"""The layout of a state: each leaf a field of bits inside one of a few 64-bit words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from epochal.spec.language import ActionInstance, LanguageError, Protocol
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    Leaf,
    LogDomain,
    MapDomain,
    OptionalStruct,
    SetDomain,
    StructDomain,
)

from .expression import Expression
from .graph import Graph

WORD_BITS = 64
WORD_LIMIT = 32


@dataclass(frozen=True)
class Field:
    """Where a leaf's code is: `bits` bits of word `word`, from bit `shift` upwards."""

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        """The field's bits within its word."""
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True)
class Layout:
    """Fields for all leaves of a state, in the order of the leaves."""

    fields: tuple[Field, ...]

    @cached_property
    def words(self) -> int:
        """How many 64-bit words a state takes."""
        return 1 + max((field.word for field in self.fields), default=0)

    @cached_property
    def bits(self) -> int:
        """How many bits of those words are used."""
        return sum(field.bits for field in self.fields)

    def pack(self, codes: Sequence[int]) -> tuple[int, ...]:
        """The words of a state given by the codes of its leaves."""
        words = [0] * self.words
        for field, code in zip(self.fields, codes, strict=True):
            words[field.word] |= code << field.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        """The codes of the leaves of a state given by its words."""
        return tuple(words[f.word] >> f.shift & ((1 << f.bits) - 1) for f in self.fields)


def lay_out(leaves: Sequence[Leaf]) -> Layout:
    """Place every leaf in the first word with room for it. Raises LanguageError if the state is too large."""
    free: list[int] = []
    fields: list[Field] = []
    for leaf in leaves:
        bits = (leaf.domain.size - 1).bit_length()
        if bits > WORD_BITS:
            raise LanguageError(f"{leaf.path} has more than 2**64 values", advice="Use a smaller domain.")
        word = next((i for i, used in enumerate(free) if used + bits <= WORD_BITS), len(free))
        if word == len(free):
            free.append(0)
        fields.append(Field(word, free[word], bits))
        free[word] += bits
    if len(free) > WORD_LIMIT:
        raise LanguageError(
            f"a state takes {sum(f.bits for f in fields):,} bits; at most {WORD_LIMIT * WORD_BITS:,} fit",
            advice="Use smaller bounds.",
        )
    return Layout(tuple(fields))


# -- leaves -----------------------------------------------------------------------------------------------------------
# The leaves of an arbitrary typed state as expressions: what every rule and every condition on states is built of.


def leaf_expressions(graph: Graph, protocol: Protocol, first: int = 0) -> list[Expression]:
    """A field for each leaf of a state of the protocol, in the order of the leaves, numbered from `first`.

    Conditions on several states number the leaves of the second after those of the first, and so on.
    """
    leaves = []
    for at, leaf in enumerate(protocol.leaves, first):
        domain = leaf.domain
        if isinstance(domain, SetDomain):
            leaves.append(graph.field(at, "set", domain.size - 1))
        elif isinstance(domain, BooleanDomain):
            leaves.append(graph.field(at, "bool", 1))
        else:
            leaves.append(graph.field(at, "int", domain.size - 1))
    return leaves


# -- canonical --------------------------------------------------------------------------------------------------------
# What the codes of a state's leaves say of each other: each state of a protocol has one canonical form.


def canonical(graph: Graph, protocol: Protocol, leaves: Sequence[Expression]) -> list[Expression]:
    """That a state has its one canonical form: slots beyond the end of a log, and absent records, are 0 throughout.

    `leaves` are the expressions of the state's leaves.
    """
    found: list[Expression] = []
    for variable in protocol.variables.values():
        found += _canonical(graph, variable.domain, variable.first_leaf, leaves)
    return found


def _canonical(graph: Graph, domain: Domain, at: int, leaves: Sequence[Expression]) -> Iterator[Expression]:
    if isinstance(domain, MapDomain):
        for i in range(len(domain.keys)):
            yield from _canonical(graph, domain.value, at + i * domain.value.leaf_count, leaves)
    elif isinstance(domain, StructDomain):
        for name, field in domain.field_domains.items():
            yield from _canonical(graph, field, at + domain.offsets[name], leaves)
    elif isinstance(domain, OptionalStruct):
        yield from (graph.or_(leaves[at], _zero(graph, leaf)) for leaf in leaves[at + 1 : at + domain.leaf_count])
        yield from _canonical(graph, domain.element, at + 1, leaves)
    elif isinstance(domain, LogDomain):
        step = domain.entry.leaf_count
        for i in range(domain.capacity):
            first = at + 1 + i * step
            used = graph.lt(graph.integer(i), leaves[at])
            yield from (graph.or_(used, _zero(graph, leaf)) for leaf in leaves[first : first + step])
            yield from _canonical(graph, domain.entry, first, leaves)


def _zero(graph: Graph, leaf: Expression) -> Expression:
    if leaf.sort == "bool":
        return graph.not_(leaf)
    return graph.eq(leaf, graph.integer(0) if leaf.sort == "int" else graph.mask(0))


# -- digest -----------------------------------------------------------------------------------------------------------
# Order-independent digests of a set of states and of a set of steps. A digest is the sum of 128-bit hashes (two 64-bit
# lanes, each modulo 2**64). It does not depend on the order in which states are found, so equal digests mean the same
# behaviour whatever the engine, the workers or the refactoring. The native kernel computes the same functions; this is
# their definition.

MASK = (1 << 64) - 1
SECRETS = (
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
    0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3,
    0x1D8E4E27C47D124F,
    0xEB44ACCAB455D165,
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
)


def fold(a: int, b: int) -> int:
    """The two halves of the 128-bit product, combined by exclusive or."""
    product = (a & MASK) * (b & MASK)
    return (product & MASK) ^ (product >> 64)


def state_hash(words: Sequence[int], lane: int = 0) -> int:
    """The 64-bit hash of a state's words; lane 0 is also the hash of the visited table.

    A product of zero keeps nothing of its factors: a state one of whose words meets exactly one 64-bit value (of an
    even word `first`, of an odd one what the words before it came to) has the hash of its neighbours in that lane.
    The values differ from lane to lane. Exact searches compare words, so only digests and `--compact` could notice.
    """
    first, second, third, last = SECRETS[lane * 4 : lane * 4 + 4]
    value = second
    for i in range(0, len(words), 2):
        other = words[i + 1] if i + 1 < len(words) else 0
        value = fold(words[i] ^ first, other ^ value)
    return fold(value ^ third, last)


def instance_constant(instance: ActionInstance) -> int:
    """The 64-bit constant that stands for an action instance, from its name and the positions of its arguments."""
    pairs = zip(instance.parameters, instance.arguments, strict=True)
    text = " ".join([instance.action.name, *(str(p.domain.index(argument)) for p, argument in pairs)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def step_hash(before: int, constant: int, after: int) -> tuple[int, int]:
    """The two lanes of a step's hash, from the lane-0 hashes of its states and its instance's constant."""
    return (
        fold(before ^ constant, after ^ SECRETS[2]),
        fold((before + constant) & MASK, after ^ SECRETS[5]),
    )


@dataclass(frozen=True)
class Digest:
    """A sum of 128-bit hashes."""

    low: int = 0
    high: int = 0

    def add(self, low: int, high: int) -> Digest:
        """The digest with one more member."""
        return Digest((self.low + low) & MASK, (self.high + high) & MASK)

    def __str__(self) -> str:
        return f"{self.high:016x}{self.low:016x}"
