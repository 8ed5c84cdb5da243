"""Terms as Z3 has them, in one context.

With `tagged` every quantifier is instantiated by hand: it has the pattern of a tag for each of its variables, an
uninterpreted predicate that is asserted of the ground terms which are to be tried. Whatever a tag means, a formula
with it follows from the one without where the tag is true of everything, so what is refuted with tags is refuted.

A specification calls variables, fields, actions and parameters what it likes, and the prover makes names of its own.
To Z3 a constant is its name, and a quantifier binds whatever is called like its variable. So variables have names
that no function has (`VARIABLE`), and each is called by all that tells it from others.

In layers, what is known to exist by a hypothesis is tried in the inner quantifiers only, and not in the outermost
ones of a hypothesis: otherwise each such thing would make more of them, without end.
"""

from __future__ import annotations

from typing import Any, Literal

import z3

from ..parametric.terms import (
    BOOL,
    INT,
    Symbol,
    Term,
    bound_of,
    kind_of,
    sure,
)
from .pools import Tried, as_tried

Style = Literal["plain", "tagged", "layered"]
"""Whether quantifiers have Z3's patterns or tags, and whether these are in layers."""

FIRST = "first "
"""What the tags of the first layer are called."""

TAG = "!tag "
"""How the names of tags begin, and those of no function: a variable may be called tag, and a hint names any kind."""

MARK = "!seen "
"""How a predicate is called that is asserted of terms so that Z3's own patterns find them; it means nothing."""

HYPOTHESIS = "!hypothesis "
"""How the names by which Z3 tells a core begin, and those of no function."""

VARIABLE = "?"
"""How the names of variables begin, and those of no function."""


class Z3Terms:
    """Makes Z3's terms of terms, each once."""

    def __init__(self, context: z3.Context, style: Style) -> None:
        self.context, self.tagged, self.layered = context, style != "plain", style == "layered"
        self._known: dict[Term, Any] = {}
        self._functions: dict[str, Symbol] = {}
        self._sorts: dict[str, Any] = {BOOL: z3.BoolSort(context), INT: z3.IntSort(context)}
        self._kinds: dict[str, dict[str, None]] = {}
        """By sort, the kinds of things that quantifiers so far range over."""

    def __call__(self, term: Term) -> Any:
        """The term for Z3."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._made(term)
        return found

    def hypothesis(self, term: Term) -> Any:
        """The same, of what is given: in layers, its outermost quantifiers have tags of the first layer."""
        if not self.layered or term.op not in ("forall", "and") or term.value is not None:
            return self(term)
        if term.op == "and":
            return z3.And(*map(self.hypothesis, term.args))
        return self._quantified(term, layer=FIRST)

    def as_it_is(self, term: Term) -> list[Tried]:
        """A term as one of its own kind; a number that says no kind as one of each in the quantifiers so far."""
        return [as_tried(term)] if term.op != "const" else [(term, kind) for kind in self._kinds.get(term.sort, ())]

    def tried(self, term: Term, kind: str) -> Any:
        """That something is tried, in every layer."""
        tag = self.tag(term, kind)
        return z3.And(self.tag(term, kind, FIRST), tag) if self.layered else tag

    def seen(self, term: Term) -> Any:
        """That there is such a term."""
        return z3.Function(f"{MARK}{term.sort}", self.sort(term.sort), self.sort(BOOL))(self(term))

    def sort(self, name: str) -> Any:
        """A sort; those of identifiers have nothing in common."""
        if name not in self._sorts:
            self._sorts[name] = z3.DeclareSort(name, self.context)
        return self._sorts[name]

    def tag(self, term: Term, kind: str | None = None, layer: str = "") -> Any:
        """The tag of a term: one for each kind of things, and of a term's own if none is said."""
        if kind is None:
            kind = kind_of(term) if term.sort == INT else term.sort
            self._kinds.setdefault(term.sort, {})[kind] = None
        predicate = z3.Function(f"{TAG}{layer}{kind}", self.sort(term.sort), self.sort(BOOL))
        return predicate(self(term))

    def _made(self, term: Term) -> Any:
        if term.op in ("forall", "exists"):
            return self._quantified(term)
        if term.op == "const":
            return z3.BoolVal(term.value, self.context) if term.sort == BOOL else z3.IntVal(term.value, self.context)
        if term.op == "var":
            kind, name = term.value.kind, term.value.name  # no kind has a question mark in it
            return z3.Const(f"{VARIABLE}{kind}{VARIABLE}{name}", self.sort(term.sort))
        args = [self(arg) for arg in term.args]
        if term.op == "app":
            sorts, name = [self.sort(arg.sort) for arg in term.args], term.value.name
            alone = self._functions.setdefault(name, term.value) == term.value and not name.startswith(VARIABLE)
            sure(alone, f"two things are called {name}")
            return z3.Function(name, *sorts, self.sort(term.sort))(*args)
        if term.op == "not":
            return z3.Not(args[0])
        if term.op == "and":
            return z3.And(*args)
        if term.op == "or":
            return z3.Or(*args)
        if term.op == "ite":
            return z3.If(*args)
        if term.op == "eq":
            return args[0] == args[1]
        if term.op == "le":
            return args[0] <= args[1]
        if term.op == "add":
            return args[0] + args[1]
        sure(term.op == "scale", f"Z3 has no {term.op}")
        return term.value * args[0]

    def _quantified(self, term: Term, layer: str = "") -> Any:
        bounds, body = [bound_of(term)], term.args[3]
        while body.op == term.op:
            bounds.append(bound_of(body))
            body = body.args[3]
        inside = [self(bound.inside) for bound in bounds]
        variables = [self(bound.variable) for bound in bounds]
        if body.op == "pair":
            head, fact = body.args
            return z3.ForAll(variables, z3.Implies(z3.And(*inside), self(fact)), patterns=[self(head)])
        tags = [self.tag(bound.variable, None, layer) for bound in bounds] if self.tagged else []
        patterns = [z3.MultiPattern(*tags)] if len(tags) > 1 else tags
        if term.op == "forall":
            given = [*(tags if self.layered else ()), *inside]
            holds = z3.Implies(z3.And(*given), self(body))
            return z3.ForAll(variables, holds, patterns=patterns)
        return z3.Exists(variables, z3.And(*tags, *inside, self(body)), patterns=patterns)
