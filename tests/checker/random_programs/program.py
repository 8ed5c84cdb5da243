"""Whole programs: a file with bounds, kinds of values, helpers, a protocol or two, actions and properties."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.checker.random_programs.assignments import Lines, indented
from tests.checker.random_programs.core import BOOL, FUEL, Entry, Helper, NoWay, World, after
from tests.checker.random_programs.declarations import declare, plain_parameters
from tests.checker.random_programs.kinds import (
    Bool,
    Choice,
    Int,
    Kind,
    ListOf,
    LogOf,
    MapOf,
    Maybe,
    OnceOf,
    Record,
    SetOf,
    TupleOf,
)
from tests.checker.random_programs.numbers import SELF
from tests.checker.random_programs.sources import NUMBER
from tests.checker.random_programs.statements import Statements
from tests.checker.random_programs.values import Expressions

IMPORTS = """from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from epochal.language import (
    Bounds, Capacity, Ghost, Identifier, Identifiers, Integers, Log, Map, Protocol, Set, Struct, action,
    action_property, bound, constraint, invariant, reachable, require,
)
"""


HELPERS = ("function", "static", "method", "method", "property", "procedure", "procedure", "change")
"""The ways to write a helper; a change is a method that changes the state and has a result."""


@dataclass(frozen=True)
class Program:
    """A program: its text, and whether it was written to be symmetric."""

    seed: int
    text: str
    symmetric: bool
    wild: bool


def program(seed: int) -> Program:
    """The program of a seed, the same on every machine and for every hash seed."""
    dice = random.Random(seed)
    world = World(dice, wild=dice.random() < 0.25, symmetric=dice.random() < 0.15)
    if dice.random() < 0.12:
        world.tangle()
    return Program(seed, _File(world).text(), world.symmetric, world.wild)


class _File:
    """One file being written."""

    def __init__(self, world: World) -> None:
        self.world, self.dice = world, world.dice
        self.instances = 0
        self.derived = self.dice.random() < 0.3
        self.actions: list[tuple[str, list[tuple[str, Kind]]]] = []

    def text(self) -> str:
        """All of it."""
        declarations = declare(self.world)
        module, methods = self._helpers()
        initial = self._initial()
        body = [*self._constants(), *self._variables(self.world.variables), *initial, *methods]
        for number in range(self.dice.choice([1, 2, 2])):
            body += self._action(f"act_{number}")
        for number in range(self.dice.choice([1, 1, 2])):
            body += self._driver(f"set_{number}")
        properties = self._properties(initial)
        classes = ["", "", "class P(Protocol):", '    """P."""', "", "    bounds: B", *indented([*body, *properties])]
        if self.derived:
            classes[2:4] = ["class Base(Protocol):", '    """Base."""']
            classes += ["", "", "class P(Base):", '    """P."""', "", *indented(self._derivation())]
        return "\n".join([IMPORTS, *declarations, *module, *classes]) + "\n"

    # -- state ------------------------------------------------------------------------------------------------------

    def _constants(self) -> Lines:
        """What the class says once for all states."""
        made = [entry for entry in self.world.constants if entry.text.startswith("self.")]
        return [f"{entry.text.removeprefix('self.')}: ClassVar[int] = {self.dice.randint(-1, 3)}" for entry in made]

    def _variables(self, entries: list[Entry]) -> Lines:
        lines = []
        for entry in entries:
            text = f"Ghost[{entry.kind.text}]" if entry.ghost else entry.kind.text
            lines.append(f"{entry.text.removeprefix('self.')}: {text}")
        return lines

    def _initial(self) -> Lines:
        if self.dice.random() < 0.5:
            return []
        parameters = plain_parameters(self.world, self.dice.choice([0, 1, 1]), 4)
        scope = [SELF, *self.world.variables, *(Entry(n, k) for n, k in parameters)]
        writer = Statements(self.world, scope, writes=True, guards=False)
        writer.safe = True
        lines = writer.statements(self.dice.randint(1, 2), 1) or ["pass"]
        for name, kind in parameters:
            if isinstance(kind, Int | Bool | Choice) and self.dice.random() < 0.4:
                lines.insert(0, f"require({name} != {writer.literal(kind)})")
        return ["", self._head("initial", parameters, "None"), *indented(['"""Where it begins."""', *lines])]

    def _head(self, name: str, parameters: list[tuple[str, Kind]], result: str, first: str = "self") -> str:
        texts = [first] if first else []
        texts += [f"{n}: {k.text}" for n, k in parameters]
        return f"def {name}({', '.join(texts)}) -> {result}:"

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _helpers(self) -> tuple[Lines, Lines]:
        module: Lines = []
        methods: Lines = []
        for number in range(self.dice.choice([0, 1, 1, 2, 3])):
            how = self.dice.choice(HELPERS)
            try:
                lines, helper = self._helper(f"helper_{number}", how)
            except NoWay:
                continue
            self.world.helpers.append(helper)
            if how == "function" or (how == "procedure" and not helper.on_state):
                module += ["", "", *lines]
            else:
                methods += ["", *lines]
        return module, methods

    def _helper(self, name: str, how: str) -> tuple[Lines, Helper]:
        dice, world = self.dice, self.world
        on_state = how in ("method", "property", "change") or (how == "procedure" and dice.random() < 0.6)
        count = 0 if how == "property" else dice.choice([1, 1, 2])
        parameters = [(f"q{i}", self._parameter_kind(how)) for i in range(count)]
        writes = how in ("procedure", "change")
        result = None if how == "procedure" else dice.choice(self._results(on_state))
        scope = [Entry(n, k, False, writes and isinstance(k, Record | MapOf | LogOf)) for n, k in parameters]
        if on_state:
            scope = [SELF, *world.variables, *scope]
        else:
            scope += [entry for entry in world.constants if not entry.text.startswith("self.")]
        writer = Statements(world, scope, writes=writes, result=result, guards=writes)
        writer.ghosts = False
        if not on_state:
            writer.state = ""
        lines = writer.statements(dice.choice([0, 1, 1, 2]) + writes, 1)
        if result is not None:
            lines.append(f"return {writer.ordered(result, 2)}")
        optional = 0
        texts = [f"{n}: {k.text}" for n, k in parameters]
        if parameters and not writes and (parameters[-1][1] in (NUMBER, BOOL)) and dice.random() < 0.4:
            texts[-1] += " = " + ("True" if parameters[-1][1] == BOOL else str(dice.randint(-1, 2)))
            optional = 1
        first = ["self"] if on_state else []
        head = f"def {name}({', '.join([*first, *texts])}) -> {result.text if result else 'None'}:"
        marks = ["@staticmethod"] if how == "static" else ["@property"] if how == "property" else []
        call = f"self.{name}" if on_state or how == "static" else name
        kinds = tuple(kind for _, kind in parameters)
        return [*marks, head, *indented(lines or ["pass"])], Helper(
            call,
            kinds,
            optional,
            result,
            on_state or how == "static",
            how == "property",
            how == "change",
            how == "static",
        )

    def _parameter_kind(self, how: str) -> Kind:
        world = self.world
        kinds: list[Kind] = [NUMBER, BOOL, *world.records, *world.records, *world.choices, *world.names]
        kinds += [entry.kind for entry in world.variables if isinstance(entry.kind, SetOf | LogOf | MapOf)]
        if self.dice.random() < 0.2:
            kinds = [ListOf(NUMBER), OnceOf(NUMBER), *map(ListOf, world.records), *map(OnceOf, world.records)]
        if how == "procedure":
            kinds += [*world.records, *world.records]
        return self.dice.choice(kinds)

    def _results(self, on_state: bool) -> list[Kind]:
        world = self.world
        kinds: list[Kind] = [NUMBER, NUMBER, BOOL, BOOL, *world.ints, *world.records, *world.choices]
        kinds += [Maybe(record) for record in world.records]
        kinds += [TupleOf((NUMBER, dice_kind)) for dice_kind in (BOOL, *world.records)]
        if on_state:
            kinds += [*world.names, *(entry.kind for entry in world.variables)]
        return kinds

    # -- actions ----------------------------------------------------------------------------------------------------

    def _action(self, name: str) -> Lines:
        room = max(1, 14 - self.instances)
        parameters = plain_parameters(
            self.world, self.dice.choice([0, 1, 1, 1, 2]), min(self.dice.choice([6, 6, 6, 9]), room)
        )
        product = 1
        for _, kind in parameters:
            product *= kind.size
        self.instances += product
        self.actions.append((name, parameters))
        lines = self._rule(parameters, self.dice.choice([1, 2, 2, 3, 4]))
        return ["", "@action", self._head(name, parameters, "None"), *indented([f'"""{name} happens."""', *lines])]

    def _driver(self, name: str) -> Lines:
        """An action that takes some part of the state through its values, so that there is something to search."""
        writer = Statements(self.world, [SELF, *self.world.variables], writes=True)
        for _ in range(20):
            try:
                target = writer.target(lambda kind: kind.size <= 5 or isinstance(kind, LogOf | SetOf))
            except NoWay:
                continue
            kind, guards = target.kind, [f"require({' and '.join(target.guards)})"] if target.guards else []
            part = kind.entry if isinstance(kind, LogOf) else kind.element if isinstance(kind, SetOf) else kind
            if isinstance(part, Maybe) and isinstance(part.element, Record):
                continue
            if (
                part.size > 5
                or (isinstance(part, Record) and not part.plain)
                or isinstance(part, SetOf | LogOf | MapOf)
            ):
                continue
            parameters = [("u0", part)]
            change = f"{target.text} = u0"
            if isinstance(kind, SetOf):
                change = f"{target.text} {self.dice.choice('|^')}= {{u0}}"
            if isinstance(kind, LogOf):
                guards.append(f"require(len({target.text}) < {kind.capacity})")
                change = f"{target.text}.append(u0)"
            self.instances += part.size
            self.actions.append((name, parameters))
            lines = [*guards, change]
            return ["", "@action", self._head(name, parameters, "None"), *indented([f'"""{name} happens."""', *lines])]
        return []

    def _rule(self, parameters: list[tuple[str, Kind]], count: int) -> Lines:
        scope = [SELF, *self.world.variables, *(Entry(n, k) for n, k in parameters)]
        writer = Statements(self.world, scope, writes=True)
        lines = []
        if self.dice.random() < 0.35:
            lines.append(f"require({writer.condition(2)})")
        for _ in range(4):
            lines += writer.statements(count, 2)
            if any("self." in line and not line.startswith("require") for line in lines):
                break
        return lines or ["pass"]

    # -- properties -------------------------------------------------------------------------------------------------

    def _properties(self, body: Lines) -> Lines:
        lines: Lines = []
        for number in range(self.dice.randint(1, 2)):
            lines += self._property("invariant", f"inv_{number}", False)
        if self.dice.random() < 0.5:
            lines += self._property("action_property", "step_0", True)
        if self.dice.random() < 0.4:
            lines += self._property("reachable", "reach_0", self.dice.random() < 0.3)
        if self.dice.random() < 0.2:
            ints = [e for e in self.world.variables if isinstance(e.kind, Int) and e.kind.low <= 0 and not e.ghost]
            entry = self.dice.choice(ints) if ints else None
            if entry is not None and f"{entry.text} " not in "\n".join(body) and isinstance(entry.kind, Int):
                text = f"{entry.text} < {entry.kind.high}"
                if self.dice.random() < 0.4:
                    other = Expressions(self.world, [SELF, *self.world.variables], ghosts=True).boolean(2)
                    text += f" or {other}"
                lines += ["", "@constraint", "def small(self) -> bool:", '    """Small."""', f"    return {text}"]
        return lines

    def _property(self, mark: str, name: str, step: bool) -> Lines:
        scope = [SELF, *self.world.variables]
        if step:
            scope += [after(entry) for entry in self.world.variables]
        writer = Statements(self.world, scope, writes=False, result=BOOL, guards=False)
        if step:
            writer.state = "new"
        lines = writer.statements(self.dice.choice([0, 0, 0, 1, 2]), 1)
        writer.fuel = 2 * FUEL
        parts = [writer.boolean(3) for _ in range(self.dice.choice([1, 2, 2]))]
        lines.append("return " + (" and " if mark == "reachable" else " or ").join(parts))
        head = f"def {name}(self, new: Self) -> bool:" if step else f"def {name}(self) -> bool:"
        return ["", f"@{mark}", head, *indented([f'"""{name} holds."""', *lines])]

    # -- inheritance ------------------------------------------------------------------------------------------------

    def _derivation(self) -> Lines:
        dice, world = self.dice, self.world
        lines: Lines = []
        name, parameters = dice.choice(self.actions)
        texts = ", ".join(n for n, _ in parameters)
        scope = [SELF, *world.variables, *(Entry(n, k) for n, k in parameters)]
        writer = Statements(world, scope, writes=True)
        body = [f"super().{name}({texts})"]
        if dice.random() < 0.6:
            body = [f"if {writer.condition(1)}:", *indented(body), "else:", *indented(writer.block(1, 1))]
        if dice.random() < 0.5:
            body += writer.statements(1, 1)
        marks = ["@action"] if dice.random() < 0.5 else []
        lines += [*marks, self._head(name, parameters, "None"), *indented([f'"""{name} otherwise."""', *body])]
        others = [one for one, _ in self.actions if one != name]
        if dice.random() < 0.3 and len(others) > 1:
            lines += ["", f"{dice.choice(others)} = None"]
        if dice.random() < 0.4:
            writer = Statements(world, [SELF, *world.variables], writes=False, result=BOOL, guards=False)
            text = f"super().inv_0() {dice.choice(['or', 'and'])} {writer.boolean(2)}"
            lines += ["", "@invariant", "def inv_0(self) -> bool:", '    """inv_0 otherwise."""', f"    return {text}"]
        methods = [one for one in world.helpers if one.result is not None and one.call.startswith("self.")]
        if methods and dice.random() < 0.5:
            lines += self._overridden(dice.choice(methods))
        if dice.random() < 0.3:
            lines += self._action("act_9")
        return lines

    def _overridden(self, helper: Helper) -> Lines:
        """A helper of the base class, otherwise: what the base class does with it changes too."""
        assert helper.result is not None
        if helper.attribute or helper.changes or helper.static:
            return []
        name = helper.call.removeprefix("self.")
        parameters = [(f"q{i}", kind) for i, kind in enumerate(helper.parameters)]
        scope = [SELF, *self.world.variables, *(Entry(n, k) for n, k in parameters)]
        before, self.world.helpers = self.world.helpers, []
        writer = Statements(self.world, scope, writes=False, result=helper.result, guards=False)
        writer.ghosts = False
        given = f"super().{name}({', '.join(n for n, _ in parameters)})"
        try:
            text = f"({given} if {writer.condition(2)} else {writer.value(helper.result, 2)})"
        except NoWay:
            text = given
        self.world.helpers = before
        texts = [f"{n}: {k.text}" for n, k in parameters]
        if helper.optional:
            texts[-1] += " = " + ("True" if parameters[-1][1] == BOOL else "1")
        return ["", f"def {name}({', '.join(['self', *texts])}) -> {helper.result.text}:", f"    return {text}"]
