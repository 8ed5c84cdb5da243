"""The ground terms that hypotheses are instantiated with: what the question is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..parametric.leaves import END, LeafShape
from ..parametric.terms import BOOL, INT, Term, add, apply, constant, kind_of
from .sizes import is_size


def pool(facts: Sequence[Term], leaves: Iterable[LeafShape], wide: bool) -> list[Term]:
    """The constants of a question and the leaves without arguments; if `wide`, leaves of one constant and other terms.

    With the end of each log goes the offset before it.
    """
    found: dict[Term, None] = {}
    constants: dict[Term, None] = {}
    for term in _ground(facts):
        if term.op == "var" or (term.op == "app" and not term.args):
            constants[term] = None
            found[term] = None
        elif wide and term.op in ("app", "add", "scale"):
            found[term] = None
    for shape in leaves:
        if shape.sort == BOOL or len(shape.arguments) > (1 if wide else 0):
            continue
        if not shape.arguments:
            found[apply(shape.symbol, (), shape.sort)] = None
            continue
        (argument,) = shape.arguments
        for one in constants:
            if one.sort == argument.sort and (one.sort != INT or kind_of(one) == _kind(argument.domain)):
                found[apply(shape.symbol, (one,), shape.sort)] = None
    for term in list(found):
        if term.op == "app" and term.value.name.endswith(END):
            found[add(term, constant(-1))] = None
    return list(found)


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


def _kind(domain: object) -> str:
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
