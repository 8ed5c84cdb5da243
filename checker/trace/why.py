"""Why a property is false: the values in its `all` and `any` that make it so, read in Python from its own source.

`return all(self.holds_committed(r) for r in self.brokers if self.is_legitimate(r))` is false for some `r`; which one,
and what in `holds_committed` is false for it, is what a reader looks for first. The first such values are told, in the
order of the specification; nothing is told where the source cannot be followed.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import FunctionType
from typing import Any, Literal

from epochal.spec.language import (
    ActionInstance,
    Disabled,
    EvaluationError,
    Identifier,
    Log,
    Member,
    OutOfBounds,
    Protocol,
    Set,
    SpecificationError,
)
from epochal.spec.language.members import title
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.views import shown_with

from ..base.numbers import counted
from ..compile.source.admitted import Sources
from ..semantics.properties import Unit, units_of
from .explain import property_of, refusal, sentence
from .run import DEADLOCK, Codes, Run, Step

DEEPEST = 6
"""How many helper methods are followed, one within the other."""

COMPILED = "__epochal_code__"
"""The attribute under which an expression carries its code."""

ASSIGNED = "__assigned__"
"""The name under which the names of a function carry the expressions that they were given."""

Env = dict[str, Any]
"""What every name means: globals of the function, names of the functions around it, and its own."""


@dataclass(frozen=True)
class Reason:
    """Values of bound names, and what is so for them: `r is b2: end(r) is 0, len(committed) is 1`."""

    bound: tuple[str, ...]
    facts: tuple[str, ...]

    def __str__(self) -> str:
        return ": ".join(", ".join(part) for part in (self.bound, self.facts) if part)


def why_false(protocol: Protocol, member: Member, codes: Codes, after: Codes | None = None) -> Reason | None:
    """Why a property is false in a state, or of the step to the state `after`; None if its source does not tell."""
    arguments: list[Any] = [protocol.at(codes)]
    if after is not None:
        arguments.append(protocol.at(after))
    follower = _Follower()
    try:
        found = follower.of_call(member.function, arguments, False, 0)
    except NOT_FOLLOWED:
        return None
    return Reason(tuple(follower.bound), tuple(dict.fromkeys(found))) if found or follower.bound else None


def why_waiting(
    protocol: Protocol, member: Member, arguments: Sequence[Any], codes: Codes, part: Literal["premise", "goal"]
) -> Reason | None:
    """Why the premise of a liveness property is true in a state, or why its goal is false; None if its source does not
    tell."""
    follower = _Follower()
    try:
        ending, env = follower.ending(member.function, [protocol.at(codes), *arguments])
        if not isinstance(ending, ast.Tuple) or len(ending.elts) != 2:
            return None
        found = follower.reason(ending.elts[part == "goal"], env, part == "premise", 0)
    except NOT_FOLLOWED:
        return None
    return Reason(tuple(follower.bound), tuple(dict.fromkeys(found))) if found or follower.bound else None


def reasons(condition: ast.expr, names: Mapping[str, Any], truth: bool) -> tuple[str, ...]:
    """What makes a condition, whose names mean this, true or false; nothing where its source does not tell."""
    env: Env = dict(names)
    env["__self__"] = env.get("self")
    follower = _Follower()
    try:
        found = follower.reason(condition, env, truth, 0)
    except NOT_FOLLOWED:
        return ()
    return tuple(dict.fromkeys((*follower.bound, *found)))


class _CannotFollow(Exception):
    """A construct whose truth has no single reason."""


NOT_FOLLOWED = (_CannotFollow, SpecificationError, ArithmeticError, AttributeError, LookupError, NameError, TypeError)
"""What stops the following: of the specification's own expressions, some of which only a whole function can evaluate.

That the property is false has been established by others; only the reason is missing then.
"""


class _Follower:
    """Follows an expression that has a truth value down to what gives it that."""

    def __init__(self) -> None:
        self.bound: list[str] = []

    # -- functions ------------------------------------------------------------------------------------------------

    def of_call(self, function: Any, arguments: Sequence[Any], truth: bool, depth: int) -> list[str]:
        """Why a function that ends in one `return` gives what it does."""
        if depth > DEEPEST:
            raise _CannotFollow
        ending, env = self.ending(function, arguments)
        return self.reason(ending, env, truth, depth)

    def ending(self, function: Any, arguments: Sequence[Any]) -> tuple[ast.expr, Env]:
        """What a function returns, as it stands in its source, and what the names in it mean."""
        if not isinstance(function, FunctionType):
            raise _CannotFollow
        tree = _tree(function)
        names = [one.arg for one in tree.args.args]
        if len(names) != len(arguments):
            raise _CannotFollow
        env: Env = {**function.__globals__, **_cells(function), **dict(zip(names, arguments, strict=True))}
        env["__self__"] = arguments[0]
        env[ASSIGNED] = assigned = dict[str, ast.expr]()
        for statement in tree.body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                return statement.value, env
            if isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Return):
                if value(statement.test, env):
                    chosen = statement.body[-1].value
                    if len(statement.body) > 1 or chosen is None:
                        raise _CannotFollow
                    return chosen, env
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Tuple):
                _bind(statement.targets[0], value(statement.value, env), env)
                if isinstance(statement.targets[0], ast.Name):
                    assigned[statement.targets[0].id] = statement.value
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                raise _CannotFollow
        raise _CannotFollow

    # -- expressions ----------------------------------------------------------------------------------------------

    def reason(self, node: ast.expr, env: Env, truth: bool, depth: int) -> list[str]:
        """Why an expression is true, or false."""
        match node:
            case ast.BoolOp(op=operator, values=parts):
                one_decides = isinstance(operator, ast.And) != truth
                deciding = (part for part in parts if bool(value(part, env)) == truth)
                chosen = list(itertools.islice(deciding, 1)) if one_decides else parts
                return [fact for part in chosen for fact in self.reason(part, env, truth, depth)]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.reason(operand, env, not truth, depth)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.reason(body if value(test, env) else orelse, env, truth, depth)
            case ast.Call(func=ast.Name(id="all" | "any" as name), args=[ast.GeneratorExp() as generator]):
                if (name == "any") != truth:
                    return [f"{_text(node, env)} is {str(truth).lower()}"]
                return self._of_generator(generator, env, truth, depth)
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=arguments, keywords=[]):
                return self._of_method(node, owner, name, arguments, env, truth, depth)
            case ast.Compare(left=left, ops=[_], comparators=[right]):
                return [_side(one, env) for one in (left, right) if not _is_plain(one, env)]
            case ast.Name(id=name) if isinstance(env.get(name), bool) and name in env.get(ASSIGNED, {}):
                return self._of_name(name, env, truth, depth)
        return [] if isinstance(node, ast.Constant) else [f"{_text(node, env)} is {shown(value(node, env))}"]

    def _of_generator(self, node: ast.GeneratorExp, env: Env, truth: bool, depth: int) -> list[str]:
        for chosen in _chosen(node.generators, env):
            if bool(value(node.elt, {**env, **chosen})) == truth:
                among = _ranges(node.generators)
                names = [name for name in chosen if not name.startswith("_")]
                self.bound += [f"{name} is {shown(chosen[name])}{among.get(name, '')}" for name in names]
                kept = {name: one for name, one in env.get(ASSIGNED, {}).items() if name not in chosen}
                return self.reason(node.elt, {**env, **chosen, ASSIGNED: kept}, truth, depth)
        raise _CannotFollow

    def _of_name(self, name: str, env: Env, truth: bool, depth: int) -> list[str]:
        """A name that the function has given to a condition: that condition, where it has a single reason."""
        told = [f"{name} is {str(truth).lower()}"]
        match env[ASSIGNED][name]:
            case ast.Call(func=ast.Name(id="all" | "any" as word)) if (word == "any") != truth:
                return told
            case condition if bool(value(condition, env)) == truth:
                return self.reason(condition, env, truth, depth) or told
        return told

    def _of_method(
        self, node: ast.Call, owner: ast.expr, name: str, arguments: list[ast.expr], env: Env, truth: bool, depth: int
    ) -> list[str]:
        """A method of the protocol is looked into; of any other value it is told what it says."""
        method = getattr(value(owner, env), name, None)
        target = getattr(method, "__self__", None)
        if isinstance(target, Protocol) and not any(isinstance(one, ast.Starred) for one in arguments):
            bound_before = list(self.bound)
            try:
                given = [target, *(value(one, env) for one in arguments)]
                found = self.of_call(getattr(method, "__func__", None), given, truth, depth + 1)
                if found:
                    return found
            except NOT_FOLLOWED:
                self.bound = bound_before
            if _is_constant(getattr(method, "__func__", None)):
                return [f"{_text(node, env)} is always {str(truth).lower()}"]
        return [f"{_text(node, env)} is {str(truth).lower()}"]


def _is_constant(function: Any) -> bool:
    """Whether a function does nothing but return a constant, as a rule that is taken away does."""
    if not isinstance(function, FunctionType):
        return False
    match [one for one in _tree(function).body if not isinstance(one, ast.Expr)]:
        case [ast.Return(value=ast.Constant())]:
            return True
    return False


@lru_cache(maxsize=1024)
def _tree(function: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function, which nobody here changes."""
    return Sources().tree(function)


def value(node: ast.expr, env: Env) -> Any:
    """What an expression of the specification is in a state."""
    code = getattr(node, COMPILED, None)
    if code is None:  # trees are kept, so each expression is compiled once
        tree = ast.Expression(_Super().visit(ast.parse(ast.unparse(node), mode="eval").body))
        code = compile(ast.fix_missing_locations(tree), "<property>", "eval")
        setattr(node, COMPILED, code)
    return eval(code, env)


class _Super(ast.NodeTransformer):
    """`super()` needs its class and its object by name outside of a method."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name("__class__", ast.Load()), ast.Name("__self__", ast.Load())]
        return node


def _chosen(generators: list[ast.comprehension], env: Env) -> Iterator[Env]:
    """What the names of a comprehension mean, one choice after the other."""
    first, rest = generators[0], generators[1:]
    for one in value(first.iter, env):
        chosen: Env = {}
        _bind(first.target, one, chosen)
        inner = {**env, **chosen}
        if all(value(condition, inner) for condition in first.ifs):
            if not rest:
                yield chosen
            else:
                yield from ({**chosen, **later} for later in _chosen(rest, inner))


def _bind(target: ast.expr, one: Any, env: Env) -> None:
    if isinstance(target, ast.Name):
        env[target.id] = one
    elif isinstance(target, ast.Tuple):
        for part, item in zip(target.elts, one, strict=True):
            _bind(part, item, env)
    else:
        raise _CannotFollow


def _cells(function: FunctionType) -> Env:
    """What the names of the functions around mean; those without a value yet mean nothing here."""
    found: Env = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _ranges(generators: list[ast.comprehension]) -> dict[str, str]:
    """Among what a comprehension looks for its names, where that is a variable of the state: ` (of brokers)`."""
    found = {}
    for one in generators:
        match one.target, one.iter:
            case ast.Name(id=name), ast.Attribute(value=ast.Name(id="self"), attr=of):
                found[name] = f" (of {of.replace('_', ' ')})"
    return found


def _side(node: ast.expr, env: Env) -> str:
    """What an expression is, as a sentence."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[whole]):
            kind, count = type(value(whole, env)), value(node, env)
            if issubclass(kind, Log | Set):
                unit = "record" if issubclass(kind, Log) else "member"
                return f"{_text(whole, env)} {'is empty' if not count else f'has {counted(count, unit)}'}"
    return f"{_text(node, env)} is {shown(value(node, env))}"


def _is_plain(node: ast.expr, env: Env) -> bool:
    """Whether an expression says its own value: a constant, a name that stands among the bound ones, a member."""
    if isinstance(node, ast.Name):
        return _says_itself(env.get(node.id))
    return all(name.id[:1].isupper() for name in ast.walk(node) if isinstance(name, ast.Name))


def _says_itself(one: Any) -> bool:
    """Whether a value stands in the place of its name. A truth value does not: it says nothing without the name."""
    return isinstance(one, Identifier | int) and not isinstance(one, bool)


def _text(node: ast.expr, env: Env) -> str:
    """An expression as it stands in the source, with identifiers and numbers in place of their names."""
    told = _Told({name: one for name, one in env.items() if _says_itself(one)}, env.get(ASSIGNED, {}))
    return ast.unparse(told.visit(ast.parse(ast.unparse(node), mode="eval"))).replace("self.", "")


class _Told(ast.NodeTransformer):
    """Names that mean an identifier or a number are that; what a comprehension names itself stays.

    A name that the function gave to a part of the state is that part: `brokers[b3].log`, and not `log`.
    """

    def __init__(self, meaning: Env, assigned: Mapping[str, ast.expr]) -> None:
        self._meaning = meaning
        self._assigned = {name: one for name, one in assigned.items() if _is_part(one)}

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        own = {one.id for part in node.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)}
        meaning, assigned = (
            {name: one for name, one in each.items() if name not in own} for each in (self._meaning, self._assigned)
        )
        inner = _Told(meaning, assigned)
        return ast.GeneratorExp(inner.visit(node.elt), [inner.visit(part) for part in node.generators])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._meaning:
            return ast.Name(shown(self._meaning[node.id]), ast.Load())
        if node.id not in self._assigned:
            return node
        others = {name: one for name, one in self._assigned.items() if name != node.id}
        told: ast.AST = _Told(self._meaning, others).visit(_copy(self._assigned[node.id]))
        return told


def _is_part(node: ast.expr) -> bool:
    """Whether an expression is a part of the state: `self.brokers[r].log`."""
    match node:
        case ast.Attribute(value=inner):
            return (isinstance(inner, ast.Name) and inner.id == "self") or _is_part(inner)
        case ast.Subscript(value=inner, slice=ast.Name()):
            return _is_part(inner)
    return False


def _copy(node: ast.expr) -> ast.expr:
    """An expression of its own, because trees are kept."""
    return ast.parse(ast.unparse(node), mode="eval").body


def shown(one: Any) -> str:
    """A value as a reason shows it."""
    return shown_with(one, "none")


# -- for ever ---------------------------------------------------------------------------------------------------------
# The run that breaks a liveness property and goes on for ever: from where the goal is missing, and what is fair about
# the rest.
#
# In the state where it begins the premise holds, and from there on the goal never does. Then comes a round of states,
# or one where nothing more happens. The round is fair to a unit that is taken on it, and to one that is impossible: to
# a weak one somewhere on it, to a strong one everywhere.


PremiseAndGoal = Callable[[Codes], tuple[bool, bool]]
"""Premise and goal of a liveness property in a state."""
Possible = Callable[[Codes, Unit], bool]
"""Whether a unit can be taken in a state, or could if no bound stopped it."""


@dataclass(frozen=True)
class Fair:
    """Why a round is fair to a unit: a step by which it is taken, or a state in which it is impossible."""

    unit: Unit
    step: int | None = None
    state: int | None = None

    @property
    def excused(self) -> bool:
        """Whether there is such a step or state."""
        return self.step is not None or self.state is not None


def begins(run: Run, promised: PremiseAndGoal, once: bool) -> int | None:
    """Return the index of the first state where the premise holds and after which the goal never does, or None.

    The premise of a property with `once` is evaluated in the first state only.
    """
    first, found = run.length, None
    for number in reversed(range(run.length)):
        premise, goal = promised(run.states[number])
        if goal:
            break
        first, found = number, number if premise and not (once and number) else found
    return found if run.loop is not None and first <= run.loop else None


def unrolled(run: Run) -> Run:
    """The same run, with the step that closes the round as its last one."""
    if run.loop is None or run.closing is None:
        return run
    return replace(run, steps=(*run.steps, Step(run.closing, run.states[run.loop])))


def around(run: Run) -> list[int]:
    """The numbers of the states of the round."""
    return [] if run.loop is None else list(range(run.loop, run.length))


def steps_around(run: Run) -> list[tuple[int, ActionInstance]]:
    """The steps of the round, with their numbers; the last of them closes it."""
    found = [(number, run.steps[number - 1].instance) for number in around(run)[1:]]
    return [*found, (run.length, run.closing)] if run.closing is not None else found


def fairness(run: Run, member: Member, possible: Possible) -> list[Fair]:
    """What the round has to say of each unit of which the liveness property assumes fairness."""
    return fairness_to(run, units_of(run.protocol, run.assumed(member)), possible)


def fairness_to(run: Run, units: Iterable[Unit], possible: Possible) -> list[Fair]:
    """What the round has to say of some units."""
    found = []
    for unit in units:
        step = next((number for number, one in steps_around(run) if one.number in unit.instances), None)
        where = [number for number in around(run) if not possible(run.states[number], unit)]
        enough = len(where) == len(around(run)) if unit.strong else bool(where)
        found.append(Fair(unit, step, where[0] if step is None and enough else None))
    return found


# -- for ever text ----------------------------------------------------------------------------------------------------
# What happens for ever in the run that breaks a liveness property, in words.

MOST_NAMED = 6
"""So many steps are named that may be left undone for ever."""


def waiting_from(run: Run) -> int | None:
    """From which state on the goal of a liveness property is missing; None if the run is about something else."""
    member = property_of(run)
    if run.loop is None or member is None:
        return None

    def promised(codes: Codes) -> tuple[bool, bool]:
        premise, goal = evaluated(member.function, run.protocol.at(codes), *run.arguments)
        return bool(premise), bool(goal)

    return begins(run, promised, member.mark.once)


def from_here_on(run: Run, since: int | None, number: int) -> list[str]:
    """What is said after a state: that the goal is missing from here on, and that what follows is repeated."""
    lines = []
    if number == since:
        lines.append("-- from here on the goal does not hold")
    if number == run.loop and run.closing is not None:
        lines.append("-- for ever:")
    return lines


def closing_lines(run: Run, width: int) -> list[str]:
    """What follows the last state."""
    if run.loop is None:
        return []
    if run.closing is None:
        return [f"-- for ever: nothing changes any more{_if_nobody(run)}"]
    closing = run.closing
    told = f"{run.length:>{width}}. {closing.label}  {sentence(closing)}  [{closing.action.where}]"
    return [told, " " * (width + 4) + f"and all is as in state {run.loop}"]


def _if_nobody(run: Run) -> str:
    """What could still be done where nothing more happens, and need not be: no fairness is assumed of it."""
    last = run.states[-1]
    open_still = [one.label for one in run.protocol.instances if _changes(run, last, one)]
    if not open_still:
        return ""
    more = f" and {len(open_still) - MOST_NAMED} more" if len(open_still) > MOST_NAMED else ""
    return f", if nobody ever takes one of these, and nobody has to: {', '.join(open_still[:MOST_NAMED])}{more}"


def why_it_waits(run: Run) -> str:
    """Which values make the premise of a broken liveness property true, and its goal false for ever; "" if its source
    does not
    tell."""
    member, since = property_of(run), waiting_from(run)
    if member is None or since is None:
        return ""
    states, last = run.states, run.length - 1
    premise = why_waiting(run.protocol, member, run.arguments, states[since], "premise")
    goal = why_waiting(run.protocol, member, run.arguments, states[last], "goal")
    if premise is None or goal is None:
        return ""
    if str(premise) == str(goal):
        return f"it waits from state {since} on, in state {last} as before: {goal}"
    return f"it waits from state {since} on: {premise}; and in state {last} the goal is still missing: {goal}"


def fair_lines(run: Run) -> list[str]:
    """Why it is fair that the goal never comes: which steps are taken again and again, and what refuses the others."""
    member = property_of(run)
    if run.loop is None or member is None:
        return []
    units = fairness(run, member, partial(_possible, run))
    found: dict[str, list[str]] = {}
    for fair in units:
        found.setdefault(_why(run, fair), []).append(fair.unit.label)
    if not found:
        return ["No step is assumed to be fair, so a run may stop anywhere.", *_advice(run, member)]
    besides = f", with what was assumed ({run.assumed.sentence})" if run.assumed else ""
    lines = [f"{_fair(units)}{besides}:", *(f"  {', '.join(labels)}: {why}" for why, labels in found.items())]
    return lines + _advice(run, member)


def _advice(run: Run, member: Member) -> list[str]:
    names = forgotten(run)
    return [f"{how_to_assume(names, [member.name])}."] if names else []


def forgotten(run: Run) -> list[str]:
    """The actions that are marked fair, and that a broken liveness property does not assume, because it was made before
    them.

    Each could be taken where its run stays for ever, and never is: with it that run would not be fair. What the class
    of the liveness property knows and does not name it leaves out on purpose.
    """
    member = property_of(run)
    if run.loop is None or member is None:
        return []
    home, assumed = _home(run.protocol, member), run.assumed(member)
    added = [
        action.name
        for action in run.protocol.members("action")
        if action.mark.fair and action.name not in (*assumed, *run.assumed.unfair) and not hasattr(home, action.name)
    ]
    found = fairness_to(run, units_of(run.protocol, added), partial(_possible, run))
    return list(dict.fromkeys(fair.unit.action.name for fair in found if not fair.excused))


def _home(protocol: Protocol, member: Member) -> type:
    """The first of the classes of a protocol that have a liveness property as it is, and all actions that it names."""
    for owner in reversed(type(protocol).__mro__):
        here = getattr(owner, member.name, None) is member.function
        if here and all(hasattr(owner, name) for name in member.mark.needs):
            return owner
    return type(protocol)


def how_to_assume(names: Sequence[str], promises: Sequence[str]) -> str:
    """What to do about actions that broken liveness properties do not assume."""
    options = " ".join(f"--fair {name}" for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    are, it = ("is", "it") if len(names) == 1 else ("are", "them")
    do = "does" if len(promises) == 1 else "do"
    said = f"{', '.join(names)} {are} marked fair, and {', '.join(promises)} {do} not assume {it}"
    python = f"(in Python: fair=[{listed}])"
    return f"{said}; to assume {it}: {options} {python}, or override the property with @leads_to(fair=(..., {listed}))"


def _fair(units: Sequence[Fair]) -> str:
    """Return a sentence: whether the run is fair."""
    if not all(fair.excused for fair in units):
        return "This run is not fair: a fair step is possible and never taken"
    if all(fair.step is None for fair in units):
        return "This run is fair: none of the fair steps is possible"
    return "This run is fair: each fair step is taken again and again, or impossible again and again"


def stuck_lines(run: Run) -> list[str]:
    """What refuses each action in the last state of a run to a deadlock."""
    if run.verdict != DEADLOCK:
        return []
    found: dict[str, dict[str, None]] = {}
    for instance in run.protocol.instances:
        found.setdefault(_refused(run, run.states[-1], instance), {})[title(instance.action.name)] = None
    return ["No step is possible:", *(f"  {', '.join(names)}: {why}" for why, names in found.items())]


def _refused(run: Run, codes: Codes, instance: ActionInstance) -> str:
    guard = refusal(run.protocol, codes, instance)
    return "it would change nothing" if guard is None else f"{guard.text}  [{guard.where}]"


def _possible(run: Run, codes: Codes, unit: Unit) -> bool:
    return any(_can(run, codes, run.protocol.instances[number]) for number in unit.instances)


def _can(run: Run, codes: Codes, instance: ActionInstance) -> bool:
    """Whether a step changes something in a state, or only a bound stops it."""
    try:
        return _taken(run, codes, instance) != codes
    except OutOfBounds:
        return True
    except Disabled:
        return False


def _changes(run: Run, codes: Codes, instance: ActionInstance) -> bool:
    """Whether a step is possible in a state and changes something. What cannot be evaluated changes nothing."""
    try:
        return _taken(run, codes, instance) != codes
    except (Disabled, EvaluationError):
        return False


def _taken(run: Run, codes: Codes, instance: ActionInstance) -> Codes:
    state = run.protocol.at(codes)
    evaluated(instance.action.function, state, *instance.arguments)
    return state.codes()


def _why(run: Run, fair: Fair) -> str:
    if fair.step is not None:
        return f"taken in step {fair.step}"
    if fair.state is None:
        return "never taken, though it could be"
    refused: dict[str, None] = {}
    for number in sorted(fair.unit.instances):
        refused[_refused(run, run.states[fair.state], run.protocol.instances[number])] = None
    return f"impossible in state {fair.state}: {next(iter(refused))}"
