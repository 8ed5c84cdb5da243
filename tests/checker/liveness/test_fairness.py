"""Units of fairness, and what only a bound stops: the same in both readings."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import evaluate
from epochal.checker.liveness.reference import explored_from
from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.semantics.properties import units_of
from epochal.checker.trace.explain import refusal
from epochal.checker.trace.trace import Codes
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import LanguageError, OutOfBounds, Protocol, action
from tests.zoo.liveness import Counter, Insides, Ordered, Server


def least(**given: int) -> KraftBounds:
    """The least bounds but for these, with two brokers."""
    smallest = {name: bound.least for name, bound in KraftBounds.declared().items()}
    return KraftBounds(**{**smallest, "replication_factor": 2, **given})


def test_units_are_actions_with_their_actors() -> None:
    kraft = Kraft(least())
    assert [unit.label for unit in units_of(kraft, ["restart", "fetch"])] == [
        *(f"Fetch({a}, {b})" for a in ("b1", "b2") for b in ("b1", "b2")),
        "Restart(b1)",
        "Restart(b2)",
    ]
    successors = 3
    assert {len(unit.instances) for unit in units_of(kraft, ["restart"])} == {successors}
    balancing = KraftBalancing()
    elected = {unit.shown for unit in units_of(balancing, ["elect_online"])}
    assert elected == {(p.label,) if hasattr(p, "label") else (str(p),) for p in balancing.partitions}


def test_each_names_parameters_of_its_action() -> None:
    with pytest.raises(LanguageError, match="serve is fair to each 'client', which is no parameter of it"):

        class Wrong(Protocol):
            """Names nobody."""

            on: bool

            @action(fair="weak", each=("client",))
            def serve(self, server: Server) -> None:
                """Serves."""

    for each, fair in ((("server",), ""), ("server", "weak")):
        with pytest.raises(LanguageError, match="'each' of an action names the parameters"):
            action(fair=fair, each=each)  # type: ignore[call-overload]  # wrong on purpose


def walked(protocol: Protocol, steps: int) -> Iterator[Codes]:
    """The states of a walk by chance, which begins anew where nothing is possible."""
    chance, codes = random.Random(16), protocol.initial_states()[0]
    for _ in range(steps):
        yield codes
        found = [after for _, after in protocol.successors(codes) if after != codes]
        codes = chance.choice(found or protocol.initial_states())


@pytest.mark.parametrize("protocol", [Ordered(), Counter(), Kraft(least(fencings=2))], ids=lambda p: type(p).__name__)
def test_both_readings_tell_what_only_a_bound_stops(protocol: Protocol) -> None:
    model = compile_protocol(protocol)
    compiled = [one for one in (*model.instances, *model.impossible) if one.stopped is not None]
    assert compiled
    ever = set()
    for codes in walked(protocol, 200):
        truths = evaluate([one.stopped for one in compiled if one.stopped is not None], codes)
        stopped = {one.instance.number for one, holds in zip(compiled, truths, strict=True) if holds}
        assert stopped == explored_from(protocol, codes, lambda _: 0).stopped
        ever |= stopped
    assert ever


def test_a_bound_is_a_guard_to_everybody_else() -> None:
    """The search, the replay and the mutants do not tell `bounded` from `require`."""
    counter = Counter()
    counter.count = 3
    with pytest.raises(OutOfBounds):
        counter.count_on()
    names = [instance.action.name for instance, _ in counter.successors(counter.codes())]
    assert names == ["ring"]
    counted = next(instance for instance in counter.instances if instance.action.name == "count_on")
    refused = refusal(counter, counter.codes(), counted)
    assert refused is not None
    assert refused.text == "bounded(self.count < 3)"
    assert "count_on: drop require #2" in [mutant.id.split("Counter.")[-1] for mutant in mutants_of(counter)]


def test_bounds_are_statements_of_their_own() -> None:
    with pytest.raises(LanguageError, match="bounded stands inside an operand"):
        compile_protocol(Insides())
