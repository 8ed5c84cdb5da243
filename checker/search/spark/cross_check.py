"""The cross-check of a search on Spark: a sample of its log, repeated in the Python reading by the driver.

The machine code is what was sent to the executors. Of each level one partition's file is read at a time, and the row
whose parent's hash comes first, in a seeded order, is taken: the same one in whichever order the states arrived.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from epochal.spec.language import Member

from ...cross_check import SEED, Amount, CrossCheck, CrossChecker, repeated
from ...disagreement import ReadingsDisagree
from ...native.runtime.sample import spread
from ...native.stepper import MachineAnswers
from ...reading import Codes
from ..patience import Patience
from .log import LoggedStates
from .walk import Came, Walker


@dataclass(frozen=True)
class _Logged:
    """A state of the log: its level and words, where it came from, and the instance, by its place in the model."""

    level: int
    words: tuple[int, ...]
    came: Came
    action: int


def cross_checked(
    walker: Walker, members: Sequence[Member], amount: Amount, run_seconds: float, patience: Patience
) -> CrossCheck:
    """Repeat some of the states of a log. Raises ReadingsDisagree, LogDamaged, OSError."""
    if amount == "off":
        return CrossCheck()
    answers = MachineAnswers("spark", walker.model, walker.code, members)
    checker = CrossChecker(walker.model.protocol, members, answers)
    sample = _Sample(walker, lambda action: checker.enabled[action])
    states = sample.every() if amount == "all" else sample.some()
    return repeated(
        checker, states, lambda one: _repeat(walker, checker, one), amount, run_seconds, told=patience.repeating
    )


def _repeat(walker: Walker, checker: CrossChecker, one: _Logged) -> None:
    """Repeat a state, and the step by which it was reached. Of a disagreement the first on the way is told."""
    codes = walker.codes(one.words)
    try:
        if one.level:
            instance = walker.instance(one.action)
            before, _, _ = walker.before(one.level - 1, one.came, instance, one.words)
            checker.led_to(walker.codes(before), instance, codes)
        checker.repeat(codes)
    except ReadingsDisagree as found:
        raise _first_on_the_way(walker, checker, one, found) from None


def _first_on_the_way(walker: Walker, checker: CrossChecker, one: _Logged, found: ReadingsDisagree) -> ReadingsDisagree:
    """The first disagreement on the way to a state, with the run to it as far as Python takes it."""
    try:
        initial, steps = walker.run(one.level, one.words)
    except ReadingsDisagree as broken:
        return broken
    states: list[Codes] = [initial, *(step.codes for step in steps)]
    for number, codes in enumerate(states):
        try:
            checker.repeat(codes)
        except ReadingsDisagree as first:
            whole = first.disagreement.state == codes
            return first.after(steps[:number], initial) if whole else first
    return found


class _Sample:
    """The states of a log in the order in which they are to be repeated: spread over levels and actions."""

    def __init__(self, walker: Walker, covered: Callable[[str], int]) -> None:
        self._walker, self._covered = walker, covered
        self._random = random.Random(SEED)
        self._actions = [compiled.instance.action.name for compiled in walker.model.instances]

    def some(self) -> Iterator[_Logged]:
        """States of each level in turn; and before a step of an action that was enabled in none of them so far."""
        levels = spread([number for number, level in enumerate(self._walker.levels) if level.count])
        total, told = sum(level.count for level in self._walker.levels), set[tuple[int, tuple[int, ...]]]()
        fruitless = 0
        while len(told) < total and fruitless < 2 * len(levels):
            for level in levels:
                fruitless += 1
                for one in self._of_level(level):
                    if (one.level, one.words) not in told:
                        fruitless = 0
                        told.add((one.level, one.words))
                        yield one
        yield from (one for one in self.every() if (one.level, one.words) not in told)

    def every(self) -> Iterator[_Logged]:
        """Every state, level by level."""
        for number, level in enumerate(self._walker.levels):
            for file in level.files:
                if file.count:
                    states = self._walker.states(file)
                    yield from (self._row(number, states, at) for at in range(states.count))

    def _of_level(self, number: int) -> Iterator[_Logged]:
        """A state of a level, and states before steps of actions that led to the level and are not covered yet."""
        import numpy as np

        files = [file for file in self._walker.levels[number].files if file.count]
        states = self._walker.states(files[self._random.randrange(len(files))])
        order = states.parents.to_numpy() ^ np.uint64(self._random.getrandbits(64))
        yield self._first(number, states, order, np.arange(states.count))
        if not number:
            return
        actions = states.actions.to_numpy()
        for place in np.unique(actions).tolist():
            if not self._covered(self._actions[place]):  # asked each time: the states before may have covered it
                yield self._parent(self._first(number, states, order, np.flatnonzero(actions == place)))

    def _first(self, number: int, states: LoggedStates, order: object, rows: object) -> _Logged:
        """Of some rows the one whose parent comes first in an order; of its siblings the least."""
        import numpy as np

        keys = np.asarray(order)[np.asarray(rows)]
        first = np.asarray(rows)[np.flatnonzero(keys == keys.min())]
        found = (self._row(number, states, at) for at in first.tolist())
        return min(found, key=lambda one: (one.action, one.words))

    def _parent(self, child: _Logged) -> _Logged:
        """The state that another was reached from."""
        instance = self._walker.instance(child.action)
        return _Logged(child.level - 1, *self._walker.before(child.level - 1, child.came, instance, child.words))

    def _row(self, number: int, states: LoggedStates, at: int) -> _Logged:
        return _Logged(number, self._walker.state(states, at), *self._walker.reached(states, at))
