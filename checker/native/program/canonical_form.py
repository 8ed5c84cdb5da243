"""The representative of a state's orbit, in machine code: what `checker.symmetry.canonical` defines.

`canonical(state)` replaces a state by its representative. Identifiers are sorted by their keys, exchanging two
neighbours at a time; where keys are equal, a fixed walk of such exchanges goes through every order of the tied ones,
and the least state met is kept. An exchange is made on whole words: the fields of two entries change places, and so do
two bits of every set and two codes of every stored identifier, all those of a word at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.spec.language.domains import SetDomain

from ...symmetry.canonical import CanonicalForm, KeyPart
from ...symmetry.names import Group, relabelling
from ..llvm.builder import FunctionText
from .expressions import signed


@dataclass(frozen=True)
class _Slot:
    """An identifier in the order of all: its group, and its index there."""

    group: Group
    index: int


def canonical_text(form: CanonicalForm) -> str:
    """The LLVM text of `canonical(state)`, which changes the words of a state in place."""
    return _Writer(form).text()


class _Writer:
    """Writes the function for one protocol."""

    def __init__(self, form: CanonicalForm) -> None:
        self.form, self.words = form, form.layout.words
        self.slots = [_Slot(group, i) for group in form.naming.groups for i in range(group.size)]
        self.f = FunctionText("void @canonical(ptr %state)")

    def text(self) -> str:
        """The function, and the walks that it looks up."""
        f = self.f
        state = [f.value(f"load i64, ptr {self._at(w)}") for w in range(self.words)]
        place = [f.variable("i64", word) for word in state]
        keys = [f.variable("i64", self._key(slot, state)) for slot in self.slots]
        neighbours = [i for i, (a, b) in enumerate(itertools.pairwise(self.slots)) if a.group is b.group]
        self._sort(place, keys, neighbours)
        ties = "0"
        for i in neighbours:
            first, second = (f.value(f"load i64, ptr {keys[at]}") for at in (i, i + 1))
            bit = f.value(f"zext i1 {f.value(f'icmp eq i64 {first}, {second}')} to i64")
            ties = f.value(f"or i64 {ties}, {f.value(f'shl i64 {bit}, {i}')}")
        with f.where(f.value(f"icmp ne i64 {ties}, 0")):
            self._try_all(place, ties, neighbours)
        for w in range(self.words):
            f.do(f"store i64 {f.value(f'load i64, ptr {place[w]}')}, ptr {self._at(w)}")
        f.do("ret void")
        return _walk_tables(len(self.slots)) + f.text()

    def _at(self, word: int) -> str:
        return self.f.value(f"getelementptr i64, ptr %state, i64 {word}")

    # -- keys -----------------------------------------------------------------------------------------------------

    def _key(self, slot: _Slot, state: Sequence[str]) -> str:
        f, total = self.f, "0"
        for part in self.form.parts[slot.group.prefix]:
            value = f.value(f"mul i64 {self._part(part, slot.index, state)}, {signed(part.constant)}")
            total = f.value(f"add i64 {total}, {value}")
        return total

    def _part(self, part: KeyPart, index: int, state: Sequence[str]) -> str:
        f = self.f
        found = self._shifted(state[part.words[index]], -part.shifts[index])
        if part.codes:
            found = f.value(f"xor i64 {self._some_bit(found, part.mask, part.codes[index], part.width)}, -1")
        found = f.value(f"and i64 {found}, {signed(part.mask)}")
        return f.value(f"call i64 @llvm.ctpop.i64(i64 {found})") if part.count else found

    def _some_bit(self, word: str, mask: int, code: int, width: int) -> str:
        """At every bit of the mask: whether the field that begins there differs from a code."""
        f = self.f
        differs = f.value(f"xor i64 {word}, {signed(mask * code)}")
        total = differs
        for by in range(1, width):
            total = f.value(f"or i64 {total}, {f.value(f'lshr i64 {differs}, {by}')}")
        return total

    def _shifted(self, word: str, left: int) -> str:
        if not left:
            return word
        return self.f.value(f"{'shl' if left > 0 else 'lshr'} i64 {word}, {abs(left)}")

    # -- sorting --------------------------------------------------------------------------------------------------

    def _sort(self, place: list[str], keys: list[str], neighbours: list[int]) -> None:
        """Sort each group by exchanging neighbours."""
        f = self.f
        for last in range(len(self.slots) - 1, 0, -1):
            for i in (i for i in neighbours if self._sorts(i, last)):
                first, second = (f.value(f"load i64, ptr {keys[at]}") for at in (i, i + 1))
                with f.where(f.value(f"icmp ugt i64 {first}, {second}")):
                    f.do(f"store i64 {second}, ptr {keys[i]}")
                    f.do(f"store i64 {first}, ptr {keys[i + 1]}")
                    self._exchange(place, i)

    def _sorts(self, i: int, last: int) -> bool:
        """Whether a comparison belongs to the pass that settles the `last` of its group (counted from its first)."""
        return self.slots[i].index < last < self.slots[i].group.size

    def _exchange(self, place: list[str], i: int) -> None:
        """Exchange the identifiers i and i + 1 in the state whose words are in `place`."""
        f, slot = self.f, self.slots[i]
        words = [f.value(f"load i64, ptr {at}") for at in place]
        after = _Exchange(self.form, slot.group, slot.index, self).applied(words)
        for at, old, new in zip(place, words, after, strict=True):
            if new != old:
                f.do(f"store i64 {new}, ptr {at}")

    # -- ties -----------------------------------------------------------------------------------------------------

    def _try_all(self, place: list[str], ties: str, neighbours: list[int]) -> None:
        """Walk through every order of tied identifiers, and leave the least state in `place`."""
        f = self.f
        now = [f.variable("i64", f.value(f"load i64, ptr {at}")) for at in place]
        begin, end = (self._entry("@walk_starts", "i32", at) for at in (ties, f.value(f"add i64 {ties}, 1")))
        step = f.variable("i64", begin)
        with f.loop() as (_, done):
            at = f.value(f"load i64, ptr {step}")
            f.leave(f.value(f"icmp uge i64 {at}, {end}"), done)
            f.do(f"store i64 {f.value(f'add i64 {at}, 1')}, ptr {step}")
            with f.switch(self._entry("@walks", "i8", at), neighbours) as cases:
                for i in cases:
                    self._exchange(now, i)
            words, best = ([f.value(f"load i64, ptr {a}") for a in places] for places in (now, place))
            less = "false"
            for word, least in reversed(list(zip(words, best, strict=True))):
                below, same = (f.value(f"icmp {test} i64 {word}, {least}") for test in ("ult", "eq"))
                less = f.value(f"or i1 {below}, {f.value(f'and i1 {same}, {less}')}")
            with f.where(less):
                for word, to in zip(words, place, strict=True):
                    f.do(f"store i64 {word}, ptr {to}")

    def _entry(self, table: str, type: str, index: str) -> str:
        f = self.f
        found = f.value(f"load {type}, ptr {f.value(f'getelementptr {type}, ptr {table}, i64 {index}')}")
        return f.value(f"zext {type} {found} to i64")


class _Exchange:
    """What exchanging an identifier with the next does to the words of a state, as masks that serve many fields."""

    def __init__(self, form: CanonicalForm, group: Group, first: int, writer: _Writer) -> None:
        self.writer, self.f = writer, writer.f
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

    def applied(self, words: list[str]) -> list[str]:
        """The words after the exchange. Identifiers are renamed where they lie, then entries change places."""
        f, words = self.f, list(words)
        for (word, distance), mask in self.bits.items():
            words[word] = self._swapped(words[word], distance, mask)
        for (word, width, a, b), mask in self.codes.items():
            first, second = (self.writer._some_bit(words[word], mask, code, width) for code in (a, b))
            neither = f.value(f"xor i64 {f.value(f'and i64 {first}, {second}')}, -1")
            either = f.value(f"and i64 {neither}, {signed(mask)}")
            flipped = f.value(f"mul i64 {either}, {a ^ b}") if a ^ b != 1 else either
            words[word] = f.value(f"xor i64 {words[word]}, {flipped}")
        for leaf, marker, least, other in self.in_use:
            self._in_use(words, leaf, marker, least, other)
        for (a, b, distance), mask in self.moves.items():
            if a == b:
                words[a] = self._swapped(words[a], distance, mask)
                continue
            there = self.writer._shifted(words[b], -distance)
            differ = f.value(f"and i64 {f.value(f'xor i64 {words[a]}, {there}')}, {signed(mask)}")
            words[a] = f.value(f"xor i64 {words[a]}, {differ}")
            words[b] = f.value(f"xor i64 {words[b]}, {self.writer._shifted(differ, distance)}")
        return words

    def _swapped(self, word: str, distance: int, mask: int) -> str:
        """A word in which the bits of the mask have changed places with those `distance` further up (or down)."""
        if distance < 0:
            mask, distance = mask >> -distance, -distance
        f = self.f
        up = f.value(f"lshr i64 {word}, {distance}")
        differ = f.value(f"and i64 {f.value(f'xor i64 {word}, {up}')}, {signed(mask)}")
        both = f.value(f"or i64 {differ}, {f.value(f'shl i64 {differ}, {distance}')}")
        return f.value(f"xor i64 {word}, {both}")

    def _in_use(self, words: list[str], leaf: int, marker: int, least: int, other: int) -> None:
        """Exchange code 0 and another in a field, if the slot that it belongs to is in use."""
        f, field, sign = self.f, self.fields[leaf], self.fields[marker]
        code, end = (
            f.value(f"and i64 {self.writer._shifted(words[at.word], -at.shift)}, {(1 << at.bits) - 1}")
            for at in (field, sign)
        )
        concerned = f.value(f"or i1 {f.value(f'icmp eq i64 {code}, 0')}, {f.value(f'icmp eq i64 {code}, {other}')}")
        used = f.value(f"icmp uge i64 {end}, {least}")
        flipped = f.value(
            f"select i1 {f.value(f'and i1 {used}, {concerned}')}, i64 {signed(other << field.shift)}, i64 0"
        )
        words[field.word] = f.value(f"xor i64 {words[field.word]}, {flipped}")


def walk(ties: Sequence[bool]) -> list[int]:
    """Exchanges of neighbours that lead through every order of tied identifiers, each order once.

    `ties[i]` says whether the identifiers at i and i + 1 are tied. One run of ties is walked from end to end before
    each step of the next, forwards and backwards in turn.
    """
    runs: list[tuple[int, int]] = []
    for tied, group in itertools.groupby(enumerate(ties), key=lambda tie: tie[1]):
        if tied:
            places = [i for i, _ in group]
            runs.append((places[0], len(places) + 1))
    steps: list[int] = []
    for first, size in runs:
        inner, steps = steps, []
        forwards = True
        for step in [None, *plain_changes(size)]:
            if step is not None:
                steps.append(first + step)
            steps += inner if forwards else inner[::-1]
            forwards = not forwards
    return steps


def plain_changes(size: int) -> list[int]:
    """Every order of `size` things by exchanging neighbours: the last one moves to and fro among the others."""
    if size < 2:
        return []
    inner = [None, *plain_changes(size - 1)]
    found: list[int] = []
    down = True
    for step in inner:
        if step is not None:
            found.append(step + (1 if not down else 0))
        sweep = range(size - 2, -1, -1) if down else range(size - 1)
        found += sweep
        down = not down
    return found


def _walk_tables(slots: int) -> str:
    """The walks of all patterns of ties, one after the other, and where each begins."""
    walks = [walk([bool(pattern >> i & 1) for i in range(slots - 1)]) for pattern in range(1 << max(slots - 1, 0))]
    starts = itertools.accumulate(map(len, walks), initial=0)
    steps = [step for one in walks for step in one] or [0]
    told = [f"i32 {start}" for start in starts]
    return (
        f"@walks = private constant [{len(steps)} x i8] [{', '.join(f'i8 {step}' for step in steps)}]\n"
        f"@walk_starts = private constant [{len(told)} x i32] [{', '.join(told)}]\n"
    )
