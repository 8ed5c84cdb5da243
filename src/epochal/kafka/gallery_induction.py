"""One counterexample to induction for the folder of known bugs: what such a thing is, on a step that people know."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epochal.checker.trace.itf import dumps
from epochal.checker.trace.markdown import markdown
from epochal.checker.trace.output_folder import trace_name
from epochal.checker.trace.trace import Trace
from epochal.errors import ExpectationMissed
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered

PROTOCOL = "kip-279-proof"
BOUNDS = {"max_epoch": 1}
STEP = "LeaderExpandsIsr(b1, b2)"
LEMMA = "quorum_isr_holds_what_is_committed"
EXPLANATION = (
    "Record r0 is committed: a leader of epoch 0 had it on its whole ISR. b1, who leads in epoch 1 now, does not know "
    "that yet (its hw is 0), and takes b2 into the ISR because b2 has everything below that hw: nothing. KIP-279 asks "
    "no more, neither in which epoch b2 is nor how old the leader's hw is. Now the controller may elect b2, and r0 is "
    "lost. KIP-320 fences this step, and its proof goes through.\n"
    "A proof looks at one step from any state in which the lemmas hold. This state itself cannot occur; others like it "
    "can, and `epochal check kip-279-proof --max-epoch 1 --lemmas --property quorum_isr_holds_what_is_committed` finds "
    "the shortest run to one. Were there none, a lemma would be missing that excludes the state: this is how the "
    "lemmas of KIP-320 were found."
)


@dataclass(frozen=True)
class InductionEntry:
    """A counterexample to induction in the folder."""

    trace: Trace

    @property
    def file(self) -> str:
        """The name of the trace's file, as `prove --out` calls it."""
        action = self.trace.steps[0].instance.action.name
        return trace_name(PROTOCOL, f"{action}-{self.trace.property_id}")

    @property
    def story(self) -> str:
        """The name of the file with the story."""
        return self.file.removesuffix(".itf.json") + ".md"

    def files(self, folder: str) -> dict[str, str]:
        """The trace and its story, by file name. `folder` is for the commands in the story."""
        return {self.file: dumps(self.trace), self.story: markdown(self.trace, f"{folder}/{self.file}")}

    def section(self) -> list[str]:
        """What the index says of it."""
        links = f"[ITF]({self.file}), [story]({self.story})"
        return [
            "## A counterexample to induction",
            "",
            f"`{STEP}` of `{PROTOCOL}`, max_epoch {BOUNDS['max_epoch']}, does not preserve `{LEMMA}`: {links}.",
            "",
            *EXPLANATION.split("\n"),
            "",
        ]


def induction_entry() -> InductionEntry:
    """Ask for the counterexample. Raises EpochalError if there is none any more."""
    from epochal.checker.host.z3_solver import require_solver

    require_solver()
    from epochal.checker.solver.cti_reachability import with_reach
    from epochal.checker.solver.induction import RLIMIT, Induction, Stopwatch, prepared, result_of
    from epochal.checker.solver.prove import FIRST_STATES

    protocol = instantiate(registered(PROTOCOL), BOUNDS)
    induction = Induction(prepared(protocol, None), RLIMIT)
    claim = next(claim for claim in induction.claims if claim.member.name == LEMMA)
    instance = next(one for one in protocol.instances if one.label == STEP)
    watch = Stopwatch()
    answers = [a for a in induction.steps({instance.number: (claim,)}) if a.obligation.column == LEMMA]
    trace = with_reach(result_of(induction, answers, watch), FIRST_STATES).answers[0].trace
    if trace is None:
        raise ExpectationMissed(f"the step {STEP} of {PROTOCOL} preserves {LEMMA}, which it should not")
    told = {**trace.facts, "protocol": PROTOCOL}
    return InductionEntry(replace(trace, note=f"{trace.note}\n{EXPLANATION}", facts=told))
