"""Compiling a protocol: every action instance and property as expressions over the leaves of a state."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, MethodType
from typing import Any

from epochal.spec import language
from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol, SourceLine, SpecificationError
from epochal.spec.language.domains import Scalar, StructDomain
from epochal.spec.language.errors import shown_count, shown_path, source_line
from epochal.spec.language.functions import class_line
from epochal.spec.language.marks import Mark
from epochal.spec.language.protocol import ACTION_LIMIT, borrowed_super
from epochal.spec.language.seen import like

from ..base.machine import without_collection
from ..ir.expression import Expression, leaves_read
from ..ir.graph import Graph, refuted
from ..ir.layout import lay_out
from ..ir.model import CompiledInstance, CompiledLiveness, CompiledProperty, Failure, Model
from ..semantics.properties import all_properties, check_signatures, is_step_property, liveness
from .calls import Calls
from .execution import Execution, History, PathEnds, Place, Stop, View, field_view
from .operations import ENDED, BranchMet, Operations, StateProxy
from .source.admitted import Sources, unfit
from .source.rewrite import LINES, rewritten
from .values.pairs import PairRules
from .values.places import StructReference, overwrite, read, zero
from .values.symbolic import SymBool, truth_value

# -- evaluated under --------------------------------------------------------------------------------------------------
# Properties that see a state with the words of another protocol than the one that takes the steps. A rule that is taken
# out of a protocol may be a word that its properties use as well. They must go on meaning what they meant, or a mutant
# would be checked against mutated properties.

EVALUATED_UNDER = "__epochal_evaluated_under__"


def evaluated_under(protocol: type[Protocol], function: FunctionType) -> FunctionType:
    """A property of `protocol` as a method of another one with the same variables: it calls the methods of `protocol`.

    In the Python semantics it sees the same values through an instance of that class; the compiler asks
    `vocabulary_of`.
    """

    @functools.wraps(function)
    def evaluated(*states: Protocol) -> Any:
        return function(*(_seen_as(protocol, state) for state in states))

    evaluated.__dict__[EVALUATED_UNDER] = protocol
    assert isinstance(evaluated, FunctionType)
    return evaluated


def vocabulary_of(function: FunctionType) -> type[Protocol] | None:
    """The protocol whose methods a property calls, if that is another one than it belongs to."""
    protocol: type[Protocol] | None = getattr(function, EVALUATED_UNDER, None)
    return protocol


def rule_of(function: FunctionType) -> FunctionType:
    """The function in which a rule is written."""
    rule: FunctionType = function.__dict__["__wrapped__"] if EVALUATED_UNDER in function.__dict__ else function
    return rule


def _seen_as(protocol: type[Protocol], state: Protocol) -> Protocol:
    seen = protocol.__new__(protocol)
    object.__setattr__(seen, "__dict__", state.__dict__)
    return seen


# -- states -----------------------------------------------------------------------------------------------------------
# What a rule sees as a state: variables read as symbolic values, methods as rewritten rules.


class SymbolicState(StateProxy):
    """What a rule sees as `self`: variables read as symbolic values, methods as rewritten rules."""

    _calls: Calls
    _view: View
    _places: dict[str, Place | None]

    def __init__(self, calls: Calls, view: View) -> None:
        self.__dict__.update(_calls=calls, _view=view, _places={})

    def protocol(self) -> Protocol:
        """The protocol whose methods these are."""
        return self._calls.operations.execution.protocol

    def place(self, name: str) -> Place | None:
        """Where a variable lies; None if there is none of this name."""
        places = self._places
        if name not in places:
            places[name] = None
            if variable := self.protocol().variables.get(name):
                true = self._calls.operations.execution.graph.true
                places[name] = Place(self._view, variable.domain, ((true, variable.first_leaf),))
        return places[name]

    def read(self, name: str) -> Any:
        """What a rule reads as an attribute of the state. Names of the checker's own are not among it."""
        calls = self._calls
        execution, protocol = calls.operations.execution, self.protocol()
        place = self.place(name)
        if place is not None:
            return read(execution, place)
        if name in ("bounds", "each", "member"):
            return getattr(protocol, name)
        found = None if name in OWN else calls.attribute(type(protocol), name)
        if isinstance(found, FunctionType):
            return MethodType(calls.rule(found), self)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return calls(MethodType(calls.rule(found.fget), self))
        if isinstance(found, staticmethod | classmethod):
            return getattr(protocol, name)
        if hasattr(type(found), "__get__"):
            raise execution.error(f"{name} cannot be read in a rule", "Make it a plain method, or a property.")
        if found is None:
            known = ", ".join(protocol.variables)
            raise execution.error(
                f"{type(protocol).__name__} has no variable or method {name!r}", f"Variables: {known}."
            )
        if why := unfit(found):
            raise execution.error(f"{name} cannot be used in a rule: {why}", "Keep it in a state variable.")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        execution = self._calls.operations.execution
        place = self.place(name)
        if place is None:
            known = ", ".join(self.protocol().variables)
            raise execution.error(f"there is no state variable {name!r}", f"Variables: {known}.")
        overwrite(execution, place, value)


OWN = frozenset(name for name in vars(Protocol) if name not in ("name", "initial"))
"""What every protocol has for the checker's sake."""


class SeenState(SymbolicState):
    """A record of the state seen as a state of another protocol (`seen_as`).

    In Python it is a copy that `attempt` alone writes back. So it can be read until the record changes otherwise, and
    written during an attempt only.
    """

    _place: Place
    _since: int
    _seen: Protocol
    _attempted: bool

    def __init__(self, calls: Calls, record: StructReference, protocol: Protocol) -> None:
        place = record.place
        view = place.view
        self.__dict__.update(_calls=calls, _view=view, _place=place, _since=view.history.clock, _seen=protocol)
        self.__dict__["_attempted"] = False

    def protocol(self) -> Protocol:
        return self._seen

    def place(self, name: str) -> Place | None:
        place = self._place
        domain = place.domain
        assert isinstance(domain, StructDomain)
        if name not in self.protocol().variables:
            return None
        if not self._attempted:
            if place.was_replaced(self._since) or place.was_changed(self._since):
                raise self._calls.operations.execution.error(
                    f"the record that is seen as {type(self.protocol()).__name__} was changed since",
                    "Take seen_as(...) of it again.",
                )
            place = Place(place.view.read_only(), domain, place.alternatives, place.depth)
        return place.child(domain.field_domains[name], domain.offsets[name])

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step here: meanwhile the record can be written, and afterwards this is how it is seen."""
        self.__dict__["_attempted"] = True
        try:
            step()
        finally:
            self.__dict__["_attempted"] = False

    def renewed(self) -> None:
        """After an attempt all parts of the record are new ones, whether or not they differ."""
        place = self._place
        domain = place.domain
        assert isinstance(domain, StructDomain)
        for name, part in domain.field_domains.items():
            if not isinstance(part, Scalar):
                place.child(part, domain.offsets[name]).note_change(whole=True)
        self.__dict__["_since"] = place.view.history.clock


class SuperState(StateProxy):
    """What `super()` is inside a rewritten rule: the methods of the classes after `owner`.

    Raises LanguageError where Python raises a TypeError: in a method of a class from which the protocol is not derived.
    """

    def __init__(self, calls: Calls, owner: type, state: SymbolicState) -> None:
        if borrowed := borrowed_super(owner, type(state.protocol())):
            raise calls.operations.execution.error(*borrowed)
        self._calls, self._owner, self._state = calls, owner, state

    def read(self, name: str) -> Any:
        """A method of a base class."""
        order = type(self._state.protocol()).__mro__
        for candidate in order[order.index(self._owner) + 1 :]:
            found = None if candidate is Protocol and name in OWN else vars(candidate).get(name)
            if isinstance(found, property) and isinstance(found.fget, FunctionType):
                return self._calls(MethodType(self._calls.rule(found.fget), self._state))
            if isinstance(found, FunctionType):
                return MethodType(self._calls.rule(found), self._state)
        raise self._calls.operations.execution.error(
            f"no base class has a method {name!r}", "Call a method that a class before this one defines."
        )


def add_states(calls: Calls) -> None:
    """Teach calls what the language says of states: `super()`, `seen_as` and `attempt`."""
    calls.operations.super_ = lambda owner, state: SuperState(calls, owner, state)
    calls.add_builtins(
        {
            language.seen_as: lambda *arguments: seen_as(calls, *arguments),
            language.attempt: lambda *arguments: attempt(calls, *arguments),
        }
    )


def seen_as(calls: Calls, protocol: Any, record: Any, bounds: Any) -> SeenState:
    """The symbolic form of `spec.language.seen_as`."""
    if not isinstance(record, StructReference):
        raise calls.operations.execution.error(
            "only a record of the state can be seen as a protocol", "Store it in a variable."
        )
    domain: Any = record.place.domain
    return SeenState(calls, record, like(protocol, bounds, domain))


def attempt(calls: Calls, step: Any, *arguments: Any) -> SymBool | bool:
    """The symbolic form of `spec.language.attempt`: where the step's guards do not hold, nothing changes.

    The guards are those of the step alone; the rule that attempts it is enabled all the same.
    """
    execution = calls.operations.execution
    seen = getattr(step, "__self__", None)
    graph = execution.graph
    if not isinstance(seen, SeenState):
        raise execution.error(
            "attempt takes a step of a state that seen_as gave", "attempt(seen_as(P, record, bounds).step, ...)"
        )
    if execution.operands:
        raise execution.error("attempt stands inside an operand or a comprehension", "Assign its answer to a variable.")
    view = seen._view
    before, mark = list(view.leaves), view.history.mark()
    guards, assumed, depth = len(execution.guards), len(execution.assumed), len(execution.path)
    stops = len(execution.stops)
    try:
        seen.attempt(lambda: calls(step, *arguments))
        enabled = graph.all_of(guard.condition for guard in execution.guards[guards:])
    except PathEnds:
        enabled = graph.false
    del execution.guards[guards:], execution.assumed[assumed:], execution.path[depth:], execution.stops[stops:]
    pairs = zip(before, view.leaves, strict=True)
    view.leaves[:] = [old if old is new else graph.ite(enabled, new, old) for old, new in pairs]
    view.history.join(History(), mark)
    seen.renewed()
    allowed: SymBool | bool = truth_value(execution, enabled)
    return allowed


INITIAL_CHOICES = 256
"""For how many choices of its parameters, spread evenly, `initial` is read as a rule."""


class _Compiler:
    """One compilation: the graph and the rewritten rules, and with `decisions` those of each instance by its number."""

    def __init__(self, protocol: Protocol, decisions: bool = False) -> None:
        self.protocol = protocol
        self.graph = Graph()
        self.operations = Operations(Execution(self.graph, protocol, PairRules))
        sources = Sources()
        self.calls = Calls(self.operations, lambda f: rewritten(f, self.operations, sources))
        add_states(self.calls)
        self.evaluated_under: dict[type[Protocol], Protocol] = {}
        self.stops: dict[int, list[Stop]] = {}
        self.decisions: dict[int, list[BranchMet]] = {}
        self._wants_decisions = decisions

    def owner(self, member: Member) -> Protocol:
        """The protocol whose methods a rule calls: this one, unless it is evaluated under another."""
        other = vocabulary_of(member.function)
        if other is None:
            return self.protocol
        if other not in self.evaluated_under:
            self.evaluated_under[other] = other(self.protocol.bounds)
        return self.evaluated_under[other]

    def run(self, member: Member, views: Sequence[View], arguments: Sequence[Any], known: Expression) -> Any:
        """Run a rule symbolically where `known` holds; ENDED if no state lets it finish.

        The execution stays in `operations.execution`.
        """
        execution = Execution(self.graph, self.owner(member), PairRules)
        self.operations.execution = execution
        writable = [view for view in views if view.writable]
        self.operations.written = writable[0] if writable else View([], writable=False)
        execution.writing = bool(writable)
        self.graph.table.where = member.where
        states = [SymbolicState(self.calls, view) for view in views]
        result = ENDED
        try:
            with execution.under(known):
                result = self.calls(self.calls.rule(rule_of(member.function)), *states, *arguments)
        except PathEnds:
            return ENDED
        except SpecificationError as error:
            if error.where is None:
                error.where = self.graph.table.where
            raise
        except RecursionError as error:
            raise LanguageError("the rule is nested too deeply", member.where) from error
        return result

    def initial(self) -> None:
        """Read `initial` as a rule. What it sets is computed by Python, but it may use nothing else than rules may.

        Raises LanguageError with the line that is outside the language.
        """
        function = type(self.protocol).initial
        if function is Protocol.initial or not isinstance(function, FunctionType):
            return
        member = Member("initial", function, Mark("action"), source_line(function))
        choices = list(itertools.product(*(p.domain.values() for p in self.protocol.parameters(function))))
        step = max(1, -(-len(choices) // INITIAL_CHOICES))
        for arguments in choices[::step]:
            execution = Execution(self.graph, self.protocol, PairRules)
            first = [zero(execution, leaf.domain) for leaf in self.protocol.leaves]
            self.run(member, [View(first, writable=True)], arguments, self.graph.true)

    def instance(self, instance: ActionInstance) -> CompiledInstance:
        """Compile one action instance."""
        before = field_view(self.graph, self.protocol)
        view = View(list(before.leaves), writable=True)
        if self._wants_decisions:
            self.operations.decisions = self.decisions[instance.number] = []
        result = self.run(instance.action, [view], instance.arguments, self.graph.true)
        if result is not None and result is not ENDED:
            raise LanguageError("an action returns a value", instance.action.where, "Only helper methods return.")
        execution = self.operations.execution
        self.stops[instance.number] = execution.stops
        failing = [failure.condition for failure in execution.failures]
        conditions = [guard.condition for guard in execution.guards]
        enabled = self.graph.all_of([*conditions, *(self.graph.not_(f) for f in failing)])
        if refuted(enabled):
            enabled = self.graph.false
        updates = {
            at: after
            for at, (old, after) in enumerate(zip(before.leaves, view.leaves, strict=True))
            if old is not after
        }
        return CompiledInstance(instance, tuple(execution.guards), updates, tuple(execution.failures), enabled)

    def with_stops(self, compiled: CompiledInstance) -> CompiledInstance:
        """The instance with the condition that only a bound stops it.

        It is made when all else is compiled: the numbers of its expressions must not come before those of others.
        """
        stops = self.stops[compiled.instance.number]
        graph = self.graph
        found = [graph.all_of([*stop.known, graph.not_(stop.condition)]) for stop in stops]
        stopped = graph.any_of([one for one in found if not refuted(one)])
        return compiled if stopped is graph.false else replace(compiled, stopped=stopped)

    def predicate(
        self, member: Member, views: Sequence[View], known: Expression
    ) -> tuple[Expression, tuple[Failure, ...]]:
        """Compile a predicate: its truth where `known` holds, and the ways it can fail."""
        value = self.run(member, views, (), known)
        execution = self.operations.execution
        self._refuse_guards(member, "Return the condition.")
        if value is ENDED:
            return self.graph.true, tuple(execution.failures)
        if value is None:
            raise LanguageError(f"{member.name} returns nothing", member.where, "Return whether it holds.")
        return self.operations.condition(value), tuple(execution.failures)

    def _refuse_guards(self, member: Member, advice: str) -> None:
        if guards := self.operations.execution.guards:
            raise LanguageError(f"{member.name} uses require, which only actions have", guards[0].where, advice)

    def promise(self, member: Member) -> list[CompiledLiveness]:
        """Compile premise and goal of a liveness property, for each choice of its parameters; no search needs them."""
        compiled = []
        view = field_view(self.graph, self.protocol)
        domains = [parameter.domain for parameter in self.protocol.parameters(member.function)]
        choices = math.prod(domain.cardinality for domain in domains)
        if choices > ACTION_LIMIT:
            raise LanguageError(
                f"{member.name} can be chosen in {shown_count(choices)} ways; at most {ACTION_LIMIT:,} are allowed",
                member.where,
                "Use smaller bounds.",
            )
        for arguments in itertools.product(*(domain.values() for domain in domains)):
            found = self.run(member, [view], arguments, self.graph.true)
            if not isinstance(found, tuple) or len(found) != 2:
                raise LanguageError(
                    f"{member.name} does not return a premise and a goal", member.where, "Return two conditions."
                )
            premise, goal = [self.operations.condition(condition) for condition in found]
            execution = self.operations.execution
            self._refuse_guards(member, "Return the conditions.")
            compiled.append(CompiledLiveness(member, arguments, premise, goal, tuple(execution.failures)))
        return compiled

    def on_states(self, member: Member) -> CompiledProperty:
        """Compile a property of single states."""
        holds, failures = self.predicate(member, [field_view(self.graph, self.protocol)], self.graph.true)
        return CompiledProperty(member, holds, {}, failures, {})

    def on_steps(
        self, member: Member, instances: Sequence[CompiledInstance], report: Callable[[str], None]
    ) -> CompiledProperty:
        """Compile a property of steps, for each instance."""
        graph, conditions, failures = self.graph, {}, {}
        before = field_view(graph, self.protocol)
        anything = field_view(graph, self.protocol, first=len(before.leaves))
        general, failing = self.predicate(member, [before, anything], graph.true)
        read = leaves_read([general, *(failure.condition for failure in failing)])
        read_after = {leaf - len(before.leaves) for leaf in read}
        unchanged, failing = self.predicate(member, [before, before], graph.true)
        for compiled in instances:
            if unchanged is graph.true and not failing and not read_after & compiled.updates.keys():
                conditions[compiled.instance.number] = graph.true
                continue
            report(f"compiling {member.name} for {compiled.instance.label}")
            after = View([compiled.updates.get(i, leaf) for i, leaf in enumerate(before.leaves)], writable=False)
            holds, on_step = self.predicate(member, [before, after], compiled.enabled)
            if refuted(graph.and_(compiled.enabled, graph.not_(holds))):
                holds = graph.true
            elif refuted(graph.and_(compiled.enabled, holds)):
                holds = graph.false
            conditions[compiled.instance.number] = holds
            if on_step:
                failures[compiled.instance.number] = on_step
        return CompiledProperty(member, general, conditions, (), failures)


def rules_used(protocol: Protocol) -> dict[FunctionType, frozenset[SourceLine]]:
    """The functions that the actions are made of at these bounds, with the lines of each that are ever run.

    Methods of every base class and functions of modules are among them; those that only properties use are not.
    """
    compiler = _Compiler(protocol)
    for instance in protocol.instances:
        compiler.instance(instance)
    run = frozenset(LINES[token] for token in compiler.operations.visited)
    found = {}
    for function in compiler.calls.rewritten:
        file = shown_path(function.__code__.co_filename)
        found[function] = frozenset(x for x in run if x.file == file and x.function == function.__name__)
    return found


@dataclass(frozen=True, order=True)
class ActionBranch:
    """One way out of an `if` or a conditional expression: its action, its line, and whether the condition is true."""

    action: str
    where: SourceLine
    taken: bool


@dataclass(frozen=True)
class ActionBranches:
    """The branches of a protocol's actions within its bounds, and its steps, in one graph. `on_step` has by the number
    of each instance the branches that it comes to, each with the condition under which a step from a state takes it;
    the condition is false where it never does. `decided_by` has the numbers of the leaves that a branch is decided by,
    once a step comes to it."""

    model: Model
    on_step: Mapping[int, Mapping[ActionBranch, Expression]]
    decided_by: Mapping[ActionBranch, frozenset[int]]


def compile_branches(protocol: Protocol, actions: Collection[str] | None = None) -> ActionBranches:
    """Compile the actions of a protocol, without its properties, with the branches in their text. Of several conditions
    on one line that are true or false in one step each way counts. With `actions` no other action is compiled."""
    with without_collection():
        compiler = _Compiler(protocol, decisions=True)
        model = _compiled_by(compiler, False, lambda _: None, (), False, actions)
        graph, found = compiler.graph, dict[int, dict[ActionBranch, Expression]]()
        decided_by: dict[ActionBranch, frozenset[int]] = {}
        for compiled in (*model.instances, *model.impossible):
            instance, ways = compiled.instance, dict[ActionBranch, list[Expression]]()
            for decision in compiler.decisions[instance.number]:
                read = frozenset(leaves_read([decision.condition]))
                for taken in (True, False):
                    side = decision.condition if taken else graph.not_(decision.condition)
                    branch = ActionBranch(instance.action.name, decision.where, taken)
                    ways.setdefault(branch, []).append(graph.all_of([*decision.known, side]))
                    decided_by[branch] = decided_by.get(branch, frozenset()) | read
            conditions = {branch: graph.and_(compiled.enabled, graph.any_of(some)) for branch, some in ways.items()}
            found[instance.number] = {
                branch: graph.false if refuted(condition) else condition for branch, condition in conditions.items()
            }
        return ActionBranches(model, found, decided_by)


def compile_protocol(
    protocol: Protocol,
    lemmas: bool = False,
    report: Callable[[str], None] = lambda _: None,
    only: Collection[str] | None = None,
    promises: bool | None = None,
) -> Model:
    """Compile a protocol within its bounds, with its lemmas among the properties if they are wanted.

    With `only` the other properties are left out, and liveness properties are not looked at unless `promises` says so:
    that takes a third of the time. `report` hears what is compiled next, and may raise to end it. Raises LanguageError,
    with its line, where the specification leaves the language or a state does not fit.
    """
    with without_collection():
        return _compiled(protocol, lemmas, report, only, only is None if promises is None else promises)


def _compiled(
    protocol: Protocol,
    lemmas: bool,
    report: Callable[[str], None],
    only: Collection[str] | None,
    with_promises: bool,
) -> Model:
    check_signatures(protocol)
    if not protocol.leaves:
        name = type(protocol).__name__
        raise LanguageError(
            f"{name} declares no state variable", class_line(type(protocol)), "Annotate one: count: bool"
        )
    return _compiled_by(_Compiler(protocol), lemmas, report, only, with_promises)


def _compiled_by(
    compiler: _Compiler,
    lemmas: bool,
    report: Callable[[str], None],
    only: Collection[str] | None,
    with_promises: bool,
    actions: Collection[str] | None = None,
) -> Model:
    protocol = compiler.protocol
    layout = lay_out(protocol.leaves)
    compiler.initial()
    compiled = []
    for instance in protocol.instances:
        if actions is not None and instance.action.name not in actions:
            continue
        place = f"{instance.number + 1:,} of {len(protocol.instances):,} instances of actions"
        report(f"compiling {instance.label}, {place}")
        compiled.append(compiler.instance(instance))
    possible = tuple(c for c in compiled if c.enabled is not compiler.graph.false or c.failures)
    properties = []
    members = [member for member in all_properties(protocol, lemmas) if only is None or member.name in only]
    for number, member in enumerate(members, start=1):
        report(f"compiling {member.name}, {number:,} of {len(members):,} properties")
        if is_step_property(member):
            properties.append(compiler.on_steps(member, possible, report))
        else:
            properties.append(compiler.on_states(member))
    promised = []
    for member in liveness(protocol) if with_promises else ():
        report(f"compiling {member.name}")
        promised += compiler.promise(member)
    ends = []
    for member in protocol.members("ends") if with_promises else ():
        report(f"compiling {member.name}")
        holds, on_state = compiler.predicate(member, [field_view(compiler.graph, protocol)], compiler.graph.true)
        ends.append(CompiledLiveness(member, (), compiler.graph.true, holds, on_state))
    parts: list[Expression] = []
    failures: list[Failure] = []
    for member in protocol.members("constraint"):
        before = compiler.graph.all_of(parts)  # a constraint is not asked of states that another leaves out
        holds, failing = compiler.predicate(member, [field_view(compiler.graph, protocol)], before)
        parts.append(holds)
        failures.extend(failing)
    constraint = compiler.graph.all_of(parts)
    return Model(
        protocol=protocol,
        graph=compiler.graph,
        layout=layout,
        instances=tuple(map(compiler.with_stops, possible)),
        properties=tuple(properties),
        constraint=constraint,
        constraint_failures=tuple(failures),
        impossible=tuple(
            compiler.with_stops(c) for c in compiled if c.enabled is compiler.graph.false and not c.failures
        ),
        promises=tuple(promised),
        ends=tuple(ends),
    )
