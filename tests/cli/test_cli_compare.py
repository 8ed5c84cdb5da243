"""`epochal compare` and `epochal check --static`: reports, JSON, exit codes, and what can be asked wrongly."""

from __future__ import annotations

import builtins
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--replicas", "3", "--log-size", "1", "--records", "1", "--max-epoch", "1")

CHANGES = """
    from dataclasses import dataclass
    from typing import Annotated, ClassVar

    from counter import Counter, Fine
    from epochal.language import Bounds, Integers, Protocol, action, bound, require


    class Slow(Counter):
        \"\"\"It ends earlier.\"\"\"

        name: ClassVar[str] = "slow"

        def grow(self) -> None:
            require(self.value < 2)
            self.value += 1


    class Hurried(Counter):
        \"\"\"It grows under another name.\"\"\"

        name: ClassVar[str] = "hurried"
        grow = None

        @action
        def hurry(self) -> None:
            \"\"\"One more.\"\"\"
            require(self.value < self.bounds.most)
            self.value += 1


    class Unbounded(Protocol):
        \"\"\"Without bounds.\"\"\"

        bounds: Bounds
        value: Annotated[int, Integers(0, 3)]


    class Puzzle(Fine):
        \"\"\"An action that no number enables, which intervals do not see.\"\"\"

        name: ClassVar[str] = "puzzle"

        def never(self) -> None:
            require(self.value * self.value == 2)

        @action
        def late(self) -> None:
            \"\"\"Possible at a number that is never reached.\"\"\"
            require(self.value * self.value == 9)

        def grow(self) -> None:
            require(self.value < 2)
            self.value += 1
"""


@pytest.fixture
def changes(counter: Path, folder: Path) -> Path:
    """A user's file changes.py beside counter.py."""
    file = folder / "changes.py"
    file.write_text(textwrap.dedent(CHANGES), encoding="utf-8")
    return file


def test_what_kip_320_changed(run: Any, folder: Path) -> None:
    """The tables, the guard with its line, and a run for each difference that replays."""
    shown = run("compare", "kip-279", "kip-320", *SMALL, "--out", "found")
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "kip-279 and kip-320: their behaviour differs"
    assert "Steps of kip-279 that kip-320 does not take" in lines
    cells = [line.split() for line in lines]
    assert ["leader_shrinks_isr", "-", "-"] in cells and ["leader_shrinks_isr", "own", "own"] in cells
    assert ["fetch", "own", "own"] in cells and ["elect_leader", "-", "-"] in cells
    place = next(i for i, line in enumerate(lines) if line.startswith("Fetch("))
    step = lines[place].removesuffix(", a step of kip-279 only")
    story = lines[place : place + 14]
    assert f"  kip-320 refuses {step} there" in story
    assert any("require(self.follows_epoch(follower, leader))  [spec/classic/kip_320.py:" in line for line in story)
    written = sorted(path.name for path in (folder / "found").iterdir() if path.suffix != ".html")
    assert written == [
        "kip-279-lost-advance-high-watermark.itf.json",
        "kip-279-lost-become-follower.itf.json",
        "kip-279-lost-fetch.itf.json",
        "kip-279-lost-leader-expands-isr.itf.json",
        "kip-320-gained-advance-high-watermark.itf.json",
        "kip-320-gained-leader-shrinks-isr.itf.json",
        "result.json",
    ]
    for name in written[:-1]:
        again = run("replay", f"found/{name}")
        assert again.exit_code == 0, again.output


def test_the_json(run: Any) -> None:
    """One object with both directions."""
    shown = run("compare", "kip-279-proof", "kip-320-proof", *SMALL, "--format", "json")
    document = json.loads(shown.stdout)
    assert shown.exit_code == document["exit_code"] == 0
    assert (document["verdict"], len(document["lemmas"])) == ("differs", 19)
    gained = {one["action"]: one for one in document["gained"]}
    assert [gained["advance_high_watermark"][scope] for scope in ("typed", "lemmas", "reachable")] == [
        "differs",
        "same",
        "same",
    ]
    example = gained["leader_shrinks_isr"]["example"]
    assert example["scope"] == "reachable" and example["guard"].startswith("require(not self.is_caught_up(")
    assert example["source"].startswith("spec/classic/leader.py:")
    assert document["explored"]["first"]["distinct_states"] > 9841
    assert document["replayed"] == ["python", "native"]


def test_users_files_exit_codes_and_renames(run: Any, changes: Path) -> None:
    """The same; different, which is an error only if asked; renamed; open because of a budget."""
    same = run("compare", "counter.py:Counter", "counter.py:Fine", "--most", "2", "--fail-on-difference")
    assert same.exit_code == 0, same.output
    assert same.stdout.startswith(
        "counter.py:Counter and counter.py:Fine: the same steps in every typed state at these bounds\n"
        "  bounds: --most 2\n"
    )
    pair = ("compare", "counter.py:Counter", "changes.py:Slow")
    assert run(*pair).exit_code == 0
    different = run(*pair, "--fail-on-difference")
    assert different.exit_code == 20
    assert "require(self.value < 2)  [changes.py:" in different.stdout
    assert run(*pair, "--max-states", "1").exit_code == 30
    assert run("compare", "counter.py:Counter", "changes.py:Hurried", "--fail-on-difference").exit_code == 20
    renamed = ("compare", "counter.py:Counter", "changes.py:Hurried", "--rename", "grow=hurry")
    shown = run(*renamed, "--fail-on-difference")
    assert shown.exit_code == 0, shown.output
    assert "grow (there hurry)" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("counter.py:Counter",), 2, "missing argument 'OTHER'"),
        (("counter.py:Counter", "kpi-320"), 150, "Did you mean kip-320?"),
        (("kip-320", "async-isr"), 2, "different bounds: only kip-320 has log_size"),
        (("kip-320", "kip-320-proof"), 120, "the first has no more where the second has commit_epoch"),
        (("counter.py:Counter", "changes.py:Unbounded"), 2, "only counter.py:Counter has most"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grow"), 2, "--rename grow has no '='"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grew=grow"), 2, "counter has no action 'grew'"),
        (("counter.py:Counter", "changes.py:Slow", "--rename", "grow=gro"), 2, "slow has no action 'gro'"),
        (
            ("counter.py:Counter", "changes.py:Slow", "--rename", "grow=grow", "--rename", "never=grow"),
            2,
            "renamed already",
        ),
        (("counter.py:Counter", "changes.py:Slow", "--most", "10"), 2, "most"),
    ],
)
def test_mistakes(run: Any, changes: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    """Each with its exit code and what to do."""
    shown = run("compare", *arguments)
    assert shown.exit_code == code, shown.output
    assert said in shown.stderr, shown.stderr


def test_check_asks_why_an_action_is_never_taken(run: Any, changes: Path) -> None:
    """By itself only about actions that the search never took; the answer tells the impossible from the unreached."""
    shown = run("check", "changes.py:Puzzle", "--property", "small")
    assert shown.exit_code == 22
    assert "asked: whether any typed state enables never, late, which the search never took" in shown.stdout
    assert "Never cannot happen at these bounds: no typed state enables it (checked by Z3)" in shown.stdout
    assert "never possible within these bounds: late." in shown.stdout
    document = json.loads(run("check", "changes.py:Puzzle", "--property", "small", "--format", "json").stdout)
    answers = {one["subject"]: one["verdict"] for one in document["static"]["answers"]}
    assert answers == {"never": "impossible", "late": "possible"}
    assert document["never_taken"] == ["never", "late"]


def test_check_asks_nothing_where_nothing_is_open(run: Any) -> None:
    """A check of KIP-320 does not ask; with --static it asks everything and says so."""
    plain = run("check", "kip-320", "--replicas", "2", "--max-epoch", "1")
    assert plain.exit_code == 0 and "Checked by Z3" not in plain.stdout
    shown = run("check", "kip-320", "--replicas", "2", "--max-epoch", "1", "--static")
    assert shown.exit_code == 0
    assert "asked: indices and domains, actions and properties, in any typed state" in shown.stdout
    assert "checked at run time: the value is outside 0..1 [spec/classic/state.py:" in shown.stdout
    assert "actions that some typed state enables: 9 of 9" in shown.stdout


def test_without_z3(run: Any, changes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs it says what to install; a check that would only have liked to ask says that it did not."""
    honest = builtins.__import__

    def without_z3(name: str, *rest: Any, **named: Any) -> Any:
        if name == "z3" or name.startswith("z3."):
            raise ModuleNotFoundError("No module named 'z3'", name="z3")
        return honest(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_z3)
    for command in (
        ("bmc", "counter.py:Counter", "--length", "1"),
        ("compare", "counter.py:Counter", "counter.py:Fine"),
        ("check", "counter.py:Fine", "--static"),
    ):
        shown = run(*command)
        assert shown.exit_code == 153, shown.output
        assert "pip install 'z3-solver" in shown.stderr
    shown = run("check", "changes.py:Puzzle", "--property", "small")
    assert shown.exit_code == 22
    assert "whether never, late could happen at all is not known: the solver Z3 cannot be loaded" in shown.stdout
