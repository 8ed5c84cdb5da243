"""The verdict on all mutants of a protocol: which were noticed, which survive, and which survivors are accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from epochal.exit_codes import ExitCode

from ..search.result import CheckResult
from .mutants import Mutant
from .outcomes import KILLED, Outcome, Verdict


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
        """The properties and promises that mutants are held against: those that the protocol itself keeps."""
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
        """Whether the original keeps some property or promise, which a mutant could break."""
        verdicts = [one.verdict for one in self.original.properties]
        return "holds" in verdicts or any(one.verdict == "holds" for one in self.original.liveness.promises)


def chosen(accepted: Iterable[Accepted], ids: Iterable[str], every: Iterable[str]) -> tuple[Accepted, ...]:
    """The accepted survivors that are among the mutants asked for, and those that are no mutants of the protocol."""
    wanted, known = set(ids), set(every)
    return tuple(one for one in accepted if one.mutant in wanted or one.mutant not in known)
