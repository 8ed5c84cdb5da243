"""Definitions: what is so of a function at all arguments, of use where the function comes up."""

from __future__ import annotations

from collections.abc import Sequence

from .terms import Bound, Term, marked


def definition(bounds: Sequence[Bound], head: Term, body: Term) -> Term:
    """That `body` holds for all values of variables; `head` is the function at these.

    Without variables a quantifier at the top of the body is marked as one that stands within something else.
    """
    if not bounds:
        return marked("forall", body.args, "inner") if body.op == "forall" and body.value is None else body
    body = marked("pair", (head, body), None)
    for bound in reversed(bounds):
        body = marked("forall", (bound.variable, bound.low, bound.high, body), "definition")
    return body
