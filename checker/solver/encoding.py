"""From the plan of a proof to its questions: the conditions of the plan as rows of plain data."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.expression import Expression
from ..ir.model import CompiledInstance
from .obligations import Claim, Plan
from .portable import Writer
from .queries import Assumptions, Query
from .terms import leaf_shapes


class Questions:
    """Makes the premises and questions of a plan. `least` may be unset where nobody looks at counterexamples."""

    def __init__(self, plan: Plan, rlimit: int) -> None:
        self.plan, self.rlimit = plan, rlimit
        self.least = True
        self._digests: dict[int, bytes] = {}
        self._lemmas = {claim.member.name: number for number, claim in enumerate(plan.lemmas)}
        write = Writer(self._digests)
        typed = write.all(plan.typed)
        constraint = write(plan.constraint)
        lemmas = write.all(claim.holds for claim in plan.lemmas)
        self.premises = Assumptions(leaf_shapes(plan.model.protocol), tuple(write.rows), typed, constraint, lemmas)

    def of_instance(self, compiled: CompiledInstance, claims: Sequence[Claim], goals: Sequence[Claim]) -> Query:
        """That an action instance can be evaluated and preserves the `goals`, where the `claims` hold."""
        write = Writer(self._digests)
        return Query(
            enabled=write(compiled.enabled),
            updates=tuple((leaf, write(value)) for leaf, value in sorted(compiled.updates.items())),
            failures=write.all(failure.condition for failure in compiled.failures),
            stays_typed=write.all(self.plan.stays_typed(compiled)),
            preserved=self._numbers(goals),
            rows=tuple(write.rows),
            assumed=self._numbers(claims),
            rlimit=self.rlimit,
            least=self.least,
        )

    def of_property(self, holds: Expression, claims: Sequence[Claim], least: bool | None = None) -> Query:
        """That a property holds where the `claims` do."""
        write = Writer(self._digests)
        properties = (write(holds),)
        assumed = self._numbers(claims)
        wanted = self.least if least is None else least
        return Query(tuple(write.rows), assumed, self.rlimit, properties=properties, least=wanted)

    def _numbers(self, claims: Sequence[Claim]) -> tuple[int, ...]:
        return tuple(self._lemmas[claim.member.name] for claim in claims)
