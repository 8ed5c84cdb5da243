"""Components: sets of states that each can be reached from each other (Tarjan 1972), and whether they are fair.

A component of one state is none here: a step that changes nothing is no step. Stack and frames have room for every
state, and take memory where they have been used only.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Bit, Label, Word
from .promise_vocabulary import AGAIN, OUTSIDE, UNFAIR, PromiseText

OPEN = 1 << 31
"""The bit of a state that is still on the stack; the others are the least index that it leads to."""


def component_texts(words: int) -> list[str]:
    """The functions of this file."""
    makers = (_weigh, _settle, _leave, _mark)
    return [*(_components(words, within) for within in (False, True)), _condense(words), *(m(words) for m in makers)]


def _components(words: int, within: bool) -> str:
    """`components(context)`: number the components in `component`, from 1.

    `components_within` goes through the states where one promise waits and that have a number in `within`, and along
    edges between equal numbers only.
    """
    k = PromiseText(f"void @components{'_within' if within else ''}(ptr noalias %context)", words)
    index, on_stack, depth = (k.variable(Word, 0) for _ in range(3))
    with k.every_state() as root:
        after = k.label("after_root")
        k.jump_if(k.ne(k.narrow("low", root), 0), after)
        if within:
            _skip_outsider(k, root, after)
        depth.set(0)
        _enter(k, index, on_stack, depth, root)
        with k.loop() as (again, finished):
            top = k.sub(depth.get(), 1)
            state, edge = k.narrow("frames", top), k.wide("cursors", top)
            end = k.wide("offsets", k.add(state, 1))
            with k.where(k.ult(edge, end)):
                k.put_wide("cursors", top, k.add(edge, 1))
                target = k.narrow("targets", edge)
                k.jump_if(k.eq(target, OUTSIDE), again)
                if within:
                    _skip_outsider(k, target, again)
                    k.jump_if(k.ne(k.narrow("within", target), k.narrow("within", state)), again)
                seen = k.narrow("low", target)
                with k.where(k.eq(seen, 0)):
                    _enter(k, index, on_stack, depth, target)
                    k.jump(again)
                with k.where(k.uge(k.narrow("component", target), OPEN)):
                    _lower(k, state, k.or_(seen, OPEN))
                k.jump(again)
            own = k.narrow("component", state)
            with k.where(k.eq(own, k.or_(k.narrow("low", state), OPEN))):
                _pop(k, on_stack, state)
            depth.set(top)
            k.jump_if(k.eq(top, 0), finished)
            with k.where(k.uge(k.narrow("component", state), OPEN)):
                _lower(k, k.narrow("frames", k.sub(top, 1)), own)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _skip_outsider(k: PromiseText, state: Word, to: Label) -> None:
    """Go on elsewhere if a state is not looked at."""
    k.jump_if(_no_member(k, state), to)


def _no_member(k: PromiseText, state: Word) -> Bit:
    return k.either(k.eq(k.narrow("within", state), 0), k.not_(k.has("waiting", state)))


def _enter(k: PromiseText, index: Variable[Word], on_stack: Variable[Word], depth: Variable[Word], state: Word) -> None:
    """Come to a state for the first time."""
    index.set(k.add(index.get(), 1))
    k.put_narrow("low", state, index.get())
    k.put_narrow("component", state, k.or_(index.get(), OPEN))
    k.put_narrow("stack", on_stack.get(), state)
    on_stack.set(k.add(on_stack.get(), 1))
    k.put_narrow("frames", depth.get(), state)
    k.put_wide("cursors", depth.get(), k.wide("offsets", state))
    depth.set(k.add(depth.get(), 1))


def _lower(k: PromiseText, state: Word, least: Word) -> None:
    """A state leads to one of this index."""
    with k.where(k.ult(least, k.narrow("component", state))):
        k.put_narrow("component", state, least)


def _pop(k: PromiseText, on_stack: Variable[Word], first: Word) -> None:
    """The states of the stack down to this one are a component."""
    k.bump("components", 1)
    with k.loop() as (_, done):
        top = k.sub(on_stack.get(), 1)
        on_stack.set(top)
        state = k.narrow("stack", top)
        k.put_narrow("component", state, k.number("components"))
        k.jump_if(k.eq(state, first), done)


def _condense(words: int) -> str:
    """Number the components of several states anew, and give all other states 0. `low` is used up."""
    k = PromiseText("void @condense(ptr noalias %context)", words)
    kept = k.variable(Word, 0)
    with k.each(0, k.add(k.number("components"), 1)) as one:
        k.put_narrow("low", one, 0)
    with k.every_state() as number:
        of = k.narrow("component", number)
        k.put_narrow("low", of, k.add(k.narrow("low", of), 1))
    k.put_narrow("low", Word("0"), 0)
    with k.each(1, k.add(k.number("components"), 1)) as one:
        size = k.narrow("low", one)
        k.put_narrow("low", one, 0)
        with k.where(k.ugt(size, 1)):
            kept.set(k.add(kept.get(), 1))
            k.put_narrow("low", one, kept.get())
    with k.every_state() as number:
        k.put_narrow("component", number, k.narrow("low", k.narrow("component", number)))
    k.set_number("components", kept.get())
    k.ret()
    return k.text()


def _weigh(words: int) -> str:
    """For each component which units of a group are possible everywhere and anywhere in it, and which are taken."""
    k = PromiseText("void @weigh(ptr noalias %context)", words)
    taken = k.variable(Word, 0)
    with k.every_state() as number:
        component = k.narrow("component", number)
        with k.where(k.ne(component, 0)):
            taken.set(0)
            with k.edges_of(number) as (edge, target):
                inside = k.narrow("component", k.select(k.eq(target, OUTSIDE), number, target))
                by = k.wide("by", k.label_of(edge))
                home = k.both(k.ne(target, OUTSIDE), k.eq(inside, component))
                taken.set(k.or_(taken.get(), k.select(home, by, 0)))
            possible = k.possible(number)
            k.put_wide("always", component, k.and_(k.wide("always", component), possible))
            k.put_wide("ever", component, k.or_(k.wide("ever", component), possible))
            k.put_wide("taken", component, k.or_(k.wide("taken", component), taken.get()))
    k.ret()
    return k.text()


def _settle(words: int) -> str:
    """What a group of units says of each component; `always` becomes the strong ones it could take and does not."""
    k = PromiseText("void @settle(ptr noalias %context)", words)
    with k.each(1, k.add(k.number("components"), 1)) as one:
        missed = k.xor(k.wide("taken", one), -1)
        weak = k.and_(k.and_(k.wide("always", one), missed), k.number("weak"))
        strong = k.and_(k.and_(k.wide("ever", one), missed), k.number("strong"))
        unfair = k.select(k.ne(weak, 0), UNFAIR, 0)
        again = k.select(k.ne(strong, 0), AGAIN, 0)
        k.put_wide("verdicts", one, k.or_(k.wide("verdicts", one), k.or_(unfair, again)))
        k.put_wide("always", one, strong)
    k.ret()
    return k.text()


def _leave(words: int) -> str:
    """Note the states that are to be left out: those where such a strong unit is possible."""
    k = PromiseText("void @leave(ptr noalias %context)", words)
    with k.every_state() as number:
        component = k.narrow("component", number)
        with k.where(k.ne(component, 0)):
            could = k.and_(k.possible(number), k.wide("always", component))
            with k.where(k.ne(could, 0)):
                k.put_narrow("left", number, 1)
    k.ret()
    return k.text()


def _mark(words: int) -> str:
    """Doom the states of fair components; `within` keeps those that must be looked at again, which `found` counts."""
    k = PromiseText("void @mark(ptr noalias %context)", words)
    with k.every_state() as number:
        component = k.narrow("component", number)
        k.put_narrow("within", number, 0)
        with k.where(k.ne(component, 0)):
            verdict = k.wide("verdicts", component)
            with k.where(k.eq(verdict, 0)):
                name = k.add(k.number("wanted"), component)
                k.put_narrow("doomed", number, k.or_(k.narrow("doomed", number), name))
            with k.where(k.eq(verdict, AGAIN)), k.where(k.eq(k.narrow("left", number), 0)):
                k.put_narrow("within", number, component)
                k.bump("found", 1)
    k.ret()
    return k.text()
