"""Which states have no step that changes something, and why: kernels over the edges of a search."""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Word, word
from .promise_passes import keep_least
from .promise_vocabulary import OUTSIDE, PromiseText

OPEN, BOUNDED, OTHER = 1, 2, 3
"""Kinds of ends: nothing is wrong with it so far; a bound makes it; it is where no run may end."""


def end_texts(words: int) -> list[str]:
    """The functions of this file."""
    return [maker(words) for maker in (_find, _note, _count, _nearest)]


def _find(words: int) -> str:
    """Find the states from which no step leads to another. `by` has a bit for every instance that a bound can stop."""
    k = PromiseText("void @find_ends(ptr noalias %context)", words)
    leaves: Variable[Word] = k.variable(Word, 0)
    with k.every_state() as number:
        goes_on = k.label("goes_on")
        leaves.set(0)
        with k.edges_of(number) as (_, target):
            k.jump_if(k.ne(target, OUTSIDE), goes_on)
            leaves.set(1)
        stopped = k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by"))
        bounded = k.ne(k.or_(stopped, leaves.get()), 0)
        k.put_narrow("ends", number, k.select(bounded, BOUNDED, OPEN))
        k.branch(goes_on)
        k.block(goes_on)
    k.ret()
    return k.text()


def _note(words: int) -> str:
    """An end is none where a run may end if something waits there."""
    k = PromiseText("void @note_ends(ptr noalias %context)", words)
    with k.every_state() as number:
        waits = k.ne(k.wide("waiting", number), 0)
        with k.where(k.both(k.eq(k.narrow("ends", number), OPEN), waits)):
            k.put_narrow("ends", number, OTHER)
    k.ret()
    return k.text()


def _count(words: int) -> str:
    """How many ends there are of a kind."""
    k = PromiseText("i64 @count_ends(ptr noalias %context)", words)
    total = k.variable(Word, 0)
    with k.every_state() as number, k.where(k.eq(k.narrow("ends", number), k.number("wanted"))):
        total.set(k.add(total.get(), 1))
    k.ret(total.get())
    return k.text()


def _nearest(words: int) -> str:
    """The end of a kind that takes the fewest steps to come to; of several, that of the least hash."""
    k = PromiseText("void @nearest_end(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.eq(k.narrow("ends", number), k.number("wanted"))):
        keep_least(k, number, k.narrow("levels", number), word(0), k.state_hash(k.state_of(number)))
    k.ret()
    return k.text()
