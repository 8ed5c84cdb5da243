"""Where somebody is in a protocol, as the query of an address: it can be kept, sent to a colleague, and opened again.

`?p=kip-279&bound=replicas:3&s=ElectLeader(b1, b2)&s=Fetch(b2, b1)&at=1`: the protocol within its bounds, the run that
was taken, and the state that is looked at. Steps are named as people read them, not by numbers, so that an address
still means the same, or fails with a name, when the specification has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

from epochal.errors import UsageError
from epochal.sentences import LONGEST

MOST_STEPS: Final = 500
"""So many steps a run may have, with those of its branches."""

LONGEST_ASKED: Final = 500
"""So many characters an expression may have."""

MOST_ASKED: Final = 12
"""So many expressions are evaluated along a run."""


@dataclass(frozen=True)
class Branch:
    """A way that was left: after `after` steps of the run these were taken."""

    after: int
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Address:
    """A run of a protocol and what is looked at of it.

    `protocol` is a reference with settings, `bounds` what differs from its defaults. A run begins in the initial state
    of number `first`, or, of a trace that does not begin in one, in that of the leaves' codes `codes`. `steps` are the
    labels of its actions, `at` the state that is looked at, `branches` ways that were left. `about` is the property
    that a trace is about, `asked` are expressions of `self`, `beside` is another protocol on the same schedule.
    """

    protocol: str
    bounds: tuple[tuple[str, int], ...] = ()
    first: int = 0
    codes: tuple[int, ...] = ()
    steps: tuple[str, ...] = ()
    at: int = 0
    branches: tuple[Branch, ...] = ()
    about: str = ""
    asked: tuple[str, ...] = ()
    beside: str = ""

    # -- where one can go from here -------------------------------------------------------------------------------

    def looking_at(self, number: int) -> Address:
        """The same run, another state of it."""
        return replace(self, at=max(0, min(number, len(self.steps))))

    def taking(self, label: str) -> Address:
        """The run with a step taken from the state that is looked at; what came after it becomes a branch."""
        if self.steps[self.at : self.at + 1] == (label,):
            return self.looking_at(self.at + 1)
        for branch in self.branches:
            if branch.after == self.at and branch.steps[:1] == (label,):
                return self.on(branch)
        return replace(
            self,
            steps=(*self.steps[: self.at], label),
            at=self.at + 1,
            branches=self._left_behind(self.at),
        )

    def on(self, branch: Branch) -> Address:
        """A branch as the run; the way that is left becomes a branch in its place. The state after its first step."""
        kept = tuple(one for one in self._left_behind(branch.after) if one != branch)
        steps = (*self.steps[: branch.after], *branch.steps)
        return replace(self, steps=steps, at=branch.after + 1, branches=kept)

    def without(self, branch: Branch) -> Address:
        """The run without a branch."""
        return replace(self, branches=tuple(one for one in self.branches if one != branch))

    def cut(self) -> Address:
        """The run up to the state that is looked at; what came after it is gone."""
        kept = tuple(one for one in self.branches if one.after <= self.at)
        return replace(self, steps=self.steps[: self.at], branches=kept)

    def asking(self, expression: str) -> Address:
        """The run with an expression that is evaluated in each of its states."""
        asked = tuple(dict.fromkeys((*self.asked, expression)))
        return replace(self, asked=asked)

    def not_asking(self, expression: str) -> Address:
        """The run without an expression."""
        return replace(self, asked=tuple(one for one in self.asked if one != expression))

    def beside_of(self, other: str) -> Address:
        """The run with another protocol beside it, or with none."""
        return replace(self, beside=other)

    def from_initial(self, number: int) -> Address:
        """Another initial state, and nothing done yet."""
        return replace(self, first=number, codes=(), steps=(), at=0, branches=(), about="")

    def _left_behind(self, at: int) -> tuple[Branch, ...]:
        """The branches when the run is left at a state: its rest is one; those of the rest hang on it no more."""
        rest = self.steps[at:]
        kept = [one for one in self.branches if one.after <= at]
        later = [Branch(at, (*self.steps[at : one.after], *one.steps)) for one in self.branches if one.after > at]
        found = [*kept, *([Branch(at, rest)] if rest else []), *later]
        return tuple(dict.fromkeys(found))

    # -- as a text ------------------------------------------------------------------------------------------------

    def query(self) -> str:
        """The address as the query of a URL."""
        pairs = [("p", self.protocol)]
        pairs += [("bound", f"{name}:{value}") for name, value in self.bounds]
        pairs += [("first", str(self.first))] if self.first else []
        pairs += [("codes", ",".join(map(str, self.codes)))] if self.codes else []
        pairs += [("s", label) for label in self.steps]
        pairs += [("at", str(self.at))] if self.at != len(self.steps) else []
        pairs += [("b", f"{one.after};{_joined(one.steps)}") for one in self.branches]
        pairs += [("about", self.about)] if self.about else []
        pairs += [("ask", one) for one in self.asked]
        pairs += [("beside", self.beside)] if self.beside else []
        return urlencode(pairs, safe="(),:;")


def read_address(query: str) -> Address:
    """The address in the query of a URL. Raises UsageError for what is none."""
    said: dict[str, list[str]] = {}
    try:
        for name, value in parse_qsl(
            query, keep_blank_values=True, max_num_fields=4 * MOST_STEPS, strict_parsing=False
        ):
            said.setdefault(name, []).append(value)
    except ValueError:
        raise UsageError("the address is too long", "Begin again with a shorter run.") from None
    steps = tuple(said.get("s", ()))
    branches = tuple(_branch(one) for one in said.get("b", ()))
    if len(steps) + sum(len(one.steps) for one in branches) > MOST_STEPS:
        raise UsageError(f"the run has more than {MOST_STEPS} steps", "Begin again with a shorter run.")
    asked = tuple(dict.fromkeys(one for one in said.get("ask", ()) if one.strip()))
    if any(len(one) > LONGEST_ASKED for one in asked):
        raise UsageError(f"an expression has more than {LONGEST_ASKED} characters", "Ask something shorter.")
    if len(asked) > MOST_ASKED:
        raise UsageError(f"more than {MOST_ASKED} expressions are asked", "Take one away.")
    at = _number("at", _last(said, "at", str(len(steps))))
    return Address(
        protocol=_last(said, "p", ""),
        bounds=tuple(_bound(one) for one in said.get("bound", ())),
        first=_number("first", _last(said, "first", "0")),
        codes=_codes(_last(said, "codes", "")),
        steps=steps,
        at=min(at, len(steps)),
        branches=tuple(one for one in branches if one.after <= len(steps) and one.steps),
        about=_last(said, "about", ""),
        asked=asked,
        beside=_last(said, "beside", ""),
    )


def _joined(labels: Iterable[str]) -> str:
    return ";".join(quote(label, safe="(), ") for label in labels)


def _last(said: dict[str, list[str]], name: str, default: str) -> str:
    return said.get(name, [default])[-1]


def _branch(text: str) -> Branch:
    after, *labels = text.split(";")
    return Branch(_number("b", after), tuple(unquote(label) for label in labels if label))


def _bound(text: str) -> tuple[str, int]:
    name, _, value = text.partition(":")
    return name, _number(f"the bound {name[:LONGEST]}", value)


def _codes(text: str) -> tuple[int, ...]:
    return tuple(_number("codes", one) for one in text.split(",")) if text else ()


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError(f"{name} is {text[:LONGEST]!r} in the address, and no number", "Begin from the start page.")
    return int(text)


def unique_labels(labels: Sequence[str]) -> list[str]:
    """Labels of which each stands for one: of several that read alike, the later ones have their number behind."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return found
