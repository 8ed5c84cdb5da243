"""The layout of a state: each leaf a field of bits inside one of a few 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from epochal.spec.language import LanguageError
from epochal.spec.language.domains import Leaf

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
