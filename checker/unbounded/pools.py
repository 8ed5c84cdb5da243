"""The ground terms that hypotheses are instantiated with: what the question is about."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from ..parametric.domains import END, LeafShape
from ..parametric.terms import (
    BOOL,
    INT,
    Symbol,
    Term,
    add,
    apply,
    constant,
    kind_of,
    subterms,
)
from .question import Question
from .sizes import MEMBERS, is_size

Tried = tuple[Term, str]
"""A term, and as what it is tried: its sort, or the kind of an integer."""


def members(facts: Sequence[Term]) -> list[Tried]:
    """The members of sets that there are because of their sizes, where these depend on nothing."""
    named = [one for one in subterms(facts) if one.op == "app" and one.value.name.startswith(MEMBERS) and not one.args]
    return [as_tried(one) for one in sorted(named, key=lambda one: str(one.value.name))]


def pool(facts: Sequence[Term], leaves: Iterable[LeafShape], wide: bool, looked_at: bool) -> list[Tried]:
    """The constants of a question and the leaves without arguments; if `wide`, leaves of one constant and other terms.

    With the end of each log goes the offset before it. If `looked_at`, numbers at which leaves are looked at go with
    them, and with a constant what is as far from it as rules look: the entry before, say.
    """
    shapes = {shape.path: shape for shape in leaves}
    found: dict[Tried, None] = {}
    constants: dict[Term, None] = {}
    for term in _ground(facts):
        if looked_at and term.op == "app" and term.value.name.startswith("#"):
            continue  # a bound of the model: what lies at the very end matters to no lemma
        if term.op == "var" or (term.op == "app" and not term.args):
            constants[term] = None
            found[as_tried(term)] = None
        elif wide and term.op in ("app", "add", "scale"):
            found[as_tried(term)] = None
    for shape in shapes.values():
        if shape.sort == BOOL or len(shape.arguments) > (1 if wide else 0):
            continue
        if not shape.arguments:
            found[as_tried(apply(shape.symbol, (), shape.sort))] = None
            continue
        (argument,) = shape.arguments
        for one in constants:
            if one.sort == argument.sort and (one.sort != INT or kind_of(one) == kind(argument.domain)):
                found[as_tried(apply(shape.symbol, (one,), shape.sort))] = None
    for term, what in list(found):
        if term.op == "app" and term.value.name.endswith(END):
            found[add(term, constant(-1)), what] = None
    if not looked_at:
        return list(found)
    numbers, distances = _looked_at(facts, shapes)
    for one in constants:
        for distance in distances.get(kind_of(one), ()) if one.sort == INT else ():
            found[add(one, constant(distance)), kind_of(one)] = None
    return [*found, *numbers]


def spoken_of(question: Question, minima: bool) -> list[Term]:
    """The leaves of a state at the constants of a question and at numbers at which rules look at them.

    With `minima` all functions that the question has. Who instantiates quantifiers by the terms that there are does not
    find what nothing speaks of: that two minima are the same, say, of which the goal has one.
    """
    facts = [*question.goal, *question.own]
    free: frozenset[Term] = frozenset().union(*(one.free for one in facts))
    shapes = {shape.path: shape for shape in question.leaves}
    constants = [*map(as_tried, (one for one in subterms(facts) if one in free)), *_looked_at(facts, shapes)[0]]
    functions: dict[Symbol, Term] = {}
    for one in subterms([*facts, *question.others]):
        head = one.op == "app" and bool(one.args) and all(arg.op == "var" for arg in one.args)
        if head and (minima or one.value.name in shapes):
            functions.setdefault(one.value, one)
    found: dict[Term, None] = {}
    for symbol, one in sorted(functions.items(), key=lambda item: item[0].name):
        places = [as_tried(arg)[1] for arg in one.args]
        fit = [[term for term, what in constants if what == place] for place in places]
        found |= dict.fromkeys(apply(symbol, terms, one.sort) for terms in itertools.product(*fit))
    return list(found)


def as_tried(term: Term) -> Tried:
    """A term as one of its own sort or kind."""
    return term, kind_of(term) if term.sort == INT else term.sort


def _looked_at(
    facts: Sequence[Term], shapes: Mapping[str, LeafShape]
) -> tuple[dict[Tried, None], dict[str, dict[int, None]]]:
    """The known numbers at which leaves are looked at, and how far from a variable, by what they count."""
    numbers: dict[Tried, None] = {}
    distances: dict[str, dict[int, None]] = {}
    for term in sorted(
        (one for one in subterms(facts) if one.op == "app" and one.value.name in shapes), key=lambda one: one.digest
    ):
        for argument, position in zip(term.args, shapes[term.value.name].arguments, strict=True):
            what = kind(position.domain)
            if argument.op == "const" and argument.sort == INT and not position.log:
                numbers[argument, what] = None
            elif argument.op == "add" and argument.args[0].op == "var" and argument.args[1].op == "const":
                distances.setdefault(kind_of(argument), {})[argument.args[1].value] = None
    return numbers, distances


def ground(facts: Sequence[Term], leaves: Iterable[LeafShape]) -> list[Term]:
    """The constants of a question, the sizes of sets that it speaks of, what these depend on, and single leaves."""
    found: dict[Term, None] = {}
    for term in _ground(facts):
        if is_size(term):
            found |= dict.fromkeys((term, *term.args))
        elif term.op == "var":
            found[term] = None
    single = (apply(shape.symbol, (), shape.sort) for shape in leaves if not shape.arguments and shape.sort != BOOL)
    return list(found | dict.fromkeys(single))


def of_constants(facts: Sequence[Term]) -> list[Term]:
    """The leaves and minima that a question speaks of, and that depend on nothing but its constants."""
    return [term for term in _ground(facts) if term.op == "app" and all(arg.op == "var" for arg in term.args)]


def kind(domain: object) -> str:
    """What the numbers of a domain count."""
    high = getattr(domain, "high", None)
    return kind_of(high) if isinstance(high, Term) else ""


def _ground(facts: Iterable[Term]) -> list[Term]:
    """The terms in facts that have a value of their own, in the order in which they come."""
    found: dict[Term, None] = {}
    todo = [fact for fact in facts if fact.op not in ("forall", "exists")][::-1]
    while todo:
        term = todo.pop()
        if term in found or term.op in ("forall", "exists"):
            continue
        found[term] = None
        todo += term.args[::-1]
    return [term for term in found if term.sort != BOOL and term.op not in ("ite", "const", "unlimited")]
