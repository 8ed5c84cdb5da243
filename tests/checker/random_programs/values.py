"""Expressions of every other kind, and those that fit a place of the state."""

from __future__ import annotations

from tests.checker.random_programs.core import BOOL, NoWay
from tests.checker.random_programs.kinds import (
    Bool,
    Choice,
    EitherOf,
    Int,
    Kind,
    ListOf,
    LogOf,
    MapOf,
    Maybe,
    Name,
    OnceOf,
    PlainSetOf,
    Record,
    SetOf,
    TupleOf,
)
from tests.checker.random_programs.numbers import Numbers
from tests.checker.random_programs.sources import NUMBER


class Expressions(Numbers):
    """Writes values of any kind."""

    def value(self, kind: Kind, depth: int) -> str:
        """A value of a kind. That of an integer kind lies within its limits, unless carelessly written."""
        if kind == NUMBER:
            return self.integer(depth)
        if isinstance(kind, Int):
            return self.fitting(kind, depth)
        if isinstance(kind, Bool):
            return self.boolean(depth)
        if isinstance(kind, Choice | Name):
            return self._scalar(kind, depth)
        if isinstance(kind, Maybe):
            return self._maybe(kind, depth)
        if isinstance(kind, Record):
            return self.record(kind, depth)
        if isinstance(kind, EitherOf):
            return self.one_of(
                (1, "path to one of several classes", lambda: self._same(kind, depth)),
                (2, "record of one of several classes", lambda: self.record(self.dice.choice(kind.records), depth)),
            )
        if isinstance(kind, SetOf):
            return self.set_(kind, depth)
        if isinstance(kind, LogOf):
            return self._log_value(kind, depth)
        if isinstance(kind, MapOf):
            return self._map_value(kind, depth)
        if isinstance(kind, TupleOf):
            return self._tuple(kind, depth)
        if isinstance(kind, ListOf):
            return self._list_value(kind, depth)
        if isinstance(kind, OnceOf):
            return self._once(kind, depth)
        if isinstance(kind, PlainSetOf):
            return self._plain_set(kind, depth)
        raise NoWay

    def _tuple(self, kind: TupleOf, depth: int) -> str:
        return self.one_of(
            (1, "new tuple", lambda: f"({', '.join(self.value(part, depth - 1) for part in kind.parts)},)"),
            (2, "call for a tuple", lambda: self.called(kind, depth)),
            (0.1, "tuple of last resort", lambda: f"({', '.join(self.value(part, 0) for part in kind.parts)},)"),
        )

    def _same(self, kind: Kind, depth: int) -> str:
        found = self.walk(lambda other: other == kind, tries=20)
        return self.guarded(found)

    # -- scalars ----------------------------------------------------------------------------------------------------

    def fitting(self, kind: Int, depth: int) -> str:
        """An integer within limits."""
        deep = self.deep(depth)
        return self.one_of(
            (2, "constant that fits", lambda: self.literal(kind)),
            (4, "path that fits", lambda: self._same(kind, depth)),
            (2 if deep else 0, "clamped", lambda: f"max({kind.low}, min({self.integer(depth - 1)}, {kind.high}))"),
            (1.5 if deep else 0, "modulo", lambda: self._modulo(kind, depth)),
            (1 if deep else 0, "conditional that fits", lambda: self._conditional_value(kind, depth)),
            (0.7 if deep else 0, "next that fits", lambda: self.first(kind, depth, lambda: self.literal(kind))),
            (0.2, "any number", lambda: self._any(kind, depth)),
            (1 if deep else 0, "call that fits", lambda: self.called(kind, depth)),
            (0.5 if deep else 0, "optional or number", lambda: self._optional_or(kind, depth)),
            (1, "constant of last resort", lambda: str(max(kind.low, min(kind.high, 0)))),
        )

    def _any(self, kind: Int, depth: int) -> str:
        text = self.integer(depth)
        if "self." not in text and not self.sometimes(1):
            raise NoWay
        return text

    def _modulo(self, kind: Int, depth: int) -> str:
        shift = f" + {kind.low}" if kind.low > 0 else f" - {-kind.low}" if kind.low else ""
        text = f"({self.integer(depth - 1)}) % {kind.size}{shift}"
        return f"({text})" if shift else text

    def _optional_or(self, kind: Kind, depth: int) -> str:
        found = self.walk(lambda other: isinstance(other, Maybe) and other.element == kind, plain=True)
        other = self.value(kind, depth - 1)
        return self.dice.choice([f"({found.text} or {other})", f"({other} if {found.text} is None else {found.text})"])

    def _conditional_value(self, kind: Kind, depth: int) -> str:
        one, two = self.value(kind, depth - 1), self.value(kind, depth - 1)
        return f"({one} if {self.condition(depth - 1)} else {two})"

    def _either(self, kind: Kind, depth: int) -> str:
        """One of two parts of the state, which are not copied."""
        new = depth > 0 and self.sometimes(1)
        one, two = (self.value(kind, depth - 1) if new else self._same(kind, 0) for _ in range(2))
        return f"({one} if {self.condition(max(depth - 1, 0))} else {two})"

    def _scalar(self, kind: Kind, depth: int) -> str:
        deep = self.deep(depth)
        ordered = 0.0 if self.world.symmetric and isinstance(kind, Name) else 0.7
        return self.one_of(
            (1, "constant scalar", lambda: self.literal(kind)),
            (4, "path to a scalar", lambda: self._same(kind, depth)),
            (1 if deep else 0, "conditional scalar", lambda: self._conditional_value(kind, depth)),
            (ordered if deep else 0, "next scalar", lambda: self.first(kind, depth, lambda: self.value(kind, 0))),
            (1 if deep else 0, "call for a scalar", lambda: self.called(kind, depth)),
            (0.5 if deep else 0, "optional or scalar", lambda: self._optional_or(kind, depth)),
            (1, "scalar of last resort", lambda: self.literal(kind)),
            (1, "path of last resort", lambda: self._same(kind, depth)),
        )

    def _maybe(self, kind: Maybe, depth: int) -> str:
        deep = self.deep(depth)
        return self.one_of(
            (2, "none", lambda: "None"),
            (3, "path to an optional", lambda: self._same(kind, depth)),
            (3, "present", lambda: self.value(kind.element, depth - 1)),
            (1.5 if deep else 0, "conditional optional", lambda: self._conditional_value(kind, depth)),
            (1 if deep else 0, "next or none", lambda: self.first(kind.element, depth, lambda: "None")),
            (1 if deep else 0, "call for an optional", lambda: self.called(kind, depth)),
            (0.5 if deep else 0, "optional and optional", lambda: self._both(kind, depth)),
            (1, "none of last resort", lambda: "None"),
        )

    def _both(self, kind: Maybe, depth: int) -> str:
        return f"({self._same(kind, 0)} {self.dice.choice(['and', 'or'])} {self.value(kind, depth - 1)})"

    # -- records ----------------------------------------------------------------------------------------------------

    def record(self, kind: Record, depth: int) -> str:
        """A record: a new one, or a part of the state under some name."""
        deep = self.deep(depth)
        return self.one_of(
            (2, "new record", lambda: self._new(kind, depth)),
            (5, "path to a record", lambda: self._same(kind, depth)),
            (1.5 if deep else 0, "conditional record", lambda: self._conditional_value(kind, depth)),
            (1 if deep else 0, "next record", lambda: self.first(kind, depth, lambda: self.value(kind, 0))),
            (1 if deep else 0, "optional or record", lambda: self._optional_or(kind, depth)),
            (1.5 if deep else 0, "call for a record", lambda: self.called(kind, depth)),
            (0.6, "record of a derived class", lambda: self._derived(kind)),
            (1, "record of last resort", lambda: self._new(kind, 0)),
        )

    def _derived(self, kind: Record) -> str:
        found = self.walk(lambda other: isinstance(other, Record) and other.base == kind.name, plain=True)
        return found.text

    def _new(self, kind: Record, depth: int) -> str:
        parts = [(name, self.hashed(part, depth)) for name, part in kind.fields]
        if self.chance(0.3):
            return f"{kind.name}({', '.join(text for _, text in parts)})"
        return f"{kind.name}({', '.join(f'{name}={text}' for name, text in parts)})"

    def ordered(self, kind: Kind, depth: int) -> str:
        """A value that will be gone through: of a plain set a set of the language is made."""
        text = self.value(kind, depth)
        keep = not isinstance(kind, SetOf) or text.startswith(("self.", "Set(")) or self.sometimes(self.chance(0.5))
        return text if keep else f"Set({text})"

    def hashed(self, kind: Kind, depth: int) -> str:
        """A part of something that may be an element of a set: sets are those of the language."""
        if isinstance(kind, MapOf) and not self.sometimes(1):
            return self._same(kind, 0)
        text = self.value(kind, max(min(depth - 1, 1), 0))
        if not isinstance(kind, SetOf) or text.startswith(("self.", "Set(")) or self.sometimes(self.chance(0.3)):
            return text
        return f"Set({text})"

    # -- collections ------------------------------------------------------------------------------------------------

    def set_(self, kind: SetOf, depth: int) -> str:
        """A set."""
        deep, element = self.deep(depth), kind.element
        return self.one_of(
            (4, "path to a set", lambda: self._same(kind, depth)),
            (2, "set display", lambda: self._display_of(element, depth, "{", "}")),
            (0.7, "Set of a list", lambda: f"Set({self._display_of(element, depth, '[', ']')})"),
            (0.5, "empty set", lambda: self.dice.choice(["Set()", "set()", "Set([])"])),
            (2 if deep else 0, "set operation", lambda: self._set_operation(kind, depth)),
            (1.5 if deep else 0, "set comprehension", lambda: self.comprehension(element, depth, "{}", order=False)),
            (0.7 if deep else 0, "Set of a generator", lambda: self._set_of(element, depth)),
            (1 if deep else 0, "conditional set", lambda: self._conditional_value(kind, depth)),
            (0.5 if deep else 0, "set of a log", lambda: self._of_log(element)),
            (0.8 if deep else 0, "call for a set", lambda: self.called(kind, depth)),
            (1, "set of last resort", lambda: "Set()"),
        )

    def _display_of(self, element: Kind, depth: int, left: str, right: str) -> str:
        parts = [self.hashed(element, depth) for _ in range(self.dice.choice([1, 1, 2, 2, 3]))]
        return f"{left}{', '.join(parts)}{right}"

    def _set_of(self, element: Kind, depth: int) -> str:
        word = self.dice.choice(["Set", "Set", "set", "frozenset"])
        return word + self.comprehension(element, depth, "()", order=False)

    def _set_operation(self, kind: SetOf, depth: int) -> str:
        one, two = self.set_(kind, depth - 1), self.set_(kind, depth - 1)
        if one.startswith(("{", "Set", "set", "frozen")) and self.chance(0.6):
            one = self._same(kind, 0)
        how = self.dice.choice(["|", "|", "-", "&", "^", "union", "difference", "intersection", "symmetric_difference"])
        return f"({one} {how} {two})" if len(how) == 1 else f"({one}).{how}({two})"

    def _of_log(self, element: Kind) -> str:
        found = self.walk(
            lambda kind: isinstance(kind, LogOf | ListOf) and getattr(kind, "entry", None) == element, plain=True
        )
        return f"{self.dice.choice(['Set', 'set'])}({found.text})"

    def _log_value(self, kind: LogOf, depth: int) -> str:
        deep = self.deep(depth)
        return self.one_of(
            (3, "path to a log", lambda: self._same(kind, depth)),
            (0.7, "list as a log", lambda: self._listed(kind, depth)),
            (1.5 if deep else 0, "filtered log", lambda: self._filtered(kind, depth)),
            (0.6 if deep else 0, "conditional log", lambda: self._either(kind, depth)),
            (1.2, "slice as a log", lambda: self._cut(kind)),
            (1.2 if deep else 0, "sum of logs", lambda: self._added(kind, depth)),
            (0.4, "other log", self._other_log),
            (1, "empty log", lambda: "[]"),
        )

    def _listed(self, kind: LogOf, depth: int) -> str:
        count = self.dice.randint(0, kind.capacity)
        return f"[{', '.join(self.value(kind.entry, max(depth - 1, 0)) for _ in range(count))}]"

    def _cut(self, kind: LogOf) -> str:
        """A slice of a log with the same entries."""
        found = self.walk(lambda other: isinstance(other, LogOf) and other.entry == kind.entry, tries=20)
        if found.guards:
            raise NoWay
        start, stop = (self.dice.choice(["", "1", "1", "-1", "2", self.integer(0)]) for _ in range(2))
        step = self.dice.choice(["", "", "", ":-1", ":2"])
        return f"{found.text}[{start if self.chance(0.7) else ''}:{stop if self.chance(0.5) else ''}{step}]"

    def _added(self, kind: LogOf, depth: int) -> str:
        """The sum of logs and lists, which is cut to what there is room for unless it is carelessly written."""
        first, second = (
            self.one_of(
                (2, "slice in a sum", lambda: self._cut(kind)),
                (1, "log in a sum", lambda: self._same(kind, 0)),
                (1, "list in a sum", lambda: self._listed(kind, depth - 1)),
                (0.3, "filtered log in a sum", lambda: self._filtered(kind, depth - 1)),
            )
            for _ in range(2)
        )
        return f"{first} + {second}" if self.careless() else f"({first} + {second})[:{kind.capacity}]"

    def sequence(self, kind: LogOf) -> str:
        """A log or a list, which can be compared."""
        return self.one_of(
            (3, "log to compare", lambda: self._same(kind, 0)),
            (1.5, "list to compare", lambda: self._listed(kind, 0)),
            (1.5, "slice to compare", lambda: self._cut(kind)),
            (0.7, "sum to compare", lambda: self._added(kind, 1)),
            (0.5, "filtered log to compare", lambda: self._filtered(kind, 1)),
        )

    def _filtered(self, kind: LogOf, depth: int) -> str:
        found = self.walk(lambda other: isinstance(other, LogOf) and other.entry == kind.entry, tries=20)
        if found.guards or (isinstance(found.kind, LogOf) and found.kind.capacity > kind.capacity):
            raise NoWay
        before = self.with_scope(self.scope)
        inner = self._one(found.text, kind.entry)
        self.bind(*inner.entries)
        element = inner.target if self.chance(0.6) else self.value(kind.entry, max(depth - 1, 0))
        text = f"[{element} for {inner.target} in {inner.text} if {self.condition(depth - 1)}]"
        self.with_scope(before)
        return text

    def _other_log(self) -> str:
        found = self.walk(lambda other: isinstance(other, LogOf), plain=True)
        return found.text

    def _map_value(self, kind: MapOf, depth: int) -> str:
        return self.one_of(
            (3, "path to a map", lambda: self._same(kind, depth)),
            (1, "dictionary as a map", lambda: self._dictionary(kind, depth)),
            (0.3, "conditional map", lambda: self._either(kind, depth)),
        )

    def _dictionary(self, kind: MapOf, depth: int) -> str:
        if isinstance(kind.key, Int):
            keys = [str(n) for n in range(kind.key.low, kind.key.high + 1)]
        elif kind.key == BOOL:
            keys = ["False", "True"]
        elif isinstance(kind.key, Choice):
            keys = [f"{kind.key.name}.{member}" for member in kind.key.members]
        else:
            raise NoWay
        return "{" + ", ".join(f"{key}: {self.value(kind.value, depth - 1)}" for key in keys) + "}"

    # -- locals -----------------------------------------------------------------------------------------------------

    def _list_value(self, kind: ListOf, depth: int) -> str:
        return self.one_of(
            (2, "list comprehension", lambda: self.comprehension(kind.element, max(depth, 1), "[]", order=True)),
            (1, "list display", lambda: self._display_of(kind.element, depth, "[", "]")),
            (0.7, "list of an iterable", lambda: self._list_call(kind)),
            (0.5, "path to a list", lambda: self._same(kind, depth)),
            (0.5, "lists together", lambda: f"{self._same(kind, 0)} + {self._display_of(kind.element, 1, '[', ']')}"),
            (0.1, "list of last resort", lambda: self._display_of(kind.element, 0, "[", "]")),
        )

    def _list_call(self, kind: ListOf) -> str:
        found = self.walk(lambda other: isinstance(other, LogOf | SetOf | MapOf), plain=True)
        inside = found.kind
        if isinstance(inside, MapOf) and inside.value == kind.element:
            return f"list({found.text}.values())"
        if getattr(inside, "entry", getattr(inside, "element", None)) != kind.element:
            raise NoWay
        how = "list({})" if isinstance(inside, SetOf) else self.dice.choice(["list({})", "list(reversed({}))"])
        return how.format(found.text)

    def _once(self, kind: OnceOf, depth: int) -> str:
        if self.chance(0.3):
            found = self.walk(lambda other: isinstance(other, LogOf) and other.entry == kind.element)
            if not found.guards:
                return f"reversed({found.text})"
        return self.comprehension(kind.element, max(depth, 1), "()", order=True)

    def _plain_set(self, kind: PlainSetOf, depth: int) -> str:
        return self.one_of(
            (2, "plain display", lambda: self._display_of(kind.element, depth, "{", "}")),
            (1, "plain comprehension", lambda: self.comprehension(kind.element, max(depth, 1), "{}", order=False)),
            (0.5, "plain of last resort", lambda: self._display_of(kind.element, 0, "{", "}")),
        )
