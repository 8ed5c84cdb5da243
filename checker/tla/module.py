"""The module and the configuration of a protocol: state, initial states, steps, properties, fairness and symmetry."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from epochal.spec.language import LanguageError, Member, Protocol, SpecificationError
from epochal.spec.language.annotations import hints
from epochal.spec.language.errors import printable, source_line
from epochal.spec.language.marks import Mark
from epochal.spec.language.members import unit_parameters

from ..compile.compiler import rule_of, vocabulary_of
from ..compile.source.admitted import Sources
from ..compile.source.rewrite import rewritten
from ..semantics.properties import is_step_property
from . import terms
from .calls import Operator, State, TlaReading
from .kinds import INT, Domains, Kind, Limits, Names
from .operations import ENDED, Operations
from .printing import Printer, shared
from .terms import FALSE, TRUE, Term
from .values import HasEffect, PathEnds, Run, View, as_term, condition, lifted, of_term, stopped


@dataclass(frozen=True)
class TlaModule:
    """A module of TLA+ and the configuration with which TLC checks it.

    `invariants`, `step_properties` and `promises` are the properties that TLC checks; of those that must be reachable
    `witnessed` says by which property TLC refutes that they never happen, and whether it is one of steps.
    """

    name: str
    text: str
    configuration: str
    invariants: tuple[str, ...]
    step_properties: tuple[str, ...]
    promises: tuple[str, ...]
    witnessed: Mapping[str, str]
    names: Mapping[str, str]


@dataclass
class _Definition:
    """A definition: its name, parameters and value, and what is said of it."""

    name: str
    value: Term
    says: str = ""
    parameters: tuple[Term, ...] = ()
    hints: Mapping[Term, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Action:
    """An action: its definition, what it is chosen from, and its guards apart from what it changes."""

    member: Member
    definition: _Definition
    given: tuple[tuple[str, Kind, Term], ...]
    stopped: Term


def export(protocol: Protocol, symmetry: bool = False) -> TlaModule:
    """Write a protocol within bounds as a TLA+ module. Raises LanguageError, with its line, for what it cannot say."""
    try:
        return _Export(protocol, symmetry).module()
    finally:
        terms.forget()


class _Export:
    def __init__(self, protocol: Protocol, symmetry: bool) -> None:
        self.protocol, self.symmetry = protocol, symmetry
        self.names = Names()
        self.title = self.names.take(type(protocol).__name__)
        sources = Sources()
        self.reading = TlaReading(protocol, lambda function, operations: rewritten(function, operations, sources))
        annotations = protocol._annotations()
        declared = {name: self.names.take(name) for name in protocol.variables}
        if any(name != found for name, found in declared.items()):
            clash = next(name for name, found in declared.items() if name != found)
            raise LanguageError(
                f"TLA+ export: the variable {clash} has a name that TLA+ or the module has already",
                advice="Give the variable another name.",
            )
        self.domains = Domains(protocol, self.names)
        self.domains.limits_of.update({self.domains.bounds[name]: (n, n) for name, n in protocol.bounds.items()})
        self.domains.variables = {name: self.domains(annotations[name]) for name in protocol.variables}
        self.reading.begin(self.domains)
        self.definitions: list[_Definition] = []

    # -- reading --------------------------------------------------------------------------------------------------

    def run(self, member: Member, view: View | None, states: Sequence[State], given: Sequence[Any]) -> tuple[Any, Run]:
        """Run a rule; `view` is the state that it may change."""
        run = self.reading.operations.run = Run(self.domains)
        run.where, run.effects = member.where, view is not None
        self.reading.operations.view = view
        try:
            result = self.reading._enter(self.reading.rule(rule_of(member.function)), *states, *given)
        except PathEnds:
            result = ENDED
        except HasEffect as error:
            raise LanguageError(f"{member.name} changes the state, or uses require", member.where) from error
        except SpecificationError as error:
            error.where = error.where or run.where
            raise
        return result, run

    def owner(self, member: Member) -> Protocol:
        """The protocol whose words a rule uses."""
        other = vocabulary_of(member.function)
        return self.protocol if other is None else other(self.protocol.bounds)

    def given(self, function: FunctionType) -> tuple[tuple[str, Kind, Term], ...]:
        """The parameters of a rule: a name, a kind and a variable of each."""
        read = hints(function, self.protocol._names)
        found = []
        for name in list(inspect.signature(function).parameters)[1:]:
            kind, variable = self.domains(read[name]), terms.bound(name)
            if kind == INT and kind.domain is not None:
                self.domains.limits_of[variable] = Limits(self.domains)(kind.domain.term)
            found.append((name, kind, variable))
        return tuple(found)

    def chosen(self, given: Iterable[tuple[str, Kind, Term]], body: Term) -> Term:
        """That something is so for some choice of parameters."""
        for _, kind, variable in reversed(list(given)):
            assert kind.domain is not None
            body = terms.made("exists", (variable, kind.domain.term, body))
        return body

    def action(self, member: Member) -> _Action:
        """An action as an operator with its parameters."""
        view = self.reading.current(writable=True)
        given = self.given(rule_of(member.function))
        values = [of_term(self.reading.run, kind, variable) for _, kind, variable in given]
        result, run = self.run(member, view, [State(self.reading, view, self.owner(member))], values)
        step = FALSE
        if result is not ENDED:
            changed = [name for name in view.variables if name in view.changed]
            updates = [terms.made("eq", (terms.prime(terms.name(name)), view.values[name])) for name in changed]
            same = [terms.name(name) for name in view.variables if name not in view.changed]
            unchanged = [terms.made("call", (terms.sequence(same),), "UNCHANGED")] if same else []
            step = terms.and_(self.evaluated(as_term(run.guards)), *updates, *unchanged)
        name = self.names.take(member.name)
        parameters = tuple(variable for _, _, variable in given)
        definition = _Definition(name, step, _doc(member.function), parameters, run.hints)
        return _Action(member, definition, given, stopped(run.guards))

    def evaluated(self, guards: Term) -> Term:
        """Guards that TLC evaluates as conditions. Where a step is described, it would go into each part of a
        disjunction, also after one that is true: a step would be counted several times, and a part might have no value.
        """
        parts = guards.args if guards.op == "and" else (guards,)
        return terms.and_(*(terms.call("Holds", one) if self._splits(one) else one for one in parts))

    def _splits(self, term: Term) -> bool:
        """Whether TLC would go into parts of a condition."""
        if term.op in ("or", "exists"):
            return True
        if term.op in ("and", "ite", "let"):
            return any(map(self._splits, term.args[term.op != "and" :]))
        known = self.reading.operators.get(str(term.value)) if term.op in ("call", "name") else None
        return known is not None and self._splits(known.body)

    def initial(self) -> _Definition:
        """The initial states."""
        function = type(self.protocol).initial
        run = self.reading.operations.run = Run(self.domains)
        kinds = self.reading.current().variables
        first = {name: lifted(run, _default(kind), kind) for name, kind in kinds.items()}
        view = View(dict(kinds), first, writable=True)
        given: tuple[tuple[str, Kind, Term], ...] = ()
        guards: Term = TRUE
        hinted: Mapping[Term, str] = {}
        if isinstance(function, FunctionType) and function is not Protocol.initial:
            given = self.given(function)
            values = [of_term(run, kind, variable) for _, kind, variable in given]
            member = Member("initial", function, Mark("action"), source_line(function))
            _, run = self.run(member, view, [State(self.reading, view)], values)
            guards = self.evaluated(as_term(run.guards))
            hinted = run.hints
        equal = [terms.made("eq", (terms.name(name), value)) for name, value in view.values.items()]
        body = self.chosen(given, terms.and_(guards, *equal))
        return _Definition("Init", body, _doc(function), (), hinted)

    def predicate(self, member: Member) -> tuple[Term, Mapping[Term, str]]:
        """A property of a state or of a step."""
        now = self.reading.current()
        states = [State(self.reading, now, self.owner(member))]
        if is_step_property(member):
            primed = {name: terms.prime(terms.name(name)) for name in now.variables}
            self.reading.next = View(now.variables, primed, writable=False)
            states.append(State(self.reading, self.reading.next, self.owner(member)))
        result, run = self.run(member, None, states, [])
        return (TRUE if result is ENDED else condition(run, result)), run.hints

    # -- definitions ----------------------------------------------------------------------------------------------

    def define(self, name: str, value: Term, says: str = "", hinted: Mapping[Term, str] | None = None) -> str:
        """Add a definition, under this name or one like it."""
        found = self.names.take(name)
        self.definitions.append(_Definition(found, value, says, (), hinted or {}))
        return found

    def module(self) -> TlaModule:
        """The whole."""
        actions = [self.action(member) for member in self.protocol.members("action")]
        initial = self.initial()
        variables = terms.sequence([terms.name(name) for name in self.protocol.variables])
        named: dict[str, str] = {one.member.name: one.definition.name for one in actions}
        types = [terms.member(terms.name(n), _set(kind)) for n, kind in self.reading.current().variables.items()]
        invariants, steps, witnessed, never = ["TypeOK"], [], {}, []
        for kind in ("invariant", "lemma", "constraint"):
            for member in self.protocol.members(kind):
                value, hinted = self.predicate(member)
                named[member.name] = self.define(member.name, value, _doc(member.function), hinted)
                if kind == "invariant":
                    invariants.append(named[member.name])
        for member in self.protocol.members("action_property"):
            value, hinted = self.predicate(member)
            value = terms.made("box", (value,), "vars")
            named[member.name] = self.define(member.name, value, _doc(member.function), hinted)
            steps.append(named[member.name])
        for member in self.protocol.members("reachable"):
            value, hinted = self.predicate(member)
            says = f"Never: {_doc(member.function)}\nTLC refutes this, by a run in which it happens."
            none = terms.not_(value)
            if is_step_property(member):
                none = terms.made("box", (none,), "vars")
            named[member.name] = witnessed[member.name] = self.define(f"never_{member.name}", none, says, hinted)
            never.append((named[member.name], is_step_property(member)))
        promises = [self.promise(member, actions, named) for member in self.protocol.members("leads_to")]
        spec = self._spec(actions)
        text = self._text(actions, initial, variables, terms.and_(*types), spec)
        configuration = self._configuration(invariants, steps, promises, never, named)
        return TlaModule(
            self.title, text, configuration, tuple(invariants), tuple(steps), tuple(promises), witnessed, named
        )

    def promise(self, member: Member, actions: Sequence[_Action], named: dict[str, str]) -> str:
        """A liveness property, under the fairness that it assumes."""
        now = self.reading.current()
        given = self.given(rule_of(member.function))
        values = [of_term(self.reading.run, kind, variable) for _, kind, variable in given]
        result, run = self.run(member, None, [State(self.reading, now, self.owner(member))], values)
        if not isinstance(result, tuple) or len(result) != 2:
            raise LanguageError(f"{member.name} does not return a premise and a goal", member.where)
        premise, goal = (condition(run, one) for one in result)
        leads = terms.made("once" if member.mark.once else "leads_to", (premise, goal))
        for _, kind, variable in reversed(given):
            assert kind.domain is not None
            leads = terms.made("forall", (variable, kind.domain.term, leads))
        assumed = {*member.mark.needs, *member.mark.parts}
        fair = [self._fairness(one) for one in actions if one.member.name in assumed]
        whole = leads
        if fair:
            name = self.define(f"fair_for_{member.name}", terms.made("and", tuple(fair)) if len(fair) > 1 else fair[0])
            whole = terms.made("implies", (terms.name(name), leads))
        named[member.name] = self.define(member.name, whole, _doc(member.function))
        return named[member.name]

    def _fairness(self, action: _Action) -> Term:
        """Fairness of an action for each who takes it, whatever else its steps choose."""
        unit = unit_parameters(action.member.mark, [name for name, _, _ in action.given])
        again = {variable: terms.bound(name) for name, _, variable in action.given}
        call = terms.call(action.definition.name, *again.values())
        others = [(name, kind, again[variable]) for name, kind, variable in action.given if name not in unit]
        own = [(name, kind, again[variable]) for name, kind, variable in action.given if name in unit]
        step = self.chosen(others, call)
        strong = action.member.mark.fair == "strong"
        bound = self.chosen(others, terms.substitute(action.stopped, again)) if action.stopped is not FALSE else FALSE
        fair = terms.made("fair", (step,) if bound is FALSE else (step, bound), "SF" if strong else "WF")
        for _, kind, variable in reversed(own):
            assert kind.domain is not None
            fair = terms.made("forall", (variable, kind.domain.term, fair))
        return fair

    # -- text -----------------------------------------------------------------------------------------------------

    def _spec(self, actions: Sequence[_Action]) -> _Definition:
        steps = []
        for one in actions:
            again = {variable: terms.bound(name) for name, _, variable in one.given}
            given = [(name, kind, again[variable]) for name, kind, variable in one.given]
            steps.append(self.chosen(given, terms.call(one.definition.name, *again.values())))
        value = terms.made("or", tuple(steps)) if len(steps) > 1 else (steps or [FALSE])[0]
        return _Definition("Next", value, "The steps.")

    def _text(
        self, actions: Sequence[_Action], initial: _Definition, variables: Term, types: Term, spec: _Definition
    ) -> str:
        helpers = [_of(one) for one in _sorted(self.reading.operators)]
        ours = [*helpers, initial, *(one.definition for one in actions), spec, *self.definitions]
        domains = [_Definition(name, value) for name, value in self.domains.named.items()]
        used = frozenset[str]().union(*(one.value.names for one in (*domains, *ours)), types.names)
        doc = _doc(type(self.protocol))
        lines = [f"---- MODULE {self.title} ----", *_comment(doc), "EXTENDS Integers, Sequences, FiniteSets, TLC", ""]
        lines += [line for name, text in HELPERS.items() if _needs(name, used) for line in (*text, "")]
        lines += self._constants(used)
        docs = [
            f"    {name}{',' if n else ''}"
            for n, name in reversed(list(enumerate(reversed([*self.protocol.variables]))))
        ]
        lines += ["VARIABLES", *docs, ""]
        for one in (*domains, *helpers, _Definition("vars", variables)):
            lines += [*self._definition(one), ""]
        lines += [*self._definition(_Definition("TypeOK", types, "What every variable is.")), ""]
        for one in (initial, *(action.definition for action in actions), spec):
            lines += [*self._definition(one), ""]
        lines += ["Spec == Init /\\ [][Next]_vars", ""]
        for one in self.definitions:
            lines += [*self._definition(one), ""]
        if self.symmetry:
            sets = " \\cup ".join(f"Permutations({one.name})" for one in self.domains.constants.values())
            lines += [f"Symmetry == {sets}", ""]
        return "\n".join([*lines, "===="]) + "\n"

    def _constants(self, used: frozenset[str]) -> list[str]:
        """The constants with what is said of them, and what the module assumes of them."""
        declared = type(self.protocol.bounds).declared()
        found = [("None", "no value")]
        found += [(one.name, f"identifiers {one.members[0]}, ...") for one in self.domains.constants.values()]
        found += [(name, "an identifier") for name in self.domains.members.values()]
        found += [(to, declared[name].help if name in declared else "") for name, to in self.domains.bounds.items()]
        self.declared = [name for name, _ in found if name in used or name in self.domains.assumed or name == "None"]
        self.declared += [one.name for one in self.domains.constants.values() if one.name not in self.declared]
        rows = [(name, says) for name, says in found if name in self.declared]
        lines = ["CONSTANTS"]
        for number, (name, says) in enumerate(rows):
            comma = "," if number < len(rows) - 1 else ""
            lines.append(f"    {name + comma:24} \\* {says}".rstrip())
        lines.append("")
        values = {to: n for name, n in self.protocol.bounds.items() for to in [self.domains.bounds[name]]}
        assumed = [f"{name} = {values[name]}" for name in self.domains.bounds.values() if name in self.domains.assumed]
        for one in self.domains.constants.values():
            if missing := [member for member in one.members if member in used]:
                listed = "{" + ", ".join(missing) + "}"
                all_of_them = len(missing) == len(one.members)
                assumed.append(f"{one.name} = {listed}" if all_of_them else f"{listed} \\subseteq {one.name}")
        if assumed:
            whole = " /\\ ".join(assumed)
            lines += ["\\* What is written out below holds for these constants alone.", f"ASSUME {whole}", ""]
        return lines

    def _definition(self, one: _Definition) -> list[str]:
        """A definition with its comment."""
        printer = Printer(self.names)
        head = one.name
        if one.parameters:
            head = f"{one.name}({', '.join(printer.named(one.parameters))})"
        value = one.value
        if value.op == "box":
            value = terms.made("box", (shared(value.args[0], one.hints),), value.value)
        elif not _is_temporal(value):
            value = shared(value, one.hints)
        lines = printer.block(value)
        if len(lines) == 1 and len(head) + len(lines[0]) < 100:
            return [*_comment(one.says), f"{head} == {lines[0]}"]
        return [*_comment(one.says), f"{head} ==", *(f"    {line}" for line in lines)]

    def _configuration(
        self,
        invariants: Sequence[str],
        steps: Sequence[str],
        promises: Sequence[str],
        never: Sequence[tuple[str, bool]],
        named: Mapping[str, str],
    ) -> str:
        lines = [f"\\* {type(self.protocol).__name__} within these bounds, as TLC reads it.", "SPECIFICATION Spec"]
        values = {self.domains.bounds[name]: str(n) for name, n in self.protocol.bounds.items()}
        values["None"] = "None"
        for one in self.domains.constants.values():
            values[one.name] = "{" + ", ".join(one.members) + "}"
        values.update({member: member for member in self.domains.members.values()})
        lines += ["CONSTANTS", *(f"    {name} = {values[name]}" for name in self.declared)]
        lines += ["INVARIANTS", *(f"    {name}" for name in invariants)]
        if steps or promises:
            lines += ["PROPERTIES", *(f"    {name}" for name in (*steps, *promises))]
        constraints = [named[member.name] for member in self.protocol.members("constraint")]
        if constraints:
            lines += ["CONSTRAINTS", *(f"    {name}" for name in constraints)]
        if self.symmetry:
            lines.append("SYMMETRY Symmetry")
        for name, of_steps in never:
            lines.append(f"\\* {'PROPERTY' if of_steps else 'INVARIANT'} {name}")
        return "\n".join([*lines, "CHECK_DEADLOCK FALSE"]) + "\n"


def _default(kind: Kind) -> Any:
    assert kind.domain is not None
    return kind.domain.within.default()


def _set(kind: Kind) -> Term:
    assert kind.domain is not None
    return kind.domain.term


def _is_temporal(term: Term) -> bool:
    """Whether a term is of runs: TLC reads no LET in it."""
    return any(one.op in ("leads_to", "once", "fair") for one in _parts(term))


def _parts(term: Term) -> set[Term]:
    found, pending = {term}, [term]
    while pending:
        for part in pending.pop().args:
            if part not in found:
                found.add(part)
                pending.append(part)
    return found


def _of(operator: Operator) -> _Definition:
    says = _doc(operator.function)
    return _Definition(operator.name, operator.body, says, operator.parameters, operator.hints)


def _sorted(operators: Mapping[str, Operator]) -> list[Operator]:
    """Operators, each after those that it uses."""
    found: dict[str, Operator] = {}

    def put(name: str) -> None:
        if name in operators and name not in found:
            for used in sorted(operators[name].body.names):
                if used != name:
                    put(used)
            found[name] = operators[name]

    for name in operators:
        put(name)
    return list(found.values())


def _doc(thing: Any) -> str:
    return "\n".join(map(printable, (inspect.getdoc(thing) or "").strip().split("\n"))) if thing is not None else ""


def _comment(text: str) -> list[str]:
    """A text as comments, its lines as they are."""
    lines = [part for line in text.split("\n") for part in (textwrap.wrap(line, 115) or [""])]
    return [f"\\* {line}".rstrip() for line in lines] if text else []


def _needs(helper: str, used: frozenset[str]) -> bool:
    return helper in used or any(helper in others and name in used for name, others in BESIDE.items())


BESIDE = {"Sorted": ("Min",)}
"""What helpers use themselves."""
HELPERS: dict[str, tuple[str, ...]] = {
    "Min": ("Min(S) == CHOOSE x \\in S : \\A y \\in S : x <= y",),
    "Max": ("Max(S) == CHOOSE x \\in S : \\A y \\in S : x >= y",),
    "Sum": (
        "\\* The sum of what a function gives for all elements of its domain.",
        "RECURSIVE SumOver(_, _)",
        "SumOver(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + SumOver(f, S \\ {x})",
        "Sum(f) == SumOver(f, DOMAIN f)",
    ),
    "Sorted": (
        "\\* The numbers of a set, from the least on.",
        "RECURSIVE Sorted(_)",
        "Sorted(S) == IF S = {} THEN <<>> ELSE <<Min(S)>> \\o Sorted(S \\ {Min(S)})",
    ),
    "Holds": (
        "\\* A condition of a step, evaluated as a whole: from left to right, up to where it is decided.",
        "Holds(condition) == condition = TRUE",
    ),
    "BoundedSeq": (
        "\\* Sequences of at most n elements.",
        "BoundedSeq(S, n) == UNION {[1..m -> S] : m \\in 0..n}",
    ),
}
"""Operators that modules define where they use them."""
__all__ = ["Operations", "TlaModule", "export"]
