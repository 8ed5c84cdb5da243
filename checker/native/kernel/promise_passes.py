"""Passes over all states that judge many promises at once: a bit of a word each, up to 64.

`marks` asks where premises and goals hold, `spread` who waits, `stay` who may wait for ever because no fair step is
possible. The others are about one promise that is broken: how far its doomed states are, and which comes first.
"""

from __future__ import annotations

from ..llvm.operands import Bit, Word, word
from ..program.program import INSTANCE_BITS
from .promise_vocabulary import FAR, OUTSIDE, STAYS, PromiseText
from .vocabulary import INITIAL


def pass_texts(words: int) -> list[str]:
    """The functions of this file."""
    makers = (
        _possible,
        _marks,
        _spread,
        _stay,
        _tally,
        _doom_staying,
        _first_levels,
        _begin,
        _nearest,
        _before,
        _count,
    )
    return [*(maker(words) for maker in makers), *(_relax(words, waiting) for waiting in (False, True))]


def _possible(words: int) -> str:
    """`possible(context, number)`: the bits of what can be taken in a state, or would be if no bound stopped it."""
    k = PromiseText("i64 @possible(ptr noalias %context, i64 %number)", words)
    number = Word("%number")
    stopped = k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by"))
    k.ret(k.or_(_taken(k, number), stopped))
    return k.text()


def _taken(k: PromiseText, number: Word) -> Word:
    """The bits of the steps from a state."""
    total = k.variable(Word, 0)
    total.set(0)
    with k.edges_of(number) as (edge, _):
        total.set(k.or_(total.get(), k.wide("by", k.label_of(edge))))
    return total.get()


def _premises(k: PromiseText, number: Word) -> Word:
    """The bits of the promises whose premise holds in a state of the stretch, and is asked of it."""
    asked = k.select(_is_initial(k, number), word(-1), k.xor(k.number("once"), -1))
    return k.and_(k.call64(k.pointer("premises"), k.state_of(number)), asked)


def _is_initial(k: PromiseText, number: Word) -> Bit:
    """Whether a run may begin with a state of the stretch."""
    return k.eq(k.lshr(k.field(k.state_of(number), k.words), INSTANCE_BITS), INITIAL)


def _marks(words: int) -> str:
    """Where premises hold and goals do not, and which conditions cannot be evaluated."""
    k = PromiseText("void @marks(ptr noalias %context)", words)
    with k.every_state() as number:
        state = k.state_of(number)
        without = k.xor(k.call64(k.pointer("goals"), state), -1)
        k.put_wide("without", number, without)
        k.put_wide("waiting", number, k.and_(_premises(k, number), without))
        k.set_bits("failed", k.call64(k.pointer("failing"), state))
    k.ret()
    return k.text()


def _spread(words: int) -> str:
    """One sweep: whoever a waiting state leads to waits too, until its goal holds. Counts what is new
    and does not lie ahead."""
    k = PromiseText("void @spread(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting = k.wide("waiting", number)
        with k.where(k.ne(waiting, 0)), k.edges_of(number) as (_, target), k.where(k.ne(target, OUTSIDE)):
            there = k.wide("waiting", target)
            fresh = k.and_(k.and_(waiting, k.wide("without", target)), k.xor(there, -1))
            with k.where(k.ne(fresh, 0)):
                k.put_wide("waiting", target, k.or_(there, fresh))
                ahead = k.both(k.ugt(target, number), k.ult(target, k.number("end")))
                k.bump("found", k.as_word(k.not_(ahead)))
    k.ret()
    return k.text()


def _stay(words: int) -> str:
    """Of which promises some state waits where no step that they take to be fair is possible; `counts` says for each in
    how many a bound alone stops one."""
    k = PromiseText("void @stay(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting, done = k.wide("waiting", number), k.label("looked_at")
        k.jump_if(k.eq(waiting, 0), done)
        staying = k.and_(waiting, k.xor(_taken(k, number), -1))
        with k.where(k.ne(staying, 0)):
            stopped = k.and_(k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by")), staying)
            k.set_bits("found", k.xor(staying, stopped))
            _count_bits(k, stopped)
        k.branch(done)
        k.block(done)
    k.ret()
    return k.text()


def _count_bits(k: PromiseText, bits: Word) -> None:
    """Add one to the count of each promise whose bit is set."""
    left = k.variable(Word, 0)
    left.set(bits)
    with k.loop() as (_, done):
        rest = left.get()
        k.jump_if(k.eq(rest, 0), done)
        k.bump_at("counts", k.lowest_bit(rest))
        left.set(k.and_(rest, k.sub(rest, 1)))


def _tally(words: int) -> str:
    """In how many states each promise waits; and `found` are those that wait in some state of a cycle."""
    k = PromiseText("void @tally(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting = k.wide("waiting", number)
        with k.where(k.ne(k.number("components"), 0)), k.where(k.ne(k.narrow("component", number), 0)):
            k.set_bits("found", waiting)
        _count_bits(k, waiting)
    k.ret()
    return k.text()


def _doom_staying(words: int) -> str:
    """Mark the states where one promise waits and no fair step is possible."""
    k = PromiseText("void @doom_staying(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.has("waiting", number)):
        possible = k.and_(k.possible(number), k.number("bit"))
        with k.where(k.eq(possible, 0)):
            k.put_narrow("doomed", number, k.or_(k.narrow("doomed", number), STAYS))
    k.ret()
    return k.text()


def _begin(words: int) -> str:
    """What a state costs where the premise of the promise holds without its goal: the steps of a shortest run to it."""
    k = PromiseText("void @begin(ptr noalias %context)", words)
    with k.every_state() as number:
        k.put_narrow("cost", number, FAR)
        with k.where(k.has("without", number)):
            premise = k.and_(_premises(k, number), k.number("bit"))
            with k.where(k.ne(premise, 0)):
                k.put_narrow("cost", number, k.narrow("levels", number))
    k.ret()
    return k.text()


def _first_levels(words: int) -> str:
    """Initial states cost nothing, all others are far away."""
    k = PromiseText("void @first_levels(ptr noalias %context)", words)
    with k.every_state() as number:
        k.put_narrow("cost", number, k.select(_is_initial(k, number), 0, FAR))
    k.ret()
    return k.text()


def _relax(words: int, waiting: bool) -> str:
    """One sweep: a state costs at most one step more than one that leads to it. Counts what is new.

    `relax_waiting` goes to states only where the promise waits.
    """
    k = PromiseText(f"void @relax{'_waiting' if waiting else ''}(ptr noalias %context)", words)
    with k.every_state() as number:
        cost, after = k.narrow("cost", number), k.label("relaxed")
        k.jump_if(k.eq(cost, FAR), after)
        more = k.add(cost, 1)
        with k.edges_of(number) as (_, target), k.where(k.ne(target, OUTSIDE)):
            cheaper = k.ugt(k.narrow("cost", target), more)
            with k.where(k.both(cheaper, k.has("waiting", target)) if waiting else cheaper):
                k.put_narrow("cost", target, more)
                k.bump("found", 1)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _nearest(words: int) -> str:
    """The doomed state of least cost; of several, one where nothing more happens, and then that of the least hash."""
    k = PromiseText("void @nearest(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.ne(k.narrow("doomed", number), 0)):
        cost = k.narrow("cost", number)
        kind = k.as_word(k.ult(k.narrow("doomed", number), STAYS))
        hash = k.state_hash(k.state_of(number))
        keep_least(k, number, cost, kind, hash)
    k.ret()
    return k.text()


def _before(words: int) -> str:
    """The state of the wanted cost that leads to the target: by the least instance, and of those by the least hash."""
    k = PromiseText("void @before(ptr noalias %context)", words)
    with k.every_state() as number:
        other = k.label("another_cost")
        k.jump_if(k.ne(k.narrow("cost", number), k.number("wanted")), other)
        with k.edges_of(number) as (edge, target), k.where(k.eq(target, k.number("target"))):
            hash = k.state_hash(k.state_of(number))
            keep_least(k, number, word(0), k.label_of(edge), hash)
        k.branch(other)
        k.block(other)
    k.ret()
    return k.text()


def keep_least(k: PromiseText, number: Word, cost: Word, kind: Word, hash: Word) -> None:
    """Keep a state if cost, kind and hash are less than those of the one that is kept."""
    best_cost, best_kind, best_hash = (k.number(f"best_{name}") for name in ("cost", "kind", "hash"))
    by_hash = k.both(k.eq(kind, best_kind), k.ult(hash, best_hash))
    by_kind = k.either(k.ult(kind, best_kind), by_hash)
    less = k.either(k.ult(cost, best_cost), k.both(k.eq(cost, best_cost), by_kind))
    with k.where(less):
        for name, value in (("best_cost", cost), ("best_kind", kind), ("best_hash", hash), ("best", number)):
            k.set_number(name, value)


def _count(words: int) -> str:
    """How many states are doomed."""
    k = PromiseText("i64 @count_doomed(ptr noalias %context)", words)
    total = k.variable(Word, 0)
    with k.every_state() as number, k.where(k.ne(k.narrow("doomed", number), 0)):
        total.set(k.add(total.get(), 1))
    k.ret(total.get())
    return k.text()
