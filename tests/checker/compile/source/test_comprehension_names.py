"""A comprehension's own names: where Python would have no value for one, and where it means another."""

from __future__ import annotations

import ast

import pytest

from epochal.checker.compile.source.rewrite import read_too_early


def early(text: str) -> bool:
    """Whether a comprehension reads a name too early."""
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.GeneratorExp)
    return read_too_early(tree.generators) is not None


@pytest.mark.parametrize(
    "text",
    [
        "(x for x in s if a for a in s)",
        "(x for x in s for a in a)",
        "(x for x in s for b in f(a) for a in s)",
        "(x for x in s if any(y for y in a) for a in s)",
        "(x for x in s if any(y > a for y in s) for a in s)",
        "(x for x in s if any(y for y in s for z in a) for a, b in s)",
    ],
)
def test_it_is_read_too_early(text: str) -> None:
    with pytest.raises(NameError):
        list(eval(text, {"s": [[1, 2]], "a": 1, "f": lambda a: [a]}))
    assert early(text)


@pytest.mark.parametrize(
    "text",
    [
        "(a for a in a if a)",
        "(x for x in s if any(a for a in s) for a in s)",
        "(x for x in s if any(y for a in s for y in a) for a in s)",
        "(a for x in s for a in x if a for a in x)",
        "(x for x in a for a in s)",
    ],
)
def test_it_is_not(text: str) -> None:
    list(eval(text, {"s": [[1, 2]], "a": [1]}))
    assert not early(text)
