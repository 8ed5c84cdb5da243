"""How a document is made of a result: where each key is found, and what becomes of what is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict, get_type_hints, is_typeddict

import pytest

from epochal.checker.documents import document
from epochal.former import FIELDS
from epochal.report.schema import DOCUMENTS, OTHERWISE


class Part(TypedDict):
    name: str
    parent: Annotated[str | None, "above.name"]


class Whole(TypedDict):
    parts: list[Part]
    number: Annotated[int, "parts"]
    twice: Annotated[int, lambda one: 2 * len(one.parts)]
    members: list[str]
    counts: Annotated[dict[str, int], sorted]
    wall_seconds: float
    word: str | None
    cut: NotRequired[str]
    losing_states: int
    doomed: int


@dataclass(frozen=True)
class Node:
    name: str
    above: Node | None = None


@dataclass(frozen=True)
class Found:
    parts: tuple[Node, ...] = (Node("a"), Node("b", Node("a")))
    members: frozenset[str] = frozenset({"y", "x"})
    wall_seconds: float = 0.12345678
    word: str = ""
    cut: str = ""


@dataclass(frozen=True)
class Asked:
    counts: dict[str, int]
    losing_states: int = 3
    word: str = "not asked: the first source has one"


def test_a_document_has_the_keys_of_its_type_in_their_order() -> None:
    made = document(Whole, Found(), Asked({"b": 1, "a": 2}))
    assert list(made.items()) == [
        ("parts", [{"name": "a", "parent": None}, {"name": "b", "parent": "a"}]),
        ("number", 2),
        ("twice", 4),
        ("members", ["x", "y"]),
        ("counts", {"a": 2, "b": 1}),
        ("wall_seconds", 0.123457),
        ("word", ""),
        ("losing_states", 3),
        ("doomed", 3),
    ]
    assert list(made["counts"]) == ["a", "b"]


def test_what_is_said_comes_first_and_a_key_that_may_be_missing_is_there_when_it_says_something() -> None:
    made = document(
        Whole, Found(cut="spent"), Asked({}), word="said", parts=[{"name": "c", "above": None, "parent": "d"}]
    )
    assert (made["word"], made["cut"], made["parts"]) == ("said", "spent", [{"name": "c", "parent": "d"}])
    assert document(Whole, Found(), Asked({}), cut="")["cut"] == ""


class Named(TypedDict):
    name: str
    other: Annotated[str, "naem"]


class Broken:
    """Something whose name cannot be told."""

    @property
    def name(self) -> str:
        """Raise from inside of a property."""
        return str(self.gone)  # type: ignore[attr-defined]  # so it is


def test_a_key_that_no_source_has_is_an_error() -> None:
    with pytest.raises(AttributeError, match=r"Whole\.counts: counts is in none of"):
        document(Whole, Found())
    with pytest.raises(AttributeError, match=r"Named\.other: naem is in none of"):
        document(Named, Node("a"))
    with pytest.raises(AttributeError, match="has no attribute 'gone'"):
        document(Named, Broken(), other="")


def documents() -> list[type]:
    """Every document, and what stands in it."""
    found: dict[type, None] = {}

    def visit(hint: Any) -> None:
        if is_typeddict(hint) and hint not in found:
            found[hint] = None
            for one in get_type_hints(hint).values():
                visit(one)
        for one in getattr(hint, "__args__", ()):
            visit(one)

    for kind in (*DOCUMENTS.values(), *(one for others in OTHERWISE.values() for one in others)):
        visit(kind)
    return list(found)


def test_a_former_name_stands_after_the_present_one() -> None:
    for kind in documents():
        keys = list(get_type_hints(kind))
        for former, present in FIELDS.items():
            if former in keys and present in keys:
                assert keys.index(present) < keys.index(former), kind
