"""The parametric reading says what Python does: the same rules in the same states, by both."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from epochal.checker.parametric import domains, loops, operations, values
from epochal.checker.parametric.compared import Comparison, Disagreement
from epochal.checker.parametric.domains import Numbers, Untranslatable
from epochal.checker.parametric.terms import add, and_, constant, le
from epochal.checker.parametric.values import Members
from epochal.spec.classic.mutants import Kip320M1, Kip320M2, Kip320M3
from epochal.spec.classic.older_rules import Kip320EpochFloor, Kip320FencedOnce, Kip320OffsetOnly
from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol
from epochal.spec.registry import REGISTRY, registered
from tests.checker.parametric.more_zoo import MORE
from tests.checker.parametric.ordered_programs import program as ordered
from tests.checker.parametric.programs import program as readable
from tests.checker.parametric.windows import Windows
from tests.checker.parametric.zoo import ZOO, Logs, Loops, Sets
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import loaded

CLASSIC = [registered(name) for name, where in REGISTRY.items() if where.startswith("epochal.spec.classic.")]
CLASSIC += [Kip320M1, Kip320M2, Kip320M3, Kip320OffsetOnly, Kip320EpochFloor, Kip320FencedOnce]
READABLE = [one for one in dict.fromkeys(CLASSIC) if not one.members("constraint")]


def small(kind: type[Protocol], **bounds: int) -> Protocol:
    """A protocol within its usual bounds, or others."""
    return kind(kind.bounds_type()().with_values(bounds))


def rules(protocol: Protocol) -> list[Member]:
    """Everything that is about single states, and the actions."""
    found = [*protocol.members("lemma"), *protocol.members("invariant"), *protocol.members("reachable")]
    about_states = [one for one in found if len(inspect.signature(one.function).parameters) == 1]
    return [*protocol.members("action"), *about_states]


def compare(protocol: Protocol, many: int, seed: int = 0) -> tuple[Comparison, list[Disagreement], list[str]]:
    """Compare every rule in reached states, in some that are nearly so, and in any; say which rules are refused."""
    made = Comparison(protocol, seed)
    states = made.states(many)
    found, refused = list(made.initial()), []
    for rule in rules(protocol):
        try:
            for codes in states:
                ask = made.action if rule.mark.kind == "action" else made.predicate
                found += ask(rule, codes)
        except Untranslatable:
            refused.append(rule.name)
    return made, found, refused


def require_agreement(protocol: Protocol, many: int = 20) -> Comparison:
    """Nothing differs from Python, nothing is refused, and no rule had to be read with care; how it was compared."""
    made, found, refused = compare(protocol, many)
    assert not found, found[0]
    assert not refused
    assert made.done.careful == 0
    return made


@pytest.mark.parametrize("kind", [*ZOO, *MORE, Windows], ids=lambda kind: kind.__name__)
def test_the_zoo(kind: type[Protocol]) -> None:
    assert require_agreement(small(kind), 12).done.evaluations > 100


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.name)
def test_the_classic_family(kind: type[Protocol]) -> None:
    made, found, refused = compare(small(kind), 3)
    assert not found, found[0]
    wanted = {"kip-320-as-shipped": ["leader_expands_isr"], "kip-320-epoch-floor": ["become_follower"]}
    assert refused == wanted.get(kind.name, [])
    assert made.done.careful == 0
    assert made.done.evaluations > 200


@pytest.mark.long
@pytest.mark.parametrize("kind", [*READABLE, *ZOO, *MORE], ids=lambda kind: kind.__name__)
def test_a_hundred_thousand_evaluations(kind: type[Protocol]) -> None:
    """Some 20 kinds, of which each has at least 6,000."""
    total, seed = 0, 0
    sizes: list[dict[str, int]] = [{}]
    if kind in READABLE:
        sizes = [{}, {"replicas": 2, "log_size": 3, "max_epoch": 3}, {"replicas": 4, "records": 1, "max_epoch": 1}]
    while total < 6_000:
        for bounds in sizes:
            made, found, _ = compare(small(kind, **bounds), 15, seed)
            assert not found, found[0]
            assert made.done.careful == 0
            total += made.done.evaluations
            seed += 1


FEW_CHOICES = 6
"""With so many choices of its parameters an action of a random program is compared."""


def few_choices(protocol: Protocol, seed: int) -> None:
    """Leave a protocol some choices of the parameters of each action."""
    by_action: dict[str, list[ActionInstance]] = {}
    for instance in protocol.instances:
        by_action.setdefault(instance.action.name, []).append(instance)
    chance = random.Random(seed)
    chosen = [chance.sample(many, min(FEW_CHOICES, len(many))) for many in by_action.values()]
    protocol.__dict__["instances"] = tuple(itertools.chain(*chosen))


def programs(seeds: range, text: Callable[[int], str]) -> tuple[int, int]:
    """Compare the random programs of these seeds, as far as they have a reading: how many rules, and evaluations."""
    rules_read = evaluations = 0
    for seed in seeds:
        made = text(seed)
        with loaded(made, f"parametric_{seed}") as module:
            kinds: list[Any] = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Protocol)]
            kind = [one for one in kinds if one.__module__ == module.__name__][-1]
            try:
                comparison = Comparison(kind(kind.bounds_type()()), seed)
            except LanguageError:
                continue
            few_choices(comparison.protocol, seed)
            states = [comparison.random_state() for _ in range(4)]
            for rule in rules(comparison.protocol):
                ask = comparison.action if rule.mark.kind == "action" else comparison.predicate
                try:
                    found = [one for codes in states for one in ask(rule, codes)]
                except LanguageError:
                    continue
                assert not found, f"seed {seed}: {found[0]}\n{made}"
                rules_read += 1
        evaluations += comparison.done.evaluations
    return rules_read, evaluations


def anything(seed: int) -> str:
    """A program that may have no parametric semantics."""
    return program(seed).text


@pytest.mark.parametrize(
    ("text", "seeds", "least_rules", "least_evaluations"),
    [
        (anything, range(25), 5, 100),
        (readable, range(4), 25, 300),
        (ordered, range(12), 40, 400),
        pytest.param(anything, range(20_000, 22_000), 500, 10_000, marks=pytest.mark.long),
        pytest.param(readable, range(30_000, 30_300), 2_000, 20_000, marks=pytest.mark.long),
        pytest.param(ordered, range(40_000, 40_800), 2_500, 20_000, marks=pytest.mark.long),
    ],
)
def test_random_programs(text: Callable[[int], str], seeds: range, least_rules: int, least_evaluations: int) -> None:
    read, evaluations = programs(seeds, text)
    assert read > least_rules
    assert evaluations > least_evaluations


# -- a reading that is wrong is found out -------------------------------------------------------------------------


def _any_position(run: Any, inside: Any, *others: Any) -> dict[str, loops.Position]:
    return {path: loops.Position(len(arguments) - 1, 0) for path, arguments in inside.written}


WRONG: dict[str, tuple[Any, str, Any]] = {
    "an end is one too far": (values, "lt", le),
    "a change reaches every place": (domains, "eq", lambda a, b: constant(True)),
    "the last element is left out of a range": (
        loops,
        "elements",
        lambda run, source, before=loops.elements: before(
            run,
            loops.Range(run, source.low, add(source.high, constant(-1))) if isinstance(source, loops.Range) else source,
        ),
    ),
    "a loop changes what is not its own": (loops, "_positions", _any_position),
    "a shift is read as if it went nowhere": (
        loops,
        "_distance",
        lambda term, element: 0 if element in term.free else None,
    ),
    "a loop that appends never ends the log": (
        loops._Growing,
        "grow",
        lambda self, after: None,
    ),
    "a parameter that is none lies in its domain": (
        loops.Parameter,
        "typed",
        property(lambda self: and_(*(bound.inside for bound in self.bounds))),
    ),
    "any number is a member of a set of numbers": (
        operations,
        "_chosen",
        lambda run, bound, present: Members(
            run, Numbers(bound.low, add(bound.high, constant(-1))), lambda member: constant(True)
        ),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_reading_is_found_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrong = WRONG[what]
    monkeypatch.setattr(owner, name, wrong)
    noticed = 0
    for kind in (Logs, Loops, Sets, Windows):
        made, found, _ = compare(small(kind), 12)
        noticed += len(found) + made.done.careful
    assert noticed, f"nobody noticed that {what}"
