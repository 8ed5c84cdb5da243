"""Expressions that are integers or truth values."""

from __future__ import annotations

from collections.abc import Callable

from tests.checker.random_programs.core import BOOL, Entry, Helper, NoWay
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
    PlainSetOf,
    Record,
    SetOf,
    TupleOf,
)
from tests.checker.random_programs.sources import NUMBER
from tests.checker.random_programs.words import OrdinaryWords


class Numbers(OrdinaryWords):
    """Writes integers and truth values."""

    sequence: Callable[[LogOf], str]
    ordered: Callable[[Kind, int], str]

    # -- integers ---------------------------------------------------------------------------------------------------

    def integer(self, depth: int) -> str:
        """An integer, of any size that comes about."""
        before, self.strict = self.strict, True
        try:
            return self._integer(depth)
        finally:
            self.strict = before

    def _integer(self, depth: int) -> str:
        deep = self.deep(depth)
        return self.one_of(
            (2 if not deep else 1, "constant", lambda: str(self.dice.randint(-2, 4))),
            (6, "path to a number", self._path),
            (2 if deep else 0, "arithmetic", lambda: self._arithmetic(depth)),
            (0.7 if deep else 0, "division", lambda: self._division(depth)),
            (0.5 if deep else 0, "minus", lambda: f"-{self._atom(depth - 1)}"),
            (0.5 if deep else 0, "abs", lambda: f"abs({self.integer(depth - 1)})"),
            (1 if deep else 0, "min and max", lambda: self._min_max(depth)),
            (1, "len", lambda: self.length(depth - 1)),
            (1 if deep else 0, "sum", lambda: self.total(depth)),
            (0.7 if deep else 0, "extreme", lambda: self.extreme(depth)),
            (0.7 if deep else 0, "next number", lambda: self.first(NUMBER, depth, lambda: self.integer(0))),
            (1 if deep else 0, "conditional number", lambda: self._conditional(depth)),
            (0.5 if deep else 0, "int of a truth", lambda: f"int({self.boolean(depth - 1)})"),
            (0.6 if deep else 0, "or number", lambda: self._or(depth)),
            (self.sometimes(0.3), "truth as a number", self.flag),
            (self.sometimes(0.3) if deep else 0, "truth or number", lambda: self._mixed(depth)),
            (0.4, "bound", self._bound),
            (1.5, "call for a number", lambda: self.called(NUMBER, depth)),
            (0.5, "constant of the module", self._module_constant),
            *self.number_words(depth),
            (0.05, "number of last resort", lambda: str(self.dice.randint(0, 2))),
        )

    def _path(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, Int))
        return self.guarded(found)

    def _atom(self, depth: int) -> str:
        text = self.integer(depth)
        return text if text.isidentifier() or text.isdigit() or (text[-1:] == ")" and text[0] == "(") else f"({text})"

    def _arithmetic(self, depth: int) -> str:
        sign = self.dice.choice("++--*")
        return f"{self._atom(depth - 1)} {sign} {self._atom(depth - 1)}"

    def _division(self, depth: int) -> str:
        return f"{self._atom(depth - 1)} {self.dice.choice(['//', '%'])} {self.dice.randint(1, 4)}"

    def _min_max(self, depth: int) -> str:
        parts = [self.integer(depth - 1) for _ in range(self.dice.choice([2, 2, 3]))]
        return f"{self.dice.choice(['min', 'max'])}({', '.join(parts)})"

    def _conditional(self, depth: int) -> str:
        return f"({self.integer(depth - 1)} if {self.condition(depth - 1)} else {self.integer(depth - 1)})"

    def _or(self, depth: int) -> str:
        first = self.walk(
            lambda kind: isinstance(kind, Int) or (isinstance(kind, Maybe) and isinstance(kind.element, Int)),
            plain=True,
        )
        word = "or" if isinstance(first.kind, Maybe) else self.dice.choice(["or", "and"])
        return f"({first.text} {word} {self.integer(depth - 1)})"

    def flag(self) -> str:
        """A truth value that has a name."""
        found = self.walk(lambda kind: isinstance(kind, Bool))
        return self.guarded(found)

    def _mixed(self, depth: int) -> str:
        text = self.dice.choice(["({f} if {t} else {i})", "({f} or {i})", "max({f}, {i})", "min({i}, {f})"])
        return text.format(f=self.flag(), t=self.truth(depth - 1), i=self.integer(depth - 1))

    def _bound(self) -> str:
        if not any(entry.text == "self" for entry in self.scope):
            raise NoWay
        return "self.bounds.high"

    def has(self, entry: Entry) -> bool:
        """Whether a constant can be named here; those of the class need `self`."""
        return self.may_call or not entry.text.startswith("self.")

    def _module_constant(self) -> str:
        found = [entry for entry in self.world.constants if entry.kind == NUMBER and self.has(entry)]
        if not found:
            raise NoWay
        return self.dice.choice(found).text

    # -- truth ------------------------------------------------------------------------------------------------------

    def boolean(self, depth: int) -> str:
        """A truth value, not only something that has one."""
        before, self.strict = self.strict, True
        text = self.truth(depth)
        self.strict = before
        return text

    def condition(self, depth: int) -> str:
        """Something of which only the truth matters."""
        before, self.strict = self.strict, False
        text = self.truth(depth)
        self.strict = before
        return text

    def truth(self, depth: int) -> str:
        """A condition, or a truth value where one is wanted."""
        deep, loose = self.deep(depth), not self.strict
        return self.one_of(
            (0.2, "constant truth", lambda: self.dice.choice(["True", "False"])),
            (3, "path to a truth", self.flag),
            (5, "comparison", lambda: self._comparison(depth)),
            (0.8 if deep else 0, "chained comparison", lambda: self._chain(depth)),
            (2 if deep else 0, "and or", lambda: self._connected(depth)),
            (1 if deep else 0, "not", lambda: f"not ({self.condition(depth - 1)})"),
            (2, "equality", lambda: self._equality(depth)),
            (2, "is none", self._is_none),
            (2, "in", lambda: self._membership(depth)),
            (1.5 if deep else 0, "quantifier", lambda: self.quantified(depth)),
            (1 if loose else 0, "truth of a collection", lambda: self.something_to_count().text),
            (0.5, "truth of a number", lambda: f"bool({self.integer(depth - 1)})"),
            (1 if deep else 0, "comparison of sets", lambda: self._sets(depth)),
            (0.6 if deep else 0, "conditional truth", lambda: self._choice(depth)),
            (1.5, "call for a truth", lambda: self.called(BOOL, depth)),
            (0.4 if deep else 0, "optional truth", self._optional_truth),
            (0.5 if deep else 0, "comparison of tuples", lambda: self._tuples(depth)),
            *self.truth_words(depth),
            (0.05, "truth of last resort", lambda: self.dice.choice(["True", "False"])),
        )

    def _comparison(self, depth: int) -> str:
        sign = self.dice.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"{self.integer(depth - 1)} {sign} {self.integer(depth - 1)}"

    def _chain(self, depth: int) -> str:
        signs = [self.dice.choice(["<", "<=", "==", "!="]) for _ in range(2)]
        a, b, c = (self.integer(min(depth - 1, 1)) for _ in range(3))
        return f"{a} {signs[0]} {b} {signs[1]} {c}"

    def _connected(self, depth: int) -> str:
        word = self.dice.choice(["and", "or"])
        parts = [self.truth(depth - 1) for _ in range(self.dice.choice([2, 2, 3]))]
        return "(" + f" {word} ".join(parts) + ")"

    def _choice(self, depth: int) -> str:
        return f"({self.boolean(depth - 1)} if {self.condition(depth - 1)} else {self.boolean(depth - 1)})"

    def _equality(self, depth: int) -> str:
        found = self.walk(lambda kind: not isinstance(kind, Bool | Int) and comparable(kind))
        if found.guards and not isinstance(found.kind, Choice | Name):
            raise NoWay
        sign = self.dice.choice(["==", "!="])
        before = self.guarded(found)
        kind = found.kind
        if isinstance(kind, Maybe) and self.chance(0.5):
            kind = kind.element
        if isinstance(kind, Name) and len(self.world.names) > 1 and self.chance(0.5):
            kind = self.dice.choice(self.world.names)
        if isinstance(kind, LogOf) and not self.careless():
            return f"{before} {sign} {self.sequence(kind)}"
        return f"{before} {sign} {self.left(kind, depth)}"

    def _is_none(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, Maybe), plain=True)
        return f"{found.text} is {self.dice.choice(['', 'not '])}None"

    def _membership(self, depth: int) -> str:
        word = self.dice.choice(["in", "in", "not in"])
        shape = self.dice.random()
        if shape < 0.2:
            left, right = self.dice.choice([("(", ")"), ("[", "]"), ("{", "}")])
            kind = self.hashable() if left == "{" else self.some_kind()
            parts = [self.value(kind, 0) for _ in range(self.dice.randint(1, 3))]
            end = "," if len(parts) == 1 and left == "(" else ""
            return f"{self.left(kind, depth)} {word} {left}{', '.join(parts)}{end}{right}"
        if shape < 0.3:
            return f"{self.integer(depth - 1)} {word} range({self.integer(0)})"
        found = self.walk(lambda kind: isinstance(kind, SetOf | LogOf | MapOf | ListOf | PlainSetOf), plain=True)
        kind = found.kind
        if isinstance(kind, MapOf):
            if self.chance(0.5) and not isinstance(kind.value, MapOf | LogOf):
                return f"{self.left(kind.value, depth)} {word} {found.text}.values()"
            return f"{self.left(kind.key, depth)} {word} {found.text}"
        element = kind.entry if isinstance(kind, LogOf) else getattr(kind, "element")  # noqa: B009
        wanted = NUMBER if isinstance(element, Int) and self.chance(0.4) else element
        return f"{self.left(wanted, depth)} {word} {found.text}"

    def left(self, kind: Kind, depth: int) -> str:
        """The left side of a comparison."""
        text = self.value(kind, max(depth - 1, 0))
        return f"({text})" if " " in text and isinstance(kind, Bool | Maybe) else text

    def _sets(self, depth: int) -> str:
        found = self.walk(lambda kind: isinstance(kind, SetOf))
        if found.guards or not isinstance(found.kind, SetOf):
            raise NoWay
        numbers = [kind for kind in self.world.ints if kind.size <= 8]
        mixed = isinstance(found.kind.element, Int) and numbers and self.chance(0.2)
        other = self.value(SetOf(self.dice.choice(numbers)) if mixed else found.kind, depth - 1)
        how = self.dice.choice(["<=", "<", ">=", ">", "==", "!=", "isdisjoint", "issubset"])
        return f"{found.text} {how} {other}" if how[0] in "<>=!" else f"{found.text}.{how}({other})"

    def _optional_truth(self) -> str:
        found = self.walk(lambda kind: isinstance(kind, Maybe) and kind.element == BOOL, plain=True)
        return found.text + self.dice.choice(
            ["" if not self.strict else " is None", " == True", " == False", " == 1", " != 0", " is not None"]
        )

    def _tuples(self, depth: int) -> str:
        kinds: list[Kind] = [self.some_kind(), self.some_kind()]
        one, two = ([self.value(kind, 0) for kind in kinds] for _ in range(2))
        return f"({', '.join(one)}) {self.dice.choice(['==', '!='])} ({', '.join(two)})"

    # -- calls ------------------------------------------------------------------------------------------------------

    def called(self, kind: Kind, depth: int) -> str:
        """A call of a helper that gives a value of this kind."""
        fits = [
            helper
            for helper in self.world.helpers
            if helper.result is not None
            and (helper.result == kind or (kind == NUMBER and isinstance(helper.result, Int)))
            and not (helper.on_state and not self.may_call)
            and (not helper.changes or self.sometimes(self.chance(0.1)))
        ]
        if not fits:
            raise NoWay
        return self.call(self.dice.choice(fits), depth)

    def call(self, helper: Helper, depth: int) -> str:
        """A call of a helper, some arguments by name."""
        count = len(helper.parameters) - self.dice.randint(0, helper.optional)
        arguments = [self.argument(one, depth) for one in helper.parameters[:count]]
        if self.chance(0.15):
            arguments = [f"q{i}={text}" for i, text in enumerate(arguments)]
            self.dice.shuffle(arguments)
        call = helper.call
        if call.startswith("self.") and self.state == "new" and self.chance(0.5):
            call = call.replace("self.", "new.", 1)
        return call if helper.attribute else f"{call}({', '.join(arguments)})"

    @property
    def may_call(self) -> bool:
        """Whether methods can be called here."""
        return any(entry.text == "self" for entry in self.scope)

    def argument(self, kind: Kind, depth: int) -> str:
        """An argument of a call."""
        if isinstance(kind, Record | LogOf | MapOf | SetOf) and self.chance(0.7):
            found = self.walk(lambda other: other == kind)
            if not found.guards:
                return found.text
        return self.ordered(kind, min(depth - 1, 1)) if self.deep(depth) else self.simple(kind)


def comparable(kind: Kind) -> bool:
    """Whether equality of such values is interesting."""
    return isinstance(kind, Choice | Name | Maybe | Record | EitherOf | SetOf | LogOf | MapOf | TupleOf | Int)


SELF = Entry("self", TupleOf(()))
"""That there is a state here: methods can be called and members of domains be named."""
