"""TLA+ text: terms as a TLA+ person would lay them out, with names for what occurs several times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import terms
from .kinds import Names
from .terms import Term

WIDTH = 110
"""How long a line may be before it is broken, where it can be."""

# -- names for what occurs several times ------------------------------------------------------------------------------

LEAST, LEAST_NAMED = 16, 4
"""How large a part must be to get a name of its own where it occurs again, and where the specification names it."""
OF_A_SCOPE = ("forall", "exists", "filter", "map", "fun")


def shared(term: Term, hints: Mapping[Term, str]) -> Term:
    """A term in which parts that occur several times are defined once, by a LET around all of their places."""
    uses: dict[Term, int] = {term: 1}
    pending = [term]
    while pending:
        at = pending.pop()
        for part in at.args:
            if part not in uses:
                pending.append(part)
            uses[part] = uses.get(part, 0) + 1
    inside = _nesting(term)
    wanted = [one for one, many in uses.items() if many > 1 and _has_a_name(one, hints)]
    scopes: dict[Term | None, list[Term]] = {}
    for one in wanted:
        bound_here = [variable for variable in one.free if variable in inside]
        scopes.setdefault(max(bound_here, key=lambda v: inside[v], default=None), []).append(one)
    return _Sharing(scopes, hints).whole(term)


def _has_a_name(term: Term, hints: Mapping[Term, str]) -> bool:
    if term.op in ("bool", "int", "str", "name", "bound", "seq", "set", "at", "select", "let", "records", "maps"):
        return False
    return term.size >= (LEAST_NAMED if term in hints else LEAST)


def _nesting(term: Term) -> dict[Term, int]:
    """How many binders are around each variable's own."""
    found: dict[Term, int] = {}
    seen: dict[Term, int] = {}
    pending = [(term, 0)]
    while pending:
        at, around = pending.pop()
        if seen.get(at, -1) >= around:
            continue
        seen[at] = around
        if at.op in terms.BINDERS:
            found[at.args[0]] = max(found.get(at.args[0], 0), around + 1)
            pending += [(at.args[1], around), (at.args[2], around + 1)]
        else:
            pending += [(part, around) for part in at.args]
    return found


class _Sharing:
    def __init__(self, scopes: Mapping[Term | None, list[Term]], hints: Mapping[Term, str]) -> None:
        self.scopes = scopes
        self.names = {one: terms.bound(hints.get(one, "it")) for found in scopes.values() for one in found}
        self.kept: dict[Term, Term] = {}

    def whole(self, term: Term) -> Term:
        return self._defining(None, term)

    def _defining(self, scope: Term | None, body: Term) -> Term:
        found = self._with(body)
        for one in sorted(self.scopes.get(scope, ()), key=lambda part: part.size, reverse=True):
            found = terms.made("let", (self.names[one], self._inside(one), found))
        return found

    def _with(self, term: Term) -> Term:
        return self.names[term] if term in self.names else self._inside(term)

    def _inside(self, term: Term) -> Term:
        if term not in self.kept:
            if term.op in terms.BINDERS:
                variable, domain, body = term.args
                args: tuple[Term, ...] = (variable, self._with(domain), self._defining(variable, body))
            else:
                args = tuple(map(self._with, term.args))
            self.kept[term] = terms.made(term.op, args, term.value)
        return self.kept[term]


# -- text -------------------------------------------------------------------------------------------------------------

LOWEST, IMPLIES, JOINED, NOT, COMPARED, SETS, RANGE, SUM, PRODUCT, PREFIX, ATOM = range(11)
OPERATORS = {
    "implies": ("=>", IMPLIES),
    "and": ("/\\", JOINED),
    "or": ("\\/", JOINED),
    "eq": ("=", COMPARED),
    "ne": ("#", COMPARED),
    "lt": ("<", COMPARED),
    "le": ("<=", COMPARED),
    "gt": (">", COMPARED),
    "ge": (">=", COMPARED),
    "in": ("\\in", COMPARED),
    "notin": ("\\notin", COMPARED),
    "subset": ("\\subseteq", COMPARED),
    "union": ("\\cup", SETS),
    "intersection": ("\\cap", SETS),
    "difference": ("\\", SETS),
    "range": ("..", RANGE),
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "div": ("\\div", PRODUCT),
    "mod": ("%", SUM),
    "concat": ("\\o", PRODUCT),
}
QUANTIFIERS = {"forall": "\\A", "exists": "\\E"}
AT = terms.made("at")


class Printer:
    """Writes terms. Bound variables get names that nothing around them has."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._scope: dict[Term, str] = {}

    def named(self, variables: Iterable[Term]) -> list[str]:
        """Names for the parameters of a definition, whose body is written next."""
        self._scope = {}
        return [self._bind(variable) for variable in variables]

    def _bind(self, variable: Term) -> str:
        taken = set(self._scope.values())
        wanted: str = variable.value.hint
        found, number = wanted, 1
        while found in taken or found in self._names:
            number += 1
            found = f"{wanted}{number}" if wanted[-1:].isalpha() else f"{wanted}_{number}"
        self._scope[variable] = found
        return found

    # -- in one line ----------------------------------------------------------------------------------------------

    def line(self, term: Term, level: int = LOWEST) -> str:
        """A term in one line, in brackets if it binds less than `level`."""
        text, own = self._line(term)
        return f"({text})" if own < level else text

    def _line(self, term: Term) -> tuple[str, int]:
        op, args, value = term.op, term.args, term.value
        if op in ATOMS:
            return ATOMS[op](value), ATOM if op != "int" or value >= 0 else SUM
        if op == "bound":
            return self._scope[term], ATOM
        if op == "prime":
            return f"{self.line(args[0], ATOM)}'", ATOM
        if op == "add" and args[1].op == "int" and args[1].value < 0:
            return f"{self.line(args[0], SUM if args[0].op == 'add' else PRODUCT)} - {-args[1].value}", SUM
        if op in OPERATORS:
            return self._operator(term)
        if op == "not":
            return f"~{self.line(args[0], ATOM)}", NOT
        if op == "field":
            return f"{self.line(args[0], ATOM)}.{value}", ATOM
        if op == "index":
            return f"{self.line(args[0], ATOM)}[{self.line(args[1])}]", ATOM
        if op == "domain":
            return f"DOMAIN {self.line(args[0], ATOM)}", PREFIX
        if op == "call" and value in ("SUBSET", "UNCHANGED"):
            return f"{value} {self.line(args[0], ATOM)}", PREFIX
        if op == "unionof":
            return f"UNION {self.line(args[0], ATOM)}", PREFIX
        if op == "table":
            pairs = zip(args[::2], args[1::2], strict=True)
            return f"({' @@ '.join(f'{self.line(key, ATOM)} :> {self.line(one, ATOM)}' for key, one in pairs)})", ATOM
        if op == "box":
            return f"[][{self.line(args[0])}]_{value}", ATOM
        if op in ("leads_to", "once"):
            a, b = (self.line(arg, NOT) for arg in args)
            return (f"{a} ~> {b}" if op == "leads_to" else f"{a} => <>{self.line(args[1], ATOM)}"), IMPLIES
        if op == "fair":
            return self._fair(term)
        if op == "ite":
            condition, a, b = map(self.line, args)
            return f"IF {condition} THEN {a} ELSE {b}", LOWEST
        if op in terms.BINDERS:
            return self._binder(term)
        listed = ", ".join(map(self.line, args))
        if op == "call":
            return f"{value}({listed})", ATOM
        if op == "set":
            return f"{{{listed}}}", ATOM
        if op == "seq":
            return f"<<{listed}>>", ATOM
        if op == "maps":
            return f"[{self.line(args[0])} -> {self.line(args[1])}]", ATOM
        if op in ("record", "records"):
            sign = "|->" if op == "record" else ":"
            fields = (f"{name} {sign} {self.line(arg)}" for name, arg in zip(value, args, strict=True))
            return f"[{', '.join(fields)}]", ATOM
        if op == "except":
            changes = ", ".join(f"{place} = {self.line(new)}" for place, new in self._changes(term))
            return f"[{self.line(args[0])} EXCEPT {changes}]", ATOM
        raise AssertionError(f"no text for {op}")

    def _fair(self, term: Term) -> tuple[str, int]:
        """Fairness. A step that only a bound stops could be taken, too: then nothing is unfair."""
        step = self.line(term.args[0])
        if len(term.args) == 1:
            return f"{term.value}_vars({step})", ATOM
        possible = f"ENABLED <<{step}>>_vars \\/ {self.line(term.args[1], NOT)}"
        never = f"<>[]~({possible})" if term.value == "SF" else f"[]<>~({possible})"
        return f"{never} \\/ []<><<{step}>>_vars", JOINED

    def _operator(self, term: Term) -> tuple[str, int]:
        sign, level = OPERATORS[term.op]
        if term.op in ("and", "or"):
            return f" {sign} ".join(self.line(arg, NOT) for arg in term.args), level
        a, b = term.args
        left = level if term.op == a.op and term.op in ("add", "union", "concat") else level + 1
        space = "" if sign == ".." else " "
        return f"{self.line(a, left)}{space}{sign}{space}{self.line(b, level + 1)}", level

    def _binder(self, term: Term) -> tuple[str, int]:
        variable, domain, body = term.args
        if term.op in QUANTIFIERS:
            variables, body = _same_domain(term)
            outside = dict(self._scope)
            of = self.line(domain)
            named = ", ".join(map(self._bind, variables))
            text = f"{QUANTIFIERS[term.op]} {named} \\in {of} : {self.line(body)}"
            self._scope = outside
            return text, LOWEST
        outside = dict(self._scope)
        of = self.line(domain)
        named = self._bind(variable)
        inside = self.line(body)
        self._scope = outside
        if term.op == "filter":
            return f"{{{named} \\in {of} : {inside}}}", ATOM
        if term.op == "map":
            return f"{{{inside} : {named} \\in {of}}}", ATOM
        if term.op == "fun":
            return f"[{named} \\in {of} |-> {inside}]", ATOM
        if term.op == "select":
            return f"SelectSeq({of}, LAMBDA {named} : {inside})", ATOM
        return f"LET {named} == {of} IN {inside}", LOWEST

    def _changes(self, term: Term) -> list[tuple[str, Term]]:
        """The places of an EXCEPT with their new values, in which `@` is the old one."""
        found: list[tuple[str, Term]] = []
        before: list[Sequence[Any]] = []
        for path, value in terms.paths_of(term):
            place = "!" + "".join(f".{what}" if kind == "." else f"[{self.line(what)}]" for kind, what in path)
            if all(terms.relation(one, path) == "apart" for one in before) and not _has(value, "except"):
                old = terms.read(term.args[0], path)
                value = _with_at(value, old)
            before.append(path)
            found.append((place, value))
        return found

    # -- in several -----------------------------------------------------------------------------------------------

    def block(self, term: Term, width: int = WIDTH) -> list[str]:
        """A term in as many lines as it needs."""
        text = self.line(term)
        if len(text) <= width and not (term.op == "and" and len(term.args) > 2 and len(text) > width // 2):
            return [text]
        op, args = term.op, term.args
        if op in ("and", "or"):
            sign = OPERATORS[op][0]
            return [line for arg in args for line in self._after(f"{sign} ", arg, width)]
        if op == "implies":
            premise = self.block(args[0], width - 4)
            if args[0].op in ("implies", "ite", "let", *QUANTIFIERS) or (
                len(premise) > 1 and args[0].op in ("and", "or", "eq")
            ):
                premise = _around("(", premise, ")")
            goal = self.block(args[1], width - 4)
            if args[1].op == "implies":
                goal = _around("(", goal, ")")
            return [*premise[:-1], f"{premise[-1]} =>", *_indented(goal, 4)]
        if op == "ite":
            parts = zip(("IF ", "THEN ", "ELSE "), args, strict=True)
            return [line for word, arg in parts for line in self._after(word, arg, width)]
        if op in QUANTIFIERS:
            variables, body = _same_domain(term)
            outside = dict(self._scope)
            of = self.line(args[1])
            named = ", ".join(map(self._bind, variables))
            lines = [f"{QUANTIFIERS[op]} {named} \\in {of} :", *_indented(self.block(body, width - 4), 4)]
            self._scope = outside
            return lines
        if op == "let":
            return self._let(term, width)
        if op == "box":
            return _around("[][", self.block(args[0], width - 8), f"]_{term.value}")
        if op == "fun":
            return self._fun(term, width)
        if op == "eq":
            left, right = self.line(args[0], SETS), self.block(args[1], width - 4)
            if args[1].op in ("and", "or", "implies", "eq"):
                right = _around("(", right, ")")
            return [f"{left} =", *_indented(right, 4)]
        if op == "except":
            head = f"[{self.line(args[0])} EXCEPT"
            changes = [self._after(f"{place} = ", new, width - 4) for place, new in self._changes(term)]
            return [head, *_indented(_listed(changes, "]"), 4)]
        if op == "record":
            fields = [self._after(f"{name} |-> ", arg, width - 1) for name, arg in zip(term.value, args, strict=True)]
            lines = _indented(_listed(fields, "]"), 1)
            return [f"[{lines[0][1:]}", *lines[1:]]
        return [text]

    def _after(self, word: str, term: Term, width: int) -> list[str]:
        lines = self.block(term, width - len(word))
        if word.endswith(("= ", "> ")) and term.op in ("and", "or", "implies", "eq") and len(lines) > 1:
            lines = _around("(", lines, ")")
        return [word + lines[0], *_indented(lines[1:], len(word))]

    def _let(self, term: Term, width: int) -> list[str]:
        outside, lines = dict(self._scope), list[str]()
        while term.op == "let":
            variable, value, body = term.args
            definition = self.block(value, width - 8)
            name = self._bind(variable)
            if len(definition) == 1:
                lines.append(f"    {name} == {definition[0]}")
            else:
                lines += [f"    {name} ==", *_indented(definition, 8)]
            term = body
        lines[0] = f"LET {lines[0][4:]}"
        lines += self._after("IN  ", term, width)
        self._scope = outside
        return lines

    def _fun(self, term: Term, width: int) -> list[str]:
        variable, domain, body = term.args
        outside, of = dict(self._scope), self.line(domain)
        head = f"[{self._bind(variable)} \\in {of} |->"
        lines = self.block(body, width - 4)
        if body.op in ("and", "or", "implies"):
            lines = _around("(", lines, ")")
        self._scope = outside
        lines = _indented(lines, 4)
        return [head, *lines[:-1], f"{lines[-1]}]"]


ATOMS: dict[str, Callable[[Any], str]] = {
    "bool": lambda value: "TRUE" if value else "FALSE",
    "int": str,
    "str": lambda value: f'"{value}"',
    "name": str,
    "at": lambda _: "@",
}


def _same_domain(term: Term) -> tuple[list[Term], Term]:
    """The variables of quantifiers in each other over one set, and what they say."""
    variables, domain, op = [], term.args[1], term.op
    while term.op == op and term.args[1] is domain:
        variables.append(term.args[0])
        term = term.args[2]
    return variables, term


def _with_at(value: Term, old: Term) -> Term:
    """A new value with @ for the old one, as EXCEPT has it."""
    return terms.replaced(value, lambda one: AT if one is old else None)


def _has(term: Term, op: str) -> bool:
    seen, pending = {term}, [term]
    while pending:
        at = pending.pop()
        if at.op == op:
            return True
        for part in at.args:
            if part not in seen:
                seen.add(part)
                pending.append(part)
    return False


def _indented(lines: Iterable[str], by: int) -> list[str]:
    return [" " * by + line for line in lines]


def _around(before: str, lines: Sequence[str], after: str) -> list[str]:
    found = [before + lines[0], *_indented(lines[1:], len(before))]
    return [*found[:-1], found[-1] + after]


def _listed(blocks: Sequence[Sequence[str]], end: str) -> list[str]:
    """Blocks with commas between them."""
    lines: list[str] = []
    for number, block in enumerate(blocks):
        last = end if number == len(blocks) - 1 else ","
        lines += [*block[:-1], block[-1] + last]
    return lines
