"""Loops over plain sets, for whose elements Python defines no order: read where every order leaves the same.

That is decided, not guessed. The loop is run in each order, from where it stands; what the orders leave must be the
same expressions, or have the same values in every typed state. A local variable that the orders leave differently
cannot be used afterwards; that goes for the loop's own variable.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from ..ir.expression import Evaluation, Expression, Op, reachable_nodes
from ..ir.graph import refuted
from .execution import Execution, PathEnds, View
from .values.known import alike, family_of
from .values.symbolic import Disordered, Family, Guarded, Symbolic

MOST_ELEMENTS = 4
"""With more possible elements a loop over a plain set is refused: each order of them is tried."""
MOST_VALUES = 200_000
"""So many values of expressions are computed for a loop, to compare expressions that are written differently."""


class InEveryState:
    """Compares expressions in every typed state that comes here, as long as there is not too much to compute."""

    def __init__(self, execution: Execution) -> None:
        self._execution, self._left = execution, MOST_VALUES
        self._known: dict[tuple[int, int], bool] = {}

    def equal(self, a: Expression, b: Expression) -> bool:
        """Whether two expressions have the same value everywhere; False if that is not known."""
        if a is b:
            return True
        key = min(a.id, b.id), max(a.id, b.id)
        if key not in self._known:
            self._known[key] = self._equal(a, b)
        return self._known[key]

    def _equal(self, a: Expression, b: Expression) -> bool:
        graph = self._execution.graph
        wrong = graph.and_(self._execution.present(), graph.not_(graph.eq(a, b)))
        if refuted(wrong):
            return True
        nodes = list(reachable_nodes([wrong]))
        fields = [node for node in nodes if node.op is Op.FIELD]
        values = [_codes(field) for field in fields]
        count = math.prod(map(len, values)) * len(nodes)
        if count > self._left:
            return False
        evaluation, leaves = Evaluation([wrong]), [field.value for field in fields]
        codes = [0] * (max(leaves, default=0) + 1)
        for chosen in itertools.product(*values):
            self._left -= len(nodes)
            for leaf, code in zip(leaves, chosen, strict=True):
                codes[leaf] = code
            if evaluation(codes)[0]:
                return False
        return True


def _codes(field: Expression) -> range:
    """The codes of a leaf. Those of a set are the masks over its universe, whose positions begin at 0."""
    return range(field.high + 1)


class Left:
    """What a run of the loop leaves: the state, the locals, the guards it met, and what has changed."""

    def __init__(self, execution: Execution, view: View, get: Callable[[], Any], since: Beginning, ended: bool) -> None:
        self.leaves, self.locals, self.ended = view.copy(), get(), ended
        self.guards, self.assumed = execution.guards[since.guards :], execution.assumed[since.assumed :]
        self.uncertain = len(execution.failures) > since.failures or len(execution.stops) > since.stops
        self.history = view.history.taken_back(since.mark)


class Beginning:
    """Where a run of the loop begins, and how to go back there."""

    def __init__(self, execution: Execution, view: View, get: Callable[[], Any]) -> None:
        self.execution, self.view = execution, view
        self.leaves, self.locals, self.mark = view.copy(), get(), view.history.mark()
        self.guards, self.assumed = len(execution.guards), len(execution.assumed)
        self.failures, self.stops, self.path = len(execution.failures), len(execution.stops), len(execution.path)

    def restore(self, put: Callable[[Any], None]) -> None:
        """Go back."""
        execution = self.execution
        self.view.leaves[:] = self.leaves
        put(self.locals)
        del execution.guards[self.guards :], execution.assumed[self.assumed :], execution.path[self.path :]
        del execution.failures[self.failures :], execution.stops[self.stops :]


def in_every_order(
    execution: Execution,
    view: View,
    elements: list[Guarded],
    run: Callable[[list[Guarded]], None],
    get: Callable[[], Any],
    put: Callable[[Any], None],
) -> bool:
    """Run a loop over these elements in each order. If all leave the same, that is left, else nothing has happened.

    Raises PathEnds if no run comes to the end of the loop.
    """
    if len(elements) > MOST_ELEMENTS:
        return False
    before = Beginning(execution, view, get)
    compared = InEveryState(execution)
    first: Left | None = None
    differing: set[int] = set()
    for order in itertools.permutations(elements):
        ended = False
        try:
            run(list(order))
        except PathEnds:
            ended = True
        outcome = Left(execution, view, get, before, ended)
        before.restore(put)
        if outcome.uncertain or (first is not None and not _same(execution, compared, first, outcome)):
            return False
        if first is None:
            first = outcome
        differing |= {
            at
            for at, (one, other) in enumerate(zip(first.locals, outcome.locals, strict=True))
            if at not in differing and not _same_value(execution, compared, one, other)
        }
    assert first is not None
    view.leaves[:] = first.leaves
    view.history.join(first.history, before.mark, certain=True)
    execution.guards += first.guards
    execution.assumed += first.assumed
    put(tuple(Disordered(execution) if at in differing else value for at, value in enumerate(first.locals)))
    if first.ended:
        raise PathEnds
    return True


def _same(execution: Execution, compared: InEveryState, one: Left, other: Left) -> bool:
    """Whether two outcomes leave the same state under the same guards."""
    graph = execution.graph
    guards = [graph.all_of(guard.condition for guard in outcome.guards) for outcome in (one, other)]
    return (
        one.ended == other.ended
        and compared.equal(guards[0], guards[1])
        and all(compared.equal(a, b) for a, b in zip(one.leaves, other.leaves, strict=True))
    )


def _same_value(execution: Execution, compared: InEveryState, a: Any, b: Any) -> bool:
    """Whether a local variable has the same value after two runs, of the same kind."""
    if a is b:
        return True
    first, second = family_of(a), family_of(b)
    if not isinstance(a, Symbolic) and not isinstance(b, Symbolic):
        return alike(a, b)
    scalar = (Family.TRUTH, Family.NUMBER, Family.NAME, Family.OPTIONAL, Family.SET)
    if first is not second or first not in scalar:
        return False
    return compared.equal(execution.pairs.equal(a, b), execution.graph.true)
