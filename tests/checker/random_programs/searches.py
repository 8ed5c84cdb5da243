"""The searches of a program compared: Python with machine code, first and all violations, Z3 and symmetry."""

from __future__ import annotations

from epochal.checker.native.tuning import Tuning
from epochal.checker.search.result import CheckResult
from epochal.checker.solver.bounded_result import BoundedResult
from epochal.checker.trace.trace import Trace
from tests.checker.random_programs.disagreement import Disagreement, expect

ECONOMY = Tuning(optimise_after=float("inf"), reference_states=1 << 30)
"""Nothing is optimised, and the Python engine looks at its budget where the native one does: between levels."""


def compare_searches(python: CheckResult, native: CheckResult, name: str = "native") -> None:
    """Everything that does not depend on the engine: figures, verdicts, traces, the rule that fails."""
    one, two = _figures(python), _figures(native)
    for key, expected in one.items():
        expect(f"search ({key}), {name}", expected, two[key])
    for first, second in zip(python.properties, native.properties, strict=True):
        expect(f"search (trace), {name}", _run(first.trace), _run(second.trace), first.member.name)
    if python.error is None or native.error is None:
        expect(f"search (failing rule), {name}", python.error, native.error)
        return
    expected, found = ((e.message, str(e.where), e.rule, _run(e.trace)) for e in (python.error, native.error))
    expect(f"search (failing rule), {name}", expected, found)


def _run(trace: Trace | None) -> object:
    return None if trace is None else (tuple(trace.states), [step.instance.label for step in trace.steps])


def _figures(result: CheckResult) -> dict[str, object]:
    return {
        "cut": result.cut,
        "states": (result.distinct_states, result.state_digest),
        "steps": (result.transitions, result.step_digest),
        "depth": result.depth,
        "verdicts": [(p.member.name, p.verdict, p.length) for p in result.properties],
        "actions": result.actions,
        "dead ends": result.terminal_states,
        "left constraint": result.left_constraint,
        "diagnostics": (result.warnings, result.vacuous, result.dead_actions),
        "exit code": result.exit_code,
    }


def compare_bounded(search: CheckResult, bounded: BoundedResult) -> None:
    """Z3's search of a few steps against the complete breadth-first search, as far as both have looked."""
    if bounded.reason:
        return
    lengths = {p.member.name: p.length for p in search.properties if p.length is not None}
    ended = search.error.trace.length - 1 if search.error is not None else None
    looked = bounded.complete_to
    for one in bounded.properties:
        known = lengths.get(one.member.name)
        if one.verdict == "none" or one.verdict == "unknown":
            shown = known - 1 if known is not None and known - 1 <= one.steps else None
            expect("bmc (nothing shown)", shown, None, f"{one.member.name} up to {one.steps}")
        elif ended is None or one.steps < ended:
            expect("bmc (length)", known and known - 1, one.steps, one.member.name)
    shown_before = any(length - 1 <= looked for length in lengths.values())
    if bounded.error is not None and search.error is None and not search.cut and not shown_before:
        raise Disagreement("bmc (failing rule)", f"only Z3 finds one: {bounded.error.message}")
    if ended is not None and bounded.error is None and ended <= looked - 1:
        raise Disagreement("bmc (failing rule)", f"only the search finds one after {ended} steps")


def compare_reduced(whole: CheckResult, reduced: CheckResult) -> None:
    """The search with symmetry against the whole one: verdicts and lengths, fewer states."""
    if whole.cut or reduced.cut:
        return
    one, two = ([(p.member.name, p.verdict, p.length) for p in result.properties] for result in (whole, reduced))
    expect("symmetry (verdicts)", one, two)
    expect("symmetry (depth)", whole.depth, reduced.depth)
    if reduced.distinct_states > whole.distinct_states:
        raise Disagreement("symmetry (states)", f"{reduced.distinct_states} of {whole.distinct_states}")
