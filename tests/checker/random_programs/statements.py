"""Statements of rules: assignments of every form, branches, loops, early returns, and names for parts of the state."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import partial

from tests.checker.random_programs.assignments import Lines, indented
from tests.checker.random_programs.control import Control
from tests.checker.random_programs.core import BOOL, FUEL, Entry, NoWay
from tests.checker.random_programs.kinds import (
    Bool,
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
from tests.checker.random_programs.sources import NUMBER


class Statements(Control):
    """Writes blocks."""

    # -- blocks -----------------------------------------------------------------------------------------------------

    def block(self, count: int, depth: int) -> Lines:
        """So many statements; what they bind is known only in them."""
        before = self.scope
        made = self.statements(count, depth)
        leak = self.sometimes(1) and self.chance(0.03)
        if not leak:
            self.scope = before
        return made or ["pass"]

    def statements(self, count: int, depth: int) -> Lines:
        """So many statements."""
        made: Lines = []
        for _ in range(count):
            for _ in range(3):
                scope = self.scope
                try:
                    one = self.statement(depth)
                except NoWay:
                    self.scope = scope
                    continue
                made += one
                self._spend(one)
                break
        return made

    def _spend(self, lines: Lines) -> None:
        """What can be gone through once is gone after it was used."""
        if self.chance(0.03):
            return
        text = "\n".join(lines)
        for entry in [e for e in self.scope if isinstance(e.kind, OnceOf)]:
            if len(re.findall(rf"\b{entry.text}\b", text)) > (0 if f"{entry.text} = " not in text else 1):
                self.scope = [one for one in self.scope if one is not entry]

    def statement(self, depth: int) -> Lines:
        """One statement."""
        made: list[Lines] = []
        self.fuel = FUEL

        def keep(make: Callable[[], Lines]) -> Callable[[], str]:
            def option() -> str:
                made.append(make())
                return ""

            return option

        state = 1.0 if self.writes else 0.0
        deep = 1.0 if depth > 0 else 0.0
        self.one_of(
            (5 * state, "assignment", keep(self._assignment)),
            (2, "local", keep(self._local_variable)),
            (1, "accumulated local", keep(self._augmented_local)),
            (2 * state, "augmented", keep(self._augmented)),
            (2 * deep, "if", keep(lambda: self._if(depth))),
            (2 * deep, "for", keep(lambda: self._for(depth))),
            (0.3 * deep, "while", keep(lambda: self._while(depth))),
            (0.5 * state if self.guards else 0, "require", keep(lambda: [f"require({self.condition(2)})"])),
            (3 * state, "log", keep(self._log_statement)),
            (1 * state, "swap", keep(self._swap)),
            (0.4 * state, "chained assignment", keep(self._chained)),
            (1.5 * state, "call that changes the state", keep(self._changing_call)),
            (1 * state, "tuple assignment", keep(self._tuple_assignment)),
            (0.7, "unpacking", keep(self._unpacking)),
            (2 * state, "procedure", keep(self._procedure)),
            (3 * state, "sandwich", keep(self._sandwich)),
            (0.7 * deep if not self.loops else 0, "early return", keep(self._early_return)),
            *((weight, name, keep(make)) for weight, name, make in self.control_statements(depth)),
        )
        return made[-1]

    # -- locals -----------------------------------------------------------------------------------------------------

    def local_kind(self) -> Kind:
        """A kind of local variable."""
        world = self.world
        kinds: list[Kind] = [NUMBER, NUMBER, BOOL, ListOf(NUMBER), OnceOf(NUMBER)]
        kinds += [*world.records, *world.records, *world.choices, *world.names]
        kinds += [entry.kind for entry in world.variables]
        kinds += [ListOf(record) for record in world.records] + [OnceOf(record) for record in world.records]
        plain = [record for record in world.records if record.plain]
        kinds += [PlainSetOf(kind) for kind in (*plain, *world.names, *world.choices, NUMBER)]
        kinds.append(TupleOf((self.some_kind(), self.some_kind())))
        return self.dice.choice(kinds)

    def named(self, kind: Kind, depth: int = 2, stem: str = "") -> tuple[str, Entry]:
        """An assignment of a new local variable, and the variable."""
        either = isinstance(kind, LogOf | MapOf) and not self.sometimes(1)
        text = (
            self._either(kind, 0)
            if either and self.chance(0.2)
            else self._same(kind, 0)
            if either
            else self.ordered(kind, depth)
        )
        name = self.fresh(stem or {Record: "r", Name: "n", LogOf: "log", MapOf: "m"}.get(type(kind), "a"))
        part = text.startswith(("self.", "r")) and text.replace("_", "").replace(".", "").replace("[", "").isalnum()
        alias = isinstance(kind, Record | MapOf | LogOf) and (part or self.world.wild or "[" in text)
        alias = alias and not text.startswith((*[f"{r.name}(" for r in self.world.records], "{", "["))
        return f"{name} = {text}", Entry(name, kind, False, alias)

    def _local_variable(self) -> Lines:
        line, entry = self.named(self.local_kind())
        self.bind(entry)
        return [line]

    def _augmented_local(self) -> Lines:
        found = [entry for entry in self.scope if entry.kind == NUMBER and entry.text.startswith(("a", "n", "t"))]
        if not found or (self.loops == 0 and self.chance(0.5)):
            name = self.fresh("t")
            self.bind(Entry(name, NUMBER))
            return [f"{name} = {self.dice.randint(0, 2)}"]
        entry = self.dice.choice(found)
        return [f"{entry.text} {self.dice.choice(['+', '+', '-'])}= {self.integer(1)}"]

    def _changing_call(self) -> Lines:
        fits = [helper for helper in self.world.helpers if helper.changes and (self.may_call or not helper.on_state)]
        if not fits:
            raise NoWay
        helper = self.dice.choice(fits)
        assert helper.result is not None
        name = self.fresh("c")
        text = self.call(helper, 1)
        self.bind(Entry(name, helper.result))
        return [f"{name} = {text}"]

    def _unpacking(self) -> Lines:
        tuples = [helper.result for helper in self.world.helpers if isinstance(helper.result, TupleOf)]
        if tuples and self.chance(0.7):
            kind = self.dice.choice(tuples)
            text = self.called(kind, 2)
            names = [self.fresh("p") for _ in kind.parts]
            self.bind(*(Entry(name, part) for name, part in zip(names, kind.parts, strict=True)))
            return [f"{', '.join(names)} = {text}"]
        kinds = [self.some_kind(), self.some_kind()]
        texts = [self.value(kind, 2) for kind in kinds]
        names = [self.fresh("p") for _ in kinds]
        self.bind(
            *(Entry(n, k, False, isinstance(k, Record) and self.world.wild) for n, k in zip(names, kinds, strict=True))
        )
        right = ", ".join(texts)
        return [f"{', '.join(names)} = {right}"]

    def _sandwich(self) -> Lines:
        """A name for something, a write that may change it, and a use of the name."""
        kinds: list[Kind] = [e.kind for e in self.world.variables if isinstance(e.kind, Record | MapOf | LogOf | SetOf)]
        for record in self.world.records:
            kinds += [record, record, ListOf(record), OnceOf(record), Maybe(record), TupleOf((record, NUMBER))]
            kinds += [PlainSetOf(record)] if record.plain else []
        kinds += [OnceOf(NUMBER), ListOf(NUMBER)]
        line, entry = self.named(self.dice.choice(kinds), 2, "old")
        root = re.search(r"self\.(\w+)", line)
        before = self.focus, self.careful
        self.focus, self.careful = root[0] if root else "", not (self.world.wild and self.chance(0.5))
        lines = [line]
        for _ in range(self.dice.choice([1, 1, 2])):
            lines += self.dice.choice([self._assignment, self._assignment, self._log_or_assignment])()
        self.focus, self.careful = before
        return [*lines, *self._use(entry)]

    def _log_or_assignment(self) -> Lines:
        try:
            return self._log_statement()
        except NoWay:
            return self._assignment()

    def _use(self, entry: Entry) -> Lines:
        """An assignment whose value is made of a name."""
        before = self.scope
        for _ in range(12):
            try:
                self.scope = before
                target = self.target(lambda kind: isinstance(kind, Int | Bool | Record | SetOf | LogOf | Maybe))
                self.scope = [entry]
                text = self.value(target.kind, self.dice.choice([1, 2, 3]))
            except NoWay:
                continue
            finally:
                self.scope = before
            if re.search(rf"\b{entry.text}\b", text):
                return self.assigned(target, [f"{target.text} = {text}"])
        raise NoWay

    # -- control ----------------------------------------------------------------------------------------------------

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self.condition(2)}:", *indented(self.block(self.dice.randint(1, 2), depth - 1))]
        if self.chance(0.2):
            lines += [f"elif {self.condition(1)}:", *indented(self.block(1, depth - 1))]
        if self.chance(0.45):
            lines += ["else:", *indented(self.block(self.dice.randint(1, 2), depth - 1))]
        return lines

    def _for(self, depth: int) -> Lines:
        source = self.source(2, order=True)
        before, scope = self.focus, self.scope
        root = re.search(r"self\.(\w+)", source.text)
        self.focus = root[0] if root else self.focus
        count = self.fresh("t") if self.chance(0.3) else ""
        if count:
            self.bind(Entry(count, NUMBER))
        outer = self.scope
        self.bind(*source.entries)
        body = self.body(self.dice.randint(1, 2), depth - 1)
        self.focus, self.scope = before, outer if count else scope
        if self.sometimes(1) and self.chance(0.05):
            self.bind(*source.entries)
        start = [f"{count} = 0"] if count else []
        end = [f"{count} += {self.integer(1)}"] if count and self.chance(0.8) else []
        return [*start, f"for {source.target} in {source.text}:", *indented([*body, *end]), *self.loop_else(depth)]

    def _while(self, depth: int) -> Lines:
        name, limit = self.fresh("w"), self.dice.choice(["2", "3", "1"])
        scope = self.scope
        self.bind(Entry(name, NUMBER))
        body = self.body(1, depth - 1)
        self.scope = scope
        self.bind(Entry(name, NUMBER))
        return [f"{name} = 0", f"while {name} < {limit}:", *indented([f"{name} += 1", *body])]

    def _early_return(self) -> Lines:
        if self.result is None:
            if not self.writes:
                raise NoWay
            return [f"if {self.condition(1)}:", *indented([*self.block(1, 0), "return"])]
        value = self.value(self.result, 1)
        return [f"if {self.condition(1)}:", *indented([f"return {value}"])]

    def _procedure(self) -> Lines:
        fits = [helper for helper in self.world.helpers if helper.result is None]
        if not self.may_call:
            fits = [helper for helper in fits if not helper.on_state]
        if not fits:
            raise NoWay
        helper = self.dice.choice(fits)
        arguments = []
        for kind in helper.parameters:
            if isinstance(kind, Record | MapOf | LogOf):
                found = self.walk(partial(operator.eq, kind), only_state=True, plain=True)
                arguments.append(found.text)
            else:
                arguments.append(self.value(kind, 1))
        return [f"{helper.call}({', '.join(arguments)})"]
