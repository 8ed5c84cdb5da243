"""The searches of a program compared: Python, machine code, first and all violations, Z3, symmetry, workers, Spark."""

from __future__ import annotations

import tempfile
from dataclasses import replace

from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster
from epochal.checker.solver.bounded import BoundedResult
from epochal.checker.trace.trace import Trace
from epochal.spec.language import LanguageError, Protocol
from tests.checker.search.spark.faults import in_process

ECONOMY = Tuning(optimise_after=float("inf"), reference_states=1 << 30)
"""Nothing is optimised, and the Python engine looks at its budget where the native one does: between levels."""


class Disagreement(Exception):
    """Two readings of a program differ. `cause` is short, and the same for all disagreements of one kind."""

    def __init__(self, cause: str, where: str, python: object = None, other: object = None) -> None:
        super().__init__(f"{cause}: {where}\n    python: {python}\n    other:  {other}")
        self.cause = cause


def expect(cause: str, python: object, other: object, where: str = "") -> None:
    """Raise Disagreement unless two readings say the same."""
    if python != other:
        raise Disagreement(cause, where, python, other)


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


def compare_workers(protocol: Protocol, options: Options, alone: CheckResult) -> None:
    """Two workers from the first state on, which judge eight states at once, against one that does not."""
    tuning = replace(ECONOMY, share_from=0, eight=True)
    shared = breadth_first.check(protocol, replace(options, workers=2), tuning=tuning)
    compare_searches(alone, shared, "two workers")


def compare_symmetry(protocol: Protocol, options: Options) -> str:
    """The search of representatives in both engines, and against that of all states; what came of it."""
    reduced = replace(options, symmetry=True)
    try:
        native = breadth_first.check(protocol, reduced, tuning=ECONOMY)
    except LanguageError:  # some rule tells the identifiers apart, or there are none
        return "symmetry refused"
    compare_searches(reference_engine.check(protocol, reduced, tuning=ECONOMY), native, "symmetry")
    compare_reduced(breadth_first.check(protocol, options, tuning=ECONOMY), native)
    return "symmetry"


def compare_spark(protocol: Protocol, options: Options, native: CheckResult, master: str = "") -> None:
    """Spark's supersteps: on a master, or their tasks one by one in this process."""
    with tempfile.TemporaryDirectory(prefix="random-programs-") as folder:
        cluster = Cluster(master, f"{folder}/storage", threshold=0, shards=2, cache=f"{folder}/cache")
        found = driver.check(protocol, options, cluster if master else replace(cluster, start=in_process))
    compare_searches(native, found, "Spark")
