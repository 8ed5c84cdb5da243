"""Corners of the language that a change of the compiler would move unseen: read as Python reads them, or refused."""

from __future__ import annotations

import pytest

from checker.compile.model import compile_protocol
from spec.language import LanguageError
from tests.language.snippets import Load
from tests.language.test_traps import agree, rules

BESIDE = """\
class Team(Struct):
    x: Small
    who: Annotated[Log[Small], Capacity(1)]


class Club(Struct):
    team: Team


@dataclass(frozen=True)
class Most:
    most: int

    def __call__(self, value: int) -> int:
        return min(value, self.most)


MOST = Most(2)


def turned(value):
    return -value


"""
MORE = "    team: Team\n    club: Club\n    other: Map[Node, Small]\n    top: ClassVar[int] = 2\n"
GIVE = """\
@action
def give(self, to: Node, v: Small) -> None:
    self.other[to] = v
    self.point.x = v
"""


def specification(body: str) -> str:
    """A specification with more of a state than usual, and one action that changes it."""
    return BESIDE + rules(body, GIVE).replace("\n    def helper", f"{MORE}\n    def helper")


READ = {
    "an object that is called, and asked": "self.n = min(v, MOST.most)\nself.flag = MOST(v) == MOST.most",
    "a constant of the class": "self.n = min(v, Spec.top)",
    "a record or a new one": "p = self.point if self.flag else Point(x=v, on=on)\nself.flag = p.on or p.x > 1",
    "a record or none": "p = self.point if self.flag else None\nself.optional = p\nself.flag = on",
    "none or a record": "p = None if self.flag else self.point\nself.optional = p\nself.flag = on",
    "an optional record or a record": (
        "p = self.optional if self.flag else self.point\nself.flag = on\nself.n = p.x if p is not None else 3\n"
        "self.optional = self.point if on else None"
    ),
    "one of two maps": "m = self.table if self.flag else self.other\nself.n = m[self.node]\nself.flag = on",
    "one of two lists": "x = [1, 2] if self.flag else [v]\nself.n = len(x)\nself.log = x\nself.flag = on",
    "one of two tuples": "x = (1, v) if self.flag else (v, 2)\nself.n = min(sum(x), 3)\nself.flag = on",
    "what is not used need not be of one kind": "x = (1, 2) if self.flag else (1, 2, 3)\nself.n = v\nself.flag = on",
}


@pytest.mark.parametrize("case", READ)
def test_corner_is_read_as_python_reads_it(load: Load, case: str) -> None:
    assert agree(load(specification(READ[case])).Spec) in (0, 22, 30)


KINDS = "a variable to which the branches give different kinds of values"
NO_ELEMENTS = "maps, logs, lists and plain sets, and records that have them, are no elements of sets and no keys"
REFUSED = {
    "record with a log in a set": ("self.flag = len({self.team}) == 1", NO_ELEMENTS),
    "record with such a record in a set": ("self.flag = self.club in {self.club}", NO_ELEMENTS),
    "key of an order": ("self.n = sorted([v, 1], key=turned)[0]", "sorted takes no key here"),
    "tuples of two lengths": ("x = (1, 2) if self.flag else (1, 2, 3)\nself.n = len(x)", f"{KINDS} has no length"),
    "a number or a truth value": ("x = 1 if self.flag else on\nself.n = x", f"{KINDS} cannot be stored"),
    "records of two classes": ("x = self.point if self.flag else self.team\nself.n = x.x", f"{KINDS} has no attribute"),
    "logs of two kinds": ("x = self.log if self.flag else self.points\nself.n = len(x)", f"{KINDS} has no length"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_corner_is_refused(load: Load, case: str) -> None:
    body, message = REFUSED[case]
    module = load(specification(body))
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Spec())
    assert message in caught.value.message
    assert caught.value.advice and caught.value.where is not None
    assert caught.value.where.file.endswith(module.path.name)
