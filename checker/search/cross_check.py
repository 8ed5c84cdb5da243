"""The cross-check of a native search: a sample of what it has reached, repeated in the Python reading."""

from __future__ import annotations

from ..cross_check import SEED, CrossCheck, CrossChecker, repeated
from ..disagreement import ReadingsDisagree
from ..native.runtime.sample import Sample
from ..native.stepper import MachineAnswers
from .findings import Run
from .native_search import NativeSearch
from .patience import Patience
from .properties import chosen_properties


def cross_checked(search: NativeSearch, run_seconds: float, patience: Patience) -> CrossCheck:
    """Repeat some of the states of a search, through the machine code that it has used last. Raises ReadingsDisagree.

    The runs to what the search has found are followed besides, step by step. `run_seconds` is what the run has taken.
    `patience` hears how far it is, and has the budgets.
    """
    amount = search.options.cross_check
    if amount == "off":
        return CrossCheck()
    model, reduction = search.model, search.reduction
    form = None if reduction is None else reduction.form
    members = chosen_properties(model.protocol, search.options)
    answers = MachineAnswers("native", model, search.native.program, members, form)
    checker = CrossChecker(model.protocol, members, answers, form)
    states = _States(search, checker, answers)
    for finding in (*search.found.shown.values(), search.found.failure):
        if finding is not None:
            _follow(checker, finding.run, whole=reduction is None)
    chosen = states.sample.every() if amount == "all" else states.sample
    tuning = search.tuning
    return repeated(
        checker,
        chosen,
        states.repeat,
        amount,
        run_seconds,
        told=patience.repeating,
        share=tuning.cross_check_share,
        longest=tuning.cross_check_seconds,
    )


def _follow(checker: CrossChecker, run: Run, whole: bool) -> None:
    """Repeat a run step by step. `whole` says that its states are those of the protocol, not representatives."""
    initial, steps = run
    before = initial
    for number, step in enumerate(steps):
        try:
            checker.led_to(before, step.instance, step.codes)
        except ReadingsDisagree as found:
            raise (found.after(steps[:number], initial) if whole else found) from None
        before = step.codes


class _States:
    """The states of a search: a sample of them, and how one is repeated."""

    def __init__(self, search: NativeSearch, checker: CrossChecker, answers: MachineAnswers) -> None:
        self._search, self._checker = search, checker
        model, totals = search.model, search.pool.totals()
        actions = tuple(compiled.instance.action.name for compiled in model.instances)
        self.sample = Sample(
            search.pool,
            actions,
            tuple(dict.fromkeys(name for name, steps in zip(actions, totals.steps, strict=False) if steps)),
            lambda name: {actions[entry.place] for entry in answers.stepper.entries(search.codes(name), 0)},
            lambda name: checker.enabled[name],
            compacted=search.options.compact,
            seed=SEED,
        )

    def repeat(self, name: int) -> None:
        """Repeat a state, and the step by which it was reached. Of a disagreement the first on the way is told."""
        try:
            self._led_to(name)
            self._checker.repeat(self._search.codes(name))
        except ReadingsDisagree as found:
            raise self._first_on_the_way_to(name, found) from None

    def _first_on_the_way_to(self, name: int, found: ReadingsDisagree) -> ReadingsDisagree:
        """The first disagreement on the way to a state, with the run to it."""
        path = [name]
        while (parent := self._search.pool.predecessor(path[-1])[0]) is not None:
            path.append(parent)
        for at in reversed(path):
            try:
                self._checker.repeat(self._search.codes(at))
            except ReadingsDisagree as first:
                return self._with_run(at, first)
        return found

    def _led_to(self, name: int) -> None:
        parent, place = self._search.pool.predecessor(name)
        if parent is not None:
            instance = self._search.model.instances[place].instance
            self._checker.led_to(self._search.codes(parent), instance, self._search.codes(name))

    def _with_run(self, name: int, found: ReadingsDisagree) -> ReadingsDisagree:
        """A disagreement in a state with the run to it; without a run where states are representatives."""
        state = found.disagreement.state
        initial, steps = self._search.run_to(name)
        if self._search.reduction is not None or state != self._search.codes(name):
            return found
        return found.after(steps, initial)
