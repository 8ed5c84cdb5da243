"""The frame of a search: everything around the states, which an engine explores.

The frame has the clocks and budgets, compiles within them, makes the result of what the engine has found, has some of
its states repeated and its liveness properties checked. An engine is a file with a subclass of `Engine` and a function
that begins it.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, ClassVar

from epochal.spec.language import Member, Protocol

from ..base.machine import Stopwatch, outside_collection, peak_memory, without_collection
from ..compile.static import Diagnostic, diagnose
from ..crosscheck.cross_check import CrossCheck, ReachedStates, repeated
from ..dominance.budgets import Budgets, budgets_of
from ..ir.model import CompiledLiveness, Model
from ..liveness.result import Liveness
from ..native.tuning import TUNING, Tuning
from ..semantics.properties import Assumptions
from ..symmetry.canonical import Reduction
from .budget import COMPILING, Budget, BudgetExceeded, Deadline, why_stopped
from .findings import Findings, chosen_properties, concrete, evaluation_finding, property_results
from .liveness import with_liveness
from .result import ActionResult, CheckResult, Counts, Dominance, Options, PropertyResult, StopReason


class Engine(ABC):
    """One search by one engine. The frame asks for what it has found when `explore` has ended, and then closes it.

    `tuning` has the limits of the cross-check.
    """

    name: ClassVar[str]
    model: Model
    options: Options
    reduction: Reduction | None = None
    budgets: Budgets | None = None
    tuning: Tuning = TUNING

    @abstractmethod
    def run(self, budget: Budget) -> StopReason | None:
        """Explore level by level; why the search stopped before all was explored, None if it did not."""

    def explore(self, budget: Budget) -> StopReason | None:
        """Explore as far as possible; why not every state was explored, None if all were.

        Raises KeyboardInterrupt if the user ends it before there is anything to report.
        """
        try:
            return self.run(budget)
        except KeyboardInterrupt as interruption:
            if not self.state_count and not isinstance(interruption, BudgetExceeded):
                raise
            self.settle()
            return why_stopped(interruption)

    def settle(self) -> None:  # noqa: B027  (not every engine has to)
        """Take over what was found until an interruption."""

    @property
    def helper_seconds(self) -> float:
        """Processor seconds of other threads that explored."""
        return 0.0

    @property
    @abstractmethod
    def state_count(self) -> int:
        """How many states were found."""

    @abstractmethod
    def counts(self) -> Counts:
        """What was counted."""

    @abstractmethod
    def findings(self) -> Findings:
        """What was found, with representatives in place of states if there is a reduction."""

    @abstractmethod
    def pending_properties(self) -> Sequence[Member]:
        """The properties that were still looked for in the end."""

    @abstractmethod
    def judge(self, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget) -> Liveness:
        """Check liveness properties on all states. Raises LivenessFails, NotJudged."""

    def reached(self, members: Sequence[Member], liveness: bool) -> ReachedStates[Any] | None:
        """The states to be repeated in the Python semantics, with these properties, and with the liveness properties
        if they are to be checked; None of that itself.
        """
        return None

    def facts(self) -> dict[str, Any]:
        """Further fields of the result."""
        return {}

    def keep(self, result: CheckResult) -> CheckResult:
        """Keep what the next search can begin with, and say so in the result."""
        return result

    def close(self) -> None:  # noqa: B027  (nor has anything to close)
        """End what the search still does, and free its memory."""


class Frame:
    """A search from its query to its result: what it is asked, since when, and what the compiler says."""

    def __init__(self, protocol: Protocol, options: Options) -> None:
        self.wall, self.cpu = time.monotonic(), time.process_time()
        self.protocol, self.options = protocol, options
        self.members = chosen_properties(protocol, options)
        self.patience = Deadline(options.budget, options.max_memory, options.progress, options.begun)
        self.diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def symmetric(self) -> list[str] | None:
        """The names of the properties with which representatives are explored, None where every state is."""
        return [member.name for member in self.members] if self.options.symmetry else None

    def examine(self, model: Model, checked: bool = False) -> Reduction | None:
        """Diagnose a compiled protocol; its symmetry if that is asked for, of which all is known if it is `checked`."""
        self.diagnostics = diagnose(model)
        return None if self.symmetric is None else Reduction(model, self.symmetric, checked)

    def budgets(
        self,
        model: Model,
        reduction: Reduction | None,
        known: Callable[[Sequence[Member], Callable[[], Budgets]], Budgets] = lambda _, find: find(),
    ) -> Budgets | None:
        """The budgets by which states dominate others, if that is asked for; `known` may have them already."""
        if not self.options.dominance:
            return None
        self.patience("looking for budgets")
        naming = None if reduction is None else reduction.naming
        return known(self.members, lambda: budgets_of(model, self.members, naming))

    def search(self, engine: str, prepare: Callable[[Frame], Callable[[], Engine]]) -> CheckResult:
        """Explore every state within the bounds, or as far as the budgets allow.

        `prepare` compiles the protocol, which is interrupted where a budget is spent, and gives what begins the search.
        """
        with ExitStack() as until_the_end:
            try:
                with self.patience.watching(COMPILING), without_collection():
                    begin = prepare(self)
                    until_the_end.enter_context(outside_collection())
            except BudgetExceeded as spent:
                return self._timed(self._unexplored(engine, spent.reason))
            search, watch = begin(), Stopwatch()
            until_the_end.callback(search.close)
            budget = Budget(self.options, watch, self.patience)
            stopped = search.explore(budget)
            wall, cpu = watch.wall_seconds(), watch.cpu_seconds() + search.helper_seconds
            check = cross_checked(search, stopped is None, time.monotonic() - self.wall, self.patience)
            result = replace(self._result(search, stopped), cross_check=check)
            result = with_liveness(
                result, self.options, lambda promises, assumed: search.judge(promises, assumed, budget)
            )
            result = search.keep(result)
        return self._timed(replace(result, search_wall_seconds=wall, search_cpu_seconds=cpu))

    def _result(self, search: Engine, stopped: StopReason | None) -> CheckResult:
        protocol, name = self.protocol, search.name
        found, counts = concrete(search.findings(), search.reduction), search.counts()
        pending, failure = search.pending_properties(), found.failure
        error = None if failure is None else evaluation_finding(protocol, pending, failure, name)
        properties = property_results(protocol, self.members, found, exhaustive=stopped is None, engine=name)
        result = CheckResult.of(
            protocol, name, stopped, counts, properties, model=search.model, diagnostics=self.diagnostics, error=error
        )
        interchangeable = search.reduction.interchangeable if search.reduction else ()
        budgets = search.budgets
        dominance = None if budgets is None else Dominance(budgets.paths, counts.dominated, budgets.vectors)
        return replace(result, interchangeable=interchangeable, dominance=dominance, **search.facts())

    def _unexplored(self, engine: str, reason: StopReason) -> CheckResult:
        """The result of a search that has not begun: nothing is known."""
        actions = tuple(ActionResult(action.name, 0, 0) for action in self.protocol.members("action"))
        unknown = tuple(PropertyResult(member, "unknown") for member in self.members)
        return CheckResult.of(self.protocol, engine, reason, Counts(actions=actions), unknown)

    def _timed(self, result: CheckResult) -> CheckResult:
        wall, cpu = time.monotonic() - self.wall, time.process_time() - self.cpu
        return replace(result, wall_seconds=wall, cpu_seconds=cpu, peak_memory_bytes=peak_memory())


def cross_checked(search: Engine, liveness: bool, run_seconds: float, patience: Deadline) -> CrossCheck | None:
    """Repeat some of the states of a search in the Python semantics; None if that has made it. Raises
    SemanticsDisagree.

    `liveness` says that liveness properties are to be checked, `run_seconds` is what the run has taken. `patience`
    hears how far it is, and has the budgets.
    """
    amount, tuning = search.options.cross_check, search.tuning
    states = search.reached(chosen_properties(search.model.protocol, search.options), liveness)
    if states is None or amount == "off":
        return None if states is None else CrossCheck()
    return repeated(
        states.checker,
        states.every() if amount == "all" else states.some(),
        states.repeat,
        amount,
        run_seconds,
        told=patience.repeating,
        share=tuning.cross_check_share,
        longest=tuning.cross_check_seconds,
    )
