"""A compiled protocol as data: its action instances, properties and constraint, as expressions over a state's leaves.

`checker.compile.compiler` makes it. Engines, proofs, the gate and symmetry read it, and need no compiler for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from epochal.spec.language import ActionInstance, Member, Protocol, SourceLine

from ..properties import is_step_property
from .expression import Expression
from .graph import Graph
from .layout import Layout


@dataclass(frozen=True)
class Guard:
    """A `require` or a `bounded`: its condition (under the path on which it stands) and its line."""

    condition: Expression
    where: SourceLine | None


@dataclass(frozen=True)
class Failure:
    """A way in which a rule cannot be evaluated: under `condition`, for the reason `message`, at `where`."""

    condition: Expression
    message: str
    where: SourceLine | None


@dataclass(frozen=True)
class CompiledInstance:
    """An action instance: it is enabled where all guards hold, and then sets the leaves in `updates`.

    `failures` are the conditions under which it cannot be evaluated; where one holds, the instance is not enabled.
    `stopped` is where it is not, because a `bounded` is false and every guard before it true; None: nowhere.
    """

    instance: ActionInstance
    guards: tuple[Guard, ...]
    updates: dict[int, Expression]
    failures: tuple[Failure, ...]
    enabled: Expression
    stopped: Expression | None = None


@dataclass(frozen=True)
class CompiledPromise:
    """A liveness property with one choice of its parameters: its premise, its goal, and where these cannot be told."""

    member: Member
    arguments: tuple[Any, ...]
    premise: Expression
    goal: Expression
    failures: tuple[Failure, ...]


@dataclass(frozen=True)
class CompiledProperty:
    """A property: `holds` on single states, or, for a property of steps, `on_step` for each instance by number.

    For a property of steps, `holds` is the condition on two arbitrary states; the leaves of the second one are numbered
    after those of the first.

    A step condition that follows from the instance's guard is the constant true, and one that contradicts it false.
    """

    member: Member
    holds: Expression
    on_step: dict[int, Expression]
    failures: tuple[Failure, ...]
    step_failures: dict[int, tuple[Failure, ...]]

    @property
    def of_steps(self) -> bool:
        """Whether the property is evaluated on steps."""
        return is_step_property(self.member)


@dataclass(frozen=True)
class Model:
    """A compiled protocol. `instances` leaves out those that no typed state enables; they are `impossible`.

    `ends` are where a run may end, as the goals of promises.
    """

    protocol: Protocol
    graph: Graph
    layout: Layout
    instances: tuple[CompiledInstance, ...]
    properties: tuple[CompiledProperty, ...]
    constraint: Expression
    constraint_failures: tuple[Failure, ...]
    impossible: tuple[CompiledInstance, ...] = ()
    promises: tuple[CompiledPromise, ...] = ()
    ends: tuple[CompiledPromise, ...] = ()

    def without_lemmas(self) -> Model:
        """The same without its lemmas, of which a proof may have more than machine code evaluates together."""
        return replace(self, properties=tuple(one for one in self.properties if one.member.mark.kind != "lemma"))

    @property
    def promised(self) -> tuple[CompiledPromise, ...]:
        """The promises that are no wishes."""
        return tuple(one for one in self.promises if not one.member.mark.wish)
