"""Definitions: what is so of a function at all arguments, of use where the function comes up."""

from __future__ import annotations

from collections.abc import Sequence

from .terms import BOOL, INT, NO_LIMIT, UNLIMITED, Bound, Term, made


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
