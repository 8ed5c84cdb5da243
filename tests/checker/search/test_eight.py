"""Properties evaluated and steps taken for eight states at once: no result depends on it, in any mode of a search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.native.engine import STEPS, Kind
from epochal.checker.native.kernel.kernel import Shape, kernel_text
from epochal.checker.native.runtime.worker_pool import WorkerPool
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.native import BetterCode
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.classic.async_isr import AsyncIsr, AsyncIsrBounds
from epochal.spec.language import Protocol
from tests.checker.compile import zoo_failing as failing
from tests.checker.native.machines import ELSEWHERE, WITHOUT, compiled_elsewhere, compilers
from tests.checker.random_programs.running import economical
from tests.checker.random_programs.searches import compare_searches
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.test_workers import everything

ALWAYS, NEVER = Tuning(eight=True), Tuning(eight=False)
MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "first violation": {"all_violations": False},
    "symmetry": {"symmetry": True},
    "compact": {"compact": True},
    "spilled": {"compact": True, "spill": True},
}


def searched(protocol: Protocol, tuning: Tuning, folder: Path, **others: Any) -> CheckResult:
    """A search of some mode; all violations are looked for unless it says otherwise."""
    if others.pop("spill", False):
        others["spill"] = folder
    options = {"all_violations": True, "workers": 1, "cross_check": "off", **others}
    return breadth_first.check(protocol, Options(**options), tuning=tuning)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "protocol",
    [small_faulty(), classic("kip-101", 3, 1, 1, 1), AsyncIsr(AsyncIsrBounds(2, 2, 2))],
    ids=lambda protocol: protocol.name,
)
def test_the_same_result(protocol: Protocol, workers: int, mode: str, tmp_path: Path) -> None:
    """Figures, findings and traces, with little room and many stops."""
    if mode == "symmetry" and protocol.name == AsyncIsr.name:
        pytest.skip("nothing can be interchanged there")
    tight = replace(ALWAYS, share_from=0, slack=0, first_slots=1 << 8, first_records=1, quantum=100)
    with economical():
        expected = everything(searched(protocol, NEVER, tmp_path, **MODES[mode]))
        assert everything(searched(protocol, tight, tmp_path, workers=workers, **MODES[mode])) == expected


FAILING = [failing.Counter, *(row.kind for row in (failing.FAILING | failing.NOT_ALWAYS).values())]
FAILING.remove(failing.FailsInitially)  # no engine has a state to begin in


@pytest.mark.parametrize("protocol", FAILING)
@pytest.mark.parametrize("workers", [1, 2])
def test_what_cannot_be_evaluated(protocol: type[Protocol], workers: int) -> None:
    """The same failure is told as by the Python engine, after the same steps."""
    options = Options(all_violations=True, workers=workers)
    native = breadth_first.check(protocol(), options, tuning=replace(ALWAYS, share_from=0))
    compare_searches(reference_engine.check(protocol(), options), native)


def test_stopped_and_gone_on_with(tmp_path: Path) -> None:
    """What is left of a batch is evaluated before a search stops, and a checkpoint knows of all findings."""
    protocol = classic("kip-101", 3, 1, 1, 1)
    options = Options(all_violations=True, workers=1)
    expected = everything(breadth_first.check(protocol, options, tuning=NEVER))
    for states in (13, 1_001):
        cut = [
            everything(breadth_first.check(protocol, replace(options, max_states=states), tuning=tuning))
            for tuning in (replace(NEVER, quantum=7), replace(ALWAYS, quantum=7))
        ]
        assert cut[0] == cut[1]
    folder = tmp_path / "kept"
    breadth_first.check(protocol, replace(options, max_states=1_001, checkpoint=folder), tuning=ALWAYS)
    resumed = replace(options, workers=2, checkpoint=folder, resume=folder)
    assert everything(breadth_first.check(protocol, resumed, tuning=replace(ALWAYS, share_from=0))) == expected


def test_properties_that_are_not_asked_for() -> None:
    protocol, options = small_faulty(), Options(all_violations=True, workers=1, properties=("strong_isr",))
    one, other = (breadth_first.check(protocol, options, tuning=tuning) for tuning in (ALWAYS, NEVER))
    assert everything(one) == everything(other)
    assert [p.member.name for p in one.properties if p.verdict == "violated"] == ["strong_isr"]


@pytest.mark.parametrize("faster", [True, False])
def test_it_is_used_where_it_is_faster(faster: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways are timed on states of the search, and the faster is taken; again when all workers join."""
    trials: list[int] = []
    addresses: list[list[int]] = []

    def timed(pool: WorkerPool, kind: Kind, states: int) -> bool:
        if kind == STEPS:
            return measured(pool, kind, states)
        assert all(worker.context["eight"] for worker in pool.workers)
        measured(pool, kind, states)
        trials.append(pool.size)
        return faster

    def swap_in(better: BetterCode, pool: WorkerPool, seconds: float, spare: int) -> None:
        swapped_in(better, pool, seconds, spare)
        addresses.append([worker.context["eight"] for worker in pool.workers])

    measured, swapped_in = WorkerPool.eight_is_faster, BetterCode.swap_in
    monkeypatch.setattr(WorkerPool, "eight_is_faster", timed)
    monkeypatch.setattr(BetterCode, "swap_in", swap_in)
    protocol = middling()
    expected = breadth_first.check(protocol, Options(workers=1), tuning=ALWAYS)  # from then on the code is in the cache
    tuning = Tuning(
        eight_from=100, tried_on=100, quantum=500, optimise_after=0.0, optimise_after_each=0.0, share_from=20_000
    )
    result = breadth_first.check(protocol, Options(workers=2), tuning=tuning)
    assert everything(result) == everything(expected)
    assert set(trials) == {1, 2} and trials[-1] == 2
    assert all(bool(at) == faster for at in addresses[-1])
    assert addresses[-1] == [addresses[-1][0]] * 2


@pytest.mark.parametrize("machine", [name for name in WITHOUT if WITHOUT[name]])
@pytest.mark.parametrize("workers", [1, 2])
def test_with_narrower_vectors(machine: str, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = classic("kip-101", 3, 1, 1, 1)
    expected = everything(breadth_first.check(protocol, Options(all_violations=True, workers=1), tuning=NEVER))
    monkeypatch.setattr(breadth_first, "Compiler", lambda: compilers()[machine])
    tight = replace(ALWAYS, share_from=0, slack=0, first_slots=1 << 8, first_records=1)
    assert (
        everything(breadth_first.check(protocol, Options(all_violations=True, workers=workers), tuning=tight))
        == expected
    )


@pytest.mark.parametrize(("system", "processor"), ELSEWHERE[2:4])
def test_the_kernel_compiles_for_other_machines(system: str, processor: str) -> None:
    assert b"look_shared" in compiled_elsewhere(kernel_text(Shape(2)), system, processor)


def test_the_order_of_states_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of one worker that is cut has found the same states, whenever code for eight was there."""

    def swap_in(better: BetterCode, pool: WorkerPool, seconds: float, spare: int) -> None:
        swapped_in(better, pool, seconds, spare)
        if pool.count < 3_000:
            pool.use_eight(STEPS, None)
            better.hand_on()  # it is used again at the next look
        eight.add(bool(pool.workers[0].context["eight_steps"]))
        if not kept and pool.count >= 20_000:
            kept[:] = [pool.state(i) for i in range(20_000)]

    kept: list[Any] = []
    eight: set[bool] = set()
    swapped_in, found = BetterCode.swap_in, []
    for tuning in (replace(NEVER, quantum=999), replace(ALWAYS, quantum=999)):
        with monkeypatch.context() as patched:
            patched.setattr(BetterCode, "swap_in", swap_in)
            breadth_first.check(middling(), Options(workers=1, cross_check="off"), tuning=tuning)
        assert eight == {False, tuning.eight}
        found.append(list(kept))
        kept.clear()
        eight.clear()
    assert len(found[0]) == 20_000 and found[0] == found[1]
