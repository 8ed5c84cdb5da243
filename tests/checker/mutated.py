"""Mutants of a protocol with its proof, one place of a rule or a lemma changed; and what a search says of them.

`epochal mutate` takes guards away. Here a rule does something else, too, and a lemma says something else: for attacks
on the provers, which must leave open what a search breaks.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType

from epochal.checker.compile.compiler import rules_used
from epochal.checker.compile.source.admitted import Sources
from epochal.checker.mutation.mutants import changed_protocol
from epochal.checker.search import native
from epochal.checker.search.result import Options
from epochal.checker.trace.run import Run
from epochal.spec.language import EvaluationError, Protocol

OTHER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
"""What a comparison becomes."""

CALLED = {"min": "max", "max": "min", "all": "any", "any": "all"}
"""What is called instead."""

Change = Callable[[ast.AST], None]
"""Changes the node at a place of a tree."""


@dataclass(frozen=True)
class Mutant:
    """A protocol with another rule or lemma: the method, and what is changed in it."""

    of: type[Protocol]
    function: FunctionType
    change: str
    tree: ast.FunctionDef
    used: frozenset[FunctionType]

    def __str__(self) -> str:
        """`leader_expands_isr: without require(self.hw_is_current(leader))`."""
        return f"{self.function.__name__}: {self.change}"

    @cached_property
    def kind(self) -> type[Protocol]:
        """The protocol that is changed."""
        made = changed_protocol(self.of, self.used, {self.function: self.tree}, {})
        made.name = f"{self.of.name}-changed"
        return made


# -- making them ------------------------------------------------------------------------------------------------------


def mutants_of(protocol: Protocol) -> Iterator[Mutant]:
    """All mutants of the rules that the steps are made of, and of the lemmas. No two have the same name."""
    kind, sources, names = type(protocol), Sources(), set[str]()
    rules = [one for one in rules_used(protocol) if not one.__module__.startswith("epochal.spec.language")]
    lemmas = [one.function for one in kind.members("lemma")]
    judged = [one.function for one in (*kind.members("invariant"), *kind.members("action_property"))]
    every = frozenset({*rules, *lemmas, *judged})  # what a lemma calls may be a rule, and is changed for both
    for function in sorted({*rules, *lemmas}, key=lambda one: (one.__module__, one.__code__.co_firstlineno)):
        tree = sources.tree(function)
        for said, changed in changes_of(tree):
            one = Mutant(kind, function, said, changed, every)
            if str(one) not in names:
                names.add(str(one))
                yield one


def changes_of(tree: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each change of a function, with its new text."""
    places = list(ast.walk(tree))
    parents = {child: node for node in places for child in ast.iter_child_nodes(node)}
    parameters = [one.arg for one in tree.args.args if one.arg != "self"]
    for number, node in enumerate(places):
        if _is_declared(node, parents):
            continue
        for change in _changes(node, parameters):
            changed = copy.deepcopy(tree)
            there = list(ast.walk(changed))[number]
            before = ast.unparse(there)
            change(there)
            after = ast.unparse(there)
            yield f"{after} in place of {before} at {number}", ast.fix_missing_locations(changed)
    for number, node in enumerate(places):
        for name, body in ast.iter_fields(node):
            if name not in ("body", "orelse") or not isinstance(body, list):
                continue
            for place, statement in enumerate(body):
                if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) and not _is_docstring(statement):
                    changed = copy.deepcopy(tree)
                    getattr(list(ast.walk(changed))[number], name)[place] = ast.Pass()
                    yield f"without {ast.unparse(statement)} at {number}", ast.fix_missing_locations(changed)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_declared(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a node belongs to the decorators or the annotations of the function."""
    while node in parents:
        above = parents[node]
        if isinstance(above, ast.FunctionDef):
            return node in above.decorator_list or node is above.args or node is above.returns
        if isinstance(above, ast.AnnAssign) and node is above.annotation:
            return True
        node = above
    return True


def _changes(node: ast.AST, parameters: Sequence[str]) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in OTHER[type(node.ops[0])]:
            yield lambda there, other=other: setattr(there, "ops", [other()])  # type: ignore[misc]  # a default
    elif isinstance(node, ast.BoolOp):
        other_way = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield lambda there: setattr(there, "op", other_way())
        for place in range(len(node.values)):
            if len(node.values) > 2:
                yield lambda there, place=place: there.values.pop(place)  # type: ignore[misc]  # as above
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLED:
        called = CALLED[node.func.id]
        yield lambda there: setattr(there, "func", ast.Name(called, ast.Load()))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        for more in (1, -1):
            value = node.value + more
            yield lambda there, value=value: setattr(there, "value", value)  # type: ignore[misc]  # as above
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        opposite = not node.value
        yield lambda there: setattr(there, "value", opposite)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in parameters:
        for other_name in parameters:
            if other_name != node.id:
                yield lambda there, name=other_name: setattr(there, "id", name)  # type: ignore[misc]  # as above


# -- what a search says -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """What is wrong first, in the shortest run that shows anything: the step ("" for the first state of all), and what.

    In all states before, every lemma holds. In the last one `lemmas` and `invariants` are false, and `failing`, which
    are lemmas, invariants and actions, cannot be evaluated.
    """

    run: Run
    step: str
    lemmas: frozenset[str]
    invariants: frozenset[str]
    failing: frozenset[str]


def first_broken(protocol: Protocol, invariants: Sequence[str], most: int | None = None) -> Broken | None:
    """What a search finds: that an invariant or a lemma is false, or that a rule cannot be evaluated.

    None where all is well in every state, or in `most` states.
    """
    lemmas = [one.name for one in protocol.members("lemma")]
    options = Options(
        properties=(*invariants, *lemmas), lemmas=True, symmetry=True, cross_check="off", workers=1, max_states=most
    )
    found = native.check(protocol, options)
    runs = [one.trace for one in found.properties if one.trace is not None]
    if found.error is not None:
        runs.append(found.error.trace)
    if not runs:
        return None
    run = min(runs, key=lambda one: one.length)
    last = protocol.at(run.states[-1])
    said = {name: _said(last, name) for name in (*invariants, *lemmas)}
    steps = {one.action.name for one, after in protocol.outcomes(run.states[-1]) if isinstance(after, EvaluationError)}
    return Broken(
        run,
        run.steps[-1].instance.action.name if run.steps else "",
        frozenset(name for name in lemmas if said[name] is False),
        frozenset(name for name in invariants if said[name] is False),
        frozenset({name for name, value in said.items() if value is None} | steps),
    )


def _said(state: Protocol, name: str) -> bool | None:
    """Whether a condition is true; None where it cannot be evaluated."""
    try:
        return bool(getattr(state, name)())
    except EvaluationError:
        return None
