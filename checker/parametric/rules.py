"""A protocol read for every choice of its bounds: actions, lemmas and invariants as terms over an arbitrary state."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from epochal.spec.language import LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.annotations import hints, is_ghost
from epochal.spec.language.errors import source_line
from epochal.spec.language.functions import annotation_line

from ..compile.compiler import vocabulary_of
from ..compile.source.admitted import Sources
from ..compile.source.rewrite import rewritten
from .domains import (
    FIRST,
    AnyBounds,
    Domain,
    Domains,
    LeafShape,
    PathEnds,
    TwoSets,
    Untranslatable,
    View,
    arbitrary,
    first,
    names_of,
    places,
    refuse_empty,
    shapes,
    typing,
)
from .loops import Parameter, parameter
from .operations import Calls, Operations, State
from .terms import (
    FALSE,
    TRUE,
    Bound,
    Symbol,
    Term,
    apply,
    constant,
    eq,
    exists,
    forall,
    implies,
    le,
    not_,
    renamed,
    variable,
)
from .values import Failure, Guard, Run


@dataclass(frozen=True)
class Predicate:
    """A lemma or invariant of a state. Where one of `failures` is true, `holds` is undefined.

    `reads` are the leaves that the predicate depends on.
    """

    member: Member
    holds: Term
    failures: tuple[Failure, ...]
    reads: frozenset[str]


@dataclass(frozen=True)
class Action:
    """An action: its parameters, when it can be taken, how it can fail, and the state after it.

    Where a guard is false, or the action fails, `after` is undefined. `changed` are the leaves that the action writes.
    """

    name: str
    given: tuple[Parameter, ...]
    guards: tuple[Guard, ...]
    failures: tuple[Failure, ...]
    after: View
    changed: frozenset[str]

    @property
    def typed(self) -> list[Term]:
        """That its parameters lie in their domains."""
        return [one.typed for one in self.given]


class ParametricSemantics:
    """The rules of a protocol as terms. Raises Untranslatable, with its line, for what has none."""

    def __init__(self, protocol: type[Protocol]) -> None:
        self.protocol = protocol
        self.bounds = AnyBounds(protocol.bounds_type())
        self.domains = Domains(self.bounds)
        if protocol.members("constraint"):
            member = protocol.members("constraint")[0]
            raise Untranslatable("a constraint", "Say it as a guard of the actions.", member.where)
        self.variables: dict[str, Domain] = {}
        for name, annotation in protocol._annotations().items():
            if name != "bounds" and "ClassVar" not in str(annotation):
                self.variables[name] = self._variable(name, annotation)
        refuse_empty(self.variables)
        for member in protocol.members("action"):
            self._parameters(member.function)
        if isinstance(protocol.initial, FunctionType):
            self._parameters(protocol.initial)
        self.admitted = tuple(self.domains.admitted)
        """What the bounds of every such protocol are like: with others, a variable or parameter has no domain.

        Nothing follows from a domain that a rule names: it may be one that no run comes to.
        """
        self.leaves: dict[str, LeafShape] = shapes(self.variables)
        sources = Sources()
        self.operations = Operations()
        self.calls = Calls(
            protocol,
            self.domains,
            self.variables,
            self.operations,
            lambda function: rewritten(function, self.operations, sources),
        )

    def _variable(self, name: str, annotation: Any) -> Domain:
        try:
            return self.domains(annotation)
        except Untranslatable as error:
            error.where = error.where or annotation_line(self.protocol, name)
            raise

    # -- states ---------------------------------------------------------------------------------------------------

    def state(self) -> View:
        """An arbitrary state, which rules read."""
        return arbitrary(self.leaves.values())

    def history(self) -> dict[str, str]:
        """The leaves of ghost variables, each with the name of its variable."""
        annotations = self.protocol._annotations()
        ghosts = {name: domain for name, domain in self.variables.items() if is_ghost(annotations[name])}
        return {path: name for name, domain in ghosts.items() for path in shapes({name: domain})}

    def typed(self, view: View) -> dict[str, Term]:
        """By leaf, that the numbers of a state lie in their domains."""
        return typing(self.leaves.values(), view)

    @property
    def of_bounds(self) -> list[Term]:
        """What is so of every choice of the bounds at which there is such a protocol."""
        return [*self.bounds.facts, *self.admitted]

    @property
    def facts(self) -> list[Term]:
        """What is so of every choice of the bounds: each is at least its least, and there are as many identifiers."""
        found = self.of_bounds
        for sort, size in sorted(self.domains.sizes.items()):
            prefix = names_of(sort).prefix
            one, other = (variable(f"{prefix} {which}", sort) for which in ("one", "other"))
            differ = exists([Bound(one), Bound(other)], not_(eq(one, other)))
            found.append(implies(le(constant(2), size), differ))
            alone = forall([Bound(one)], eq(one, apply(Symbol(f"{FIRST}{sort}"), (), sort)))
            found.append(implies(le(size, constant(1)), alone))
        return found

    # -- rules ----------------------------------------------------------------------------------------------------

    def action(self, member: Member) -> Action:
        """An action, from an arbitrary state."""
        view = self.state()
        view.writable = True
        return self._step(member.name, member.function, view)

    def initial(self) -> Action:
        """What `initial` makes of the state in which every variable has the first value of its domain."""
        function = self.protocol.initial
        if not isinstance(function, FunctionType):
            raise Untranslatable("an initial that is no plain method", "Write def initial(self).")
        return self._step("initial", function, first(self.leaves.values()))

    def _step(self, name: str, function: FunctionType, view: View) -> Action:
        before = dict(view.leaves)
        run = self._begin(f"action {name}", view, source_line(function))
        try:
            arguments, parameters = self._arguments(run, function)
        except Untranslatable as error:
            error.where = error.where or run.where
            raise
        result = self._run(function, [view], arguments)
        if result is not None and result is not ENDED:
            raise LanguageError("an action returns a value", source_line(function), "Only helper methods return.")
        view.writable = False
        changed = frozenset(path for path, leaf in view.leaves.items() if leaf is not before[path])
        return Action(name, parameters, tuple(run.guards), tuple(run.failures), view, changed)

    def _arguments(self, run: Run, function: FunctionType) -> tuple[list[Any], tuple[Parameter, ...]]:
        arguments, parameters = [], []
        for name, annotation in self._annotated(function).items():
            value, made = parameter(run, self.domains(annotation), name)
            arguments.append(value)
            parameters.append(made)
        return arguments, tuple(parameters)

    def _annotated(self, function: FunctionType) -> dict[str, Any]:
        """The annotations of the parameters of a rule."""
        names = list(inspect.signature(function).parameters)[1:]
        scope = {name: value for owner in reversed(self.protocol.__mro__) for name, value in vars(owner).items()}
        known = hints(function, scope)
        return {name: known[name] for name in names}

    def _parameters(self, function: FunctionType) -> None:
        """Refuse a protocol in which identifiers of one prefix are two sets, though only a parameter says so."""
        for annotation in self._annotated(function).values():
            try:
                self.domains(annotation)
            except TwoSets as error:
                error.where = error.where or source_line(function)
                raise
            except Untranslatable:
                continue  # this rule will be refused, and no other

    def predicate(self, member: Member, view: View | None = None) -> Predicate:
        """A lemma or invariant of a state; None: of an arbitrary one."""
        if vocabulary_of(member.function) is not None:
            raise Untranslatable("a property that is told in another protocol's words", "Write it here.", member.where)
        now = View((view or self.state()).leaves, writable=False)
        run = self._begin(f"{member.name}", None, member.where)
        value = self._run(member.function, [now], [])
        if run.guards:
            raise LanguageError(f"{member.name} uses require", run.guards[0].where, "Return the condition.")
        if value is None:
            raise LanguageError(f"{member.name} returns nothing", member.where, "Return whether it holds.")
        holds = FALSE if value is ENDED else self.operations.condition(value)
        reads = frozenset(path for path, _ in now.accesses.read)
        return Predicate(member, holds, tuple(run.failures), reads)

    def _begin(self, name: str, written: View | None, where: SourceLine | None) -> Run:
        run = self.operations.run = Run(name, written)
        run.where = where
        return run

    def _run(self, function: FunctionType, views: Sequence[View], arguments: Sequence[Any]) -> Any:
        run = self.operations.run
        try:
            with run.under(TRUE):
                return self.calls(self.calls.rule(function), *(State(self.calls, v) for v in views), *arguments)
        except PathEnds:
            return ENDED
        except Untranslatable as error:
            error.where = error.where or run.where
            raise


ENDED = object()
"""What a rule gives that never comes to its end."""


# -- obstacles --------------------------------------------------------------------------------------------------------
# What keeps a whole protocol from having a parametric semantics: all of it at once, not one line after the other.


def obstacles(protocol: type[Protocol]) -> list[Untranslatable]:
    """What no rule of the protocol can be read for; nothing if `ParametricSemantics` reads it."""
    found = [
        Untranslatable("a constraint", "Say it as a guard of the actions.", source_line(member.function))
        for member in protocol.members("constraint")
    ]
    domains = Domains(AnyBounds(protocol.bounds_type()))
    for name, annotation in protocol._annotations().items():
        if name != "bounds" and "ClassVar" not in str(annotation):
            try:
                domains(annotation)
            except Untranslatable as refused:
                refused.where = refused.where or annotation_line(protocol, name)
                found.append(refused)
    try:
        ParametricSemantics(protocol)
    except Untranslatable as refused:
        return found or [refused]
    return []


# -- same steps -------------------------------------------------------------------------------------------------------
# Whether a protocol with history takes the steps of the one that it is derived from, for every choice of the bounds.
#
# Both are read as terms, and the terms are the same but for the names of bound variables: of each action the
# parameters, the guards, and what is after it in every variable that the two share. So nothing is left to be tried in
# states. It is the text that is compared, not its meaning: two ways to write the same step are found to differ.


def other_steps(plain: type[Protocol], remembering: type[Protocol], properties: Sequence[str]) -> str:
    """The first difference between the steps of the two, or between what the properties say; "" if there is none.

    Every failure of `plain` is one of `remembering`, of steps and of properties: where a proof shows that there is none
    of those, there is none of these. Raises Untranslatable where a rule has no parametric semantics.
    """
    one, other = ParametricSemantics(plain), ParametricSemantics(remembering)
    for path, shape in one.leaves.items():
        if other.leaves.get(path) != shape:
            return f"{path} is another variable"
    if one.of_bounds != other.of_bounds:
        return "they have other bounds"
    names, others = ([m.name for m in kind.members("action")] for kind in (plain, remembering))
    if sorted(names) != sorted(others):
        return f"they have other actions: {', '.join(sorted(set(names) ^ set(others)))}"
    actions = {m.name: other.action(m) for m in remembering.members("action")}
    pairs = [(one.initial(), other.initial())]
    pairs += [(one.action(member), actions[member.name]) for member in plain.members("action")]
    for mine, yours in pairs:
        if differs := _differing(mine, yours, list(one.leaves.values())):
            return f"{mine.name} has {differs}"
    said = {m.name: other.predicate(m) for m in remembering.members("invariant")}
    for member in plain.members("invariant"):
        if member.name in properties:
            asked, proved = one.predicate(member), said[member.name]
            if renamed(asked.holds) is not renamed(proved.holds):
                return f"{member.name} says something else"
            if _fails_otherwise(asked.failures, proved.failures):
                return f"{member.name} has other ways to fail"
    return ""


def _fails_otherwise(mine: Sequence[Failure], yours: Sequence[Failure]) -> bool:
    """Whether there is a way to fail of mine that is none of yours."""
    failing = {renamed(failure.condition) for failure in yours}
    return any(renamed(failure.condition) not in failing for failure in mine)


def _differing(mine: Action, yours: Action, leaves: Sequence[LeafShape]) -> str:
    """What is not the same of two semantics of an action."""
    if mine.given != yours.given:
        return "other parameters"
    if [renamed(g.condition) for g in mine.guards] != [renamed(g.condition) for g in yours.guards]:
        return "other guards"
    if _fails_otherwise(mine.failures, yours.failures):
        return "other ways to fail"
    for shape in leaves:
        here = [bound.variable for bound in places(shape, mine.after)]
        after = (renamed(one.after.leaf(shape.path, here)) for one in (mine, yours))
        if len(set(after)) > 1:
            return f"another {shape.path} after it"
    return ""
