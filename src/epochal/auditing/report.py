"""What an audit answers: the findings that nobody has accepted, and the exit code that they make."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.checker.host.numbers import counted
from epochal.exit_codes import ExitCode

from .audited import Audit
from .finding import Finding


@dataclass(frozen=True, repr=False)
class AuditReport:
    """What an audit found. `findings_left` are those that nobody has accepted, most serious first.

    `before` is the cluster as it is, or as it was, where another is asked about: `what_if` or `diff`.
    """

    audit: Audit
    findings_left: tuple[Finding, ...]
    accepted: tuple[Finding, ...]
    before: Audit | None
    asked_otherwise: tuple[str, ...]
    lock: str
    seconds: float
    stopped: bool = False

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What loses acknowledged records by its settings; with a policy, what that asks for and is not so."""
        return tuple(one for one in self.findings_left if one.severity == "error")

    @property
    def exit_code(self) -> ExitCode:
        """12 for errors, 20 where a policy is missed, 30 if something is not decided."""
        codes = [ExitCode.DRIFTED if one.rule == "policy" else ExitCode.VIOLATED for one in self.errors]
        if any(one.rule in ("not-decided", "release-unknown") and one.severity != "note" for one in self.findings_left):
            codes.append(ExitCode.INCONCLUSIVE)
        return ExitCode.most_severe(codes)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the searches."""
        return self.stopped

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        said = {
            ExitCode.HOLDS: "no errors",
            ExitCode.VIOLATED: "errors",
            ExitCode.DRIFTED: "the policy is missed",
            ExitCode.INCONCLUSIVE: "not everything is decided",
        }
        return said[self.exit_code]

    @property
    def findings(self) -> list[str]:
        """The errors, and the topics that they are about."""
        return [f"{one.rule}: {', '.join(one.subjects[:3])}" for one in self.errors]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        count = [sum(one.severity == severity for one in self.findings_left) for severity in ("error", "warning")]
        topics = counted(len(self.audit.audited.topics) + len(self.audit.audited.unknown), "topic")
        return (
            f"{self.audit.audited.cluster.name}: {counted(count[0], 'error')}, {counted(count[1], 'warning')} "
            f"in {topics}"
        )
