"""Comparing the readings of a specification in one state: Python, the expression graph, and machine code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from epochal.checker.ir.expression import Expression, evaluate
from epochal.checker.ir.model import CompiledInstance, Model
from epochal.checker.native.backend import NativeBackend
from epochal.checker.semantics.semantics import Codes
from epochal.spec.language import ActionInstance, Protocol
from epochal.spec.language.protocol import evaluated

Steps = list[tuple[ActionInstance, Codes]]


class Agreement:
    """A protocol in its three readings."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.native = NativeBackend(protocol)
        self.model: Model = self.native.model
        self.all_open = (1 << len(self.model.properties)) - 1
        self._roots = {node.id: node for node in self._everything()}
        self._known: dict[int, int] = {}

    def _everything(self) -> Iterator[Expression]:
        for compiled in self.model.instances:
            yield compiled.enabled
            yield from compiled.updates.values()
            yield from (failure.condition for failure in compiled.failures)
            yield from (guard.condition for guard in compiled.guards)
        for property in self.model.properties:
            yield from property.on_step.values()
            yield from (failure.condition for failure in property.failures)
            if not property.of_steps:
                yield property.holds
        yield self.model.constraint

    def _evaluate(self, codes: Codes) -> None:
        """Evaluate everything that reads one state, at once."""
        self._known = dict(zip(self._roots, evaluate(list(self._roots.values()), codes), strict=True))

    def _values(self, *nodes: Expression) -> list[int]:
        return [self._known[node.id] for node in nodes]

    def compare(self, codes: Codes) -> Steps:
        """Assert that the readings agree on a state, its properties and its steps; the steps."""
        self._evaluate(codes)
        layout = self.model.layout
        words = layout.pack(codes)
        assert layout.unpack(words) == codes
        assert all(0 <= word < 1 << 64 for word in words)
        steps = list(self.protocol.successors(codes))
        assert self._graph_steps(codes) == steps
        assert self.native.successors(codes) == steps
        self._compare_state(codes)
        for instance, after in steps:
            self._compare_step(codes, instance, after)
        return steps

    def _graph_steps(self, codes: Codes) -> Steps:
        found: Steps = []
        for compiled in self.model.instances:
            enabled, *failures = self._values(compiled.enabled, *(f.condition for f in compiled.failures))
            assert not any(failures), f"{compiled.instance.label} fails in the graph only"
            assert all(self._values(*(guard.condition for guard in compiled.guards))) == bool(enabled)
            if enabled:
                found.append((compiled.instance, self._after(compiled, codes)))
        return found

    def _after(self, compiled: CompiledInstance, codes: Codes) -> Codes:
        after = list(codes)
        for leaf, code in zip(compiled.updates, self._values(*compiled.updates.values()), strict=True):
            after[leaf] = code
        return tuple(after)

    def _compare_state(self, codes: Codes) -> None:
        state = self.protocol.at(codes)
        bits = self.native.judged(codes, self.all_open)
        for bit, property in enumerate(self.model.properties):
            if property.of_steps:
                continue
            holds = bool(evaluated(property.member.function, state))
            assert self._values(property.holds) == [holds], property.member.name
            assert not any(self._values(*(f.condition for f in property.failures)))
            assert (bits >> bit & 1) == (holds == (property.member.mark.kind == "reachable")), property.member.name
        within = all(evaluated(m.function, state) for m in self.protocol.members("constraint"))
        assert self._values(self.model.constraint) == [within]
        assert self.native.within_constraint(codes) == within

    def _compare_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> None:
        state, new = self.protocol.at(codes), self.protocol.at(after)
        bits = next(
            b for i, a, b in self.native.tagged_successors(codes, self.all_open) if i is instance and a == after
        )
        for bit, property in enumerate(self.model.properties):
            if not property.of_steps:
                continue
            holds = bool(evaluated(property.member.function, state, new))
            assert self._values(property.on_step[instance.number]) == [holds], property.member.name
            assert evaluate([property.holds], codes + after) == [holds], property.member.name
            assert (bits >> bit & 1) == (holds == (property.member.mark.kind == "reachable")), property.member.name


@cache
def agreement(protocol: type[Protocol]) -> Agreement:
    """The readings of a protocol at its default bounds, compiled once."""
    return Agreement(protocol())
