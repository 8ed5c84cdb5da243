"""Keys of identifiers, and exchanges of two of them, as instructions: for one state, or for eight at once.

What is written depends on the protocol alone; a word of a state may be a number or a number in each lane.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.spec.language.domains import SetDomain

from ...symmetry.canonical import CanonicalForm, KeyPart
from ...symmetry.names import Group, relabelling
from ..llvm.instructions import Instructions
from ..llvm.operands import Word, word


@dataclass(frozen=True)
class Slot:
    """An identifier in the order of all: its group, and its index there."""

    group: Group
    index: int


class Exchanges:
    """Writes what is made of the words of a state into a function."""

    def __init__(self, form: CanonicalForm, f: Instructions) -> None:
        self.form, self.f = form, f
        self.slots = [Slot(group, i) for group in form.naming.groups for i in range(group.size)]
        self.neighbours = [i for i, (a, b) in enumerate(itertools.pairwise(self.slots)) if a.group is b.group]
        """The places of identifiers that the next one may be exchanged with."""

    def sorting(self) -> list[int]:
        """Which neighbours to compare, one after the other, so that each group is sorted."""
        return [
            i
            for last in range(len(self.slots) - 1, 0, -1)
            for i in self.neighbours
            if self.slots[i].index < last < self.slots[i].group.size
        ]

    def exchanged(self, words: Sequence[Word], i: int) -> list[Word]:
        """The words of a state after identifier i and the next one were exchanged."""
        slot = self.slots[i]
        return _Exchange(self, slot.group, slot.index).applied(words)

    def keys(self, state: Sequence[Word]) -> list[Word]:
        """The keys of all identifiers."""
        return [self._key(slot, state) for slot in self.slots]

    def _key(self, slot: Slot, state: Sequence[Word]) -> Word:
        f, total = self.f, word(0)
        for part in self.form.parts[slot.group.prefix]:
            total = f.add(total, f.mul(self._part(part, slot.index, state), part.constant))
        return total

    def _part(self, part: KeyPart, index: int, state: Sequence[Word]) -> Word:
        f = self.f
        found = self.shifted(state[part.words[index]], -part.shifts[index])
        if part.codes:
            found = f.xor(self.some_bit(found, part.mask, part.codes[index], part.width), -1)
        found = f.and_(found, part.mask)
        return f.popcount(found) if part.count else found

    def some_bit(self, held: Word, mask: int, code: int, width: int) -> Word:
        """At every bit of the mask: whether the field that begins there differs from a code."""
        f = self.f
        differs = f.xor(held, mask * code)
        total = differs
        for by in range(1, width):
            total = f.or_(total, f.lshr(differs, by))
        return total

    def shifted(self, held: Word, left: int) -> Word:
        """A word shifted up by so many bits, or down by as many as `left` is below zero."""
        if not left:
            return held
        return self.f.shl(held, left) if left > 0 else self.f.lshr(held, -left)


class _Exchange:
    """What exchanging an identifier with the next does to the words of a state, as masks that serve many fields."""

    def __init__(self, writer: Exchanges, group: Group, first: int) -> None:
        self.writer, self.f, form = writer, writer.f, writer.form
        names, fields = group.exchange(first, first + 1), form.layout.fields
        self.moves: dict[tuple[int, int, int], int] = {}
        self.bits: dict[tuple[int, int], int] = {}
        self.codes: dict[tuple[int, int, int, int], int] = {}
        self.in_use: list[tuple[int, int, int, int]] = []
        for leaf, (place, field) in enumerate(zip(form.naming.places, fields, strict=True)):
            other = form.naming.target(leaf, names)
            if leaf < other:
                key = (field.word, fields[other].word, fields[other].shift - field.shift)
                self.moves[key] = self.moves.get(key, 0) | field.mask
            for a, b in relabelling(place.domain, names).items():
                if a > b or not field.bits:
                    continue
                if isinstance(place.domain, SetDomain):
                    self.bits[field.word, b - a] = self.bits.get((field.word, b - a), 0) | 1 << field.shift + a
                elif place.used is None or a > 0:
                    key4 = (field.word, field.bits, a, b)
                    self.codes[key4] = self.codes.get(key4, 0) | 1 << field.shift
                else:
                    self.in_use.append((leaf, *place.used, b))
        self.fields = fields

    def applied(self, before: Sequence[Word]) -> list[Word]:
        """The words after the exchange. Identifiers are renamed where they lie, then entries change places."""
        f, words = self.f, list(before)
        for (at, distance), mask in self.bits.items():
            words[at] = self._swapped(words[at], distance, mask)
        for (at, width, a, b), mask in self.codes.items():
            first, second = (self.writer.some_bit(words[at], mask, code, width) for code in (a, b))
            neither = f.xor(f.and_(first, second), -1)
            either = f.and_(neither, mask)
            flipped = f.mul(either, a ^ b) if a ^ b != 1 else either
            words[at] = f.xor(words[at], flipped)
        for leaf, marker, least, other in self.in_use:
            self._in_use(words, leaf, marker, least, other)
        for (a, b, distance), mask in self.moves.items():
            if a == b:
                words[a] = self._swapped(words[a], distance, mask)
                continue
            there = self.writer.shifted(words[b], -distance)
            differ = f.and_(f.xor(words[a], there), mask)
            words[a] = f.xor(words[a], differ)
            words[b] = f.xor(words[b], self.writer.shifted(differ, distance))
        return words

    def _swapped(self, held: Word, distance: int, mask: int) -> Word:
        """A word in which the bits of the mask have changed places with those `distance` further up (or down)."""
        if distance < 0:
            mask, distance = mask >> -distance, -distance
        f = self.f
        up = f.lshr(held, distance)
        differ = f.and_(f.xor(held, up), mask)
        both = f.or_(differ, f.shl(differ, distance))
        return f.xor(held, both)

    def _in_use(self, words: list[Word], leaf: int, marker: int, least: int, other: int) -> None:
        """Exchange code 0 and another in a field, if the slot that it belongs to is in use."""
        f, field, sign = self.f, self.fields[leaf], self.fields[marker]
        code, end = (f.and_(self.writer.shifted(words[at.word], -at.shift), (1 << at.bits) - 1) for at in (field, sign))
        concerned = f.either(f.eq(code, 0), f.eq(code, other))
        used = f.uge(end, least)
        flipped = f.select(f.both(used, concerned), other << field.shift, 0)
        words[field.word] = f.xor(words[field.word], flipped)
