"""The digests of a specification: what counts in them and what does not, one difference at a time."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from pathlib import Path
from typing import Annotated, Any, cast

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.gate import cache
from epochal.checker.identity import engine
from epochal.checker.identity.specification import (
    as_in_files,
    property_digests,
    reached,
    specification_digest,
    text_digest,
    used_functions,
    written,
)
from epochal.checker.search.result import CheckResult
from epochal.kafka.guarantees.cases import (
    ASKED,
    FAMILY,
    found_by_meaning,
    found_by_text,
    keep_by_meaning,
    keep_by_text,
    not_searched,
)
from epochal.kafka.guarantees.decide_recoveries import usual_recoveries
from epochal.kafka.guarantees.recovery import recoveries
from epochal.spec.classic.follower import longest_common_prefix
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.kraft import leader
from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, Fault, guarded
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.leader import Leader
from epochal.spec.language import Integers, Protocol
from epochal.spec.loading import instantiate, load
from epochal.sweeps.task import meaning_of
from tests.zoo.rows import Row, made, rows

Small = Annotated[int, Integers(0, 3)]


def tripled(n: int) -> int:
    """A function that only a lambda names."""
    return 3 * n


def doubled(n: int) -> int:
    """A function of the module."""
    return 2 * n


Base: type[Any] = made(
    globals(),
    "Protocol",
    """
    Base: What the others differ from.
        bright: ClassVar[bool] = True
        x: Small
        y: Small
        maybe: Small | None
        @property
        def sum(self) -> int:
            # A property that rules use.
            return self.x + self.y
        def low(self, most: int) -> bool:
            # A helper.
            return all(n < most for n in (self.x, self.y))
        action up(by: Small): Goes up.
            require(self.x + by < 3)
            more = self.x + by
            self.x = more
        action swap: Changes places.
            require(self.low(3))
            self.x, self.y = self.y, self.x
        invariant small: Both are small.
            return self.sum < doubled(3)
        reachable high: One is high.
            return self.x - self.y > 1
        action_property slow: Is slow.
            return new.y - self.y < 3
    """,
)

CHANGED = rows(
    globals(),
    "Base",
    """
    Rewritten: text
        # Means the same.
        @property
        def sum(self) -> int:
            return self.y + self.x
        action up(by: Small)
            after = by + self.x
            require(not after >= 3)
            self.x = after
    SaidOtherwise:
        # Means the same, and is written the same.
        action up(by: Small)
            '''Other words
            on two lines.'''
            # and a comment
            require(
                self.x + by < 3,
            )
            more = self.x + by
            self.x = more
    OtherGuard: rules text
        def up(self, by: Small) -> None:
            require(self.x + by < 2)
            more = self.x + by
            self.x = more
    OtherUpdate: rules text
        def up(self, by: Small) -> None:
            require(self.x + by < 3)
            self.y = self.x + by
    OtherHelper: rules text
        def low(self, most: int) -> bool:
            return all(n < most - 1 for n in (self.x, self.y))
    OtherOrder: rules text high
        def high(self) -> bool:
            return self.y - self.x > 1
    OtherInvariant: rules text small
        def small(self) -> bool:
            return self.sum < doubled(2)
    OtherStep: rules text slow
        def slow(self, new: Self) -> bool:
            return new.y - self.y < 2
    OtherKind: rules high
        invariant high
            return self.x - self.y > 1
    OtherInitial: rules text
        def initial(self) -> None:
            self.x = 1
    MayFail: rules text
        def swap(self) -> None:
            require(self.low(3))
            self.x, self.y = self.y, self.x
            unused = self.maybe + 1  # of none it fails
    PropertyMayFail: rules text small
        def small(self) -> bool:
            unused = self.maybe + 1  # of none it fails
            return self.sum < doubled(3)
    StepMayFail: rules text slow
        def slow(self, new: Self) -> bool:
            unused = new.maybe + 1  # of none it fails
            return new.y - self.y < 3
    Constrained: rules text
        constraint near
            return self.x < 3
    Renamed: rules text
        up = None
        action rise(by: Small)
            require(self.x + by < 3)
            more = self.x + by
            self.x = more
    Never: rules high
        @reachable(only_if=lambda self: not self.bright)
        def high(self) -> bool:
            return self.x - self.y > 1
    Hidden: rules
        y: Ghost[Small]
    Wider: rules small slow
        y: Annotated[int, Integers(0, 4)]
    ConstraintMayFail < Constrained: rules text
        def near(self) -> bool:
            unused = self.maybe + 1  # of none it fails
            return self.x < 3
    Above: text
        def up(self, by: Small) -> None:
            super().up(by)
    """,
)
"""What is another digest: that of the rules, that of their text, or that of a property."""

NOT_COMPILED = rows(
    globals(),
    "Base",
    """
    Within:
        invariant all_small
            return all(doubled(x) < 20 for x in [self.x]) and (lambda most: tripled(self.x) < most)(30)
    """,
)


def digests(kind: type[Protocol]) -> tuple[str, str, dict[str, str]]:
    """All digests: of the rules, of their text, and of the properties."""
    model = compile_protocol(kind())
    return specification_digest(model), text_digest(model.protocol), property_digests(model)


BASE = digests(Base)


def test_digests_have_32_digits_and_stay() -> None:
    assert digests(Base) == BASE
    assert {len(BASE[0]), len(BASE[1]), *map(len, BASE[2].values())} == {32}
    assert list(BASE[2]) == ["small", "slow", "high"]
    assert len(set(BASE[2].values())) == 3


@pytest.mark.parametrize("row", CHANGED.values(), ids=CHANGED)
def test_what_another_rule_changes(row: Row) -> None:
    rules, text, properties = digests(row.kind)
    differs = {"rules": rules != BASE[0], "text": text != BASE[1]}
    differs |= {name: properties.get(name) != BASE[2].get(name) for name in BASE[2] | properties}
    assert [name for name, differ in differs.items() if differ] == row.expected.split()


def test_a_constraint_that_may_fail_is_another_one() -> None:
    failing, constrained = (digests(CHANGED[name].kind)[0] for name in ("ConstraintMayFail", "Constrained"))
    assert failing != constrained


def used(name: str) -> list[str]:
    """The functions that the rules of a variant consist of."""
    return sorted(function.__qualname__ for function in used_functions((CHANGED | NOT_COMPILED)[name].kind()))


def test_the_functions_that_rules_consist_of() -> None:
    """Also those that only others of them name, and what an override takes the place of."""
    own = ["Base.high", "Base.low", "Base.slow", "Base.small", "Base.sum", "Base.swap", "OtherGuard.up", "doubled"]
    assert used("OtherGuard") == own
    assert "OtherInitial.initial" in used("OtherInitial")
    assert {"Above.up", "Base.up"} <= {*used("Above")}, "what super calls is one of them"
    assert {"doubled", "tripled"} <= {*used("Within")}, "and what is named inside a comprehension"


def without_source(text: str) -> Protocol:
    """A protocol whose text stands nowhere."""
    names = dict(globals())
    exec(f"class Made(Base):\n    def low(self, most):\n        {text}", names)
    made: type[Protocol] = names["Made"]
    return made()


def test_rules_without_a_text_are_known_by_their_code() -> None:
    one, same, other = (
        text_digest(without_source(text))
        for text in ("return self.x < most", "return self.x < most", "return self.x > most")
    )
    assert one == same != other
    assert one != BASE[1]


# Epochal's own specifications are known by what stands in this process, and their answers by the engine as well.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and sources that nobody changes while it runs."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(engine, "STARTED", engine.STARTED + 1e9)
    return tmp_path


def test_another_engine_decides_guarantees_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the text of Epochal's own specifications, and by what any other was compiled to."""
    answer = not_searched(ASKED)
    own = written(Kip320())
    keep_by_text(own, answer)
    keep_by_meaning(Kip320(), {**answer, "specification": "a digest"})
    assert found_by_text(own, "") is not None and found_by_meaning("a digest", Kip320(), "") is not None
    told = engine.versions()
    monkeypatch.setattr(engine, "versions", lambda: {**told, "z3-solver": "another"})
    assert found_by_text(own, "") is None and found_by_meaning("a digest", Kip320(), "") is None


def test_all_modules_of_kraft_are_what_their_files_say() -> None:
    """Whichever of them are loaded: else usual answers would be searched."""
    package = importlib.import_module("epochal.spec.kraft")
    for one in pkgutil.walk_packages(package.__path__, "epochal.spec.kraft."):
        importlib.import_module(one.name)
    assert as_in_files(FAMILY)


def test_no_file_of_the_specifications_asserts() -> None:
    """In a user's pytest it would run otherwise than it is written: pytest rewrites what a plugin's package asserts."""
    files = sorted(engine.folder_of("spec").rglob("*.py"))
    found = [
        f"{one}:{node.lineno}"
        for one in files
        for node in ast.walk(ast.parse(one.read_bytes()))
        if isinstance(node, ast.Assert)
    ]
    assert files and not found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_what_guarantees_and_audits_ask_about_can_be_told(fault: Fault) -> None:
    """Else each question would be compiled to find its answer."""
    kind = guarded({"min_insync_replicas": 2, **fault.settings})
    assert written(instantiate(kind, fault.bounds(BOUNDS))) is not None


def nothing_in_common(protocol: Protocol, a: object, b: object) -> int:
    """Put in the place of a function that says how long two logs agree."""
    return 0


def test_a_function_of_a_module_that_was_replaced_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the module of a specification, in one that it imports from, and as a constant: no file has changed."""
    keys = [written(Kip320())]
    for name in sorted({kind.__module__ for kind in Kip320.__mro__} | {longest_common_prefix.__module__}):
        if hasattr(sys.modules[name], "longest_common_prefix"):
            with monkeypatch.context() as patched:
                patched.setattr(sys.modules[name], "longest_common_prefix", nothing_in_common)
                keys.append(written(Kip320()))
    assert len(keys) > 2 and all(key != keys[0] for key in keys[1:]) and written(Kip320()) == keys[0]


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (Leader, "may_join", lambda self, leader, follower: True),
        (Leader, "may_join", Leader.may_propose),
        (leader, "UNKNOWN", 0),
        (Leader.may_join, "__defaults__", (0,)),
    ],
    ids=["a method", "another's method", "a constant", "a default"],
)
def test_usual_answers_are_not_believed_of_rules_that_were_replaced(
    place: object, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come with the package, for the rules as its files have them."""
    settings, bounds = next(iter(usual_recoveries().values()))
    protocol = instantiate(guarded(settings), bounds)

    def refused(_: tuple[str, ...]) -> CheckResult:
        raise AssertionError("searched")

    assert recoveries(cast("Kraft", protocol), refused, registered=True)
    monkeypatch.setattr(place, name, value)
    monkeypatch.setattr(cache, "find_answer", lambda *_, part="": None)
    with pytest.raises(AssertionError, match="searched"):
        recoveries(cast("Kraft", protocol), refused, registered=True)
    monkeypatch.undo()
    assert recoveries(cast("Kraft", protocol), refused, registered=True)


HIDDEN = """
import os
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

STOP = VALUE
OLD = False


class Other:
    def __init__(self):
        self.stop = VALUE

    def __call__(self):
        return self.stop


UNKNOWN = Other()


class P(Protocol):
    a: Annotated[int, Integers(0, 9)]

    @action
    def inc(self) -> None:
        require(OLD and self.a < HOW)
        self.a += 1

    @action
    def stay(self) -> None:
        require(self.a < 9)

    @invariant
    def low(self) -> bool:
        return self.a <= 3
"""


@pytest.mark.parametrize(("how", "told"), [("STOP", True), ("UNKNOWN()", False)])
def test_what_a_mutant_brings_back_counts(how: str, told: bool, folder: Path) -> None:
    """A guard that is never true hides the rest of a rule from the compiler, and a mutant takes it away."""
    file = folder / "p.py"
    found: dict[str, object] = {}
    for value in ("3", "5"):
        file.write_text(HIDDEN.replace("VALUE", value).replace("HOW", how))
        protocol = load(f"{file}:P")
        assert meaning_of(protocol, "check") == found.setdefault("check", meaning_of(protocol, "check"))
        found[value] = reached(protocol)
    assert (found["3"] is not None) == told and (found["3"] != found["5"]) == told


def test_code_that_is_reached_has_no_path(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "p.py").write_text(HIDDEN.replace("VALUE", "3").replace("HOW", "STOP"))
    one, two = (reached(load(f"{folder / name / 'p.py'}:P")) for name in ("one", "two"))
    assert one == two is not None
