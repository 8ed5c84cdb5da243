"""The representatives of many states, eight at a time and without a branch.

`canonical_eight(entries, n)` does with the states of n entries, as `step` writes them, what `canonical` does with one.
Which identifiers must be exchanged cannot be predicted; so every exchange that may be needed is made in all lanes, and
a lane takes over those that it needs. Where keys are equal, which is seldom, `canonical` goes on with a state alone.
"""

from __future__ import annotations

from ...symmetry.canonical import CanonicalForm
from ..llvm.lanes import LANE_DECLARATIONS, LANES, LaneInstructions
from ..llvm.operands import Pointer, Word
from .exchanges import Exchanges

ENTRIES, COUNT = Pointer("%entries"), Word("%n")
DECLARATIONS = (
    *LANE_DECLARATIONS,
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
)


def canonical_eight_text(form: CanonicalForm, stride: int) -> str:
    """The LLVM text of `canonical_eight`, and what it declares; an entry has `stride` words."""
    f = LaneInstructions("void @canonical_eight(ptr %entries, i64 %n)")
    one = f.single
    index, tied = one.variable(Word, 0), one.variable(Word, 0)
    last = one.sub(COUNT, 1)

    def entry(number: Word) -> Pointer:
        """An entry; the last one for all numbers beyond: it is in several lanes then, and becomes the same in all."""
        return one.element(ENTRIES, one.mul(one.umin(number, last), stride))

    with one.loop() as (_, done):
        first = index.get()
        one.jump_if(one.uge(first, COUNT), done)
        index.set(one.add(first, LANES))
        states = [entry(one.add(first, lane)) for lane in range(LANES)]
        places = [[one.element(state, w) for state in states] for w in range(form.layout.words)]
        words, ties = _sorted(f, Exchanges(form, f), [f.gathered(list(map(f.load64, lanes))) for lanes in places])
        for word, lanes in zip(words, places, strict=True):
            for lane, at in enumerate(lanes):
                one.store64(f.lane(word, lane), at)
        tied.set(ties)
        with one.loop() as (_, untied):
            left = tied.get()
            one.jump_if(one.eq(left, 0), untied)
            tied.set(one.and_(left, one.sub(left, 1)))
            one.call("canonical", entry(one.add(first, one.lowest_bit(left))))
    f.ret()
    return "\n".join([*DECLARATIONS, f.text()])


def _sorted(f: LaneInstructions, exchanges: Exchanges, words: list[Word]) -> tuple[list[Word], Word]:
    """The words of states when their identifiers are sorted by their keys, and the lanes in which some are equal."""
    keys = exchanges.keys(words)
    for i in exchanges.sorting():
        first, second = keys[i], keys[i + 1]
        greater = f.ugt(first, second)
        keys[i], keys[i + 1] = f.select(greater, second, first), f.select(greater, first, second)
        after = exchanges.exchanged(words, i)
        words = [old if new == old else f.select(greater, new, old) for old, new in zip(words, after, strict=True)]
    ties = f.any_of([f.eq(keys[i], keys[i + 1]) for i in exchanges.neighbours])
    return words, f.lane_bits(ties)
