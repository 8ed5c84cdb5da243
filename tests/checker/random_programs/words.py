"""Ordinary Python in expressions: bits, tables, order, keys, slices, functions, and names bound on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.checker.random_programs.core import BOOL, Entry, Option
from tests.checker.random_programs.kinds import Bool, Choice, EitherOf, Int, Kind, LogOf, Maybe, Record
from tests.checker.random_programs.sources import NUMBER, Sources

Options = list[tuple[float, str, Option]]


class OrdinaryWords(Sources):
    """Writes these. Numbers and truth values in them are written by the class that is derived from this one."""

    flag: Callable[[], str]

    def number_words(self, depth: int) -> Options:
        """Options for a number."""
        deep = self.deep(depth)
        weight = 1.0 if deep else 0.0
        return [
            (0.4 * weight, "bits", lambda: self._binary(["&", "|", "^"], depth)),
            (0.3 * weight, "inverted", lambda: f"(~{self._part(depth)})"),
            (0.3 * weight, "shift", lambda: self._shift(depth)),
            (0.3 * weight, "power", lambda: f"({self._part(depth)} ** {self.dice.randint(0, 3)})"),
            (
                0.3 * weight,
                "state in the exponent",
                lambda: f"({self.dice.randint(-2, 3)} ** ({self._part(0)} % 4))",
            ),
            (0.3 * weight, "negative divisor", lambda: self._divided(f"-{self.dice.randint(1, 4)}", depth)),
            (0.3 * weight, "divisor of the state", lambda: self._divided(f"({self._part(depth)} % 5 + 1)", depth)),
            (0.2 * weight, "divmod", lambda: f"divmod({self.integer(depth - 1)}, {self.dice.choice([-3, 2, 3])})[0]"),
            (0.5 * weight, "truth in arithmetic", lambda: self._counted(depth)),
            (0.6 * weight, "table", lambda: self._table(depth)),
            (0.4 * weight, "dictionary", lambda: self._lookup(depth)),
            (0.4 * weight, "count", lambda: self._count(depth)),
            (0.3 * weight, "index", lambda: self._index(depth)),
            (0.5 * weight, "key of an extreme", lambda: self._keyed(depth)),
            (0.4 * weight, "sorted", lambda: self._sorted(depth)),
            (0.3 * weight, "greatest tuple", lambda: self._greatest(depth)),
            (0.5, "slice of a log", self._slice),
            (0.3 * weight, "starred", lambda: f"{self.dice.choice(['max', 'min'])}(*({self._two(depth)}), 1)"),
            (0.4 * weight, "function", lambda: self._function(depth)),
            (0.3 * weight, "mapped", lambda: self._mapped(depth)),
            (0.5 * weight if not self.enclosed else 0, "bound number", lambda: self._bound_number(depth)),
        ]

    def truth_words(self, depth: int) -> Options:
        """Options for a truth value."""
        weight = 1.0 if self.deep(depth) else 0.0
        return [
            (
                0.4 * weight,
                "bits of truths",
                lambda: f"({self.boolean(0)} {self._pick(['&', '|', '^'])} {self.flag()})",
            ),
            (0.4 * weight, "order of truths", lambda: f"({self.flag()} {self._pick(['<', '<=', '>'])} {self.flag()})"),
            (0.4 * weight, "is true", lambda: f"({self.flag()} is {self._pick(['True', 'False', 'not True'])})"),
            (0.3 * weight, "extreme of truths", lambda: f"{self._pick(['min', 'max'])}({self.flag()}, {self.flag()})"),
            (0.6 * weight, "order of tuples", lambda: self._ordered_tuples(depth)),
            (0.4 * weight, "order of records", self._ordered_records),
            (0.3, "is a member", self._is_member),
            (0.3, "is a record", self._is_record),
            (0.3 * weight, "truth of a table", lambda: f"({self.boolean(0)}, {self.flag()})[{self.flag()}]"),
            (0.3 * weight, "texts", lambda: self._texts(depth)),
            (0.5 * weight if not self.enclosed else 0, "bound truth", lambda: self._bound_truth(depth)),
        ]

    def _pick(self, signs: list[str]) -> str:
        return self.dice.choice(signs)

    def _part(self, depth: int) -> str:
        return f"({self.integer(depth - 1)})"

    def _two(self, depth: int) -> str:
        return f"{self.integer(depth - 1)}, {self.integer(0)}"

    # -- arithmetic -------------------------------------------------------------------------------------------------

    def _binary(self, signs: list[str], depth: int) -> str:
        return f"({self._part(depth)} {self._pick(signs)} {self._part(depth)})"

    def _shift(self, depth: int) -> str:
        by = f"({self.integer(0)} % 3)" if self.chance(0.4) else str(self.dice.randint(0, 3))
        return f"({self._part(depth)} {self._pick(['<<', '>>'])} {by})"

    def _divided(self, by: str, depth: int) -> str:
        return f"({self._part(depth)} {self._pick(['//', '%'])} {by})"

    def _counted(self, depth: int) -> str:
        other = self._part(depth) if self.chance(0.5) else self.flag()
        return f"({self.flag()} {self._pick(['+', '-', '*'])} {other})"

    # -- entries ----------------------------------------------------------------------------------------------------

    def _table(self, depth: int) -> str:
        parts = [self.integer(0) for _ in range(self.dice.randint(1, 3))]
        at = f"{self._part(depth)} % {len(parts)}"
        if len(parts) > 1 and self.chance(0.3):
            at = f"-1 - {at}"
        left, right = self.dice.choice([("[", "]"), ("(", ",)")])
        careless = self.careless()
        return f"{left}{', '.join(parts)}{right}[{self.integer(0) if careless else at}]"

    def _lookup(self, depth: int) -> str:
        parts = ", ".join(f"{key}: {self.integer(0)}" for key in range(self.dice.randint(1, 3)))
        return f"{{{parts}}}.get({self.integer(depth - 1)}, {self.integer(0)})"

    def _count(self, depth: int) -> str:
        if self.chance(0.4):
            found = self.walk(lambda kind: isinstance(kind, LogOf), plain=True)
            assert isinstance(found.kind, LogOf)
            return f"{found.text}.count({self.value(found.kind.entry, 0)})"
        return f"({self._two(depth)}).count({self.integer(0)})"

    def _index(self, depth: int) -> str:
        last = self.integer(0)
        wanted = self.integer(0) if self.careless() else last
        return f"[{self._two(depth)}, {last}].index({wanted})"

    def _slice(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, LogOf) and isinstance(kind.entry, Int), plain=True)
        limits = [self.dice.choice(["", "1", "-1", "2", self.integer(0)]) for _ in range(2)]
        step = self.dice.choice(["", "", ":-1", ":2"])
        return f"{self._pick(['sum', 'len'])}({found.text}[{':'.join(limits)}{step}])"

    # -- order ------------------------------------------------------------------------------------------------------

    def _keyed(self, depth: int) -> str:
        name = self.fresh("x")
        with self.within(Entry(name, NUMBER)):
            key = self.integer(min(depth - 1, 1))
        return f"{self._pick(['min', 'max'])}(({self._two(depth)}, {self.integer(0)}), key=lambda {name}: {key})"

    def _sorted(self, depth: int) -> str:
        name = self.fresh("x")
        with self.within(Entry(name, NUMBER)):
            key = self.dice.choice(["", "", f", key=lambda {name}: {self.integer(0)}", ", reverse=True"])
        return f"sorted([{self._two(depth)}, {self.integer(0)}]{key})[{self.dice.randint(-1, 2)}]"

    def _greatest(self, depth: int) -> str:
        tuples = [f"({self.integer(min(depth - 1, 1))}, {self.integer(0)})" for _ in range(2)]
        return f"{self._pick(['min', 'max'])}({', '.join(tuples)})[{self.dice.randint(0, 1)}]"

    def _ordered_tuples(self, depth: int) -> str:
        kinds: list[Kind] = [self.dice.choice([NUMBER, BOOL]) for _ in range(self.dice.choice([1, 2, 2]))]
        one, two = ([self.value(kind, min(depth - 1, 1)) for kind in kinds] for _ in range(2))
        if self.chance(0.2):
            two.append(self.integer(0))
        left, right = self.dice.choice([("(", ",)"), ("[", "]")])
        sign = self._pick(["<", "<=", ">", ">="])
        return f"({left}{', '.join(one)}{right} {sign} {left}{', '.join(two)}{right})"

    def _ordered_records(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, Record) and _has_order(kind), plain=True)
        return f"({found.text} {self._pick(['<', '<=', '>'])} {self.value(found.kind, 1)})"

    def _is_member(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, Choice), plain=True)
        return f"({found.text} is {self._pick(['', 'not '])}{self.literal(found.kind)})"

    def _is_record(self) -> str:
        found = self.walk(
            lambda kind: isinstance(kind, EitherOf) or (isinstance(kind, Maybe) and isinstance(kind.element, Record)),
            plain=True,
        )
        if isinstance(found.kind, EitherOf):
            return f"isinstance({found.text}, {self.dice.choice(found.kind.records).name})"
        assert isinstance(found.kind, Maybe)
        return f"isinstance({found.text}, {found.kind.element.text})"

    def _texts(self, depth: int) -> str:
        test, text = self.condition(depth - 1), self._pick(["low", "high"])
        return f"(('low' if {test} else 'high') == '{text}')"

    # -- functions and names ----------------------------------------------------------------------------------------

    @contextmanager
    def within(self, *entries: Entry) -> Iterator[None]:
        """What is written inside a function with these parameters."""
        before = self.with_scope(self.scope)
        self.enclosed += 1
        self.bind(*entries)
        try:
            yield
        finally:
            self.enclosed -= 1
            self.with_scope(before)

    def _function(self, depth: int) -> str:
        name = self.fresh("x")
        with self.within(Entry(name, NUMBER)):
            body = self.integer(min(depth - 1, 1))
        return f"(lambda {name}: {body})({self.integer(0)})"

    def _mapped(self, depth: int) -> str:
        name = self.fresh("x")
        with self.within(Entry(name, NUMBER)):
            body = self.integer(min(depth - 1, 1))
        return f"sum(map(lambda {name}: {body}, ({self._two(depth)})))"

    def _bound_number(self, depth: int) -> str:
        name, value = self.fresh("w"), self.integer(min(depth - 1, 1))
        return f"(({name} := {value}) {self._pick(['+', '-', '*'])} {name})"

    def _bound_truth(self, depth: int) -> str:
        name, value = self.fresh("w"), self.integer(min(depth - 1, 1))
        low = self.dice.randint(-1, 2)
        return f"(({name} := {value}) > {low} and {name} {self._pick(['<', '!='])} {self.integer(0)})"


def _has_order(kind: Record) -> bool:
    return bool(kind.fields) and all(isinstance(part, Int | Bool) for _, part in kind.fields)
