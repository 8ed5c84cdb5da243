"""What has to be proved so that a property holds after any number of steps.

Initiation: every lemma holds in every initial state. Evaluation: where all lemmas hold, no action fails for an index or
a value outside its domain, and whatever it writes is a typed state again. Preservation: where all lemmas hold, each
action instance leads to a state where each of them holds. Implication: where all lemmas hold, so does each property.
"""

from __future__ import annotations

import builtins
import dis
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Literal

from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol
from epochal.spec.language.functions import codes_of
from epochal.spec.language.members import title

from ..compile.compiler import rule_of
from ..compile.source.admitted import names_reached
from ..compile.static import Diagnostic, diagnose
from ..ir.expression import Expression, leaves_read
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Model
from ..smt.terms import leaf_shapes
from .queries import Assumptions, Query, Writer

Kind = Literal["initiation", "evaluation", "preservation", "implication"]
EVALUATION, TYPES = "evaluation", "types"
"""The columns that are of no lemma: what can be evaluated, and that numbers lie in their domains."""

INITIALLY, LEMMAS, IMPLICATION = "initially", "lemmas", "implication"
"""The rows that are of no action."""


@dataclass(frozen=True)
class Obligation:
    """One thing to prove: of an action instance (none for initiation and implication), and of a lemma or property.

    `member` is None for evaluation, which is about the action alone.
    """

    kind: Kind
    instance: ActionInstance | None
    member: Member | None

    @property
    def column(self) -> str:
        """The lemma or property that it is about, or "evaluation"."""
        return self.member.name if self.member is not None else EVALUATION

    @property
    def label(self) -> str:
        """As reports name it: `Fetch(b2, b1) preserves log_matching`."""
        if self.kind == "initiation":
            return f"{self.column} holds initially"
        if self.kind == "implication":
            return f"the lemmas imply {self.column}"
        label = self.instance.label if self.instance is not None else ""
        return f"{label} can be evaluated" if self.kind == "evaluation" else f"{label} preserves {self.column}"


@dataclass(frozen=True)
class Claim:
    """A condition on single states: a lemma or an invariant holds, and can be evaluated. `reads` are its leaves."""

    member: Member
    holds: Expression
    reads: frozenset[int]


@dataclass(frozen=True)
class Plan:
    """The claims of a proof: `typed` describes canonical states, `constraint` those that are explored further.

    `odd` is what can be said of the specification without asking anybody.
    """

    model: Model
    lemmas: tuple[Claim, ...]
    properties: tuple[Claim, ...]
    typed: tuple[Expression, ...]
    constraint: Expression
    odd: tuple[Diagnostic, ...] = ()

    @property
    def trivial(self) -> tuple[str, ...]:
        """The lemmas that are true whatever the state at these bounds."""
        return tuple(claim.member.name for claim in self.lemmas if claim.holds.is_const and claim.holds.value)

    def affected(self, compiled: CompiledInstance) -> tuple[Claim, ...]:
        """The lemmas that read something that the instance writes; it preserves the others by not touching them."""
        return tuple(claim for claim in self.lemmas if claim.reads & compiled.updates.keys())

    def stays_typed(self, compiled: CompiledInstance) -> tuple[Expression, ...]:
        """That the values which an instance writes lie in their domains, as far as their ranges do not say so."""
        graph, leaves = self.model.graph, self.model.protocol.leaves
        found = []
        for leaf, value in compiled.updates.items():
            if value.sort == "int":
                last = graph.integer(leaves[leaf].domain.size - 1)
                found.append(graph.and_(graph.le(graph.integer(0), value), graph.le(value, last)))
        return tuple(part for part in found if part is not graph.true)


def nothing_to_prove(kind: type[Protocol], judged: Sequence[Member]) -> list[str]:
    """What is said where no invariant is asked for."""
    if judged:
        return []
    return [f"{kind.__name__} has no invariant, so nothing was to be proved: only invariants are"]


def never_taken(action: Member) -> str:
    """What is said of an action that is not excluded by its guards alone, but by these and the lemmas."""
    return f"{action.where}: {title(action.name)} never happens: no state where the lemmas hold enables it"


def refuse_unfit_lemmas(protocol: Protocol) -> None:
    """Raise LanguageError, with its line, for a lemma that is not about single states, or about no state at all.

    So are names refused that would make two cells of a table one: the answer of one would be taken for the other's.
    """
    rows = [one for one in protocol.members("action") if one.name in (INITIALLY, LEMMAS, IMPLICATION)]
    columns = [one for one in protocol.members("lemma") if one.name in (TYPES, EVALUATION)]
    for one in (*rows, *columns):
        raise LanguageError(f"a proof has a row or column called {one.name} already", one.where, "Rename the method.")
    parameters = {p.name: a for a in protocol.members("action") for p in protocol.parameters(a.function)}
    for member in protocol.members("lemma"):
        function = rule_of(member.function)
        if len(inspect.signature(function).parameters) != 1:
            raise LanguageError(
                f"the lemma {member.name} takes parameters",
                member.where,
                "A lemma is about one state: quantify with all(... for ... in ...) instead.",
            )
        free = sorted(set(_free_names(function)) & set(parameters))
        if free:
            action = parameters[free[0]]
            raise LanguageError(
                f"the lemma {member.name} refers to {free[0]}, which is a parameter of the action {action.name}",
                member.where,
                "A lemma is about one state, whatever step comes next: quantify with all(... for ... in ...) instead.",
            )
        if not names_reached(type(protocol), function) & set(protocol.variables):
            raise LanguageError(
                f"the lemma {member.name} reads no state variable, so it says nothing about any state",
                member.where,
                f"Say something about {', '.join(protocol.variables)}, or remove it.",
            )


def _free_names(function: FunctionType) -> Iterator[str]:
    """The names that a function takes from its module and that are not there, nor built in."""
    for code in codes_of(function):
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                name = str(instruction.argval)
                if name not in function.__globals__ and not hasattr(builtins, name):
                    yield name


def plan(model: Model, properties: Sequence[str]) -> Plan:
    """The claims of a proof of these invariants. The model must be compiled with its lemmas.

    Raises LanguageError for a name that is no invariant, and whatever the static checks refuse.
    """
    protocol, graph = model.protocol, model.graph
    odd = diagnose(model)
    compiled = {one.member.name: one for one in model.properties}
    known = [member.name for member in protocol.members("invariant")]
    for name in properties:
        if name not in known:
            raise LanguageError(
                f"{name!r} is no invariant of {protocol.name}", advice=f"Invariants: {', '.join(known)}."
            )
    unfailing = [graph.not_(failure.condition) for failure in model.constraint_failures]
    return Plan(
        model=model,
        lemmas=tuple(_claim(model, compiled[member.name]) for member in protocol.members("lemma")),
        properties=tuple(_claim(model, compiled[name]) for name in properties),
        typed=tuple(canonical(graph, protocol, leaf_expressions(graph, protocol))),
        constraint=graph.all_of([model.constraint, *unfailing]),
        odd=odd,
    )


def _claim(model: Model, compiled: CompiledProperty) -> Claim:
    """A property that is false where it cannot be evaluated."""
    failing = [model.graph.not_(failure.condition) for failure in compiled.failures]
    holds = model.graph.all_of([compiled.holds, *failing])
    return Claim(compiled.member, holds, leaves_read([holds]))


# -- encoding ---------------------------------------------------------------------------------------------------------
# From the plan of a proof to its questions: the conditions of the plan as rows of plain data.


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
