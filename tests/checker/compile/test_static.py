"""What can be said of a specification without exploring it, each with the line of the specification."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Self

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import Diagnostic, diagnose
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.exit_codes import ExitCode
from epochal.spec.language import (
    Capacity,
    Ghost,
    Integers,
    LanguageError,
    Log,
    Protocol,
    action,
    action_property,
    invariant,
    reachable,
    require,
)
from tests.checker.compile.zoo import ZOO

Small = Annotated[int, Integers(0, 3)]


class Clock(Protocol):
    """Goes round; nothing is odd about it."""

    x: Small

    @action
    def tick(self) -> None:
        """Goes on."""
        self.x = (self.x + 1) % 4

    @invariant
    def small(self) -> bool:
        """Stays small."""
        return self.x < 4 and self.x != 7


def line_of(specification: type[Protocol], marker: str = "# here") -> int:
    """The line of a class that has the marker."""
    lines, first = inspect.getsourcelines(specification)
    return first + next(i for i, line in enumerate(lines) if marker in line)


def diagnosed(specification: type[Protocol]) -> Sequence[Diagnostic]:
    """What is odd, except for what every clock has."""
    found = diagnose(compile_protocol(specification()))
    return [d for d in found if "small is true" not in d.message and "variable x is" not in d.message]


class Dead(Clock):
    """One action contradicts itself, another asks for what no state has."""

    @action
    def never(self, by: Small) -> None:  # here
        """Asks for two things at once."""
        require(self.x < by)
        require(by < self.x)

    @action
    def sometimes(self, by: Small) -> None:
        """Is dead for some parameters only."""
        require(self.x > by)
        self.x = by


def test_dead_actions() -> None:
    (found,) = diagnosed(Dead)
    assert found.message == "Never cannot happen at these bounds: no state enables it"
    assert found.vacuous and found.where is not None and found.where.line == line_of(Dead)
    assert str(found) == f"tests/checker/compile/test_static.py:{line_of(Dead)}: {found.message}"


class Empty(Clock):
    """Properties that no state can change."""

    @invariant
    def always(self) -> bool:  # always
        """Is true by the domain alone."""
        return 0 <= self.x <= 3

    @reachable
    def never(self) -> bool:  # never
        """Asks for what is outside the domain."""
        return self.x > 3

    @action_property
    def steps(self, new: Self) -> bool:  # steps
        """Says nothing of the step."""
        return self.x - 4 < new.x


def test_empty_properties() -> None:
    found = diagnosed(Empty)
    assert {d.message for d in found} == {
        "always is true whatever the state at these bounds",
        "never is false whatever the state at these bounds",
        "steps is true whatever the state at these bounds",
    }
    for diagnostic in found:
        name = diagnostic.message.split()[0]
        assert diagnostic.vacuous and diagnostic.where is not None
        assert diagnostic.where.line == line_of(Empty, f"# {name}")


class Unused(Clock):
    """Variables that nobody reads."""

    written: Small
    counted: Small
    log: Annotated[Log[Small], Capacity(2)]
    history: Ghost[Small]

    @action
    def count(self) -> None:
        """Writes, and reads only to write again."""
        self.written = self.x
        self.counted = min(self.counted + 1, 3)
        self.history = self.x
        require(len(self.log) == 0)


def test_unused_variables() -> None:
    found = diagnosed(Unused)
    assert [d.message for d in found] == [
        f"the state variable {n} is never read" for n in ("written", "counted", "history")
    ]
    assert not any(d.vacuous or d.where for d in found)


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_the_result_tells(check: object) -> None:
    run = breadth_first.check if check is breadth_first.check else reference_engine.check
    result = run(Dead(), Options())
    assert result.exit_code == ExitCode.VACUOUS
    assert any("Never cannot happen" in text for text in result.vacuous)
    assert any("history is never read" in text for text in run(Unused(), Options()).warnings)


class GhostGuard(Clock):
    """History steers a guard."""

    past: Ghost[Small]

    @action
    def remember(self) -> None:
        """Looks back."""
        require(self.past == 0)  # here
        self.past = self.x


class GhostFlow(Clock):
    """History flows into the state."""

    past: Ghost[Small]

    @action
    def remember(self) -> None:
        """Looks back."""
        self.past = self.x
        if self.past > 1:
            self.x = 0


class GhostReadBack(Clock):
    """History from before the step flows into the state."""

    past: Ghost[Small]

    @action
    def remember(self) -> None:
        """Looks back."""
        self.x = self.past  # here
        self.past = 0


def test_ghosts_do_not_steer() -> None:
    with pytest.raises(LanguageError, match="a guard depends on the ghost variable past") as caught:
        diagnose(compile_protocol(GhostGuard()))
    assert caught.value.where is not None and caught.value.where.line == line_of(GhostGuard)
    assert caught.value.advice == "Ghost state is history for properties only."
    with pytest.raises(LanguageError, match="the new value of x depends on the ghost variable past"):
        diagnose(compile_protocol(GhostReadBack()))


def test_what_was_just_written_to_a_ghost_is_no_history() -> None:
    assert diagnosed(GhostFlow) == [] or all("never read" in d.message for d in diagnosed(GhostFlow))


class Certain(Clock):
    """An action that fails whenever it is enabled."""

    log: Annotated[Log[Small], Capacity(2)]

    @action
    def leap(self) -> None:
        """Leaves its domain."""
        require(self.x > 1)
        self.log.append(1)
        self.x = self.x + 2  # here


class CertainForAll(Clock):
    """An action that fails with every parameter."""

    @action
    def leap(self, by: Annotated[int, Integers(1, 2)]) -> None:
        """Leaves its domain."""
        require(self.x == 3)
        self.x = self.x + by  # here


class Possible(CertainForAll):
    """The same, but one parameter is harmless: this is found by exploring."""

    @action
    def leap(self, by: Annotated[int, Integers(0, 1)]) -> None:
        """Leaves its domain."""
        require(self.x == 3)
        self.x = self.x + by  # here


@pytest.mark.parametrize("specification", [Certain, CertainForAll], ids=lambda s: s.__name__)
def test_an_action_that_always_fails_is_refused(specification: type[Protocol]) -> None:
    with pytest.raises(LanguageError, match=r"Leap can never be carried out: .*outside 0\.\.3") as caught:
        diagnose(compile_protocol(specification()))
    assert caught.value.where is not None and caught.value.where.line == line_of(specification)
    assert caught.value.advice == "Widen the domain, or guard the step with require."


def test_an_action_that_may_fail_is_explored() -> None:
    assert diagnosed(Possible) == []
    error = breadth_first.check(Possible(), Options()).error
    assert error is not None and error.where is not None and error.where.line == line_of(Possible)


def test_nothing_is_odd_about_the_zoo() -> None:
    for protocol in ZOO:
        assert not [str(d) for d in diagnose(compile_protocol(protocol())) if d.vacuous]


def test_the_index_is_proved_where_it_can_be() -> None:
    """Guards, branches and loops prove an index; what they do not prove is checked when it runs."""

    class Proved(Clock):
        log: Annotated[Log[Small], Capacity(3)]

        @action
        def read(self) -> None:
            """Reads what its guard allows."""
            require(self.x < len(self.log))
            self.log[self.x] = 1
            total = 0
            for i in range(len(self.log)):
                if self.log[i] > 1 and (i == 0 or self.log[i - 1] == 1):
                    total += 1
            self.log.truncate(min(total, self.x))

        @action
        def guess(self) -> None:
            """Reads what it hopes for."""
            self.x = self.log[self.x]

    model = compile_protocol(Proved())
    failures = {c.instance.action.name: [f.message for f in c.failures] for c in model.instances}
    assert failures == {"tick": [], "read": [], "guess": ["the offset is outside the log"]}
