"""A run of the gate: every model is loaded, searched or answered from the cache, compared with the base and checked."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.errors import ConfigurationError, EngineError, EpochalError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given
from epochal.spec.language.configurable import remarks_on, taken_apart

from ..base.machine import memory_limit
from ..base.processes import stopping
from ..crosscheck.cross_check import SemanticsDisagree
from ..described import described
from ..difference.difference import Difference, Explored, Unreached
from ..search.budget import BudgetExceeded, Deadline
from ..workers.chosen_engine import Where, apart
from ..workers.pool import Answering, usable_processors
from . import cache
from .base import BaseAnswer, BaseCommit, PendingAnswer, changed_files, commit, repository_root
from .configuration import Configuration, ModelSettings, chosen_models, loaded, read_configuration
from .disagreement_report import disagreement_finding
from .model_search import ModelSearch, proof_finding
from .record import NAME, Lock, Locked, Record, read_lock
from .verdict import (
    Baseline,
    Expectations,
    GateFinding,
    GateResult,
    ModelOutcome,
    change_in_words,
    judge,
    link_warnings,
    relation_of,
)

if TYPE_CHECKING:
    from ..search.result import Progress


# -- apart ------------------------------------------------------------------------------------------------------------
# Models that nothing is known of, searched side by side before they are checked: each in a process of its own.
#
# A process loads the model as the gate does and keeps its record in the cache, by the digest of the specification. What
# it could not search completely is not kept: the gate then searches it itself, with all that there is, and tells why.

FEWEST = 3
"""How many models are worth other processes, each of which compiles its model again."""


@dataclass(frozen=True)
class Premises:
    """What a process needs to search models: the name of their file, the engine, and what each may take."""

    file: str
    engine: str
    budget: float | None
    max_memory: int


class ModelAnswering(Answering[ModelSettings, bool]):
    """Searches models, and keeps what it finds in the cache."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises

    def answer(self, settings: ModelSettings, /) -> bool:
        """Whether a model was searched completely. What goes wrong is told by whoever searches it next."""
        premises = self._premises
        try:
            question = ModelSearch(loaded(settings, premises.file), settings.reference)
            record = question.searched(premises.engine, premises.budget, None, max_memory=premises.max_memory)
        except EpochalError:
            return False
        return record.exhaustive


def searched_in_workers(
    models: Sequence[ModelSettings], file: str, engine: str, seconds: float | None, told: Callable[[str], None]
) -> Iterator[str]:
    """The names of the models that were searched, as they come; none where processes are not worth it.

    `seconds` is the time for all of them.
    """
    count = usable_processors()
    if count < 2 or len(models) < FEWEST or engine not in ("auto", "native"):
        return
    rounds = -(-len(models) // count)
    budget = None if seconds is None else max(seconds / rounds, 0.1)
    premises = Premises(file, engine, budget, memory_limit() // count)
    told(f"checking {len(models)} models, {count} at a time")
    try:
        with apart(Where("local", count), ModelAnswering, len(models), lambda _: False) as answering:
            for number, complete in answering(premises, list(enumerate(models))):
                if complete:
                    told(f"checked {models[number].name}")
                    yield models[number].name
    except EngineError:  # no process could be started, or all were lost: the gate searches by itself
        return


COMPARED_STATES = 2_000_000
"""How many states of each specification are visited at most to compare their steps."""

KEPT_FOR_REPORTS = 0.02
"""The share of the budget that is kept for writing the reports."""


@dataclass(frozen=True)
class GateRequest:
    """What `epochal gate` was asked for. `budget` is in seconds, for the whole run.

    Without `models`, all of the lock file should be among those of the configuration.
    """

    models: tuple[str, ...] = ()
    base: str | None = None
    baseline: Path | None = None
    profile: str = "pr"
    budget: float | None = None
    only_changed: bool = False
    fail_on: tuple[str, ...] = ()
    engine: str = "auto"


@dataclass(frozen=True)
class _Prepared:
    """A model that could be compiled, waiting for its search; `kept` is its record from the cache.

    `apart` says that another process has put it there in this run.
    """

    settings: ModelSettings
    question: ModelSearch
    kept: Record | None
    seconds: float
    apart: bool = False


class Session:
    """One run. `stop` may be set from a signal handler; what is known by then is reported."""

    def __init__(
        self,
        configuration: Configuration,
        wanted: GateRequest,
        models: Sequence[ModelSettings],
        base: BaseCommit | None,
        lock: Lock | None,
        lock_name: str,
        progress: Callable[[Progress], None] | None,
        tell: Callable[[str], None],
    ) -> None:
        self.configuration, self.wanted, self.models, self.base, self.lock = configuration, wanted, models, base, lock
        self.progress, self.tell = progress, tell
        self.lock_name = lock_name
        self.stopped = ""
        self._start = time.monotonic()
        budget = wanted.budget
        self._deadline = None if budget is None else self._start + budget * (1 - KEPT_FOR_REPORTS)
        self._left = 0

    def run(self) -> GateResult:
        """Check every model. A mistake in one of them does not keep the others from being checked."""
        found: dict[str, ModelOutcome | None] = {}
        asked: list[_Prepared] = []
        for settings in self.models:
            made = self._unless_stopped(settings, partial(self._ask, settings))
            if isinstance(made, _Prepared):
                asked.append(made)
            else:
                found[settings.name] = made
        asked.sort(key=self._size)
        asked = self._searched_apart(asked)
        self._left = sum(one.kept is None for one in asked)
        for one in asked:
            outcome = self._unless_stopped(one.settings, partial(self._judged, one))
            assert not isinstance(outcome, _Prepared)
            found[one.settings.name] = outcome
        outcomes = tuple(o for s in self.models if (o := found[s.name]) is not None)
        return GateResult(
            (*outcomes, *self._forgotten()),
            self._base_name,
            self.wanted.profile,
            self.wanted.budget,
            time.monotonic() - self._start,
            self.stopped,
            tuple(s.name for s in self.models if found[s.name] is None),
            fail_on=self.wanted.fail_on,
        )

    def _forgotten(self) -> list[ModelOutcome]:
        """The models of the lock file that the configuration no longer has: nobody watches them any more."""
        if self.lock is None or self.wanted.models:
            return []
        message = f"the model is in {self.lock_name}, but no longer in the configuration"
        problem = GateFinding("changed", ExitCode.DRIFTED, message)
        return [
            ModelOutcome(name, locked.record.protocol, locked.record.bounds, problem=problem)
            for name, locked in self.lock.models.items()
            if name not in self.configuration.models
        ]

    @property
    def _base_name(self) -> str:
        return self.base.commit.name if self.base is not None else self.lock_name

    def _unless_stopped(
        self, settings: ModelSettings, work: Callable[[], _Prepared | ModelOutcome | None]
    ) -> _Prepared | ModelOutcome | None:
        """Do some work on a model; if the run is stopped before or during it, say so instead."""
        try:
            if not self.stopped:
                return work()
        except BudgetExceeded as spent:
            return _unchecked(settings, str(spent))
        except KeyboardInterrupt:
            self._interrupted()
        except SemanticsDisagree as error:
            return _without_record(settings, disagreement_finding(error, settings.reference))
        return _unchecked(settings, f"the run was stopped ({self.stopped})")

    def _interrupted(self) -> None:
        """Note that the user has ended the run, unless a signal has said so already."""
        self.stopped = self.stopped or "interrupted"

    # -- one model ------------------------------------------------------------------------------------------------

    def _ask(self, settings: ModelSettings) -> _Prepared | ModelOutcome:
        start = time.monotonic()
        left = None if self._deadline is None else self._deadline - start
        patience = Deadline(left, progress=self.progress)
        try:
            with patience.watching(f"loading and compiling {settings.name}"):
                question = ModelSearch(loaded(settings, self.configuration.file), settings.reference)
            return _Prepared(settings, question, question.kept(), time.monotonic() - start)
        except Exception as error:  # told in the report, with the code that `check` would end with
            code, message = described(error)
            where = getattr(error, "where", None)
            return _without_record(settings, GateFinding("not loaded", code, message, "", where))

    def _searched_apart(self, asked: list[_Prepared]) -> list[_Prepared]:
        """The same, with the records of what could be searched side by side."""
        todo = {one.settings.name: one for one in asked if one.kept is None and not self.stopped}
        if self.wanted.only_changed or not todo:  # what is unchanged is not searched at all
            return asked
        left = None if self._deadline is None else self._deadline - time.monotonic()
        done: set[str] = set()
        begun = time.monotonic()
        try:
            settings = [one.settings for one in todo.values()]
            done.update(searched_in_workers(settings, self.configuration.file, self.wanted.engine, left, self.tell))
        except KeyboardInterrupt:
            self._interrupted()
        each = (time.monotonic() - begun) / max(len(done), 1)
        return [
            replace(one, kept=kept, apart=True, seconds=one.seconds + each)
            if one.settings.name in done and (kept := one.question.kept()) is not None
            else one
            for one in asked
        ]

    def _size(self, asked: _Prepared) -> tuple[bool, int]:
        """Kept answers first, then the smallest model, as far as that is known."""
        locked = self.lock.models.get(asked.settings.name) if self.lock is not None else None
        return asked.kept is None, locked.record.distinct_states if locked is not None else 0

    def _judged(self, asked: _Prepared) -> ModelOutcome | None:
        """The outcome of a model; None if it is unchanged and only changed ones are wanted."""
        start = time.monotonic()
        settings, question = asked.settings, asked.question
        specification = question.digests.specification
        locked = self.lock.models.get(settings.name) if self.lock is not None else None
        approved = locked.record if locked is not None else None
        pending: PendingAnswer | None = None
        share = self._share()
        if asked.kept is None:
            self._left -= 1
        if self.base is not None:
            pending = self.base.ask(
                settings, specification, self.wanted.engine, share, taken_apart(type(question.protocol))
            )
        if self.wanted.only_changed and self._unchanged(approved, pending, specification):
            return None
        record, source = asked.kept, "search" if asked.apart else "cache"
        if record is None:
            if share is not None and share <= 0:
                return _unchecked(settings, "the time budget is spent")
            self.tell(f"checking {settings.name}")
            record, source = question.searched(self.wanted.engine, share, self.progress), "search"
            if question.interrupted:
                self._interrupted()
        question.keep_rules()
        answer = self._answer(pending)
        baseline, old = self._baseline(record, approved, answer)
        difference = self._difference(question, record, baseline, old)
        unreached = self._unreached(settings, question, record, baseline, old, difference, locked)
        approval = (locked.record, locked.reason) if self.base is not None and locked is not None else None
        expected = Expectations(
            settings.expect_violated, settings.expect_never, settings.refinement, self.wanted.fail_on
        )
        judgement = judge(
            record, question.protocol, question.facts.dead_actions, baseline, difference, expected, approval, unreached
        )
        findings, notes = list(judgement.findings), [*judgement.notes, *remarks_on(question.protocol)]
        if settings.prove:
            findings += self._proof(question)
        if answer.code == ExitCode.READINGS_DISAGREE:
            message = f"in {self._base_name}, {answer.problem}"
            findings.append(GateFinding("semantics disagree", ExitCode.READINGS_DISAGREE, message))
        if answer.problem:
            notes.append(f"{self._base_name} is not the baseline of this model: {' '.join(answer.problem.split())}")
        judgement = replace(judgement, findings=tuple(findings), notes=tuple(notes))
        return ModelOutcome(
            settings.name,
            settings.reference,
            question.protocol.bounds.as_dict(),
            question.protocol,
            record,
            baseline,
            difference,
            judgement,
            source=source,
            seconds=asked.seconds + time.monotonic() - start,
        )

    def _proof(self, question: ModelSearch) -> tuple[GateFinding, ...]:
        """What is wrong with the proof of the model's invariants; nothing if they are proved."""
        self.tell(f"proving {question.reference}")
        try:
            found = proof_finding(question.protocol, question.reference, question.facts.proof)
        except KeyboardInterrupt:
            self._interrupted()
            return (GateFinding("inconclusive", ExitCode.INCONCLUSIVE, f"the proof was stopped ({self.stopped})"),)
        return () if found is None else (found,)

    def _answer(self, pending: PendingAnswer | None) -> BaseAnswer:
        """What the base says. If the run is stopped meanwhile, what is known of the model itself is still reported."""
        try:
            return BaseAnswer() if pending is None else pending.get()
        except KeyboardInterrupt:
            self._interrupted()
            return BaseAnswer(problem=f"not compared: the run was stopped ({self.stopped})")

    def _share(self) -> float | None:
        """The seconds that the next search may take: what is left, divided among the models that need a search."""
        if self._deadline is None:
            return None
        return (self._deadline - time.monotonic()) / max(self._left, 1)

    def _unchanged(self, locked: Record | None, pending: PendingAnswer | None, specification: str) -> bool:
        if pending is not None:
            return pending.get().specification == specification
        return locked is not None and locked.specification == specification

    def _baseline(
        self, record: Record, locked: Record | None, answer: BaseAnswer
    ) -> tuple[Baseline | None, dict[str, object] | None]:
        """What to compare with, and its rules if they are at hand."""
        if self.base is not None and not answer.problem:
            if answer.record is None:
                return Baseline(self._base_name, replace(record, text=answer.text)), None
            return Baseline(self._base_name, answer.record), answer.rules
        if locked is None:
            return None, None
        return Baseline(self.lock_name, locked), cache.find_rules(locked.specification)

    def _unreached(
        self,
        settings: ModelSettings,
        question: ModelSearch,
        record: Record,
        baseline: Baseline | None,
        old: dict[str, object] | None,
        difference: Difference | None,
        locked: Locked | None,
    ) -> Unreached | None:
        """How the rules differ where no reached step is new; None if they do not, or if some reached step is."""
        relation = relation_of(record, baseline, difference)
        if baseline is None or relation not in ("refactored", "narrowed"):
            return None
        from ..search.result import Options
        from .baseline import unreached_rules

        def at(bounds: dict[str, int]) -> dict[str, object] | None:
            assert self.base is not None
            self.tell(f"{question.reference}: comparing within larger bounds")
            return self.base.rules_at(replace(settings, bounds=bounds), None, taken_apart(type(question.protocol)))

        approved = locked is not None and locked.record.specification == record.specification
        budget = None if self._deadline is None else self._deadline - self._start
        options = Options(budget=budget, begun=self._start, progress=self.progress, cross_check="off")
        searched = at if self.base is not None and not approved else None
        try:
            narrowed = relation == "narrowed"
            return unreached_rules(lambda: question.rules, record, baseline.record, old, searched, options, narrowed)
        except KeyboardInterrupt:
            self._interrupted()
            return Unreached(other=f"the rules are not compared, for the run was stopped ({self.stopped}): they")

    def _difference(
        self, question: ModelSearch, record: Record, baseline: Baseline | None, old: dict[str, object] | None
    ) -> Difference | None:
        """How the steps differ; None if they are the same, or the rules of the baseline are not at hand."""
        if baseline is None or old is None or record.failed is not None or record.same_behaviour(baseline.record):
            return None
        if baseline.record.specification == record.specification:
            return None
        from ..difference.difference import decode_rules
        from ..difference.reached import difference
        from ..search.result import Options

        self.tell(f"{question.reference}: comparing with {baseline.name}")
        budget = None if self._deadline is None else self._deadline - self._start
        limits = Options(budget=budget, begun=self._start, max_states=COMPARED_STATES, progress=self.progress)
        options = replace(limits, workers=1, cross_check="off")  # one worker stops in the same place every time
        try:
            found = difference(decode_rules(old, question.protocol), question.rules, options)
        except KeyboardInterrupt:
            found = None
        if found is None or found.interrupted:
            self._interrupted()
            cut = Explored(cut=f"the run was stopped ({self.stopped})")
            return Difference(explored=(cut, cut))
        return change_in_words(found, question.reference)


def _without_record(settings: ModelSettings, problem: GateFinding) -> ModelOutcome:
    return ModelOutcome(settings.name, settings.reference, settings.bounds, problem=problem)


def _unchecked(settings: ModelSettings, why: str) -> ModelOutcome:
    return _without_record(settings, GateFinding("inconclusive", ExitCode.INCONCLUSIVE, f"not checked: {why}"))


# -- run --------------------------------------------------------------------------------------------------------------
# From the options of `epochal gate` to its result: configuration, lock file, base commit, session.


@dataclass(frozen=True)
class GateRun:
    """A result, and what its reports need beside it.

    `prefix` is the working folder below the top of its repository; `fallback` the file that findings without a line
    are shown in; `started` the time of the beginning, ISO 8601.
    """

    result: GateResult
    prefix: str
    fallback: str
    started: str


def run_gate(
    request: GateRequest, report: Callable[[Progress], None] | None = None, tell: Callable[[str], None] = lambda _: None
) -> GateRun:
    """Run the gate in the working folder. `report` hears the progress of searches, `tell` what is done, a line each.

    Raises EpochalError for a configuration, a lock file or a commit that cannot be used.
    """
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    folder = Path.cwd()
    configuration = read_configuration(folder)
    chosen = chosen_models(configuration, request.models, request.profile)
    path = request.baseline or Path(NAME)
    lock = read_lock(path)
    if lock is None and (request.base is None or request.baseline is not None):
        raise ConfigurationError(
            f"there is no {path}, so there is nothing to compare with.",
            (
                "Record the present behaviour: epochal gate approve. Or name a commit to compare with: ",
                Given("base", "REF"),
            ),
        )
    root = repository_root(folder)
    with contextlib.ExitStack() as stack:
        base = None
        if request.base is not None:
            base = stack.enter_context(BaseCommit(commit(folder, request.base), folder))
        wanted = request if base is not None else replace(request, fail_on=(*request.fail_on, "new"))
        session = Session(configuration, wanted, chosen, base, lock, str(path), report, tell)

        def stop(why: str) -> None:
            session.stopped = why

        with stopping(stop):
            result = session.run()
        if base is not None and configuration.code_links:
            warnings = link_warnings(configuration.code_links, result, changed_files(base.commit))
            result = replace(result, link_warnings=warnings)
    prefix = "" if root is None else folder.resolve().relative_to(root.resolve()).as_posix()
    fallback = configuration.file.split(",")[0]
    return GateRun(result, "" if prefix == "." else prefix, fallback, started)
