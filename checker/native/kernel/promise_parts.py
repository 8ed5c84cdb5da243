"""What promises take besides when the states are judged part by part: which state is which, and whence it was reached.

A part is judged with the states that its steps lead to elsewhere. Those have numbers too, after its own, and no edges.
"""

from __future__ import annotations

from ..llvm.operands import Pointer, Word, word
from .lookup import find_or_insert
from .promise_passes import keep_least
from .promise_vocabulary import FAR, OUTSIDE, Numbered, PromiseText


def part_texts(words: int, shared: bool) -> list[str]:
    """The functions of this file."""
    return [_numbers(words, shared), _origins(words), _first_failing(words)]


def _numbers(words: int, shared: bool) -> str:
    """`numbers(context, states, n, found)`: the 32-bit number of each of n states; OUTSIDE for one that is none."""
    k = PromiseText("void @numbers(ptr noalias %context, ptr %states, i64 %n, ptr %found)", words)
    lookup = Numbered(k, shared)
    position = k.variable(Word, 0)
    with k.each(0, Word("%n")) as i:
        state, place = k.element(Pointer("%states"), k.mul(i, words)), k.element(Pointer("%found"), i, "i32")
        done = k.label("numbered")
        k.store_narrowed(OUTSIDE, place, "i32")
        with find_or_insert(lookup, k.state_at(state), k.state_hash(state), position) as match:
            k.store_narrowed(match.fact, place, "i32")
            k.jump(done)
        k.branch(done)
        k.block(done)
    k.ret()
    return k.text()


def _origins(words: int) -> str:
    """For each state where the promise waits a state of one step less that leads to it: by the least instance, and of
    those by the least hash."""
    k = PromiseText("void @origins(ptr noalias %context)", words)
    with k.every_state() as number:
        cost, after = k.narrow("cost", number), k.label("led_on")
        k.jump_if(k.eq(cost, FAR), after)
        more, hash = k.add(cost, 1), k.state_hash(k.state_of(number))
        with (
            k.edges_of(number) as (edge, target),
            k.where(k.ne(target, OUTSIDE)),
            k.where(k.both(k.eq(k.narrow("cost", target), more), k.has("waiting", target))),
        ):
            _keep_origin(k, target, k.label_of(edge), hash, number)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _keep_origin(k: PromiseText, target: Word, label: Word, hash: Word, number: Word) -> None:
    known, kept = k.narrow("origin_label", target), k.wide("origin_hash", target)
    less = k.either(k.ult(label, known), k.both(k.eq(label, known), k.ult(hash, kept)))
    with k.where(less):
        k.put_narrow("origin_label", target, label)
        k.put_wide("origin_hash", target, hash)
        k.put_narrow("origin", target, number)


def _first_failing(words: int) -> str:
    """The state of the least level where a promise cannot be evaluated; of several, that of the least hash."""
    k = PromiseText("void @first_failing(ptr noalias %context)", words)
    with k.every_state() as number:
        state = k.state_of(number)
        with k.where(k.ne(k.call64(k.pointer("failing"), state), 0)):
            keep_least(k, number, k.narrow("levels", number), word(0), k.state_hash(state))
    k.ret()
    return k.text()
