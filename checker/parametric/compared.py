"""The parametric semantics held against Python: the same rule in the same finite state, by both.

A state of the protocol within bounds is a table of what its leaves are. Where a leaf means nothing (beyond the end of
a log, behind a none, for a key that is none) the table gives chance values, so that a term which looks there is found
out. The semantics may say that a rule can fail where Python does not come to it, because all and any look at all
elements; that is the careful side, and is counted. Everything else must be the same.
"""

from __future__ import annotations

import enum
import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from epochal.spec.language import Disabled, EvaluationError, Identifier, Member, Protocol
from epochal.spec.language.protocol import evaluated

from .domains import END, FIRST, IS_THERE, Domain, Logs, Maps, Names, Numbers, Optional, Records, Sets, Truths
from .rules import Action, ParametricSemantics, Predicate
from .terms import INT, Bound, Candidates, Term, and_, bound_of, candidates_of, or_, variable

# -- evaluate ---------------------------------------------------------------------------------------------------------
# The value of a term in a finite state: what the parametric semantics says where all is known.
#
# Identifiers are numbers from 0, functions are tables. A term becomes nested Python functions, once; they are called
# with the values of its variables and the state.

Values = dict[Term, Any]
Look = Callable[[str, tuple[Any, ...]], Any]
"""A state: the value of a function, by its name, at some arguments."""
Evaluator = Callable[[Values, Look], Any]
BINARY: Mapping[str, Callable[[Any, Any], Any]] = {"eq": operator.eq, "le": operator.le, "add": operator.add}
FOLDS: Mapping[str, Callable[[Iterable[bool]], int]] = {"forall": all, "exists": any, "count": sum}


class Evaluators:
    """Makes terms that Python can compute. `sizes` has how many identifiers there are, by their sort, when asked."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self._made: dict[Term, Evaluator] = {}

    def __call__(self, term: Term) -> Evaluator:
        """The term as a function of the values of its free variables and of the state."""
        found = self._made.get(term)
        if found is None:
            found = self._made[term] = getattr(self, f"_{term.op}")(term)
        return found

    def _const(self, term: Term) -> Evaluator:
        value = term.value
        return lambda values, look: value

    def _var(self, term: Term) -> Evaluator:
        return lambda values, look: values[term]

    def _app(self, term: Term) -> Evaluator:
        name, args = term.value.name, [self(arg) for arg in term.args]
        return lambda values, look: look(name, tuple([arg(values, look) for arg in args]))

    def _not(self, term: Term) -> Evaluator:
        a = self(term.args[0])
        return lambda values, look: not a(values, look)

    def _and(self, term: Term) -> Evaluator:
        parts = [self(arg) for arg in term.args]
        every = all if term.op == "and" else any
        return lambda values, look: every(part(values, look) for part in parts)

    _or = _and

    def _ite(self, term: Term) -> Evaluator:
        c, a, b = map(self, term.args)
        return lambda values, look: a(values, look) if c(values, look) else b(values, look)

    def _eq(self, term: Term) -> Evaluator:
        a, b = map(self, term.args)
        compute = BINARY[term.op]
        return lambda values, look: compute(a(values, look), b(values, look))

    _le = _add = _eq

    def _scale(self, term: Term) -> Evaluator:
        a, factor = self(term.args[0]), term.value
        return lambda values, look: factor * a(values, look)

    def _forall(self, term: Term) -> Evaluator:
        through, body, fold = self._through(bound_of(term)), self(term.args[3]), FOLDS[term.op]
        return lambda values, look: fold(bool(body(inside, look)) for inside in through(values, look))

    _exists = _count = _forall

    def _extreme(self, term: Term) -> Evaluator:
        pick, default = max if term.value else min, self(term.args[-1])
        sources = [self._numbers(one) for one in candidates_of(term)]

        def chosen(values: Values, look: Look) -> Any:
            found = [number for source in sources for number in source(values, look)]
            return pick(found) if found else default(values, look)

        return chosen

    def _numbers(self, one: Candidates) -> Callable[[Values, Look], Iterator[Any]]:
        steps = [self._through(bound) for bound in one.bounds]
        condition, number = self(one.condition), self(one.number)

        def numbers(values: Values, look: Look, depth: int = 0) -> Iterator[Any]:
            if depth < len(steps):
                for inside in steps[depth](values, look):
                    yield from numbers(inside, look, depth + 1)
            elif condition(values, look):
                yield number(values, look)

        return numbers

    def _through(self, bound: Bound) -> Callable[[Values, Look], Iterator[Values]]:
        """The values of the variables around, with each value of this one."""
        variable = bound.variable
        if variable.sort != INT:
            every = range(self.sizes[variable.sort])
            return lambda values, look: ({**values, variable: one} for one in every)
        low, high = self(bound.low), self(bound.high)
        return lambda values, look: ({**values, variable: one} for one in range(low(values, look), high(values, look)))


Table = dict[str, dict[tuple[Any, ...], Any]]
AGAIN = 0.05
"""How often a walk begins again, of one step."""

CHOICES = 64
"""In how many initial states `initial` is compared."""

STRANGE = 7
"""Chance values go a little beyond every domain."""


@dataclass(frozen=True)
class Disagreement:
    """A rule that the two semantics see differently: in which state, and what each says."""

    rule: str
    what: str
    state: str
    python: str
    parametric: str

    def __str__(self) -> str:
        both = f"Python says {self.python}, first-order logic {self.parametric}"
        return f"{self.rule}, {self.what}: {both}, of\n{self.state}"


@dataclass
class Compared:
    """How much was compared: rules in states, single leaves, and where the semantics is only more careful."""

    evaluations: int = 0
    leaves: int = 0
    careful: int = 0


class Comparison:
    """Compares the rules of a protocol that have a semantics, at the bounds that it has, in any states."""

    def __init__(self, protocol: Protocol, seed: int = 0, reading: ParametricSemantics | None = None) -> None:
        self.protocol = protocol
        self.reading = reading or ParametricSemantics(type(protocol))
        self.chance = random.Random(seed)
        self.done = Compared()
        self._bounds = {f"#{name}": value for name, value in protocol.bounds.as_dict().items()}
        self._evaluators = Evaluators(_Sizes(self))
        self._typed = self._evaluators(and_(*self.reading.typed(self.reading.state()).values()))
        self._last: tuple[tuple[int, ...], Table] = ((), {})
        self._actions: dict[str, _Step] = {}
        self._predicates: dict[str, tuple[Evaluator, Evaluator]] = {}

    # -- states ---------------------------------------------------------------------------------------------------

    def random_state(self) -> tuple[int, ...]:
        """Any typed state: canonical, but hardly reachable."""
        codes = [self.chance.randrange(leaf.domain.size) for leaf in self.protocol.leaves]
        state = self.protocol.at(codes)
        return state.codes()

    def states(self, many: int) -> list[tuple[int, ...]]:
        """Some states that are reached by a walk, as many that nearly are, and as many that are any."""
        reached = list(self._walk(many))
        return [*reached, *map(self._nearly, reached), *(self.random_state() for _ in reached)]

    def _walk(self, many: int) -> Iterator[tuple[int, ...]]:
        """States on a run that is chosen by chance, and begins again where it ends."""
        first = self.protocol.initial_states()
        codes = first[0]
        for _ in range(many):
            yield codes
            after = [new for _, new in self.protocol.outcomes(codes) if not isinstance(new, EvaluationError)]
            going_on = bool(after) and self.chance.random() > AGAIN
            codes = self.chance.choice(after if going_on else first)

    def _nearly(self, codes: tuple[int, ...]) -> tuple[int, ...]:
        """A state with a leaf or two changed by chance."""
        changed = list(codes)
        for _ in range(self.chance.randrange(1, 3)):
            at = self.chance.randrange(len(changed))
            changed[at] = self.chance.randrange(self.protocol.leaves[at].domain.size)
        return self.protocol.at(changed).codes()

    def table(self, codes: tuple[int, ...]) -> Table:
        """What the leaves of a state are, where they mean something. That of the state asked for last is kept."""
        if self._last[0] != codes:
            self._last = codes, self._table(codes)
        return self._last[1]

    def _table(self, codes: tuple[int, ...]) -> Table:
        state, found = self.protocol.at(codes), Table()
        for name, domain in self.reading.variables.items():
            for path, arguments, value in self._entries(domain, name, (), state.__dict__[name]):
                found.setdefault(path, {})[arguments] = value
        return found

    def _entries(
        self, domain: Domain, path: str, arguments: tuple[Any, ...], value: Any
    ) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
        """The leaves of a value, where they mean something."""
        if isinstance(domain, Records):
            for name, field in domain.fields:
                yield from self._entries(field, f"{path}.{name}", arguments, value.__dict__[name])
        elif isinstance(domain, Maps):
            for key in value.keys():  # noqa: SIM118
                yield from self._entries(domain.value, path, (*arguments, _plain(key)), value[key])
        elif isinstance(domain, Logs):
            yield path + END, arguments, len(value)
            for offset, entry in enumerate(value):
                yield from self._entries(domain.entry, path, (*arguments, offset), entry)
        elif isinstance(domain, Optional):
            yield path + IS_THERE, arguments, value is not None
            if value is not None:
                yield from self._entries(domain.element, path, arguments, value)
        elif isinstance(domain, Sets):
            for one in self._possible(domain.element):
                yield path, (*arguments, one), any(_plain(member) == one for member in value)
        else:
            assert isinstance(domain, Truths | Numbers | Names)
            yield path, arguments, _plain(value)

    def _possible(self, element: Names | Numbers) -> range:
        """The values that may be members of a set."""
        if isinstance(element, Names):
            return range(self._evaluators.sizes[element.sort])
        return range(self.number(element.low), self.number(element.high) + 1)

    def look(self, table: Table) -> Look:
        """A state as functions: the table, chance where it says nothing."""
        invented: Table = {}

        def value(name: str, arguments: tuple[Any, ...]) -> Any:
            if name in self._bounds:
                return self._bounds[name]
            if name.startswith(FIRST):
                return 0
            known = table.get(name, {})
            if arguments in known:
                return known[arguments]
            shape = self.reading.leaves.get(name)  # a set that is a parameter has none
            found = self._chance(shape.domain if shape is not None else Truths())
            return invented.setdefault(name, {}).setdefault(arguments, found)

        return value

    def number(self, term: Term) -> int:
        """A number that depends on the bounds alone."""
        return int(self._evaluators(term)({}, self.look({})))

    def _chance(self, domain: Domain) -> Any:
        """What means nothing."""
        if isinstance(domain, Optional):
            return self._chance(domain.element)
        if isinstance(domain, Truths):
            return self.chance.random() < 0.5
        if isinstance(domain, Names):
            return self.chance.randrange(self._evaluators.sizes[domain.sort])
        return self.chance.randrange(-STRANGE, STRANGE)

    # -- rules ----------------------------------------------------------------------------------------------------

    def action(self, member: Member, codes: tuple[int, ...]) -> Iterator[Disagreement]:
        """An action with every choice of its parameters: whether it can be taken, fails, and what it leaves behind."""
        step = self._actions.get(member.name)
        if step is None:
            step = self._actions[member.name] = _Step(self.reading, self.reading.action(member), self._evaluators)
        table = self.table(codes)
        look = self.look(table)
        if not self._typed({}, look):
            yield self._differs(member.name, "typing", codes, True, False)
        for instance in self.protocol.instances:
            if instance.action.name != member.name:
                continue
            values, sets = self._given(step.action, instance.arguments)
            look, taken = self.look({**table, **sets}), partial(self._taken, instance, codes)
            yield from self._step(step, instance.label, taken, values, look, codes)

    def _given(self, action: Action, arguments: Sequence[Any]) -> tuple[Values, Table]:
        """The arguments of an action: the values of its variables, and of its sets who is a member."""
        values, sets = Values(), Table()
        for known, argument in zip(action.given, arguments, strict=True):
            if known.symbol is not None:
                entries = self._entries(known.domain, known.symbol.name, (), argument)
                sets[known.symbol.name] = {key: value for _, key, value in entries}
                continue
            plain = [self._chance(known.domain) if argument is None else _plain(argument)]
            if isinstance(known.domain, Optional):
                plain.insert(0, argument is not None)
            values |= {bound.variable: value for bound, value in zip(known.bounds, plain, strict=True)}
        return values, sets

    def initial(self) -> Iterator[Disagreement]:
        """`initial` with some choices of its parameters, spread evenly."""
        function = type(self.protocol).initial
        step = _Step(self.reading, self.reading.initial(), self._evaluators)
        parameters = self.protocol.parameters(function)
        many = math.prod(parameter.domain.cardinality for parameter in parameters)
        zeros = tuple([0] * len(self.protocol.leaves))
        choices = itertools.product(*(parameter.domain.values() for parameter in parameters))
        for chosen in itertools.islice(choices, 0, None, -(-many // CHOICES)):
            values, sets = self._given(step.action, chosen)
            label, begin = f"initial{chosen}", partial(self._begun, function, zeros, chosen)
            yield from self._step(step, label, begin, values, self.look(sets), zeros)

    def _begun(self, function: Any, zeros: tuple[int, ...], chosen: Sequence[Any]) -> Any:
        state = self.protocol.at(zeros)
        try:
            evaluated(function, state, *chosen)
        except (Disabled, EvaluationError) as error:
            return None if isinstance(error, Disabled) else FAILS
        return state.codes()

    def _taken(self, instance: Any, codes: tuple[int, ...]) -> Any:
        try:
            return self.protocol.step(self.protocol.at(codes), instance)
        except EvaluationError:
            return FAILS

    def _step(
        self, step: _Step, label: str, take: Any, values: Values, look: Look, codes: tuple[int, ...]
    ) -> Iterator[Disagreement]:
        self.done.evaluations += 1
        if not step.typed(values, look):
            yield self._differs(label, "parameters", codes, "they can be chosen", "they cannot")
        python = take()
        if step.fails(values, look):
            self.done.careful += python is not FAILS
            return
        if python is FAILS:
            yield self._differs(label, "evaluation", codes, "it fails", "it does not")
            return
        enabled = step.enabled(values, look)
        if bool(enabled) != (python is not None):
            yield self._differs(label, "guards", codes, python is not None, enabled)
        if python is None or not enabled:
            return
        after = self._table(python)
        for path, entries in after.items():
            leaf = step.after[path]
            for arguments, value in entries.items():
                self.done.leaves += 1
                found = leaf({**values, **dict(zip(step.arguments[path], arguments, strict=True))}, look)
                if found != value or type(found) is not type(value):
                    yield self._differs(label, f"{path}{list(arguments)} after it", codes, value, found)

    def predicate(self, member: Member, codes: tuple[int, ...]) -> Iterator[Disagreement]:
        """A lemma or invariant: whether it holds, and can be evaluated."""
        known = self._predicates.get(member.name)
        if known is None:
            found: Predicate = self.reading.predicate(member)
            fails = or_(*(failure.condition for failure in found.failures))
            known = self._predicates[member.name] = self._evaluators(found.holds), self._evaluators(fails)
        holds, fails_here = known
        look = self.look(self.table(codes))
        self.done.evaluations += 1
        try:
            python: Any = bool(evaluated(member.function, self.protocol.at(codes)))
        except EvaluationError:
            python = FAILS
        if fails_here({}, look):
            self.done.careful += python is not FAILS
        elif python is FAILS:
            yield self._differs(member.name, "evaluation", codes, "it fails", "it does not")
        elif python != bool(holds({}, look)):
            yield self._differs(member.name, "its truth", codes, python, not python)

    def _differs(self, rule: str, what: str, codes: tuple[int, ...], python: Any, parametric: Any) -> Disagreement:
        return Disagreement(rule, what, str(self.protocol.at(codes)), str(python), str(parametric))


FAILS = object()
"""That Python cannot evaluate a rule."""


class _Step:
    """An action as functions of its parameters and a state."""

    def __init__(self, reading: ParametricSemantics, action: Action, evaluators: Evaluators) -> None:
        self.action = action
        self.typed = evaluators(and_(*action.typed))
        self.enabled = evaluators(and_(*(guard.condition for guard in action.guards)))
        self.fails = evaluators(or_(*(failure.condition for failure in action.failures)))
        self.arguments: dict[str, list[Term]] = {}
        self.after: dict[str, Evaluator] = {}
        for path, shape in reading.leaves.items():
            names = [variable(f"at {path} {n}", argument.sort) for n, argument in enumerate(shape.arguments)]
            self.arguments[path] = names
            self.after[path] = evaluators(action.after.leaves[path](names))


class _Sizes(dict[str, int]):
    """How many identifiers of a sort there are, of every one that the semantics has come across, wherever that was."""

    def __init__(self, comparison: Comparison) -> None:
        super().__init__()
        self._comparison = comparison

    def __missing__(self, sort: str) -> int:
        self[sort] = found = self._comparison.number(self._comparison.reading.domains.sizes[sort])
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, Identifier):
        return value.index
    return list(type(value)).index(value) if isinstance(value, enum.Enum) else value
