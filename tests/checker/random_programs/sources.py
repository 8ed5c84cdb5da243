"""What can be gone through, comprehensions, and the functions that consume them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.checker.random_programs.core import BOOL, Core, Entry, Found, NoWay
from tests.checker.random_programs.kinds import (
    Choice,
    Int,
    Kind,
    ListOf,
    LocalKind,
    LogOf,
    MapOf,
    Maybe,
    Name,
    OnceOf,
    PlainSetOf,
    Record,
    SetOf,
    element_of,
    is_scalar,
)

NUMBER = Int("int", -9, 9)
"""An integer that is not stored: any."""


@dataclass(frozen=True)
class Source:
    """Something that can be gone through: its text, the names that its elements get, and what those are."""

    text: str
    target: str
    entries: tuple[Entry, ...]


class Sources(Core):
    """Writes comprehensions. The expressions in them are those of the class that is derived from this one.

    `enclosed` counts the comprehensions and functions around what is being written: no name can be bound in them.
    """

    enclosed = 0

    integer: Callable[[int], str]
    truth: Callable[[int], str]
    boolean: Callable[[int], str]
    condition: Callable[[int], str]
    value: Callable[[Kind, int], str]

    # -- sources ----------------------------------------------------------------------------------------------------

    def source(self, depth: int, order: bool) -> Source:
        """Something to go through; `order` says that the order of its elements matters to whoever does."""
        made: list[Source] = []

        def keep(make: Callable[[], Source]) -> Callable[[], str]:
            def option() -> str:
                made.append(make())
                return ""

            return option

        plain = self.sometimes(0.25) if order else 1.0
        self.one_of(
            (3, "over a map", keep(self._map)),
            (3, "over a log", keep(self._log)),
            (2, "over a set", keep(self._set)),
            (2, "over a local", keep(lambda: self._local(order))),
            (1, "over a range", keep(lambda: self._range(depth))),
            (1, "over a domain", keep(self._each)),
            (1.5, "over a tuple", keep(lambda: self._display(depth))),
            (0.8, "over two", keep(self._zip)),
            (0.8 if depth > 0 else 0, "over a generator", keep(lambda: self._nested(depth))),
            (plain, "over a plain set", keep(lambda: self._plain(depth))),
        )
        return made[-1]

    def _one(self, text: str, kind: Kind, *, state: bool = False, ghost: bool = False) -> Source:
        stem = {Record: "r", Name: "n", Choice: "c"}.get(type(kind), "v")
        name = self.fresh(stem) if self.chance(0.93) else "v"
        return Source(text, name, (Entry(name, kind, ghost, state),))

    def _map(self) -> Source:
        found = self.walk(lambda kind: isinstance(kind, MapOf), plain=True)
        assert isinstance(found.kind, MapOf)
        how = self.dice.choice(["keys", "values", "items", "items", "values", ""])
        if how in ("", "keys"):
            return self._one(found.text + (".keys()" if how else ""), found.kind.key)
        if how == "values":
            return self._one(f"{found.text}.values()", found.kind.value, state=True)
        key, value = self.fresh("k"), self.fresh("r")
        entries = (Entry(key, found.kind.key), Entry(value, found.kind.value, False, True))
        return Source(f"{found.text}.items()", f"{key}, {value}", entries)

    def _log(self) -> Source:
        found = self.walk(lambda kind: isinstance(kind, LogOf), plain=True)
        assert isinstance(found.kind, LogOf)
        how = self.dice.choice(["", "", "", "enumerate", "reversed", "indexes"])
        if how == "enumerate":
            at, value = self.fresh("i"), self.fresh("e")
            start = self.dice.choice(["", "", ", 1", ", start=1"])
            entries = (Entry(at, NUMBER), Entry(value, found.kind.entry))
            return Source(f"enumerate({found.text}{start})", f"{at}, {value}", entries)
        if how == "indexes":
            return self._one(f"range(len({found.text}))", NUMBER)
        return self._one(f"reversed({found.text})" if how else found.text, found.kind.entry)

    def _set(self) -> Source:
        found = self.walk(lambda kind: isinstance(kind, SetOf))
        assert isinstance(found.kind, SetOf)
        return self._one(self.guarded(found), found.kind.element)

    def _local(self, order: bool) -> Source:
        plain = not order or self.world.wild
        found = self.walk(lambda kind: isinstance(kind, ListOf | OnceOf) or (plain and isinstance(kind, PlainSetOf)))
        kind = element_of(found.kind)
        assert kind is not None
        return self._one(found.text, kind, state=isinstance(kind, Record))

    def _range(self, depth: int) -> Source:
        high = self.dice.choice(["2", "3", "self.bounds.high"]) if self.chance(0.6) else self.integer(0)
        if "self" in high and self.state != "self":
            high = "2"
        low = f"{self.integer(0)}, " if self.chance(0.2) else ""
        return self._one(f"range({low}{high})", NUMBER)

    def _each(self) -> Source:
        if self.state != "self":
            raise NoWay
        kinds = [kind for kind in (*self.world.names, *self.world.choices, *self.world.ints) if kind.size < 5]
        if not kinds:
            raise NoWay
        kind = self.dice.choice(kinds)
        if isinstance(kind, Choice) and self.chance(0.3):
            return self._one(kind.name, kind)
        return self._one(f"self.each({kind.text})", kind)

    def hashable(self) -> Kind:
        """A kind of which there may be sets: records that hold maps, logs or sets have no hash in Python."""
        kind = self.some_kind()
        return NUMBER if isinstance(kind, Record) and not kind.plain and not self.sometimes(self.chance(0.1)) else kind

    def some_kind(self) -> Kind:
        """A kind of which there may be several values at hand."""
        kinds: list[Kind] = [NUMBER, BOOL, *self.world.records, *self.world.records, *self.world.choices]
        kinds += self.world.names
        return self.dice.choice(kinds)

    def _display(self, depth: int) -> Source:
        kind = self.some_kind()
        parts = [self.value(kind, min(depth - 1, 1)) for _ in range(self.dice.randint(1, 3))]
        text = f"({', '.join(parts)},)" if self.chance(0.5) else f"[{', '.join(parts)}]"
        return self._one(text, kind, state=isinstance(kind, Record))

    def _plain(self, depth: int) -> Source:
        kind = self.hashable()
        if self.chance(0.3):
            return self._one(self.comprehension(kind, depth - 1, "{}", order=False), kind)
        parts = [self.value(kind, min(depth - 1, 1)) for _ in range(self.dice.randint(1, 3))]
        return self._one(f"{{{', '.join(parts)}}}", kind)

    def _zip(self) -> Source:
        first, second = (self._plainly() for _ in range(2))
        (one,), (two,) = first.entries, second.entries
        return Source(f"zip({first.text}, {second.text})", f"{one.text}, {two.text}", (one, two))

    def _plainly(self) -> Source:
        wild = self.world.wild and self.chance(0.3)
        found = self.walk(lambda kind: isinstance(kind, LogOf | MapOf | (ListOf if wild else LogOf)), plain=True)
        if isinstance(found.kind, MapOf) and self.chance(0.6):
            return self._one(f"{found.text}.values()", found.kind.value, state=True)
        kind = element_of(found.kind)
        assert kind is not None
        return self._one(found.text, kind)

    def _nested(self, depth: int) -> Source:
        self.enclosed += 1
        inner = self.source(depth - 1, order=True)
        before = self.with_scope(self.scope)
        self.bind(*inner.entries)
        kept = self.dice.choice(inner.entries)
        condition = self.condition(min(depth - 1, 1))
        self.with_scope(before)
        self.enclosed -= 1
        text = f"({kept.text} for {inner.target} in {inner.text} if {condition})"
        if self.chance(0.4):
            text = f"[{text[1:-1]}]"
        return self._one(text, kept.kind, state=kept.state)

    # -- comprehensions ---------------------------------------------------------------------------------------------

    def comprehension(self, kind: Kind, depth: int, brackets: str, order: bool) -> str:
        """Elements of a kind, made of those of one source or two."""
        return self.over(lambda: self.value(kind, max(depth - 1, 0)), depth, brackets, order)

    def over(self, element: Callable[[], str], depth: int, brackets: str, order: bool) -> str:
        """A comprehension whose element is written where its names are known."""
        before = self.with_scope(self.scope)
        self.enclosed += 1
        try:
            first = self.source(depth - 1, order)
            self.bind(*first.entries)
            text = f"for {first.target} in {first.text}"
            if self.chance(0.4):
                text += f" if {self.condition(min(depth - 1, 1))}"
            if depth > 1 and self.chance(0.15):
                second = self.source(depth - 2, order)
                self.bind(*second.entries)
                text += f" for {second.target} in {second.text}"
                if self.chance(0.4):
                    text += f" if {self.condition(0)}"
            return f"{brackets[:1]}{element()} {text}{brackets[1:]}"
        finally:
            self.enclosed -= 1
            self.with_scope(before)

    def quantified(self, depth: int) -> str:
        """`all` or `any`."""
        if self.chance(0.1):
            return f"{self.dice.choice(['all', 'any'])}([{self.boolean(depth - 1)}, {self.boolean(depth - 1)}])"
        return self.dice.choice(["all", "any"]) + self.over(lambda: self.boolean(depth - 1), depth, "()", order=False)

    def total(self, depth: int) -> str:
        """`sum`."""
        if self.chance(0.2):
            return f"sum({self.numbers()})"
        if self.chance(0.1):
            return f"sum([{self.integer(depth - 1)}, {self.integer(depth - 1)}])"
        if self.chance(0.15):
            return f"sum(1 {self._tail(depth)})"
        if self.chance(0.15):
            return "sum" + self.over(lambda: self.boolean(depth - 1), depth, "()", order=False)
        inside = self.over(lambda: self.integer(depth - 1), depth, "  ", order=False).strip()
        return f"sum(({inside}), {self.dice.randint(-1, 2)})" if self.chance(0.15) else f"sum({inside})"

    def _tail(self, depth: int) -> str:
        self.enclosed += 1
        source = self.source(depth - 1, order=False)
        before = self.with_scope(self.scope)
        self.bind(*source.entries)
        condition = self.condition(depth - 1)
        self.with_scope(before)
        self.enclosed -= 1
        return f"for {source.target} in {source.text} if {condition}"

    def extreme(self, depth: int) -> str:
        """`min` or `max` over a comprehension."""
        if self.chance(0.25):
            name, default = self.dice.choice(["min", "max"]), "" if self.careless() else ", default=0"
            return f"{name}({self.numbers()}{default})"
        inside = self.over(lambda: self.integer(depth - 1), depth, "()", order=False)
        name = self.dice.choice(["min", "max"])
        return f"{name}{inside}" if self.careless() else f"{name}({inside}, default={self.dice.randint(-1, 2)})"

    def numbers(self) -> str:
        """Something whose elements are numbers."""
        found = self.walk(
            lambda kind: isinstance(element_of(kind) or (kind.value if isinstance(kind, MapOf) else kind), Int)
        )
        if found.guards or isinstance(found.kind, Int):
            raise NoWay
        if isinstance(found.kind, MapOf) and isinstance(found.kind.value, Int):
            return f"{found.text}.values()"
        return found.text if isinstance(element_of(found.kind), Int) else "()"

    def first(self, kind: Kind, depth: int, default: Callable[[], str]) -> str:
        """`next`."""
        inside = self.over(lambda: self.value(kind, depth - 1), depth, "()", order=True)
        return f"next({inside})" if self.careless() else f"next({inside}, {default()})"

    def length(self, depth: int) -> str:
        """`len` of anything that has one."""
        if depth > 0 and self.chance(0.35):
            brackets = self.dice.choice(["[]", "{}"])
            kind = self.some_kind() if brackets == "[]" else self.hashable()
            return f"len({self.comprehension(kind, depth, brackets, order=False)})"
        found = self.walk(lambda kind: isinstance(kind, LogOf | SetOf | MapOf | ListOf | PlainSetOf), plain=True)
        return f"len({found.text})"

    def something_to_count(self) -> Found:
        """A collection that has a truth value."""
        found = self.walk(
            lambda kind: isinstance(kind, LogOf | SetOf | LocalKind | Maybe) and not isinstance(kind, OnceOf),
            plain=True,
        )
        return found


__all__ = ["NUMBER", "Source", "Sources", "is_scalar"]
