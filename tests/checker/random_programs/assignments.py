"""Assignments: which places of the state can be assigned, in every form, and what must hold before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.checker.random_programs.core import Entry, Found, NoWay, World
from tests.checker.random_programs.kinds import Int, Kind, LocalKind, LogOf, MapOf, Maybe, Record, SetOf, TupleOf
from tests.checker.random_programs.values import Expressions

Lines = list[str]


def indented(lines: Sequence[str]) -> Lines:
    """Lines of a block."""
    return [f"    {line}" if line else "" for line in lines]


def refers(kind: Kind) -> bool:
    """Whether a local variable of this kind may stand for a part of the state."""
    if isinstance(kind, LocalKind | Maybe):
        return refers(kind.element)
    if isinstance(kind, TupleOf):
        return any(map(refers, kind.parts))
    return isinstance(kind, Record | MapOf | LogOf)


@dataclass(frozen=True)
class Target:
    """A place that can be assigned, and what must hold before."""

    text: str
    kind: Kind
    guards: tuple[str, ...]
    ghost: bool


class Assignments(Expressions):
    """Writes assignments. `writes` says whether the state may change; `result` is what `return` gives, if anything."""

    def __init__(
        self, world: World, scope: Sequence[Entry], *, writes: bool, result: Kind | None = None, guards: bool = True
    ) -> None:
        super().__init__(world, scope, ghosts=not writes)
        self.writes, self.result, self.guards = writes, result, guards
        self.focus = ""
        self.loops = 0
        self.careful = False

    # -- assignments ------------------------------------------------------------------------------------------------

    def targets(self) -> list[Entry]:
        """The names below which something can be assigned."""
        found = [entry for entry in self.scope if entry.state]
        near = [entry for entry in found if self.focus and entry.text == self.focus]
        return near if near and self.chance(0.6) else found

    def target(self, wanted: Callable[[Kind], bool] = lambda kind: True) -> Target:
        """A random place that can be assigned."""
        entries = self.targets()
        if not entries:
            raise NoWay
        for _ in range(12):
            entry = self.dice.choice(entries)
            local, frozen = not entry.text.startswith("self."), False
            found: Found | None = Found(entry.text, entry.kind)
            if local:
                parts = isinstance(entry.kind, Record | MapOf)
                found = self.deeper(Found(entry.text, entry.kind)) if parts else None
            for _ in range(4):
                if found is None:
                    break
                if frozen and not wanted(found.kind):
                    break
                container = isinstance(found.kind, Record | MapOf | LogOf)
                whole = 0 if self.careful else 0.45
                if wanted(found.kind) and (not container or self.chance(whole)):
                    return Target(found.text, found.kind, found.guards, entry.ghost)
                inside_maybe = isinstance(found.kind, Maybe) and isinstance(found.kind.element, Record)
                if (inside_maybe or frozen) and not (self.world.wild and self.chance(0.1)):
                    break
                if isinstance(found.kind, Maybe) and not inside_maybe:
                    break
                frozen = isinstance(found.kind, LogOf)
                found = self._entry_of(found) if frozen else self.deeper(found)
        raise NoWay

    def _entry_of(self, found: Found) -> Found | None:
        """An entry of a log, which is assigned as a whole."""
        assert isinstance(found.kind, LogOf)
        if isinstance(found.kind.entry, Record) and not self.chance(0.8):
            return None
        index = self.index(found.kind)
        return Found(f"{found.text}[{index}]", found.kind.entry, (*found.guards, self.inside(index, found.text)))

    def for_target(self, target: Target, depth: int) -> str:
        """A value that fits a place; of history only history may be made."""
        before, self.ghosts = self.ghosts, target.ghost
        try:
            return self.value(target.kind, depth)
        finally:
            self.ghosts = before

    def checked(self, target: Target) -> Lines:
        """The guards of a place, as statements."""
        if not target.guards or self.careless() or not self.guards:
            return []
        return [f"require({' and '.join(target.guards)})"]

    def assigned(self, target: Target, lines: Lines) -> Lines:
        """Statements that assign a place, under its guards. Names for parts of what is replaced are forgotten."""
        if (
            isinstance(target.kind, Record | MapOf | LogOf)
            and target.text
            and not (self.world.wild and self.chance(0.5))
        ):
            self.scope = [one for one in self.scope if one.text.startswith("self") or not refers(one.kind)]
        if not target.guards or self.careless():
            return lines
        if self.guards and not self.loops and not target.ghost and self.chance(0.4):
            return [*self.checked(target), *lines]
        return [f"if {' and '.join(target.guards)}:", *indented(lines)]

    def _assignment(self) -> Lines:
        target = self.target()
        if isinstance(target.kind, Int) and self.guards and not self.loops and not target.ghost and self.chance(0.3):
            name, text = self.fresh("n"), self.integer(2)
            check = f"require({target.kind.low} <= {name} <= {target.kind.high})"
            return [f"{name} = {text}", check, *self.assigned(target, [f"{target.text} = {name}"])]
        return self.assigned(target, [f"{target.text} = {self.for_target(target, 2)}"])

    def _chained(self) -> Lines:
        """One value for two places."""
        one = self.target()
        two = self.target(lambda kind: kind == one.kind)
        if one.ghost or two.ghost:
            raise NoWay
        both = Target("", one.kind, (*one.guards, *two.guards), False)
        return self.assigned(both, [f"{one.text} = {two.text} = {self.for_target(one, 2)}"])

    def _augmented(self) -> Lines:
        target = self.target(lambda kind: isinstance(kind, Int | SetOf | LogOf))
        if isinstance(target.kind, LogOf):
            room = Target(
                target.text, target.kind, (*target.guards, f"len({target.text}) < {target.kind.capacity}"), False
            )
            if target.ghost:
                raise NoWay
            return self.assigned(room, [f"{target.text} += [{self.value(target.kind.entry, 2)}]"])
        if isinstance(target.kind, SetOf):
            sign = self.dice.choice(["|", "|", "-", "&", "^"])
            return self.assigned(target, [f"{target.text} {sign}= {self.for_target(target, 2)}"])
        assert isinstance(target.kind, Int)
        up = self.chance(0.6)
        amount = "1" if self.chance(0.7) else f"{self.dice.randint(0, 2)}"
        limit = f"{target.text} < {target.kind.high}" if up else f"{target.text} > {target.kind.low}"
        if amount not in "01" and self.chance(0.8):
            limit = (
                f"{target.text} + {amount} <= {target.kind.high}" if up else f"{target.text} >= {target.kind.low + 2}"
            )
        guarded = Target(target.text, target.kind, (*target.guards, limit), target.ghost)
        return self.assigned(guarded, [f"{target.text} {'+' if up else '-'}= {amount}"])

    def _swap(self) -> Lines:
        one = self.target()
        two = self.target(lambda kind: kind == one.kind)
        if one.text == two.text or one.ghost != two.ghost:
            raise NoWay
        both = Target("", one.kind, (*one.guards, *two.guards), False)
        return self.assigned(both, [f"{one.text}, {two.text} = {two.text}, {one.text}"])

    def _tuple_assignment(self) -> Lines:
        one, two = self.target(), self.target()
        if one.ghost or two.ghost:
            raise NoWay
        both = Target("", one.kind, (*one.guards, *two.guards), False)
        values = f"{self.for_target(one, 1)}, {self.for_target(two, 1)}"
        return self.assigned(both, [f"{one.text}, {two.text} = {values}"])

    # -- logs -------------------------------------------------------------------------------------------------------

    def _log_statement(self) -> Lines:
        found = self.walk(lambda kind: isinstance(kind, LogOf), only_state=True)
        kind = found.kind
        assert isinstance(kind, LogOf)
        if found.guards or any(e.ghost for e in self.scope if found.text.startswith(e.text)):
            raise NoWay
        how = self.dice.choice(["append", "append", "append", "truncate", "item"])
        if how == "append":
            target = Target(found.text, kind, (f"len({found.text}) < {kind.capacity}",), False)
            return self.assigned(target, [f"{found.text}.append({self.value(kind.entry, 2)})"])
        if how == "truncate":
            text = self.dice.choice([f"len({found.text}) - 1", str(self.dice.randrange(kind.capacity)), "length"])
            if text == "length":
                text = self.integer(1)
            guard = f"len({found.text}) > 0" if text.startswith("len(") else f"0 <= {text} <= len({found.text})"
            return self.assigned(Target("", kind, (guard,), False), [f"{found.text}.truncate({text})"])
        index = self.index(kind)
        target = Target("", kind, (self.inside(index, found.text),), False)
        return self.assigned(target, [f"{found.text}[{index}] = {self.value(kind.entry, 2)}"])
