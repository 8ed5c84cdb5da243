"""`epochal.prove(..., unbounded=True)`: show by induction that invariants hold for every choice of the bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from epochal.checker.confirm import Replayed, replay_all
from epochal.door.result import Result
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.checker.solver.dispatch import Progress
    from epochal.checker.tasks.chosen_engine import Where
    from epochal.checker.trace.trace import Trace
    from epochal.checker.unbounded.proof import UnboundedProof
    from epochal.render.documents import solver as documents
    from epochal.render.page import Page
    from epochal.spec.language import Protocol


@dataclass(frozen=True, repr=False)
class UnboundedResult(Result):
    """A proof for any number of steps and every choice of the bounds, or what is left open of it.

    `traces` are counterexamples to induction that the bounded prover has found for open cells, by action and lemma.
    """

    truth: ClassVar[str] = "proved"

    proof: UnboundedProof
    reference: str
    replayed: Replayed
    traces: dict[str, Trace]
    about: str = ""

    @property
    def proved(self) -> bool:
        """Whether every invariant that was asked for holds after any number of steps, whatever the bounds."""
        return self.exit_code == ExitCode.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """32 for a counterexample to induction within bounds, 31 where the solver gave up."""
        return self.proof.exit_code

    @property
    def findings(self) -> list[str]:
        """The obligations that are open, those with a counterexample first."""
        return [cell.obligation.label for cell in (*self.proof.of("counterexample"), *self.proof.of("unknown"))]

    @property
    def headline(self) -> str:
        """What is proved, or what is not, in one line."""
        from epochal.render.unbounded_text import headline

        return f"{self.proof.protocol.name}: {headline(self.proof)}"

    @property
    def counterexample(self) -> Trace | None:
        """The first counterexample to induction; None if there is none."""
        return next(iter(self.traces.values()), None)

    def to_dict(self) -> documents.ProveUnbounded:
        """The result as plain data, with its traces as ITF."""
        from epochal.render.unbounded_json import unbounded_document

        return unbounded_document(self.proof, self.reference, self.replayed.readings)

    def certificate(self) -> str:
        """The proof as a page of Markdown: what it says, assumes and trusts, and what each cell took; no times."""
        from epochal.render.certificate import certificate

        return certificate(self.proof, self.reference, self.about)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report, with the matrix of actions and lemmas."""
        from epochal.render.unbounded_text import render_unbounded

        run = self.counterexample
        story = [] if run is None else str(run).splitlines()
        render_unbounded(page, self.proof, story, self.about, list(files))


def proved_unbounded(
    protocol: Protocol,
    properties: Sequence[str] | None,
    reference: str,
    about: str,
    *,
    where: Where,
    cached: bool,
    rlimit: int | None,
    progress: Callable[[Progress], None] | None,
) -> UnboundedResult:
    """Prove for every choice of the bounds. Those of the protocol are where its two readings are compared."""
    from epochal.checker.solver.prove import refuse_unprovable
    from epochal.checker.trace.trace import Trace
    from epochal.checker.unbounded.proof import RLIMIT, unbounded_proof

    known = [member.name for member in protocol.members("invariant")]
    wanted = tuple(known if properties is None else properties)
    refuse_unprovable(protocol, wanted)
    proof = unbounded_proof(
        protocol,
        wanted,
        where=where,
        cached=cached,
        rlimit=rlimit or RLIMIT,
        progress=progress,
    )
    cells, traces = [], dict[str, Trace]()
    for cell in proof.cells:
        example = cell.counterexample
        if example is not None:
            facts = {**example.trace.facts, "protocol": reference, "engine": "z3"}
            trace = replace(example.trace, facts=facts)
            cell = replace(cell, counterexample=replace(example, trace=trace))
            traces[f"{cell.obligation.row}-{cell.obligation.column}"] = trace
        cells.append(cell)
    replayed = Replayed((), "")
    for one in {id(trace.protocol): trace.protocol for trace in traces.values()}.values():
        replayed = replay_all(one, [trace for trace in traces.values() if trace.protocol is one])
    return UnboundedResult(replace(proof, cells=tuple(cells)), reference, replayed, traces, about)


def takes_the_same_steps(plain: Protocol, remembering: Protocol) -> bool:
    """Whether a protocol with history takes the steps of the one without for every choice of the bounds, by its text.

    It may do so and not be seen to: where the text of a step differs, or has no reading.
    """
    from epochal.checker.parametric.refused import NoReading
    from epochal.checker.parametric.same_steps import other_steps

    properties = [member.name for member in plain.members("invariant")]
    try:
        return not other_steps(type(plain), type(remembering), properties)
    except NoReading:
        return False


def refuse_others(given: dict[str, bool]) -> None:
    """Refuse what has no meaning for a proof without bounds: the names of those options that were given."""
    for name, there in given.items():
        if there:
            raise UsageError(f"unbounded and {name} exclude each other: {name} is of proofs within bounds.")
