"""Deciding what `epochal guarantees` asks: one search for each fault, or the answer that this machine has kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from epochal.checker.confirm import found_traces, replay_all, with_facts
from epochal.checker.engines import search_of
from epochal.checker.gate import cache
from epochal.checker.gate.fingerprint import fingerprint
from epochal.checker.search.result import Options, Progress
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.kraft.guarantees import QUESTIONS, WRITES, Fault, guarded
from epochal.spec.kraft.settings import Acks
from epochal.spec.language import SettingValue
from epochal.spec.language.reference import reference_to
from epochal.spec.loading import instantiate

if TYPE_CHECKING:
    from epochal.checker.search.result import CheckResult
    from epochal.checker.trace.trace import Trace
    from epochal.spec.kraft.kraft import Kraft

Verdict = Literal["holds", "violated", "open", "nothing"]
"""Of a question: it holds within the bounds, is violated, was not decided, or asks about nothing (acks=0)."""


@dataclass(frozen=True)
class Answer:
    """The answer to one question under one fault; `length` is the number of states of the shortest violation."""

    verdict: Verdict
    length: int | None = None


@dataclass(frozen=True)
class Decided:
    """A fault, what was searched for it, and the answers by question.

    `writes` says whether writes succeed while one broker is down, and while two are; None where the fault takes down
    fewer, or the search was cut before it could tell. `interrupted` says that the user wants no further one.
    """

    fault: Fault
    reference: str
    bounds: Mapping[str, int]
    answers: Mapping[str, Answer]
    writes: tuple[bool | None, ...]
    states: int
    depth: int
    cut: str
    traces: tuple[Trace, ...] = field(default=(), repr=False)
    interrupted: bool = False

    @property
    def open(self) -> bool:
        """Whether some question is not decided."""
        return any(answer.verdict == "open" for answer in self.answers.values())


@dataclass(frozen=True)
class GuaranteeOptions:
    """How the faults are to be searched: seconds for all since a moment, processors, and whether runs are wanted."""

    budget: float | None = None
    workers: int | None = None
    traces: bool = False
    cached: bool = True
    begun: float | None = None


def decided_faults(
    faults: Sequence[Fault],
    settings: Mapping[str, SettingValue],
    bounds: Mapping[str, int],
    wish: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
) -> Iterator[Decided]:
    """The faults, decided one after the other. Ends early if it is interrupted.

    A counterexample is replayed in both readings before anybody hears of it.
    """
    for number, fault in enumerate(faults, start=1):
        told(f"{fault.title} ({number} of {len(faults)})")
        found = _decide(fault, settings, bounds, wish, progress)
        yield found
        if found.interrupted:
            return


def exit_code(decided: Iterable[Decided], missing: int) -> int:
    """0 when every question was decided, whatever the answer; else 30. `missing` faults were not reached."""
    undecided = missing > 0 or any(one.open for one in decided)
    return ExitCode.INCONCLUSIVE if undecided else ExitCode.HOLDS


def _decide(
    fault: Fault,
    settings: Mapping[str, SettingValue],
    shared: Mapping[str, int],
    wish: GuaranteeOptions,
    progress: Callable[[Progress], None] | None,
) -> Decided:
    kind = guarded({**settings, **fault.settings})
    bounds, reference = fault.bounds(shared), reference_to("kraft", kind)
    asked = (*QUESTIONS.values(), *WRITES)
    question = fingerprint(json.dumps(["guarantees", reference, bounds, asked]), [])
    kept = cache.find_answer(question) if question is not None and wish.cached else None
    if kept is not None and not (wish.traces and "violated" in [verdict for verdict, _ in kept["verdicts"].values()]):
        return _decided(fault, kind, reference, bounds, kept, ())
    protocol = instantiate(kind, bounds)
    options = Options(
        asked,
        all_violations=True,
        budget=wish.budget,
        begun=wish.begun,
        progress=progress,
        workers=wish.workers,
        symmetry=True,
    )
    result = with_facts(search_of("native")(protocol, options), reference)
    if result.error is not None:
        raise EpochalError(
            f"{reference}: {result.error.where}: {result.error.message}", exit_code=ExitCode.EVALUATION_FAILED
        )
    traces = found_traces(result, witnesses=False)
    replay_all(protocol, traces, result.model)
    answer = _as_answer(result)
    if question is not None and result.exhaustive and not result.interrupted:
        cache.keep_answer(question, answer)
    found = _decided(fault, kind, reference, bounds, answer, tuple(traces))
    return replace(found, interrupted=result.interrupted)


def _as_answer(result: CheckResult) -> dict[str, Any]:
    return {
        "verdicts": {p.member.name: [p.verdict, p.length] for p in result.properties},
        "states": result.distinct_states,
        "depth": result.depth,
        "cut": result.cut,
    }


def _decided(
    fault: Fault,
    kind: type[Kraft],
    reference: str,
    bounds: dict[str, int],
    answer: dict[str, Any],
    traces: tuple[Trace, ...],
) -> Decided:
    verdicts: dict[str, Any] = answer["verdicts"]
    answers: dict[str, Answer] = {}
    for asked, property_id in QUESTIONS.items():
        verdict, length = verdicts[property_id]
        answers[asked] = Answer("open" if verdict == "unknown" else verdict, length if verdict == "violated" else None)
    if kind.settings.acks == Acks.NONE:
        answers["acknowledged"] = Answer("nothing")
    reached: dict[str, bool] = {"holds": True, "violated": False}
    writes = tuple(
        reached.get(verdicts[witness][0]) if down <= min(fault.stops, bounds["replication_factor"] - 1) else None
        for down, witness in enumerate(WRITES, start=1)
    )
    return Decided(fault, reference, bounds, answers, writes, answer["states"], answer["depth"], answer["cut"], traces)
