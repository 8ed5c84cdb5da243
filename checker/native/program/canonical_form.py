"""The representative of a state's orbit, in machine code: what `checker.symmetry.canonical` defines.

`canonical(state)` replaces a state by its representative. Identifiers are sorted by their keys, exchanging two
neighbours at a time; where keys are equal, a fixed walk of such exchanges goes through every order of the tied ones,
and the least state met is kept. An exchange is made on whole words: the fields of two entries change places, and so do
two bits of every set and two codes of every stored identifier, all those of a word at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...symmetry.canonical import CanonicalForm
from ..llvm.instructions import Instructions, Variable
from ..llvm.operands import FALSE, Pointer, Word, word
from .exchanges import Exchanges


def canonical_text(form: CanonicalForm) -> str:
    """The LLVM text of `canonical(state)`, which changes the words of a state in place."""
    return _Writer(form).text()


class _Writer:
    """Writes the function for one protocol."""

    def __init__(self, form: CanonicalForm) -> None:
        self.words = form.layout.words
        self.f = Instructions("void @canonical(ptr %state)")
        self.exchanges = Exchanges(form, self.f)

    def text(self) -> str:
        """The function, and the walks that it looks up."""
        f, neighbours = self.f, self.exchanges.neighbours
        state = [f.load64(self._at(w)) for w in range(self.words)]
        place = [f.variable(Word, held) for held in state]
        keys = [f.variable(Word, key) for key in self.exchanges.keys(state)]
        self._sort(place, keys)
        ties = word(0)
        for i in neighbours:
            first, second = keys[i].get(), keys[i + 1].get()
            ties = f.or_(ties, f.shl(f.as_word(f.eq(first, second)), i))
        with f.where(f.ne(ties, 0)):
            self._try_all(place, ties, neighbours)
        for w in range(self.words):
            f.store64(place[w].get(), self._at(w))
        f.ret()
        return _walk_tables(len(self.exchanges.slots)) + f.text()

    def _at(self, index: int) -> Pointer:
        return self.f.element(Pointer("%state"), index)

    # -- sorting --------------------------------------------------------------------------------------------------

    def _sort(self, place: list[Variable[Word]], keys: list[Variable[Word]]) -> None:
        """Sort each group by exchanging neighbours."""
        f = self.f
        for i in self.exchanges.sorting():
            first, second = keys[i].get(), keys[i + 1].get()
            with f.where(f.ugt(first, second)):
                keys[i].set(second)
                keys[i + 1].set(first)
                self._exchange(place, i)

    def _exchange(self, place: list[Variable[Word]], i: int) -> None:
        """Exchange the identifiers i and i + 1 in the state whose words are in `place`."""
        words = [at.get() for at in place]
        for at, old, new in zip(place, words, self.exchanges.exchanged(words, i), strict=True):
            if new != old:
                at.set(new)

    # -- ties -----------------------------------------------------------------------------------------------------

    def _try_all(self, place: list[Variable[Word]], ties: Word, neighbours: list[int]) -> None:
        """Walk through every order of tied identifiers, and leave the least state in `place`."""
        f = self.f
        now = [f.variable(Word, at.get()) for at in place]
        begin, end = (self._entry("@walk_starts", "i32", at) for at in (ties, f.add(ties, 1)))
        with f.each(begin, end) as at:
            with f.switch(self._entry("@walks", "i8", at), neighbours) as cases:
                for i in cases:
                    self._exchange(now, i)
            words, best = ([a.get() for a in places] for places in (now, place))
            less = FALSE
            for held, least in reversed(list(zip(words, best, strict=True))):
                below, same = f.ult(held, least), f.eq(held, least)
                less = f.either(below, f.both(same, less))
            with f.where(less):
                for held, to in zip(words, place, strict=True):
                    to.set(held)

    def _entry(self, table: str, type: str, index: Word) -> Word:
        return self.f.load_widened(self.f.element(Pointer(table), index, type), type)


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
