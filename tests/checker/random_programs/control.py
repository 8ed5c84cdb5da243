"""Statements that jump, choose by patterns and define functions, and loops that the state ends."""

from __future__ import annotations

from collections.abc import Callable

from tests.checker.random_programs.assignments import Assignments, Lines, indented
from tests.checker.random_programs.core import BOOL, Entry, NoWay
from tests.checker.random_programs.kinds import Bool, Choice, Int, Kind, LogOf, Maybe, Record
from tests.checker.random_programs.sources import NUMBER

Statement = tuple[float, str, Callable[[], Lines]]


class Control(Assignments):
    """Writes these. Blocks and early returns are written by the class that is derived from this one."""

    block: Callable[[int, int], Lines]
    _early_return: Callable[[], Lines]
    looping = 0
    """In how many loops of the same function what is being written stands."""

    def control_statements(self, depth: int) -> list[Statement]:
        """Options for a statement."""
        state = 1.0 if self.writes else 0.0
        deep = 1.0 if depth > 0 else 0.0
        looping = 1.0 if self.looping else 0.0
        return [
            (1.5 * looping, "break", lambda: self._jump("break")),
            (1.5 * looping, "continue", lambda: self._jump("continue")),
            (1.0 * looping, "return in a loop", self._early_return),
            (0.6 * deep, "while on the state", lambda: self._while_on_the_state(depth)),
            (1.0 * deep, "match", lambda: self._match(depth)),
            (0.4 * deep, "function in a rule", lambda: self._inner_function(depth)),
            (0.4 * deep, "bound in an if", lambda: self._bound_in_if(depth)),
            (0.4, "over a set in any order", lambda: self._over_plain_set(depth)),
            (0.4, "starred target", self._starred_target),
            (1.0 * state, "log of pieces", self._log_of_pieces),
        ]

    # -- loops ------------------------------------------------------------------------------------------------------

    def _jump(self, word: str) -> Lines:
        before = self.block(1, 0) if self.chance(0.3) else []
        return [f"if {self.condition(1)}:", *indented([*before, word])]

    def loop_else(self, depth: int) -> Lines:
        """The `else` of a loop, or nothing."""
        return ["else:", *indented(self.block(1, depth - 1))] if self.chance(0.25) else []

    def body(self, count: int, depth: int) -> Lines:
        """The body of a loop, which may jump."""
        self.loops += 1
        self.looping += 1
        made = self.block(count, depth)
        self.loops -= 1
        self.looping -= 1
        return made

    def _while_on_the_state(self, depth: int) -> Lines:
        name, scope = self.fresh("w"), self.scope
        limit = f"min({self.integer(1)}, 3)"
        if self.chance(0.3):
            limit = f"{limit} and {self.condition(0)}"
        self.bind(Entry(name, NUMBER))
        body = self.body(1, depth - 1)
        self.scope = scope
        self.bind(Entry(name, NUMBER))
        rounds = ["True", f"{name} < {limit}", f"{name} < {limit}"]
        test = self.dice.choice(rounds)
        start = [f"if not ({name} < {limit}):", "    break"] if test == "True" else []
        after = self.loop_else(depth) if test != "True" else []
        return [f"{name} = 0", f"while {test}:", *indented([*start, f"{name} += 1", *body]), *after]

    def _over_plain_set(self, depth: int) -> Lines:
        """A loop whose body does the same in every order, or perhaps does not."""
        total, name = self.fresh("t"), self.fresh("v")
        elements = ", ".join(self.integer(0) for _ in range(self.dice.randint(1, 2)))
        before = self.scope
        self.bind(Entry(name, NUMBER))
        how = self.dice.choice(["sum", "sum", "found"])
        if how == "sum":
            start, body = f"{total} = 0", [f"{total} += {self.integer(0) if self.chance(0.3) else name}"]
        else:
            start, body = f"{total} = False", [f"if {name} == {self.integer(0)}:", f"    {total} = True"]
            body += ["    break"] if self.chance(0.5) else []
        self.scope = before
        self.bind(Entry(total, NUMBER if how == "sum" else BOOL))
        return [start, f"for {name} in {{{elements}}}:", *indented(body)]

    # -- patterns ---------------------------------------------------------------------------------------------------

    def _match(self, depth: int) -> Lines:
        found = self.walk(lambda kind: isinstance(kind, Int | Bool | Choice | Maybe | Record), plain=True)
        made: list[str] = [f"match {found.text}:"]
        scope = self.scope
        for _ in range(self.dice.randint(1, 2)):
            pattern, entries = self._pattern(found.kind)
            self.bind(*entries)
            guard = f" if {self.condition(0)}" if self.chance(0.25) else ""
            made += indented([f"case {pattern}{guard}:", *indented(self.block(1, depth - 1))])
            self.scope = scope
        if self.chance(0.6):
            made += indented(["case _:", *indented(self.block(1, depth - 1))])
        return made

    def _pattern(self, kind: Kind) -> tuple[str, list[Entry]]:
        if isinstance(kind, Bool):
            return self.dice.choice(["True", "False"]), []
        if isinstance(kind, Maybe):
            return ("None", []) if self.chance(0.5) else self._pattern(kind.element)
        if isinstance(kind, Int | Choice):
            several = " | ".join(dict.fromkeys(self.literal(kind) for _ in range(self.dice.choice([1, 1, 2]))))
            name = self.fresh("m")
            if isinstance(kind, Int) and self.chance(0.2):
                return f"int({name})", [Entry(name, NUMBER)]
            return several, []
        if not isinstance(kind, Record):
            raise NoWay
        parts, entries = [], []
        for field, part in kind.fields:
            if isinstance(part, Int | Bool | Choice) and self.chance(0.6):
                pattern, bound = self._pattern(part)
                if self.chance(0.3):
                    name = self.fresh("m")
                    pattern, bound = name, [Entry(name, part)]
                parts.append(f"{field}={pattern}")
                entries += bound
        return f"{kind.text}({', '.join(parts)})", entries

    # -- functions and names ----------------------------------------------------------------------------------------

    def _inner_function(self, depth: int) -> Lines:
        name, parameter, result = self.fresh("g"), self.fresh("x"), self.fresh("a")
        before, looping, writes, returned = self.scope, self.looping, self.writes, self.result
        self.bind(Entry(parameter, NUMBER))
        self.looping, self.writes, self.result = 0, False, NUMBER
        self.enclosed += 1
        body = self.block(1, 0) if self.chance(0.5) else []
        body += self._early_return() if self.chance(0.4) else []
        body.append(f"return {self.integer(1)}")
        self.enclosed -= 1
        self.scope, self.looping, self.writes, self.result = before, looping, writes, returned
        self.bind(Entry(result, NUMBER))
        return [f"def {name}({parameter}):", *indented(body), f"{result} = {name}({self.integer(1)})"]

    def _bound_in_if(self, depth: int) -> Lines:
        name, value, scope = self.fresh("w"), self.integer(1), self.scope
        first = f"{self.condition(0)} and " if self.chance(0.4) else ""
        self.bind(Entry(name, NUMBER))
        body = self.block(1, depth - 1)
        self.scope = scope
        return [f"if {first}({name} := {value}) {self.dice.choice(['<', '>', '=='])} 1:", *indented(body)]

    def _starred_target(self) -> Lines:
        first, rest = self.fresh("a"), self.fresh("b")
        values = ", ".join(self.integer(0) for _ in range(self.dice.randint(2, 3)))
        one = self.fresh("a")
        self.bind(Entry(first, NUMBER), Entry(one, NUMBER))
        return [f"{first}, *{rest} = {values}", f"{one} = {rest}[{self.dice.choice(['0', '-1'])}]"]

    def _log_of_pieces(self) -> Lines:
        target = self.target(lambda kind: isinstance(kind, LogOf))
        kind = target.kind
        assert isinstance(kind, LogOf)
        entry = self.value(kind.entry, 0)
        texts = [f"{target.text}[1:]", f"{target.text}[:-1]", f"{target.text}[::-1]"]
        texts += [f"[{entry}, *{target.text}][:{kind.capacity}]", f"{target.text}[1:] + [{entry}]"]
        texts += [f"[*{target.text}[{self.integer(0)}:]]", f"sorted({target.text})"]
        if kind.entry != NUMBER and not isinstance(kind.entry, Int):
            texts.pop()
        return self.assigned(target, [f"{target.text} = {self.dice.choice(texts)}"])
