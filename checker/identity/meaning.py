"""Two digests of a specification within bounds: of what its rules mean, and of how they are written.

The *specification digest* is taken from the compiled expression graph: leaves of the state, initial states, action
instances, properties and the constraint. Comments, formatting, docstrings, the names of local variables and of bounds,
and the order in which nodes or actions happen to be made do not count. The names of actions, properties and state
variables do: people approve them, and they key the rest of the lock file.

The *text digest* is taken from the syntax trees of the functions that the rules consist of, without comments,
formatting and docstrings. Where it differs and the specification digest does not, a rule was rewritten and means the
same.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any, Final

from epochal.spec.language import Protocol
from epochal.spec.language.marks import mark_of
from epochal.spec.language.source_text import source_text

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.model import CompiledInstance, CompiledLiveness, CompiledProperty, Failure, Model
from ..semantics.fairness import needed, units_of

FORMAT: Final = 1
"""Changes when the definition of the digests does, so that digests of different definitions are never equal."""

COMMUTATIVE = frozenset(
    (Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.AND, Op.OR, Op.UNION, Op.INTERSECTION),
)
SIZE = 16


def specification_digest(model: Model, promises: bool = False) -> str:
    """The digest of what the rules mean, as 32 hexadecimal digits.

    With `promises` so is what must happen in the end, and what of it a bound keeps from happening.
    """
    digests = _node_digests(_roots(model) + (_promise_roots(model) if promises else []))
    *steps, constraint = _step_lines(model, digests)
    lines = [f"format {FORMAT}", *_state_lines(model.protocol), *steps]
    lines += sorted(_property_line(model, property, digests) for property in model.properties)
    lines.append(constraint)
    if promises:
        lines += [line for _, ones in _promised(model) for line in _promise_lines(model, ones, digests)]
        lines += _stopped_lines(model, digests)
    return _hashed("\n".join(lines))


def _state_lines(protocol: Protocol) -> Iterator[str]:
    """The variables, what of them is history, and the initial states."""
    yield from (f"leaf {leaf.path} {leaf.domain.size}" for leaf in protocol.leaves)
    yield from (f"history {name}" for name, variable in protocol.variables.items() if variable.ghost)
    yield from sorted(f"initial {' '.join(map(str, codes))}" for codes in protocol.initial_states())


def _step_lines(model: Model, digests: dict[int, str]) -> Iterator[str]:
    """The actions, each step, and the state constraint."""
    yield from sorted(f"action {action.name}" for action in model.protocol.members("action"))
    yield from sorted(_instance_line(compiled, digests) for compiled in model.instances)
    yield f"constraint {digests[model.constraint.id]} {_conditions(model.constraint_failures, digests)}"


def _stopped_lines(model: Model, digests: dict[int, str]) -> list[str]:
    """Which step is stopped by a bound alone, and where."""
    return sorted(
        f"stopped {one.instance.action.name} {one.instance.positions} {digests[one.stopped.id]}"
        for one in model.instances
        if one.stopped is not None
    )


def part_digests(model: Model) -> dict[str, str]:
    """The digests of what is no property: the `rules`, which decide the steps, and what of them is a bound (`bounds`).

    A guard that becomes a bound, or the other way round, allows the same steps; liveness properties take it otherwise.
    """
    digests = _node_digests(_roots(model) + _promise_roots(model))
    rules = [*_state_lines(model.protocol), *_step_lines(model, digests)]
    return {"rules": _hashed("\n".join(rules)), "bounds": _hashed("\n".join(_stopped_lines(model, digests)))}


def property_digests(model: Model) -> dict[str, str]:
    """The digest of what each property says, by its name: the same for the same condition, however it is written.

    A liveness property says, too, which steps it takes to be fair, how fair, and to whom.
    """
    digests = _node_digests(_roots(model) + _promise_roots(model))
    found = {p.member.name: _hashed(_property_line(model, p, digests)) for p in model.properties}
    return found | {name: _hashed("\n".join(_promise_lines(model, ones, digests))) for name, ones in _promised(model)}


def whole_digest(model: Model) -> str:
    """The digest of all of a specification that any answer about it may depend on, as 32 hexadecimal digits.

    Besides what the rules mean that is how they are written, which guards can be taken away from them, in which order
    they stand, which random walks follow, and what values are called. `model` has its lemmas, too.
    """
    protocol = model.protocol
    lines = [specification_digest(model, promises=True), text_digest(protocol)]
    lines += [f"{leaf.path} {leaf.domain}" for leaf in protocol.leaves]
    lines += [instance.label for instance in protocol.instances]
    return _hashed("\n".join(lines))


def text_digest(protocol: Protocol) -> str:
    """The digest of how the rules are written, as 32 hexadecimal digits."""
    return _hashed("\n".join(sorted(_shown(function) for function in used_functions(protocol))))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()


def _roots(model: Model) -> list[Expression]:
    roots = [model.constraint, *(f.condition for f in model.constraint_failures)]
    for compiled in model.instances:
        roots += [compiled.enabled, *compiled.updates.values(), *(f.condition for f in compiled.failures)]
    for property in model.properties:
        roots += [property.holds, *(f.condition for f in property.failures)]
        roots += [f.condition for failures in property.step_failures.values() for f in failures]
    return roots


def _promise_roots(model: Model) -> list[Expression]:
    roots = [root for one in model.promised for root in (one.premise, one.goal, *(f.condition for f in one.failures))]
    return roots + [one.stopped for one in model.instances if one.stopped is not None]


def _node_digests(roots: list[Expression]) -> dict[int, str]:
    """A digest for every node, the same whatever the order in which nodes were made."""
    found: dict[int, str] = {}
    for node in reachable_nodes(roots):
        below = [found[arg.id] for arg in node.args]
        if node.op in COMMUTATIVE:
            below.sort()
        found[node.id] = _hashed(f"{node.op.value} {node.sort} {node.value} {' '.join(below)}")
    return found


def _conditions(failures: Iterable[Failure], digests: dict[int, str]) -> str:
    return " ".join(sorted({digests[f.condition.id] for f in failures}))


def _instance_line(compiled: CompiledInstance, digests: dict[int, str]) -> str:
    updates = " ".join(f"{leaf}={digests[value.id]}" for leaf, value in sorted(compiled.updates.items()))
    return (
        f"step {compiled.instance.action.name} {compiled.instance.positions} {digests[compiled.enabled.id]} "
        f"[{updates}] [{_conditions(compiled.failures, digests)}]"
    )


def _property_line(model: Model, property: CompiledProperty, digests: dict[int, str]) -> str:
    failures = [*property.failures, *(f for each in property.step_failures.values() for f in each)]
    member = property.member
    kind = member.mark.kind if model.protocol.applies(member) else f"not {member.mark.kind}"
    return f"{kind} {member.name} {digests[property.holds.id]} [{_conditions(failures, digests)}]"


def _promised(model: Model) -> list[tuple[str, list[CompiledLiveness]]]:
    """The cases of each liveness property, by its name, in order."""
    cases: dict[str, list[CompiledLiveness]] = {}
    for one in model.promised:
        cases.setdefault(one.member.name, []).append(one)
    return sorted(cases.items())


def _promise_lines(model: Model, cases: list[CompiledLiveness], digests: dict[int, str]) -> Iterator[str]:
    """What a liveness property says in each case, and each unit of fairness that it takes."""
    member = cases[0].member
    yield f"leads_to {member.name} {member.mark.optional}{' once' if member.mark.once else ''}"
    for one in cases:
        yield f"{digests[one.premise.id]} {digests[one.goal.id]} [{_conditions(one.failures, digests)}]"
    for unit in sorted(units_of(model.protocol, needed(member)), key=lambda unit: unit.label):
        places = sorted(str(model.protocol.instances[number].positions) for number in unit.instances)
        yield f"{unit.label} {unit.strong} {places}"


# -- text -------------------------------------------------------------------------------------------------------------


def used_functions(protocol: Protocol) -> list[FunctionType]:
    """The functions that the rules of a protocol consist of: its marked methods, and what they name, and so on.

    What a method names is looked up as an attribute of the protocol's class and as a global of its module. Functions
    of the language itself are not among them.
    """
    language = inspect.getmodule(Protocol)
    assert language is not None
    own = language.__name__.rsplit(".", 1)[0]
    kind = type(protocol)
    queue: list[Any] = [kind.initial]
    for name in dir(kind):
        if _marked(kind, name):
            queue.append(getattr(kind, name))
    found: dict[int, FunctionType] = {}
    while queue:
        function = inspect.unwrap(queue.pop())
        if not isinstance(function, FunctionType) or id(function) in found:
            continue
        if function.__module__.startswith(own):
            continue
        found[id(function)] = function
        queue.extend(_named(function, kind))
    return list(found.values())


def _marked(kind: type, name: str) -> bool:
    """Whether some class of the protocol marks a method of this name as a rule: an override keeps the mark."""
    marks = (mark_of(vars(owner).get(name)) for owner in kind.__mro__)
    return any(mark is not None and mark.kind != "view" for mark in marks)


def _named(function: FunctionType, kind: type) -> Iterator[Any]:
    """What the code of a function names that is a function: globals, and attributes of any class of the protocol."""
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes.extend(c for c in code.co_consts if inspect.iscode(c))
        for name in code.co_names:
            if callable(function.__globals__.get(name)):
                yield function.__globals__[name]
            for owner in kind.__mro__:
                value = vars(owner).get(name)
                yield value.fget if isinstance(value, property) else value


def _shown(function: FunctionType) -> str:
    """The name of a function, and its syntax tree without its docstring; also of one whose source is gone."""
    text = source_text(function.__code__)
    try:
        tree = ast.parse(textwrap.dedent("".join(text.block(function.__code__)))) if text is not None else None
    except SyntaxError:
        tree = None
    if tree is None:
        return f"{function.__qualname__} {function.__code__.co_code.hex()}"
    node = tree.body[0]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            del node.body[0]
    return f"{function.__name__} {ast.dump(node)}"
