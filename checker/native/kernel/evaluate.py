"""Evaluating the properties on states that are new: eight at a time where there is code for that.

Which states show something does not depend on when, nor on how many at once, they are looked at: of all findings of a
level the one with the least key is kept. So records are evaluated some time after they have been written, when there
are eight of them, and before the kernel returns.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.lanes import LANES
from ..llvm.operands import NULL, Pointer, Word, word
from .vocabulary import INSTANCE, NO_INSTANCE, KernelText

CONTEXT = Pointer("%context")


def evaluation_texts(words: int) -> list[str]:
    """The functions that evaluate properties on records."""
    return [_evaluate(words), _trial(words), _add_states(words), _count_discovered(words)]


class Evaluation:
    """The records of a worker that have not been evaluated, while a kernel function runs that adds to them."""

    def __init__(self, k: KernelText) -> None:
        self._k = k
        self._next: Variable[Word] = k.variable(Word, k.number("count"))

    def go_on(self) -> None:
        """Evaluate the records that can be evaluated eight at a time."""
        self._until(0)

    def finish(self) -> None:
        """Evaluate all of them."""
        self._until(1)

    def _until(self, all: int) -> None:
        k = self._k
        self._next.set(k.call64("evaluate", CONTEXT, self._next.get(), k.number("count"), word(all)))


def _evaluate(words: int) -> str:
    """`evaluate(context, first, end, all)`: note what these records show; the first that is not evaluated yet.

    Fewer than eight are left where there is code for eight, unless `all` is 1.
    """
    k = KernelText("i64 @evaluate(ptr noalias %context, i64 %first, i64 %end, i64 %all)", words)
    index, end, eight = k.variable(Word, Word("%first")), Word("%end"), k.pointer("eight")
    alone = k.label("alone")
    with k.where(k.ne(k.number("eight"), 0)):
        with k.loop() as (_, fewer):
            i = index.get()
            k.jump_if(k.ugt(k.add(i, LANES), end), fewer)
            shown = k.and_(k.call64(eight, k.record(i)), k.number("pending"))
            with k.where(k.ne(shown, 0)), k.each(i, k.add(i, LANES)) as one:
                _evaluate_record(k, one)
            index.set(k.add(i, LANES))
        k.jump_if(k.ne(Word("%all"), 0), alone)
        k.call("add_states", CONTEXT, Word("%first"), index.get())
        k.return_here(index.get())
    k.jump(alone)
    k.unreachable()
    k.block(alone)
    with k.each(index.get(), end) as one:
        _evaluate_record(k, one)
    k.call("add_states", CONTEXT, Word("%first"), end)
    k.ret(end)
    return k.text()


def _add_states(words: int) -> str:
    """`add_states(context, first, end)`: add these records to the digest of states."""
    k = KernelText("void @add_states(ptr noalias %context, i64 %first, i64 %end)", words)
    low, high = k.variable(Word, 0), k.variable(Word, 0)
    with k.each(Word("%first"), Word("%end")) as i:
        state = k.state_at(k.record(i))
        low.set(k.add(low.get(), k.hash(state, 0)))
        high.set(k.add(high.get(), k.hash(state, 1)))
    k.bump("digest_low", low.get())
    k.bump("digest_high", high.get())
    k.ret()
    return k.text()


def _count_discovered(words: int) -> str:
    """`count_discovered(context, first, end, counts)`: count these records by the instances that led to them."""
    k = KernelText("void @count_discovered(ptr noalias %context, i64 %first, i64 %end, ptr %counts)", words)
    records = k.pointer("records")
    with k.each(Word("%first"), Word("%end")) as i:
        predecessor = k.field(k.element(records, k.mul(i, words + 1)), words)
        at = k.element(Pointer("%counts"), k.and_(predecessor, INSTANCE))
        k.store64(k.add(k.load64(at), 1), at)
    k.ret()
    return k.text()


def _evaluate_record(k: KernelText, index: Word) -> None:
    """Note what a record shows."""
    state = k.record(index)
    shown = k.evaluate(state)
    with k.where(k.ne(shown, 0)):
        key = (k.state_hash(state), k.own_name(index), word(NO_INSTANCE), word(0), word(0))
        k.call("note_state", CONTEXT, shown, *key)


def _trial(words: int) -> str:
    """`trial(context, eight, first, end)`: evaluate records and note nothing, to see how long it takes.

    With an address of code for eight it is used, and with zero each record is evaluated alone; the number of records
    must be divisible by eight. The result is what they show.
    """
    k = KernelText("i64 @trial(ptr noalias %context, ptr %eight, i64 %first, i64 %end)", words)
    index, shown = k.variable(Word, Word("%first")), k.variable(Word, 0)
    alone = k.eq(Pointer("%eight"), NULL)
    with k.loop() as (again, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%end")), done)
        with k.where(alone):
            shown.set(k.or_(shown.get(), k.evaluate(k.record(i))))
            index.set(k.add(i, 1))
            k.jump(again)
        shown.set(k.or_(shown.get(), k.call64(Pointer("%eight"), k.record(i))))
        index.set(k.add(i, LANES))
    k.ret(k.and_(shown.get(), k.number("pending")))
    return k.text()
