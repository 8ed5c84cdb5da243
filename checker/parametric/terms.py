"""First-order terms: what the parametric semantics makes of rules.

A term is immutable and there is one object for each, so that equal terms are identical. Terms are total: an operation
that the language does not define for some values has some value there, and the semantics keeps apart under which
condition it is evaluated at all. Every quantifier over integers has limits, so that a term has a value in each finite
state, which `evaluate` computes; so do `extreme` and `count`, of which proofs know less.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

BOOL, INT = "bool", "int"
IDENTIFIER = "id:"
"""How the names of the sorts of identifiers begin: the prefix of the identifiers follows."""


class Term:
    """An operation with its operands. `value` is a constant's value, a variable's name or a symbol's, and the like.

    `free` are the variables that are not bound in it.
    """

    __slots__ = ("_digest", "args", "free", "op", "sort", "value")
    op: str
    args: tuple[Term, ...]
    value: Any
    sort: str
    free: frozenset[Term]
    _digest: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return made, (self.op, self.args, self.value, self.sort)

    def __repr__(self) -> str:
        return text(self)

    @property
    def digest(self) -> bytes:
        """A digest of what the term says, the names of its variables included."""
        if not self._digest:
            parts = [self.op, self.sort, repr(self.value), *(arg.digest.hex() for arg in self.args)]
            self._digest = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
        return self._digest


@dataclass(frozen=True)
class Symbol:
    """A function of the state, or one that stands for a minimum or a count. `kind` says what an integer counts."""

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Name:
    """The name of a variable. `kind` says what an integer counts: the bounds that limit it."""

    name: str
    kind: str = ""


def sure(holds: bool, otherwise: str) -> None:
    """Stop with an error of the semantics itself. Proofs rest on it, so that it is no `assert`, which -O takes away."""
    if not holds:
        raise AssertionError(otherwise)


_KNOWN: dict[tuple[Any, ...], Term] = {}


def made(op: str, args: tuple[Term, ...], value: Any, sort: str) -> Term:
    """A term as it is said here, the only one of its kind, also where several threads make it at once."""
    key = (op, tuple(map(id, args)), type(value), value, sort)
    found = _KNOWN.get(key)
    if found is None:
        found = Term()
        found.op, found.args, found.value, found.sort, found._digest = op, args, value, sort, b""
        found.free = _free(found)
        found = _KNOWN.setdefault(key, found)
    return found


def _free(term: Term) -> frozenset[Term]:
    if term.op == "var":
        return frozenset((term,))
    free: frozenset[Term] = frozenset().union(*(arg.free for arg in term.args))
    if term.op in ("forall", "exists", "count"):
        variable, low, high, body = term.args
        return (body.free - {variable}) | low.free | high.free
    return free


def constant(value: bool | int) -> Term:
    """A truth value or a number."""
    return made("const", (), value, BOOL if isinstance(value, bool) else INT)


TRUE, FALSE = constant(True), constant(False)
NO_LIMIT = constant(0)
"""What stands for the limits of a quantifier over identifiers, which has none."""

UNLIMITED = made("unlimited", (), None, INT)
"""The upper limit of a variable that is any integer. Only definitions have one: `evaluate` computes no such term."""


def variable(name: str, sort: str, kind: str = "") -> Term:
    """A variable: bound by a quantifier, or an arbitrary value."""
    return made("var", (), Name(name, kind), sort)


def apply(symbol: Symbol, args: Sequence[Term], sort: str) -> Term:
    """A function of a state at these arguments."""
    return made("app", tuple(args), symbol, sort)


def not_(a: Term) -> Term:
    """Negation."""
    if a.op == "const":
        return constant(not a.value)
    return a.args[0] if a.op == "not" else made("not", (a,), None, BOOL)


def _joined(op: str, parts: Iterable[Term], unit: Term) -> Term:
    found: dict[Term, None] = {}
    for part in parts:
        if part is unit:
            continue
        for one in part.args if part.op == op else (part,):
            if one.op == "const" or not_(one) in found:
                return not_(unit)
            found[one] = None
    if not found:
        return unit
    return next(iter(found)) if len(found) == 1 else made(op, tuple(found), None, BOOL)


def and_(*parts: Term) -> Term:
    """Conjunction."""
    return _joined("and", parts, TRUE)


def or_(*parts: Term) -> Term:
    """Disjunction."""
    return _joined("or", parts, FALSE)


def implies(a: Term, b: Term) -> Term:
    """Implication."""
    return or_(not_(a), b)


def ite(condition: Term, a: Term, b: Term) -> Term:
    """`a` where the condition is true, else `b`."""
    if condition is TRUE or a is b:
        return a
    if condition is FALSE:
        return b
    if condition.op == "not":
        return ite(condition.args[0], b, a)
    if a.sort == BOOL and (TRUE in (a, b) or FALSE in (a, b)):
        return and_(implies(condition, a), or_(condition, b))
    sure(a.sort == b.sort, "two terms are of different sorts")
    return made("ite", (condition, a, b), None, a.sort)


def eq(a: Term, b: Term) -> Term:
    """Equality of two values of one sort."""
    sure(a.sort == b.sort, "two terms are of different sorts")
    if a is b:
        return TRUE
    if a.op == b.op == "const":
        return constant(a.value == b.value)
    if a.sort == BOOL and "const" in (a.op, b.op):
        known, other = (a, b) if a.op == "const" else (b, a)
        return other if known.value else not_(other)
    return made("eq", (a, b), None, BOOL)


def le(a: Term, b: Term) -> Term:
    """At most."""
    if a is b:
        return TRUE
    if a.op == b.op == "const":
        return constant(a.value <= b.value)
    return made("le", (a, b), None, BOOL)


def lt(a: Term, b: Term) -> Term:
    """Less."""
    return not_(le(b, a))


def add(a: Term, b: Term) -> Term:
    """A sum, with one constant at its end."""
    if a.op == b.op == "const":
        return constant(a.value + b.value)
    if a.op == "const":
        a, b = b, a
    if b.op == "const":
        if b.value == 0:
            return a
        if a.op == "add" and a.args[1].op == "const":
            return add(a.args[0], constant(a.args[1].value + b.value))
    return made("add", (a, b), None, INT)


def scale(factor: int, a: Term) -> Term:
    """A product with a known number."""
    if a.op == "const":
        return constant(factor * a.value)
    if factor in (0, 1):
        return constant(0) if factor == 0 else a
    return made("scale", (a,), factor, INT)


def sub(a: Term, b: Term) -> Term:
    """A difference."""
    return constant(0) if a is b else add(a, scale(-1, b))


@dataclass(frozen=True)
class Bound:
    """A variable that is bound. An integer lies from `low` to below `high`; identifiers have no limits."""

    variable: Term
    low: Term = NO_LIMIT
    high: Term = NO_LIMIT

    @property
    def inside(self) -> Term:
        """That the variable lies between its limits."""
        if self.variable.sort != INT or self.high is UNLIMITED:
            return TRUE
        return and_(le(self.low, self.variable), lt(self.variable, self.high))


def _quantified(op: str, bounds: Sequence[Bound], body: Term) -> Term:
    for bound in reversed(bounds):
        if bound.variable.sort != INT and bound.variable not in body.free:
            continue  # there is an identifier of every kind
        body = made(op, (bound.variable, bound.low, bound.high, body), None, BOOL)
    return body


def forall(bounds: Sequence[Bound], body: Term) -> Term:
    """Of all values; later limits may speak of earlier variables."""
    return TRUE if body is TRUE else _quantified("forall", bounds, body)


def exists(bounds: Sequence[Bound], body: Term) -> Term:
    """Of some value; later limits may speak of earlier variables."""
    return FALSE if body is FALSE else _quantified("exists", bounds, body)


def bound_of(term: Term) -> Bound:
    """What a quantifier or count binds."""
    return Bound(*term.args[:3])


def count(bound: Bound, condition: Term) -> Term:
    """How many values satisfy a condition."""
    return made("count", (bound.variable, bound.low, bound.high, condition), None, INT)


@dataclass(frozen=True)
class Candidates:
    """Numbers of which one is chosen: for all values of `bounds` for which `condition` is true."""

    bounds: tuple[Bound, ...]
    condition: Term
    number: Term

    @property
    def some(self) -> Term:
        """That there is one."""
        return exists(self.bounds, self.condition)


def extreme(greatest: bool, candidates: Sequence[Candidates], default: Term) -> Term:
    """The greatest or least of some numbers; the default where there is none.

    The candidates are kept as one operand each, which binds its variables.
    """
    return made("extreme", (*map(_packed, candidates), default), greatest, INT)


def _packed(one: Candidates) -> Term:
    body = made("pair", (one.condition, one.number), None, BOOL)
    for bound in reversed(one.bounds):
        body = made("exists", (bound.variable, bound.low, bound.high, body), "candidates", BOOL)
    return body


def candidates_of(term: Term) -> list[Candidates]:
    """The candidates of an extreme."""
    found = []
    for one in term.args[:-1]:
        bounds = []
        while one.op != "pair":
            bounds.append(bound_of(one))
            one = one.args[3]
        found.append(Candidates(tuple(bounds), *one.args))
    return found


BINDING = ("forall", "exists", "count")
SIMPLE: dict[str, Callable[..., Term]] = {
    "and": and_,
    "or": or_,
    "not": not_,
    "ite": ite,
    "eq": eq,
    "le": le,
    "add": add,
}


def rebuilt(term: Term, args: Sequence[Term]) -> Term:
    """The same operation on other operands."""
    if all(a is b for a, b in zip(term.args, args, strict=True)):
        return term
    if term.op in SIMPLE:
        return SIMPLE[term.op](*args)
    if term.op == "scale":
        return scale(term.value, args[0])
    if term.op in ("forall", "exists") and term.value is None:
        return (forall if term.op == "forall" else exists)([Bound(*args[:3])], args[3])
    return made(term.op, tuple(args), term.value, term.sort)


def substitute(term: Term, values: Mapping[Term, Term], known: dict[Term, Term] | None = None) -> Term:
    """The term with other terms in the place of free variables.

    No variable of those may be bound where it comes to stand: that is an error of the semantics, and is asserted.
    """
    if known is None:
        known = {}
    if term in values:
        return values[term]
    if term.free.isdisjoint(values):
        return term
    found = known.get(term)
    if found is None:
        if term.op in BINDING:
            bound = term.args[0]
            sure(bound not in values, "a variable is bound twice")
            inside = [value for name, value in values.items() if name in term.args[3].free]
            sure(not any(bound in value.free for value in inside), "a variable is captured")
        found = known[term] = rebuilt(term, [substitute(arg, values, known) for arg in term.args])
    return found


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """All terms within these, each once, also those under quantifiers."""
    seen: set[Term] = set()
    todo = list(terms)
    while todo:
        term = todo.pop()
        if term not in seen:
            seen.add(term)
            yield term
            todo += term.args


def kind_of(term: Term) -> str:
    """What an integer counts: the names of the bounds that limit it."""
    found, todo, seen = set[str](), [term], set[Term]()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in ("var", "app"):
            found |= set(filter(None, one.value.kind.split("+")))
        elif one.op == "ite":
            todo += one.args[1:]
        elif one.op == "extreme":
            todo += [c.number for c in candidates_of(one)]
        else:
            todo += one.args
    return "+".join(sorted(found))


def text(term: Term) -> str:
    """A term as people read it."""
    args = [text(arg) for arg in term.args]
    if term.op == "const":
        return str(term.value).lower()
    if term.op == "var":
        return str(term.value.name)
    if term.op == "app":
        return f"{term.value.name}({', '.join(args)})" if args else str(term.value.name)
    if term.op in BINDING:
        limits = f" in {args[1]}..{args[2]}" if term.args[0].sort == INT else ""
        return f"({term.op} {args[0]}{limits}: {args[3]})"
    signs = {"and": " and ", "or": " or ", "eq": " == ", "le": " <= ", "add": " + ", "pair": " : "}
    if term.op in signs:
        return f"({signs[term.op].join(args)})"
    return f"{term.op}{'' if term.value is None else f' {term.value}'}({', '.join(args)})"


# -- applied ----------------------------------------------------------------------------------------------------------
# Which functions terms speak of: asked of the same terms for every question of a proof, so what is known is kept.

_APPLIED: dict[Term, frozenset[str]] = {}


def applied(terms: Iterable[Term]) -> frozenset[str]:
    """The names of the functions in these terms, also of those under quantifiers."""
    return frozenset().union(*map(_applied, terms))


def _applied(term: Term) -> frozenset[str]:
    found = _APPLIED.get(term)
    if found is None:
        found = applied(term.args)
        if term.op == "app":
            found |= {term.value.name}
        _APPLIED[term] = found
    return found


# -- canonical --------------------------------------------------------------------------------------------------------
# One name for one thing: terms that say the same but for the names of their variables become the same term.
#
# A minimum that a guard speaks of, and the same minimum in a lemma, are then values of one function.

PLACE = "place "
"""How variables are called in the place of what a term depends on."""


def replaced(term: Term, by: Mapping[Term, Term]) -> Term:
    """The term with others in the place of some, wherever they stand."""
    if term in by or not term.args:
        return by.get(term, term)
    return rebuilt(term, [replaced(arg, by) for arg in term.args])


def canonical(term: Term) -> tuple[Term, list[Term], list[Term]]:
    """A term with names of its own for all variables; which are free in it, and what they stand for."""
    plain = renamed(term)
    here = _in_order(plain)
    places = [variable(f"{PLACE}{n}", one.sort, one.value.kind) for n, one in enumerate(here)]
    return substitute(plain, dict(zip(here, places, strict=True))), places, here


def renamed(term: Term) -> Term:
    """The term with names of its own for bound variables; what is free in it stays as it is."""
    return _renamed(term, {})


def _renamed(term: Term, known: dict[Term, Term]) -> Term:
    """The term with bound variables that are called by how many others are bound in what they range over."""
    found = known.get(term)
    if found is None:
        found = rebuilt(term, [_renamed(arg, known) for arg in term.args]) if term.args else term
        if term.op in BINDING:
            bound, low, high, body = found.args
            name = variable(f"bound {_depth(body)}", bound.sort, bound.value.kind)
            found = rebuilt(found, [name, low, high, substitute(body, {bound: name})])
        known[term] = found
    return found


@cache
def _depth(term: Term) -> int:
    """How many variables are bound within each other in a term."""
    return max(map(_depth, term.args), default=0) + (term.op in BINDING)


def _in_order(term: Term) -> list[Term]:
    """The free variables, always in the same order."""
    return [one for one in subterms([term]) if one in term.free]


# -- definition -------------------------------------------------------------------------------------------------------
# Definitions: what is so of a function at all arguments, of use where the function comes up.


def anything(variable: Term) -> Bound:
    """A variable that is bound, for any value whatever."""
    return Bound(variable, NO_LIMIT, UNLIMITED if variable.sort == INT else NO_LIMIT)


def definition(bounds: Sequence[Bound], head: Term, body: Term) -> Term:
    """That `body` holds for all values of variables; `head` is the function at these.

    Without variables a quantifier at the top of the body is marked as one that stands within something else.
    """
    if not bounds:
        return made("forall", body.args, "inner", BOOL) if body.op == "forall" and body.value is None else body
    body = made("pair", (head, body), None, BOOL)
    for bound in reversed(bounds):
        body = made("forall", (bound.variable, bound.low, bound.high, body), "definition", BOOL)
    return body
