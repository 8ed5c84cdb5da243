"""One state of a program in all readings: every instance, every property, whether the state can be reached or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import z3

from epochal.checker.ir.expression import MEANING, Expression, Op, reachable_nodes
from epochal.checker.ir.model import CompiledInstance, CompiledProperty, Model
from epochal.checker.native.backend import MachineAnswers
from epochal.checker.native.engine import NativeModel
from epochal.checker.semantics.semantics import Codes
from epochal.checker.smt.terms import Terms
from epochal.spec.language import EvaluationError, Protocol
from epochal.spec.language.protocol import evaluated
from tests.checker.random_programs.searches import Disagreement
from tests.checker.solver.reading import plain

FAILS = "fails"
Told = dict[str, bool | str]
Steps = dict[int, Codes | str]
OnSteps = dict[tuple[str, int], bool | str]


class Graph:
    """What a compiled model says of one state, read from the expressions by two of their readings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.roots: list[Expression] = []
        self.instances: list[tuple[CompiledInstance, int]] = []
        self.properties: list[tuple[CompiledProperty, int]] = []
        self.on_steps: dict[tuple[str, int], int] = {}
        either = model.graph.any_of
        for one in model.instances:
            self.instances.append((one, len(self.roots)))
            self.roots += [one.enabled, either(f.condition for f in one.failures), *one.updates.values()]
        for property in model.properties:
            if not property.of_steps:
                self.properties.append((property, len(self.roots)))
                self.roots += [property.holds, either(f.condition for f in property.failures)]
                continue
            for number, holds in property.on_step.items():
                self.on_steps[property.member.name, number] = len(self.roots)
                self.roots += [holds, either(f.condition for f in property.step_failures.get(number, ()))]
        self.within = len(self.roots)
        self.roots += [model.constraint, either(f.condition for f in model.constraint_failures)]
        self.nodes = list(reachable_nodes(self.roots))

    def values(self, codes: Codes) -> list[int]:
        """The values of all expressions, by the meaning of each operator."""
        known: dict[int, int] = {}
        for node in self.nodes:
            if node.op is Op.CONST:
                known[node.id] = node.value
            elif node.op is Op.FIELD:
                known[node.id] = codes[node.value]
            else:
                known[node.id] = MEANING[node.op](node, *[known[argument.id] for argument in node.args])
        return [known[root.id] for root in self.roots]

    def steps(self, codes: Codes, found: list[int]) -> Steps:
        """By the number of the instance: where it leads."""
        told: Steps = {}
        for one, at in self.instances:
            if found[at + 1]:
                told[one.instance.number] = FAILS
            elif found[at]:
                after = list(codes)
                for leaf, code in zip(one.updates, found[at + 2 :], strict=False):
                    after[leaf] = code
                told[one.instance.number] = tuple(after)
        return told

    def judged(self, found: list[int]) -> Told:
        """By the name of the property: whether it holds; with the state constraint."""
        told: Told = {one.member.name: FAILS if found[at + 1] else bool(found[at]) for one, at in self.properties}
        told["(constraint)"] = FAILS if found[self.within + 1] else bool(found[self.within])
        return told


class TermValues:
    """The same expressions as terms of Z3: all of them in one, in which the codes of a state are put at once."""

    def __init__(self, graph: Graph, protocol: Protocol) -> None:
        self.graph, self.terms = graph, Terms(protocol)
        parts = [self.terms(root) for root in graph.roots]
        together = z3.Function("together", *(part.sort() for part in parts), z3.BoolSort(self.terms.context))
        self.whole = together(*parts)

    def values(self, codes: Codes) -> list[int]:
        """The values of all expressions."""
        known = []
        for leaf, code in zip(self.terms.leaves, codes, strict=True):
            constant = z3.BoolVal(bool(code), self.terms.context) if z3.is_bool(leaf) else None
            known.append((leaf, self.terms.number(code, leaf.size()) if constant is None else constant))
        found = z3.simplify(z3.substitute(self.whole, *known))
        return [plain(root, found.arg(i)) for i, root in enumerate(self.graph.roots)]


class States:
    """A program whose states are compared."""

    def __init__(self, protocol: Protocol, model: Model) -> None:
        self.protocol, self.model = protocol, model
        code = NativeModel(model).program
        self.native = MachineAnswers("native", model, code, [one.member for one in model.properties])
        self.graph = Graph(model)
        self.terms = TermValues(self.graph, protocol)

    def compare(self, codes: Codes, *, terms: bool) -> None:
        """Raise Disagreement if a reading says something else of a state than Python does; `terms`: also Z3's."""
        steps, judged = python_steps(self.protocol, codes), self._python_judged(codes)
        found = self.graph.values(codes)
        self._same("graph", codes, steps, judged, self.graph.steps(codes, found), self.graph.judged(found))
        if terms:
            told = self.terms.values(codes)
            self._same("terms", codes, steps, judged, self.graph.steps(codes, told), self.graph.judged(told))
            if told != found:
                raise Disagreement("terms are not the graph", self.shown(codes))
        on_steps = self._python_on_steps(codes, steps)
        for (name, number), expected in on_steps.items():
            at = self.graph.on_steps[name, number]
            self._expect_on_step("graph", codes, name, number, expected, FAILS if found[at + 1] else bool(found[at]))
        self._compare_native(codes, steps, judged, on_steps)

    def _python_on_steps(self, codes: Codes, steps: Steps) -> OnSteps:
        of_steps = [one.member for one in self.model.properties if one.of_steps]
        return {
            (member.name, number): self._holds(member.function, codes, after)
            for member in of_steps
            for number, after in steps.items()
            if not isinstance(after, str)
        }

    def _expect_on_step(
        self, reading: str, codes: Codes, name: str, number: int, expected: bool | str, told: bool | str
    ) -> None:
        if expected != told:
            label = f"{name} of {self.protocol.instances[number].label} in {self.shown(codes)}"
            raise Disagreement(f"step property, {reading}", label, expected, told)

    def _same(self, reading: str, codes: Codes, steps: Steps, judged: Told, other: Steps, told: Told) -> None:
        if steps == other and judged == told:
            return
        instances = self.protocol.instances
        for number in sorted({*steps, *other}):
            one, two = steps.get(number, "disabled"), other.get(number, "disabled")
            if one != two:
                kind = FAILS if FAILS in (one, two) else "guard" if "disabled" in (one, two) else "effect"
                shown = [state if isinstance(state, str) else self.shown(state) for state in (one, two)]
                label = f"{instances[number].label} in {self.shown(codes)}"
                raise Disagreement(f"step ({kind}), {reading}", label, *shown)
        for name, expected in judged.items():
            if expected != told[name]:
                kind = FAILS if FAILS in (expected, told[name]) else "value"
                label = f"{name} in {self.shown(codes)}"
                raise Disagreement(f"property ({kind}), {reading}", label, expected, told[name])

    def shown(self, codes: Codes) -> str:
        """A state as Python writes its values."""
        state = self.protocol.at(codes)
        return ", ".join(f"{name}={state.__dict__[name]!r}" for name in self.protocol.variables)

    # -- Python -----------------------------------------------------------------------------------------------------

    def _holds(self, function: Callable[..., Any], *states: Codes) -> bool | str:
        try:
            return bool(evaluated(function, *(self.protocol.at(codes) for codes in states)))
        except EvaluationError:
            return FAILS

    def _python_judged(self, codes: Codes) -> Told:
        of_states = [one.member for one in self.model.properties if not one.of_steps]
        told: Told = {member.name: self._holds(member.function, codes) for member in of_states}
        parts = [self._holds(member.function, codes) for member in self.protocol.members("constraint")]
        told["(constraint)"] = next((part for part in parts if part is not True), True)
        return told

    # -- machine code -----------------------------------------------------------------------------------------------

    def _compare_native(self, codes: Codes, steps: Steps, judged: Told, on_steps: OnSteps) -> None:
        found = self.native.steps(codes)
        other: Steps = {number: FAILS if one.after is None else one.after for number, one in found.items()}
        told: Told = {name: FAILS if truth is None else truth for name, truth in self.native.judged(codes).items()}
        within = self.native.within(codes)
        told["(constraint)"] = FAILS if within is None else within
        self._same("native", codes, steps, judged, other, told)
        for (name, number), expected in on_steps.items():
            truth = found[number].judged[name]
            self._expect_on_step("native", codes, name, number, expected, FAILS if truth is None else truth)


def python_steps(protocol: Protocol, codes: Codes) -> Steps:
    """By the number of the instance: where it leads, in Python."""
    return {
        instance.number: FAILS if isinstance(after, EvaluationError) else after
        for instance, after in protocol.outcomes(codes)
    }


def reached(protocol: Protocol, dice: random.Random, count: int) -> Iterator[Codes]:
    """The states of a random run in Python."""
    starts = protocol.initial_states()
    codes = dice.choice(starts)
    for _ in range(count):
        yield codes
        steps = [after for after in python_steps(protocol, codes).values() if not isinstance(after, str)]
        codes = dice.choice(steps) if steps and dice.random() < 0.9 else dice.choice(starts)
