"""TLA+ expressions as immutable trees, of which there is one object each, and what is simplified when they are made.

A term is what a TLA+ person would write: records, functions, sequences and sets, no encodings. What reads a part of a
value that was just changed reads the new part, so that a step reads like its result and not like its history.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class Term:
    """An operation with its operands. `value` is a literal's value, a name, the labels of a record, and the like.

    `free` are the bound variables that are not bound in it; `names` the names of the module that it uses.
    """

    __slots__ = ("args", "free", "names", "op", "size", "value")
    op: str
    args: tuple[Term, ...]
    value: Any
    free: frozenset[Term]
    names: frozenset[str]
    size: int

    def __repr__(self) -> str:
        return f"{self.op}({', '.join([repr(self.value), *map(repr, self.args)])})"


@dataclass(frozen=True)
class Binding:
    """A variable that a quantifier, a set, a function or a parameter list binds: what it is called, and its number."""

    hint: str
    number: int


BINDERS = {"forall", "exists", "filter", "map", "fun", "let", "lambda", "select"}
"""Operations whose first operand is the variable that they bind, and the second what it ranges over or stands for."""
_KNOWN: dict[tuple[Any, ...], Term] = {}
_numbers = itertools.count()


def made(op: str, args: tuple[Term, ...] = (), value: Any = None) -> Term:
    """The term of this kind, the only one."""
    key = (op, tuple(map(id, args)), type(value), value)
    found = _KNOWN.get(key)
    if found is None:
        found = Term()
        found.op, found.args, found.value = op, args, value
        found.size = 1 + sum(arg.size for arg in args)
        names = frozenset[str]().union(*(arg.names for arg in args))
        found.names = names | {value} if op in ("name", "call") else names
        if op == "bound":
            found.free = frozenset((found,))
        else:
            found.free = frozenset[Term]().union(*(arg.free for arg in args))
            if op in BINDERS:
                variable, domain, body = args
                found.free = (body.free - {variable}) | domain.free
        found = _KNOWN.setdefault(key, found)
    return found


def forget() -> None:
    """Forget all terms: those of one module are no use to the next."""
    _KNOWN.clear()
    for term in (TRUE, FALSE):
        _KNOWN[("bool", (), bool, term.value)] = term


# -- atoms ------------------------------------------------------------------------------------------------------------

TRUE, FALSE = made("bool", (), True), made("bool", (), False)
NONE_NAME = "None"


def boolean(value: bool) -> Term:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def integer(value: int) -> Term:
    """A number."""
    return made("int", (), value)


def text(value: str) -> Term:
    """A string."""
    return made("str", (), value)


def name(value: str) -> Term:
    """A constant, a variable or an operator without parameters."""
    return made("name", (), value)


def bound(hint: str) -> Term:
    """A new variable for something to bind."""
    return made("bound", (), Binding(hint, next(_numbers)))


def call(operator: str, *arguments: Term) -> Term:
    """An operator with its arguments."""
    return made("call", arguments, operator) if arguments else name(operator)


def prime(term: Term) -> Term:
    """The value in the next state."""
    return made("prime", (term,))


def is_constant(term: Term) -> bool:
    """Whether a term is a value that is different from every other such term of its kind."""
    return term.op in ("int", "str", "bool")


# -- logic ------------------------------------------------------------------------------------------------------------


def not_(a: Term) -> Term:
    """Negation."""
    if a.op == "bool":
        return boolean(not a.value)
    if a.op == "not":
        return a.args[0]
    opposite = {"eq": "ne", "ne": "eq", "in": "notin", "notin": "in", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
    return made(opposite[a.op], a.args) if a.op in opposite else made("not", (a,))


def _joined(op: str, parts: Iterable[Term], unit: Term) -> Term:
    found: dict[Term, None] = {}
    for part in parts:
        for one in part.args if part.op == op else (part,):
            if one is unit or one in found:
                continue
            if one is not_(unit):
                return made(op, (*found, one)) if found else one
            found[one] = None
    if not found:
        return unit
    return next(iter(found)) if len(found) == 1 else made(op, tuple(found))


def and_(*parts: Term) -> Term:
    """Conjunction, from left to right: TLC evaluates no part after one that is false."""
    found = _joined("and", parts, TRUE)
    return FALSE if found.op == "and" and found.args[-1] is FALSE else found


def or_(*parts: Term) -> Term:
    """Disjunction, likewise."""
    found = _joined("or", parts, FALSE)
    return TRUE if found.op == "or" and found.args[-1] is TRUE else found


def implies(a: Term, b: Term) -> Term:
    """Implication."""
    if a is TRUE or b is TRUE:
        return b
    if a is FALSE:
        return TRUE
    return not_(a) if b is FALSE else made("implies", (a, b))


def ite(condition: Term, a: Term, b: Term) -> Term:
    """`a` where the condition is true, else `b`."""
    if condition is TRUE or a is b:
        return a
    if condition is FALSE:
        return b
    if condition.op == "not" or condition.op in ("ne", "notin"):
        return ite(not_(condition), b, a)
    if a.op == "bool":
        return or_(condition, b) if a.value else and_(not_(condition), b)
    if b.op == "bool":
        return implies(condition, a) if b.value else and_(condition, a)
    if b.op == "ite" and b.args[0] is condition:
        b = b.args[2]
    if a.op == "ite" and a.args[0] is condition:
        a = a.args[1]
    return a if a is b else made("ite", (condition, a, b))


def eq(a: Term, b: Term) -> Term:
    """Equality."""
    if a is b:
        return TRUE
    if a.op == b.op and is_constant(a):
        return FALSE
    if a.op == "bool":
        a, b = b, a
    if b.op == "bool":
        return a if b.value else not_(a)
    return made("eq", (a, b))


def compare(op: str, a: Term, b: Term) -> Term:
    """`lt` or `le` of numbers."""
    if a.op == b.op == "int":
        return boolean(a.value < b.value if op == "lt" else a.value <= b.value)
    if a is b:
        return boolean(op == "le")
    return made(op, (a, b))


# -- numbers ----------------------------------------------------------------------------------------------------------


def add(a: Term, b: Term) -> Term:
    """A sum, with at most one literal, at its end."""
    if a.op == b.op == "int":
        return integer(a.value + b.value)
    if a.op == "int":
        a, b = b, a
    if b.op == "int":
        if a.op == "add" and a.args[1].op == "int":
            return add(a.args[0], integer(a.args[1].value + b.value))
        return a if b.value == 0 else made("add", (a, b))
    if a.op == "add" and a.args[1].op == "int":
        return add(add(a.args[0], b), a.args[1])
    return made("add", (a, b))


def sub(a: Term, b: Term) -> Term:
    """A difference."""
    if b.op == "int":
        return add(a, integer(-b.value))
    if a is b:
        return integer(0)
    return made("sub", (a, b))


def arithmetic(op: str, a: Term, b: Term) -> Term:
    """`mul`, `div` or `mod`."""
    if a.op == b.op == "int" and (op == "mul" or b.value > 0):
        return integer(a.value * b.value if op == "mul" else a.value // b.value if op == "div" else a.value % b.value)
    if op == "mul":
        if a.op == "int":
            a, b = b, a
        if b.op == "int" and b.value in (0, 1):
            return a if b.value else integer(0)
    return made(op, (a, b))


# -- sets and quantifiers ---------------------------------------------------------------------------------------------

EMPTY = made("set")


def set_of(items: Iterable[Term]) -> Term:
    """A set of these."""
    return made("set", tuple(dict.fromkeys(items)))


def interval(low: Term, high: Term) -> Term:
    """`low..high`."""
    return made("range", (low, high))


def member(item: Term, of: Term) -> Term:
    """Membership."""
    if of.op == "set":
        if not of.args:
            return FALSE
        if len(of.args) == 1:
            return eq(item, of.args[0])
        if item in of.args:
            return TRUE
    return made("in", (item, of))


def union(a: Term, b: Term) -> Term:
    """The union of two sets."""
    if a is EMPTY:
        return b
    if a.op == b.op == "set":
        return set_of((*a.args, *b.args))
    return a if b is EMPTY or a is b else made("union", (a, b))


def intersection(a: Term, b: Term) -> Term:
    """The intersection of two sets."""
    return EMPTY if EMPTY in (a, b) else a if a is b else made("intersection", (a, b))


def difference(a: Term, b: Term) -> Term:
    """A set without another."""
    return EMPTY if a is EMPTY or a is b else a if b is EMPTY else made("difference", (a, b))


def subset(a: Term, b: Term) -> Term:
    """Inclusion."""
    return TRUE if a is EMPTY or a is b else made("subset", (a, b))


def quantified(op: str, variable: Term, domain: Term, body: Term) -> Term:
    """`forall` or `exists`."""
    if body is (TRUE if op == "forall" else FALSE) or domain is EMPTY:
        return boolean(op == "forall")
    if op == "exists" and body.op == "and" and (outside := [p for p in body.args if variable not in p.free]):
        first = list(itertools.takewhile(lambda part: variable not in part.free, body.args))
        if first and len(first) < len(body.args) and len(first) == len(outside):
            return and_(*first, quantified(op, variable, domain, and_(*body.args[len(first) :])))
    return made(op, (variable, domain, body))


def filtered(variable: Term, domain: Term, condition: Term) -> Term:
    """The elements of a set for which a condition is true."""
    if condition is TRUE:
        return domain
    return EMPTY if condition is FALSE else made("filter", (variable, domain, condition))


def mapped(variable: Term, domain: Term, element: Term) -> Term:
    """The set of what becomes of the elements of a set."""
    if element is variable:
        return domain
    return EMPTY if domain is EMPTY else made("map", (variable, domain, element))


def union_of(sets: Term) -> Term:
    """The union of a set of sets."""
    return made("unionof", (sets,))


def function(variable: Term, domain: Term, body: Term) -> Term:
    """`[x \\in S |-> body]`."""
    return made("fun", (variable, domain, body))


def let(variable: Term, value: Term, body: Term) -> Term:
    """`LET x == value IN body`, where the body uses the variable."""
    if variable not in body.free:
        return body
    return substitute(body, {variable: value}) if value.size <= 1 else made("let", (variable, value, body))


# -- records, functions, sequences ------------------------------------------------------------------------------------

Step = tuple[str, Any]
"""A step of a path: `(".", "field")`, or `("[]", key)` with the key a term."""


def record(fields: Mapping[str, Term]) -> Term:
    """`[a |-> 1, b |-> 2]`."""
    return made("record", tuple(fields.values()), tuple(fields))


def sequence(items: Sequence[Term]) -> Term:
    """`<<a, b>>`."""
    return made("seq", tuple(items))


def length(of: Term) -> Term:
    """The length of a sequence."""
    if of.op == "seq":
        return integer(len(of.args))
    if of.op == "call" and of.value == "Append":
        return add(length(of.args[0]), integer(1))
    if of.op == "call" and of.value == "SubSeq" and of.args[1] is integer(1):
        return of.args[2]  # of what is cut within its length, which the language checks
    if of.op == "ite":
        return ite(of.args[0], length(of.args[1]), length(of.args[2]))
    if of.op == "concat":
        return add(length(of.args[0]), length(of.args[1]))
    return call("Len", of)


def append(to: Term, item: Term) -> Term:
    """A sequence with one more entry."""
    if to.op == "seq":
        return sequence((*to.args, item))
    return call("Append", to, item)


def prefix(of: Term, many: Term) -> Term:
    """The first entries of a sequence."""
    return sequence(()) if many is integer(0) else call("SubSeq", of, integer(1), many)


def cut_out(of: Term, first: Term, last: Term) -> Term:
    """The entries of a sequence from one place to another, both in it unless there are none between them."""
    if of.op == "seq" and first.op == last.op == "int":
        return sequence(of.args[first.value - 1 : max(last.value, 0)])
    return call("SubSeq", of, first, last)


def concat(a: Term, b: Term) -> Term:
    """One sequence after another."""
    if a.op == b.op == "seq":
        return sequence((*a.args, *b.args))
    if b.op == "seq" and len(b.args) == 1:
        return append(a, b.args[0])
    nothing = sequence(())
    return b if a is nothing else a if b is nothing else made("concat", (a, b))


def read(of: Term, path: Sequence[Step]) -> Term:
    """A part of a value."""
    chain = list(path)
    while of.op in ("field", "index"):
        chain.insert(0, (".", of.value) if of.op == "field" else ("[]", of.args[1]))
        of = of.args[0]
    return _read(of, tuple(chain))


def _read(of: Term, path: tuple[Step, ...]) -> Term:
    if not path:
        return of
    (kind, what), rest = path[0], path[1:]
    if of.op == "record" and kind == ".":
        return read(of.args[of.value.index(what)], rest)
    if of.op == "fun" and kind == "[]":
        variable, _, body = of.args
        return read(substitute(body, {variable: what}), rest)
    if of.op == "seq" and kind == "[]" and what.op == "int" and 1 <= what.value <= len(of.args):
        return read(of.args[what.value - 1], rest)
    if of.op == "ite":
        return ite(of.args[0], read(of.args[1], path), read(of.args[2], path))
    if of.op == "let":
        return let(of.args[0], of.args[1], read(of.args[2], path))
    if of.op == "except" and (found := _of_except(of, path)) is not None:
        return found
    return _raw(of, path)


def _raw(of: Term, path: Sequence[Step]) -> Term:
    for kind, what in path:
        of = made("field", (of,), what) if kind == "." else made("index", (of, what))
    return of


def paths_of(of: Term) -> Iterator[tuple[tuple[Step, ...], Term]]:
    """The places that an EXCEPT changes, each with its new value."""
    at = 1
    for shape in of.value:
        path: list[Step] = []
        for kind in shape:
            if kind is None:
                path.append(("[]", of.args[at]))
                at += 1
            else:
                path.append((".", kind))
        yield tuple(path), of.args[at]
        at += 1


def _except(base: Term, updates: Sequence[tuple[tuple[Step, ...], Term]]) -> Term:
    if not updates:
        return base
    args, shapes = [base], []
    for path, value in updates:
        shapes.append(tuple(None if kind == "[]" else what for kind, what in path))
        args += [what for kind, what in path if kind == "[]"]
        args.append(value)
    return made("except", tuple(args), tuple(shapes))


def relation(a: Sequence[Step], b: Sequence[Step]) -> str:
    """How two paths lie to each other: `apart`, `perhaps`, or by their common part `same`."""
    certain = True
    for (kind, one), (_, other) in zip(a, b, strict=False):
        if kind == ".":
            if one != other:
                return "apart"
        elif one is not other:
            if is_constant(one) and is_constant(other):
                return "apart"
            certain = False
    return "same" if certain else "perhaps"


def _of_except(of: Term, path: tuple[Step, ...]) -> Term | None:
    """A part of a value that an EXCEPT changed in places; None if it cannot be told which part it is."""
    later: list[tuple[tuple[Step, ...], Term]] = []
    for place, value in reversed(list(paths_of(of))):
        related = relation(place, path)
        if related == "apart":
            continue
        if related == "perhaps":
            return None
        if len(place) <= len(path):
            return updated_all(read(value, path[len(place) :]), reversed(later))
        later.append((place[len(path) :], value))
    return updated_all(read(of.args[0], path), reversed(later))


def updated_all(of: Term, updates: Iterable[tuple[Sequence[Step], Term]]) -> Term:
    """A value with several parts changed, one after the other."""
    for path, value in updates:
        of = updated(of, path, value)
    return of


def updated(of: Term, path: Sequence[Step], value: Term) -> Term:
    """A value with one part changed."""
    if not path:
        return value
    if of.op == "record" and path[0][0] == ".":
        fields = dict(zip(of.value, of.args, strict=True))
        fields[path[0][1]] = updated(fields[path[0][1]], path[1:], value)
        return record(fields)
    if read(of, path) is value:
        return of
    base, updates = (of.args[0], list(paths_of(of))) if of.op == "except" else (of, [])
    place = tuple(path)
    kept = [(p, v) for p, v in updates if not (len(p) >= len(place) and relation(p, place) == "same")]
    for number in range(len(kept) - 1, -1, -1):  # inside a part that was replaced as a whole
        one, whole = kept[number]
        related = relation(one, place)
        if related == "same" and len(one) < len(place):
            kept[number] = (one, updated(whole, place[len(one) :], value))
            return _except(base, kept)
        if related == "perhaps":
            break
    return _except(base, [*kept, (place, value)])


# -- substitution -----------------------------------------------------------------------------------------------------


def substitute(term: Term, by: Mapping[Term, Term]) -> Term:
    """The term with other terms in the place of variables. What they have free is captured by nothing: binders are new
    variables each, and a term that is put in two places binds its own."""
    wanted = frozenset(by)
    kept: dict[Term, Term] = {}

    def one(at: Term) -> Term:
        if not (at.free & wanted):
            return at
        if at in by:
            return by[at]
        if at not in kept:
            kept[at] = remade(at, tuple(map(one, at.args)))
        return kept[at]

    return one(term)


def replaced(term: Term, by: Callable[[Term], Term | None]) -> Term:
    """The term with some subterms replaced; `by` gives None for what stays."""
    kept: dict[Term, Term] = {}

    def one(at: Term) -> Term:
        if at not in kept:
            found = by(at)
            kept[at] = remade(at, tuple(map(one, at.args))) if found is None else found
        return kept[at]

    return one(term)


def remade(like: Term, args: tuple[Term, ...]) -> Term:
    """A term like another with other operands, simplified anew."""
    if all(a is b for a, b in zip(args, like.args, strict=True)):
        return like
    simple: dict[str, Callable[..., Term]] = {
        "not": not_,
        "and": and_,
        "or": or_,
        "implies": implies,
        "ite": ite,
        "eq": eq,
        "add": add,
        "sub": sub,
        "in": member,
        "union": union,
        "intersection": intersection,
        "difference": difference,
        "subset": subset,
        "fun": function,
        "map": mapped,
        "filter": filtered,
        "let": let,
        "set": lambda *a: set_of(a),
        "ne": lambda a, b: not_(eq(a, b)),
        "notin": lambda a, b: not_(member(a, b)),
        "lt": lambda a, b: compare("lt", a, b),
        "le": lambda a, b: compare("le", a, b),
        "gt": lambda a, b: compare("lt", b, a),
        "ge": lambda a, b: compare("le", b, a),
    }
    if like.op in simple:
        return simple[like.op](*args)
    if like.op in ("forall", "exists"):
        return quantified(like.op, *args)
    if like.op in ("mul", "div", "mod"):
        return arithmetic(like.op, *args)
    if like.op == "field":
        return read(args[0], ((".", like.value),))
    if like.op == "index":
        return read(args[0], (("[]", args[1]),))
    if like.op == "call" and like.value == "Len":
        return length(*args)
    if like.op == "call" and like.value == "Append":
        return append(*args)
    if like.op == "concat":
        return concat(*args)
    if like.op == "except":
        base, *_ = args
        made_anew = made("except", args, like.value)
        return updated_all(base, list(paths_of(made_anew)))
    return made(like.op, args, like.value)
