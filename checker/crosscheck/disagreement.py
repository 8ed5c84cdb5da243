"""Two semantics of a specification that differ: what they disagree on, in which state, and both answers.

No verdict counts then: the fault is the checker's, or a rule is not a function of the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given, Sentence, Writer, written
from epochal.spec.language import ActionInstance, Member, Protocol, SourceLine
from epochal.spec.language.display import shown_lines

from ..trace.explain import differences
from ..trace.run import Codes, Step
from ..trace.trace import Trace

ALONE = "The state that the semantics disagree on"
"""What the first state of a trace is that does not begin in an initial state."""

ADVICE: tuple[Sentence, ...] = (
    "No verdict counts: one of the two is wrong, and this is a bug in Epochal. Report it with these lines.",
    (
        "The Python semantics define what the specification means: ",
        Given("engine", "python"),
        " searches with them alone.",
    ),
)


@dataclass(frozen=True)
class Disagreement:
    """What two semantics say of one state, or of one step from it.

    `about` is an action with its arguments, a property, or another query; `where` the line on which it is written.
    `answers` are pairs of a semantics and what it says, a line each. `step` is the step that is asked about, as one of
    them takes it, and `member` the property. `trace` leads to the state and takes the step: to ask again.
    """

    about: str
    where: SourceLine | None
    protocol: Protocol
    state: Codes
    answers: tuple[tuple[str, str], ...]
    step: tuple[Step, ...] = ()
    member: Member | None = None
    trace: Trace | None = field(default=None, repr=False)

    @property
    def headline(self) -> str:
        """What the semantics disagree on, and where that is written."""
        return f"the semantics disagree on {self.about}" + (f" [{self.where}]" if self.where is not None else "")

    def lines(self) -> list[str]:
        """The headline, both answers, and the state as people read it."""
        found = [self.headline, *(f"  {reading}: {says}" for reading, says in self.answers)]
        problem = misfit(self.protocol, self.state)
        if problem:
            return [*found, f"  in what is no state of the protocol: {problem}"]
        return [
            *found,
            "  in the state:",
            *(f"    {k}: {v}" for k, v in shown_lines(self.protocol, self.state).items()),
        ]

    @property
    def alone(self) -> Disagreement:
        """The same with a trace; if it has none, one that begins in the state itself."""
        return self if self.trace is not None else self.after((), self.state, ALONE)

    def after(self, steps: Sequence[Step], initial: Codes, start: str = "") -> Disagreement:
        """The same with a trace: from a first state by steps to the state, and on. Without one if it has no state."""
        taken = (*steps, *self.step)
        if any(misfit(self.protocol, codes) for codes in (initial, *(step.codes for step in taken))):
            return self
        subject = self.member if self.member is not None and self.member.mark.kind != "constraint" else None
        verdict = "run" if subject is None else "reached" if subject.mark.kind == "reachable" else "violated"
        name = "" if subject is None else subject.name
        return replace(self, trace=Trace(self.protocol, initial, taken, name, verdict, self.headline, start=start))


class SemanticsDisagree(EpochalError):
    """Raised where two semantics of a specification say different things."""

    exit_code = ExitCode.READINGS_DISAGREE

    def __init__(self, disagreement: Disagreement) -> None:
        super().__init__(disagreement.headline)
        self.disagreement = disagreement

    def __str__(self) -> str:
        return self.told(str)

    def told(self, writer: Writer) -> str:
        """Both answers and the state, and what to do."""
        return "\n".join([*self.disagreement.lines(), *(f"  {written(line, writer)}" for line in ADVICE)])

    def after(self, steps: Sequence[Step], initial: Codes) -> SemanticsDisagree:
        """The same, with a trace: from an initial state by steps to the state."""
        return SemanticsDisagree(self.disagreement.after(steps, initial))


def misfit(protocol: Protocol, codes: Codes) -> str:
    """Why some codes are those of no state of a protocol; "" if they are."""
    problem = unfit(protocol, codes)
    if problem or protocol.at(codes).codes() == tuple(codes):
        return problem
    return "a slot beyond the end of a log, or a part of an absent record, holds something"


def unfit(protocol: Protocol, codes: Codes) -> str:
    """Which leaf has none of its codes; "" if there is none."""
    leaves = protocol.leaves
    if len(codes) != len(leaves):
        return "it has bits that belong to no variable"
    for leaf, code in zip(leaves, codes, strict=True):
        if not 0 <= code < leaf.domain.size:
            return f"{leaf.path} has the code {code}, and {leaf.domain} has {leaf.domain.size}"
    return ""


def disagree_on_step(
    protocol: Protocol,
    codes: Codes,
    instance: ActionInstance,
    answers: Sequence[tuple[str, str]],
    after: Codes | None = None,
) -> SemanticsDisagree:
    """Semantics that disagree on an action instance in a state, which leads to `after` if one of them takes it."""
    step = () if after is None else (Step(instance, after),)
    where = instance.action.where
    return SemanticsDisagree(Disagreement(instance.label, where, protocol, codes, tuple(answers), step))


def disagree_on_property(
    protocol: Protocol,
    codes: Codes,
    member: Member,
    answers: Sequence[tuple[str, str]],
    step: Step | None = None,
) -> SemanticsDisagree:
    """Semantics that disagree on a property or the constraint, in a state or on a step from it."""
    about = f"{member.name} of the step {step.instance.label}" if step is not None else member.name
    taken = () if step is None else (step,)
    return SemanticsDisagree(Disagreement(about, member.where, protocol, codes, tuple(answers), taken, member))


def result_in_words(protocol: Protocol, before: Codes, after: Codes) -> str:
    """What a step changes, for people: `b1.hw: 0 -> 1; b1.epoch: 0 -> 1`."""
    problem = misfit(protocol, after)
    if problem:
        return f"leads to what is no state of the protocol: {problem}"
    if misfit(protocol, before):
        return f"leads to {dict(shown_lines(protocol, after))}"
    changes = differences(protocol, before, after)
    return f"enabled, {'; '.join(map(str, changes)) if changes else 'and changes nothing'}"
