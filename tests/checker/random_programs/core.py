"""What every part of the generator shares: the dice, the world of declared names, the scope, choices by weight."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.checker.random_programs.kinds import (
    BOOL,
    Choice,
    EitherOf,
    Int,
    Kind,
    LogOf,
    MapOf,
    Maybe,
    Name,
    Record,
    SetOf,
    TupleOf,
    is_scalar,
    parts_of,
)


class NoWay(Exception):
    """There is nothing of this kind here: another choice is tried."""


Option = Callable[[], str]
FUEL = 14
"""How many choices a statement is made of before only simple ones are left."""
NESTING = 30
"""How deep choices lie within each other at most."""


OF_RECORDS = (
    "sandwich",
    "swap",
    "tuple assignment",
    "chained assignment",
    "procedure",
    "over a map",
    "over a tuple",
    "path to a record",
    "conditional record",
    "next record",
    "optional or record",
    "call for a record",
    "path to an optional",
    "present",
)
"""The constructs that tangled programs like most."""


@dataclass(frozen=True)
class Entry:
    """Something that can be named: its text, its kind, whether it is history, and whether it is a part of the state."""

    text: str
    kind: Kind
    ghost: bool = False
    state: bool = False


@dataclass(frozen=True)
class Helper:
    """A function that rules call: the last `optional` parameters have defaults, and a result of None is no result.

    It needs a state if it is a method; an attribute is called without parentheses. One that has a result and changes
    the state is called in a statement of its own.
    """

    call: str
    parameters: tuple[Kind, ...]
    optional: int
    result: Kind | None
    on_state: bool
    attribute: bool = False
    changes: bool = False
    static: bool = False


@dataclass
class World:
    """What a program declares, and how often it likes each construct.

    Every program leaves some constructs out and overdoes others (each by its name): so the programs differ more than if
    all of them drew from one distribution. `wild` programs also use what the language may refuse.
    """

    dice: random.Random
    wild: bool = False
    symmetric: bool = False
    tangled: bool = False
    ints: list[Int] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    variables: list[Entry] = field(default_factory=list)
    helpers: list[Helper] = field(default_factory=list)
    likes: dict[str, float] = field(default_factory=dict)
    constants: list[Entry] = field(default_factory=list)

    def tangle(self) -> None:
        """Let the program have many names for few records, and change these while it uses those."""
        self.tangled = self.wild = True
        self.likes |= dict.fromkeys(OF_RECORDS, 4.0) | {"careless": 0.0}

    def like(self, name: str) -> float:
        """How much this program likes a construct."""
        if name.endswith("of last resort"):
            return 1.0
        if name not in self.likes:
            self.likes[name] = self.dice.choice([0.0, 0.4, 1.0, 1.0, 2.5])
        return self.likes[name]


@dataclass(frozen=True)
class Found:
    """A path to a value, and the conditions, in this order, under which it can be taken."""

    text: str
    kind: Kind
    guards: tuple[str, ...] = ()


class Core:
    """A place in the program where something is being written: the names in scope, and what may be done there."""

    def __init__(self, world: World, scope: Sequence[Entry], *, ghosts: bool = False, state: str = "self") -> None:
        self.world, self.dice = world, world.dice
        self.scope = list(scope)
        self.ghosts = ghosts
        self.state = state
        self.counter = [0]
        self.fuel = FUEL
        self.nesting = 0
        self.strict = False
        self.safe = False

    def deep(self, depth: int) -> bool:
        """Whether what is being written may have parts that are not simple."""
        self.fuel -= 1
        return depth > 0 and self.fuel > 0

    # -- choosing ---------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self.dice.random() < probability

    def careless(self) -> bool:
        """Whether something that can fail is written without a guard."""
        return not self.safe and self.chance(0.04 * self.world.like("careless"))

    def one_of(self, *options: tuple[float, str, Option]) -> str:
        """One of these, by weight; another one if that is not possible here."""
        left = [(weight * self.world.like(name), option) for weight, name, option in options if weight > 0]
        left = [one for one in left if one[0] > 0]
        while left:
            at = self.dice.choices(range(len(left)), [weight for weight, _ in left])[0]
            before = dict(self.__dict__)
            try:
                self.nesting += 1
                option = left.pop(at)[1]
                if self.nesting > NESTING:
                    raise NoWay
                text = option()
                self.nesting -= 1
                return text
            except NoWay:
                self.__dict__.update(before, fuel=self.fuel)
        raise NoWay

    def sometimes(self, weight: float) -> float:
        """The weight of what the language may refuse: 0 in most programs."""
        return weight if self.world.wild and not self.world.tangled else 0.0

    def fresh(self, stem: str) -> str:
        """A name that is not in use in this function."""
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    # -- names ------------------------------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """What can be named here."""
        return [entry for entry in self.scope if entry.text != "self" and (self.ghosts or not entry.ghost)]

    def bind(self, *entries: Entry) -> None:
        """Let names be used from here on; of the same name the last counts."""
        taken = {entry.text for entry in entries}
        self.scope = [entry for entry in self.scope if entry.text not in taken] + list(entries)

    def guarded(self, found: Found) -> str:
        """The path, or something else where it cannot be taken."""
        if not found.guards or (self.careless() and found.text.startswith(("self.", "new."))):
            return found.text
        if isinstance(found.kind, LogOf | MapOf) and not self.sometimes(1):
            raise NoWay
        return f"({found.text} if {' and '.join(found.guards)} else {self.simple(found.kind)})"

    def simple(self, kind: Kind) -> str:
        """A name or a constant."""
        if isinstance(kind, SetOf):
            return "Set()"
        if isinstance(kind, LogOf):
            return "[]"
        named = [entry.text for entry in self.entries() if entry.kind == kind]
        if named and (self.chance(0.5) or isinstance(kind, MapOf)):
            return self.dice.choice(named)
        return self.literal(kind)

    # -- paths ------------------------------------------------------------------------------------------------------

    def walk(
        self, wanted: Callable[[Kind], bool], *, tries: int = 10, only_state: bool = False, plain: bool = False
    ) -> Found:
        """A random path from some name to a value of a kind that is wanted; a plain one needs no guard."""
        entries = [entry for entry in self.entries() if entry.state or not only_state]
        entries = [entry for entry in entries if any(map(wanted, parts_of(entry.kind)))]
        if not entries:
            raise NoWay
        for _ in range(tries):
            entry = self.dice.choice(entries)
            found: Found | None = Found(entry.text, entry.kind)
            for _ in range(5):
                if found is None:
                    break
                if wanted(found.kind) and (self.chance(0.8) or not isinstance(found.kind, Record)):
                    if plain and found.guards:
                        raise NoWay
                    return found
                found = self.deeper(found)
        raise NoWay

    def deeper(self, found: Found) -> Found | None:
        """A part of a value."""
        text, kind, guards = found.text, found.kind, found.guards
        if isinstance(kind, Maybe):
            inside = (*guards, f"{text} is not None")
            if not isinstance(kind.element, Record):
                return Found(text, kind.element, inside)
            name, part = self.dice.choice(kind.element.fields)
            return Found(f"{text}.{name}", part, inside)
        if isinstance(kind, Record):
            name, part = self.dice.choice(kind.fields)
            return Found(f"{text}.{name}", part, guards)
        if isinstance(kind, EitherOf):
            record = self.dice.choice(kind.records)
            name, part = self.dice.choice(record.fields)
            return Found(f"{text}.{name}", part, (*guards, f"isinstance({text}, {record.name})"))
        if isinstance(kind, MapOf):
            try:
                return Found(f"{text}[{self.key(kind.key)}]", kind.value, guards)
            except NoWay:
                return None
        if isinstance(kind, LogOf):
            if self.chance(0.35):
                return Found(
                    f"{text}.{self.dice.choice(['last', 'last', 'first'])}", kind.entry, (*guards, self.not_empty(text))
                )
            index = self.index(kind)
            return Found(f"{text}[{index}]", kind.entry, (*guards, self.inside(index, text)))
        if isinstance(kind, TupleOf):
            at = self.dice.randrange(len(kind.parts))
            return Found(f"{text}[{at}]", kind.parts[at], guards)
        return None

    def not_empty(self, text: str) -> str:
        """That a log has entries."""
        return self.dice.choice([f"len({text}) > 0", text, f"len({text}) != 0", f"0 < len({text})"])

    def inside(self, index: str, text: str) -> str:
        """That an index lies in a log."""
        if index.isdigit():
            return f"len({text}) > {index}"
        return f"0 <= {index} < len({text})"

    def index(self, kind: LogOf) -> str:
        """An index into a log, which may lie outside."""
        ints = [entry for entry in self.entries() if isinstance(entry.kind, Int)]
        if ints and self.chance(0.5):
            return self.dice.choice(ints).text
        return str(self.dice.randrange(kind.capacity))

    def key(self, kind: Kind) -> str:
        """A key of a map: something of the key's own kind."""
        found = [entry.text for entry in self.entries() if entry.kind == kind]
        if found and (isinstance(kind, Name) or self.chance(0.6)):
            return self.dice.choice(found)
        return self.literal(kind)

    def literal(self, kind: Kind) -> str:
        """A constant of a scalar kind."""
        if isinstance(kind, Int):
            return str(self.dice.randint(kind.low, kind.high))
        if kind == BOOL:
            return self.dice.choice(["True", "False"])
        if isinstance(kind, Choice):
            return f"{kind.name}.{self.dice.choice(kind.members)}"
        if isinstance(kind, Maybe) and (isinstance(kind.element, Record) or self.chance(0.4)):
            return "None"
        if isinstance(kind, Maybe):
            return self.literal(kind.element)
        if isinstance(kind, Name):
            if self.world.symmetric or not any(entry.text == "self" for entry in self.scope):
                raise NoWay
            return f"self.member({kind.name}, {self.dice.randrange(kind.count)})"
        if isinstance(kind, SetOf):
            return "Set()" if self.chance(0.5) else f"Set([{self.literal(kind.element)}])"
        if isinstance(kind, EitherOf):
            return self.literal(self.dice.choice(kind.records))
        if isinstance(kind, Record):
            parts = [(name, self.simple(part)) for name, part in kind.fields]
            return f"{kind.name}({', '.join(f'{name}={text}' for name, text in parts)})"
        raise NoWay

    def with_scope(self, scope: Sequence[Entry]) -> list[Entry]:
        """Exchange the scope; the one before."""
        before, self.scope = self.scope, list(scope)
        return before


def after(entry: Entry) -> Entry:
    """A state variable as it is in the state after a step."""
    return replace(entry, text=entry.text.replace("self.", "new.", 1))


__all__ = ["BOOL", "Core", "Entry", "Found", "Helper", "NoWay", "World", "after", "is_scalar"]
