"""The verdict on all mutants of a protocol: which were noticed, which survive, and which survivors are accepted."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self

from epochal.exit_codes import ExitCode
from epochal.spec.language import LanguageError, Protocol, SourceLine

from ..compile.compiler import compile_protocol
from ..ir.model import Model
from ..native.program.program import program_text
from ..search.result import CheckResult, Options
from .mutants import Mutant

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

    * `violated`: `property` breaks, and its shortest counterexample has `length` states. Where it is a liveness
    property, the
      last `round` steps of it go on for ever (0: nothing changes any more).
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
        """The properties and liveness properties that mutants are held against: those that the protocol itself
        keeps."""
        kept = [one.member.name for one in self.original.properties if one.verdict == "holds"]
        return kept + [one.member.name for one in self.original.liveness.promises if one.verdict == "holds"]

    @property
    def not_judged(self) -> list[str]:
        """The others, of which nothing is known, or that the protocol itself breaks."""
        other = [one.member.name for one in self.original.properties if one.verdict != "holds"]
        return other + [one.member.name for one in self.original.liveness.promises if one.verdict != "holds"]

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
        verdicts = [one.verdict for one in self.original.properties]
        return "holds" in verdicts or any(one.verdict == "holds" for one in self.original.liveness.promises)


def chosen(accepted: Iterable[Accepted], ids: Iterable[str], every: Iterable[str]) -> tuple[Accepted, ...]:
    """The accepted survivors that are among the mutants asked for, and those that are no mutants of the protocol."""
    wanted, known = set(ids), set(every)
    return tuple(one for one in accepted if one.mutant in wanted or one.mutant not in known)
