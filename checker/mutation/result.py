"""The verdict on all mutants of a protocol: which were noticed, which survive, and which survivors are accepted."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

from epochal.errors import ConfigurationError, EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language import LanguageError, Protocol, SourceLine
from epochal.spec.language.errors import advice
from epochal.spec.loading import load

from ..base.machine import memory_limit
from ..compile.compiler import compile_protocol
from ..ir.model import Model
from ..native.program.program import program_text
from ..search import native as breadth_first
from ..search.findings import compiled_for
from ..search.result import CheckResult, Options
from ..workers.chosen_engine import Where, apart
from ..workers.pool import Answering, WorkerLost, usable_processes
from .mutants import Mutant, mutants_of

# -- outcomes ---------------------------------------------------------------------------------------------------------
# What becomes of each mutant, compared with the protocol that it was made from.

Search = Callable[[Protocol, Options], CheckResult]
Verdict = Literal["violated", "failed", "refused", "unreached", "changed", "survived", "open"]

KILLED: tuple[Verdict, ...] = ("violated", "failed", "refused", "unreached")
"""The verdicts of a mutant that somebody would notice."""

INTERRUPTED = "interrupted"
WORTH_COMPILING_TWICE = 2.0
"""From this many seconds of processor time for the original's search on, a mutant is first compared as a program."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    * `violated`: `property` breaks, and its shortest counterexample has `length` states. Of a liveness property the
      last `round` steps go on for ever (0: nothing changes any more).
    * `failed`: a rule can no longer be evaluated, for the reason in `message`, after a run of `length` states.
    * `refused`: it fails the static checks, for the reason in `message`.
    * `unreached`: `property`, which must be reachable, no longer is.
    * `changed`: no property breaks, but the states or the steps are others; `states` more than before, or fewer.
    * `survived`: states and steps are the same. With `same_program`, even the compiled code is: within these bounds the
      text that was taken away follows from the rest in every state, reachable or not.
    * `open`: a budget was spent before any of this could be told; `message` says which. With `by_machine` that was
      memory, or the machine failed.
    """

    mutant: Mutant
    verdict: Verdict
    property: str = ""
    length: int | None = None
    round: int | None = None
    message: str = ""
    where: SourceLine | None = None
    states: int = 0
    same_program: bool = False
    also: tuple[str, ...] = ()
    by_machine: bool = False


@dataclass(frozen=True)
class Original:
    """What mutants are held against: the protocol, what it keeps, and what its search found. But for the protocol it is
    plain data. `program` is the digest of the compiled text; "" if nobody knows it.
    """

    protocol: Protocol
    properties: tuple[str, ...]
    promises: tuple[str, ...]
    states: int
    state_digest: str
    step_digest: str
    search_cpu_seconds: float
    program: str

    @classmethod
    def of(cls, result: CheckResult) -> Self:
        """The same of a search of it: the properties that hold, and the liveness properties that are kept."""
        return cls(
            result.protocol,
            tuple(one.member.name for one in result.properties if one.verdict == "holds"),
            tuple(one.member.name for one in result.liveness.promises if one.verdict == "holds"),
            result.distinct_states,
            result.state_digest,
            result.step_digest,
            result.search_cpu_seconds,
            "" if result.model is None else program_of(result.model),
        )


def program_of(model: Model) -> str:
    """The digest of a compiled protocol, its properties included."""
    return hashlib.blake2b(program_text(model).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Judge:
    """The original, searched once, and how to search its mutants.

    Only properties that the original has are checked, and liveness properties that it keeps: one that it violates
    anyway cannot tell anything. A mutant is asked for its liveness properties once no property of states and steps
    breaks.
    """

    original: Original
    search: Search
    options: Options

    def outcomes(self, mutants: Iterable[Mutant]) -> Iterator[Outcome]:
        """What becomes of each mutant, one after the other.

        What changes nothing when it is taken away from all calls of a helper is not tried call by call. An interrupted
        search is the last.
        """
        survived: set[str] = set()
        for mutant in mutants:
            if mutant.shared in survived:
                continue
            outcome = Outcome(mutant, "open", message=self._spent()) if self._spent() else self.outcome(mutant)
            if outcome.message == INTERRUPTED:
                return
            if outcome.verdict == "survived":
                survived.add(mutant.id)
            yield outcome

    def _spent(self) -> str:
        """That the time budget of the whole run is spent; "" if it is not."""
        budget, begun = self.options.budget, self.options.begun
        spent = budget is not None and begun is not None and time.monotonic() - begun >= budget
        return f"the time budget of {budget:g} s is spent" if spent else ""

    def outcome(self, mutant: Mutant) -> Outcome:
        """What becomes of a mutant."""
        protocol = mutant.build()(self.original.protocol.bounds)
        try:
            if self.original.search_cpu_seconds > WORTH_COMPILING_TWICE and self._same(compile_protocol(protocol)):
                return Outcome(mutant, "survived", same_program=True)
            asked = (*self.original.properties, *self.original.promises)
            result = self.search(
                protocol, replace(self.options, properties=asked, liveness=bool(self.original.promises))
            )
        except LanguageError as error:
            return Outcome(mutant, "refused", message=error.message, where=error.where)
        return self._told(mutant, result)

    def _told(self, mutant: Mutant, result: CheckResult) -> Outcome:
        broken = [one for one in result.properties if one.verdict == "violated"]
        unsafe = [one for one in broken if one.member.mark.kind != "reachable"]
        if unsafe:
            worst = min(unsafe, key=lambda one: one.length or 0)
            also = tuple(one.member.name for one in unsafe if one is not worst)
            return Outcome(mutant, "violated", worst.member.name, worst.length, also=also)
        if result.error is not None:
            error = result.error
            return Outcome(mutant, "failed", length=error.trace.length, message=error.message, where=error.where)
        if broken:
            also = tuple(one.member.name for one in broken[1:])
            return Outcome(mutant, "unreached", broken[0].member.name, also=also)
        if not result.exhaustive:
            return Outcome(mutant, "open", message=result.cut, by_machine=result.cut_by_machine)
        if blocked := result.liveness.broken:
            first = min(blocked, key=lambda one: one.length or 0)
            also = tuple(one.member.name for one in blocked if one is not first)
            return Outcome(mutant, "violated", first.member.name, first.length, first.round, also=also)
        if (result.state_digest, result.step_digest) != (self.original.state_digest, self.original.step_digest):
            if self.original.promises and result.liveness.reason:
                why = f"liveness is not checked: {result.liveness.reason}"
                return Outcome(mutant, "open", message=why, by_machine=result.cut_by_machine)
            return Outcome(mutant, "changed", states=result.distinct_states - self.original.states)
        return Outcome(mutant, "survived", same_program=result.model is not None and self._same(result.model))

    def _same(self, model: Model) -> bool:
        return bool(self.original.program) and program_of(model) == self.original.program


@dataclass(frozen=True)
class Accepted:
    """A survivor that is known: the mutant's id, the text it takes away, and why nothing changes without it."""

    mutant: str
    removed: str
    reason: str


@dataclass(frozen=True)
class MutationResult:
    """What became of the mutants that were asked for, in order, and the survivors that were expected.

    `accepted` is None if no list was given. Times are in seconds.
    """

    original: CheckResult
    mutants: tuple[Mutant, ...]
    outcomes: tuple[Outcome, ...]
    accepted: tuple[Accepted, ...] | None
    wall_seconds: float
    cpu_seconds: float

    def with_verdict(self, *verdicts: Verdict) -> list[Outcome]:
        """The outcomes with one of these verdicts."""
        return [one for one in self.outcomes if one.verdict in verdicts]

    @property
    def judged(self) -> list[str]:
        """The properties and liveness properties that mutants are held against: those that the protocol keeps."""
        return [name for name, verdict in self._verdicts() if verdict == "holds"]

    @property
    def not_judged(self) -> list[str]:
        """The others, of which nothing is known, or that the protocol itself breaks."""
        return [name for name, verdict in self._verdicts() if verdict != "holds"]

    def _verdicts(self) -> Iterator[tuple[str, str]]:
        yield from ((one.member.name, one.verdict) for one in self.original.properties)
        yield from ((one.member.name, one.verdict) for one in self.original.liveness.promises)

    @property
    def killed(self) -> list[Outcome]:
        """The mutants that somebody would notice."""
        return self.with_verdict(*KILLED)

    @property
    def covered(self) -> list[Mutant]:
        """The mutants that were not tried, because the same taken away from all calls of the helper changes nothing."""
        survived = {one.mutant.id for one in self.with_verdict("survived")}
        return [mutant for mutant in self.mutants if mutant.shared in survived]

    @property
    def untried(self) -> int:
        """How many mutants were not tried because of an interruption."""
        return len(self.mutants) - len(self.outcomes) - len(self.covered)

    def reason(self, outcome: Outcome) -> str:
        """Why a survivor is accepted; "" if it is not."""
        mutant = outcome.mutant
        for one in self.accepted or ():
            if (one.mutant, one.removed) == (mutant.id, mutant.removed):
                return one.reason
        return ""

    @property
    def unexpected(self) -> list[Outcome]:
        """The survivors that nobody has accepted."""
        return [one for one in self.with_verdict("survived") if not self.reason(one)]

    @property
    def stale(self) -> list[tuple[Accepted, str]]:
        """The accepted survivors that are none any more, each with what became of it."""
        tried = {one.mutant.id: one for one in self.outcomes}
        covered = {mutant.id: mutant.shared for mutant in self.covered}
        found = []
        for one in self.accepted or ():
            outcome = tried.get(one.mutant)
            if outcome is None:
                shared = covered.get(one.mutant)
                if shared is not None:
                    found.append((one, f"it is not tried, because this survives: {shared}"))
                elif not self.untried:
                    found.append((one, "there is no such mutant"))
            elif outcome.mutant.removed != one.removed:
                found.append((one, f"it takes away another text now: {outcome.mutant.removed}"))
            elif outcome.verdict not in ("survived", "open"):
                found.append((one, f"its verdict is now: {outcome.verdict}"))
        return found

    @property
    def exit_code(self) -> ExitCode:
        """The documented exit code of the most severe finding."""
        if self.unexpected:
            return ExitCode.EXPECTATION_MISSED
        if self.stale:
            return ExitCode.DRIFTED
        if self.untried or self.with_verdict("open"):
            return ExitCode.INCONCLUSIVE
        return ExitCode.HOLDS if self.could_notice else ExitCode.VACUOUS

    @property
    def could_notice(self) -> bool:
        """Whether the original keeps some property or liveness property, which a mutant could break."""
        return bool(self.judged)


def chosen(accepted: Iterable[Accepted], ids: Iterable[str], every: Iterable[str]) -> tuple[Accepted, ...]:
    """The accepted survivors that are among the mutants asked for, and those that are no mutants of the protocol."""
    wanted, known = set(ids), set(every)
    return tuple(one for one in accepted if one.mutant in wanted or one.mutant not in known)


# -- survivors --------------------------------------------------------------------------------------------------------
# The file of accepted survivors: TOML, one table a mutant, each with the reason why nothing changes without its guard.
#
#     protocol = "kip-320"
#     bounds = { replicas = 3, log_size = 2, records = 2, max_epoch = 2 }
#
#     [[survivor]]
#     mutant = "kip_320.py Kip320.become_follower: drop require #1"
#     removed = "self.presumes_leadership(leader)"
#     reason = "..."


KEYS = ("protocol", "bounds", "survivor")
FIELDS = ("mutant", "removed", "reason")


def read_survivors(path: Path, protocol: Protocol) -> tuple[Accepted, ...]:
    """The accepted survivors of a protocol at its bounds.

    Fails with exit code 151 if the file cannot be understood, and with 2 if it is about another protocol or bounds.
    """
    document = _parsed(path)
    _known(path, document, KEYS, "keys")
    bounds = protocol.bounds.as_dict()
    if document.get("protocol") != protocol.name or document.get("bounds") != bounds:
        about = f"{document.get('protocol')!r} at {_options(document.get('bounds'))}"
        raise UsageError(
            f"{path} is about {about}, not about {protocol.name!r} at {_options(bounds)}.\n"
            "  What survives depends on the bounds: give those of the file, or another file."
        )
    found = []
    for number, entry in enumerate(document.get("survivor", []), start=1):
        if not isinstance(entry, dict):
            raise _bad(path, f"survivor {number} is no table")
        _known(path, entry, FIELDS, "fields of a survivor")
        for name in FIELDS:
            if not isinstance(entry.get(name), str) or not entry[name].strip():
                raise _bad(path, f"survivor {number} ({entry.get('mutant', '?')}) needs a text for '{name}'")
        found.append(Accepted(**entry))
    ids = [one.mutant for one in found]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise _bad(path, f"{twice[0]} is listed twice")
    return tuple(found)


def survivor_heading(protocol: Protocol) -> list[str]:
    """The first lines of a file: what it is about."""
    bounds = ", ".join(f"{name} = {value}" for name, value in protocol.bounds.as_dict().items())
    return [f"protocol = {_text(protocol.name)}", f"bounds = {{ {bounds} }}", ""]


def survivor_tables(outcomes: Iterable[Outcome]) -> list[str]:
    """The lines that accept survivors, for a person to add the reasons."""
    lines = []
    for one in outcomes:
        told = [f"mutant = {_text(one.mutant.id)}", f"removed = {_text(one.mutant.removed)}"]
        lines += ["[[survivor]]", *told, 'reason = ""', ""]
    return lines


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(path, f"it is not valid TOML: {error}") from error


def _known(path: Path, table: dict[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in table:
        if key not in keys:
            raise _bad(path, f"unknown key '{key}'. {advice(key, keys, what)}")


def _text(text: str) -> str:
    """A text as TOML writes it, which for a line of text is as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _bad(path: Path, message: str) -> ConfigurationError:
    return ConfigurationError(f"{path}: {message}")


def _options(bounds: object) -> str:
    if not isinstance(bounds, dict):
        return "no bounds"
    return " ".join(f"--{str(name).replace('_', '-')} {value}" for name, value in bounds.items())


# -- apart ------------------------------------------------------------------------------------------------------------
# Mutants checked apart from each other, in processes of their own, and told as if one process had checked them in turn.
#
# A process loads the protocol by its name and makes the mutants again, so that nothing but names and answers travels.
# It compares the compiled protocol with the one that was searched, before it says anything. What its share of the
# memory is too small for, or what ends it, is checked by the process that asks, with all that there is.


FEWEST = 8
"""How many mutants are worth other processes, each of which compiles the protocol itself."""

Told = dict[str, Any]
"""An outcome without its mutant: plain data."""


@dataclass(frozen=True)
class Premises:
    """What a process needs to check mutants: how the protocol is called, its bounds, facts of its search, options.

    `shares` says that the options' memory is a share of the machine's, and no budget that somebody has set.
    """

    reference: str
    bounds: Mapping[str, int]
    facts: Mapping[str, Any]
    options: Options
    shares: bool = False


class MutantAnswering(Answering[str, Told | None]):
    """Checks mutants by their ids. Raises EpochalError for a protocol that has changed since it was searched."""

    def __init__(self, premises: Premises) -> None:
        protocol = load(premises.reference, **premises.bounds)
        original = Original(protocol, **premises.facts)
        asked = replace(premises.options, all_violations=True)
        if program_of(compiled_for(protocol, asked, lambda _: None)) != original.program:
            raise EpochalError(f"{premises.reference} has changed while its mutants were checked", "Try them again.")
        self._judge = Judge(original, self._searched, premises.options)
        self._shares, self._short = premises.shares, False
        self._mutants = {mutant.id: mutant for mutant in mutants_of(protocol)}

    def answer(self, id: str, /) -> Told | None:
        """What becomes of a mutant, or that the time is spent; None if a share of the memory is too little to tell."""
        self._short = False
        try:
            outcome = next(self._judge.outcomes([self._mutants[id]]))
        except MemoryError:
            return None
        return None if outcome.verdict == "open" and self._short and self._shares else _told(outcome)

    def _searched(self, protocol: Protocol, options: Options) -> CheckResult:
        """A search, of which is remembered whether it had too little memory."""
        result = breadth_first.check(protocol, options)
        self._short = result.limit == "memory" or result.liveness.reason.startswith("memory")
        return result


def checked_in_workers(
    judge: Judge, mutants: Sequence[Mutant], reference: str, workers: int | None
) -> Iterator[tuple[int, Outcome]]:
    """Yield the index and the outcome of each mutant that `Judge.outcomes` tries, in the order of the answers.

    After Ctrl-C the remaining mutants are skipped. This process checks a mutant again if its worker process ended or
    had too little memory. Raises KeyboardInterrupt if this process is interrupted.
    """
    count = usable_processes(workers)
    memory = judge.options.max_memory or memory_limit() // count
    facts = {
        field.name: getattr(judge.original, field.name)
        for field in dataclasses.fields(Original)
        if field.name != "protocol"
    }
    bounds = judge.original.protocol.bounds.as_dict()
    alone = replace(judge.options, workers=1, max_memory=memory, progress=None)
    premises = Premises(reference, bounds, facts, alone, shares=judge.options.max_memory is None)
    places = {mutant.id: place for place, mutant in enumerate(mutants)}
    later = [place for place, one in enumerate(mutants) if places.get(one.shared, place) < place]
    first = [place for place in range(len(mutants)) if place not in set(later)]
    survived: set[str] = set()
    for wave in (first, later):
        asked = [(place, mutants[place].id) for place in wave if mutants[place].shared not in survived]
        for place, told in _answered(Where("local", count), premises, asked):
            outcome = Outcome(mutants[place], **told) if told is not None else _judged_here(judge, mutants[place])
            if outcome.verdict == "survived":
                survived.add(outcome.mutant.id)
            yield place, outcome


def _answered(where: Where, premises: Premises, asked: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Told | None]]:
    """The answers of processes as they come; then, when these have ended, None for each question without one."""
    if not asked:
        return
    left = {place for place, _ in asked}
    try:
        with apart(where, MutantAnswering, len(asked), lambda _: None) as engine:
            for place, told in engine(premises, asked):
                if told is not None:
                    left.remove(place)
                    yield place, told
    except WorkerLost:  # no process starts any more
        pass
    yield from ((place, None) for place in sorted(left))


def _judged_here(judge: Judge, mutant: Mutant) -> Outcome:
    """What becomes of a mutant, checked by this process alone."""
    for outcome in judge.outcomes([mutant]):
        return outcome
    raise KeyboardInterrupt


def _told(outcome: Outcome) -> Told:
    return {field.name: getattr(outcome, field.name) for field in dataclasses.fields(Outcome) if field.name != "mutant"}


@lru_cache(maxsize=2)
def judge_of(
    protocol: Protocol, reference: str, options: tuple[tuple[str, Any], ...], max_memory: int | None = None
) -> Callable[[str], Outcome]:
    """Tells what becomes of a protocol's mutants, by their ids; a few are kept, by the protocol itself.

    `options` are those of the searches, each within `max_memory`. Raises EpochalError if the protocol itself cannot be
    searched completely.
    """
    asked = Options(
        **{"all_violations": True, "liveness": True, "workers": 1, "max_memory": max_memory, **dict(options)}
    )
    original = breadth_first.check(protocol, asked)
    if original.error is not None or not original.exhaustive:
        why = original.cut if original.error is None else original.error.message
        cut = ExitCode.ENGINE_FAILURE if original.cut_by_machine else ExitCode.INCONCLUSIVE
        code = cut if original.error is None else ExitCode.EVALUATION_FAILED
        advice = "Correct the rule." if original.error is not None else "Use smaller bounds, or larger limits."
        raise EpochalError(f"{reference} itself cannot be searched completely: {why}", advice, exit_code=code)
    judge = Judge(Original.of(original), breadth_first.check, replace(asked, all_violations=False))
    mutants = {mutant.id: mutant for mutant in mutants_of(protocol)}
    return lambda id: judge.outcome(mutants[id])
