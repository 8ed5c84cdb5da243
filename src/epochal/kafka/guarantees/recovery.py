"""What comes back by itself after a fault: a leader, writes with acks=all, the whole ISR.

These are optional liveness properties of `kraft` (`broker_leads` and its like), checked in every fair run of a search
without symmetry: once as if nobody restarted a broker that is down, and, where one of them fails then, once more with
brokers that restart some time. The usual ones are decided already and come with the package (`usual_recoveries.json`).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from epochal.checker.gate import cache
from epochal.checker.identity.specification import as_in_files
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Protocol

from .cases import FAMILY, rules_key

if TYPE_CHECKING:
    from epochal.checker.search.result import CheckResult, Progress


CHECKED: Final = {"leader": "broker_leads", "writes": "isr_is_large_enough", "whole_isr": "isr_is_full"}
"""The property that says what comes back."""

RESTART: Final = "restart"
"""The action that is taken fairly, or is not: somebody starts a broker again that is down."""

FILE: Final = "usual_recoveries.json"

Verdict = Literal["alone", "after a restart", "never", "open"]
"""It comes back whether or not a broker that is down restarts; only if it does; not always even so; not decided."""

ABOUT = "what comes back"
Search = Callable[[tuple[str, ...]], "CheckResult"]
"""Checks them in every state, without fairness of these actions."""


@dataclass(frozen=True)
class Recovery:
    """Whether something comes back; `length` counts the states of the shortest run in which it does not.

    Where it does after a restart, that is a run in which no broker restarts. `why` says why it is open, if it is.
    """

    verdict: Verdict
    length: int | None = None
    why: str = ""


class Answer(TypedDict):
    """What was decided: verdict and length by what comes back, the states, and why not all of them if not."""

    verdicts: dict[str, tuple[Verdict, int | None]]
    states: int
    cut: str


def recoveries(protocol: Kraft, search: Search, registered: bool) -> dict[str, Recovery]:
    """What comes back: as the package knows it, or this machine, else searched.

    Only of a `registered` protocol an answer is kept, by what it is written as; of any other nothing is believed.
    """
    believed = registered and as_in_files(FAMILY)
    usual = _usual().get(key_of(type(protocol), protocol.bounds.as_dict())) if believed else None
    bounds = repr(sorted(protocol.bounds.as_dict().items()))
    told = [protocol.name, repr(protocol.settings), bounds] if believed and usual is None else None
    kept = None if told is None else cache.find_answer(ABOUT, told, part="answers by text")
    found = usual or kept
    if found is None:
        answer = decided(search)
        if told is not None and not answer["cut"]:
            cache.keep_answer(dict(answer), ABOUT, told, part="answers by text")
        return _told(answer["verdicts"], answer["cut"])
    return _told(found["verdicts"])


def decided(search: Search) -> Answer:
    """What comes back, by one search or two. Raises EpochalError if a rule cannot be evaluated."""
    without = search((RESTART,))
    if without.error is not None:
        raise EpochalError(f"{without.error.where}: {without.error.message}", exit_code=ExitCode.EVALUATION_FAILED)
    alone = _lengths(without)
    if alone is None or not any(alone.values()):
        restarting = alone
    else:
        without = search(())
        restarting = _lengths(without)
    verdicts = {name: _verdict(name, alone, restarting) for name in CHECKED}
    open_ones = any(verdict == "open" for verdict, _ in verdicts.values())
    cut = (without.cut or without.liveness.reason) if open_ones else ""
    return {"verdicts": verdicts, "states": without.distinct_states, "cut": cut}


def key_of(kind: type[Kraft], bounds: Mapping[str, int]) -> str:
    """What a decided answer is known by: the rules word for word, with what of them is fair or bounded."""
    return rules_key(kind, bounds, tuple(CHECKED.values()), fairness=True)


def search_for(
    protocol: Protocol,
    workers: int | None,
    budget: float | None,
    begun: float | None,
    progress: Callable[[Progress], None] | None,
) -> Search:
    """A search of the protocol by machine code."""
    from epochal.checker.search.engines import search_of
    from epochal.checker.search.liveness import with_reason
    from epochal.checker.search.result import Options

    def search(unfair: tuple[str, ...]) -> CheckResult:
        options = Options(
            tuple(CHECKED.values()),
            liveness=True,
            unfair=unfair,
            budget=budget,
            begun=begun,
            workers=workers,
            progress=progress,
        )
        result = with_reason(search_of("native")(protocol, options), options)
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    return search


def _lengths(result: CheckResult) -> dict[str, int | None] | None:
    """The states of the shortest run against each property, None where it is kept; None if nothing was checked."""
    found = {one.member.name: one for one in result.liveness.promises}
    if not result.liveness.judged:
        return None
    return {name: found[id].length if found[id].verdict == "violated" else None for name, id in CHECKED.items()}


def _verdict(
    name: str, alone: Mapping[str, int | None] | None, restarting: Mapping[str, int | None] | None
) -> tuple[Verdict, int | None]:
    if alone is not None and alone[name] is None:
        return "alone", None
    if alone is None or restarting is None:
        return "open", None
    return ("after a restart", alone[name]) if restarting[name] is None else ("never", restarting[name])


def _told(verdicts: Mapping[str, tuple[Verdict, int | None]], cut: str = "") -> dict[str, Recovery]:
    told = {name: Recovery(*verdicts[name]) for name in CHECKED}
    return {name: replace(one, why=cut) if one.verdict == "open" else one for name, one in told.items()}


@functools.cache
def _usual() -> dict[str, Answer]:
    found: dict[str, Answer] = json.loads(files("epochal.kafka.guarantees").joinpath(FILE).read_bytes())["answers"]
    return found
