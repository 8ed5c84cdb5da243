"""Wishes: judged when they are asked for, and under the fairness of whatever a protocol consists of."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from epochal.api.check import check, liveness
from epochal.checker.semantics.fairness import needed
from epochal.cli.main import main
from epochal.errors import UsageError
from epochal.spec.language import ALL, Protocol, action, leads_to, require


class Ladder(Protocol):
    """Somebody climbs, and may jump down once. Nobody said that he stays up."""

    high: bool
    jumped: bool

    @action(fair="weak")
    def climb(self) -> None:
        """One step up."""
        require(not self.high)
        self.high = True

    @action
    def jump(self) -> None:
        """Down again."""
        require(self.high and not self.jumped)
        self.high = False
        self.jumped = True

    @leads_to(fair=("climb",))
    def gets_up(self) -> tuple[bool, bool]:
        """Who is down gets up."""
        return not self.high, self.high

    @leads_to(fair=ALL, optional=True)
    def gets_up_as_anybody_would(self) -> tuple[bool, bool]:
        """Who is down gets up, by all that is done fairly."""
        return not self.high, self.high

    @leads_to(fair=ALL, optional=True)
    def comes_down(self) -> tuple[bool, bool]:
        """Who is up comes down."""
        return self.high, not self.high


class Slower(Ladder):
    """Climbing takes two steps."""

    half: bool

    @action(fair="weak")
    def begin(self) -> None:
        """Half way up."""
        require(not self.high and not self.half)
        self.half = True

    @action(fair="weak")
    def climb(self) -> None:
        """The rest of it."""
        require(self.half and not self.high)
        self.high = True
        self.half = False


WISHES = ("gets_up_as_anybody_would", "comes_down")


def judged(**options: Any) -> dict[str, str]:
    """The verdict on each promise and wish of a ladder."""
    return {one.member.name: one.verdict for one in check(Ladder(), **options).search.liveness.promises}


@pytest.mark.parametrize("engine", ["native", "python"])
def test_wishes_are_judged_when_they_are_asked_for(engine: str) -> None:
    assert judged(engine=engine) == {"gets_up": "holds"}
    every = {"gets_up": "holds", "gets_up_as_anybody_would": "holds", "comes_down": "violated"}
    assert judged(engine=engine, optional=True) == every
    assert judged(engine=engine, properties="comes_down") == {"comes_down": "violated"}
    assert check(Ladder(), engine=engine).exit_code == 0  # what is promised is a property
    assert check(Ladder(), engine=engine, optional=True).exit_code == 13


def test_what_was_not_asked_for_is_said() -> None:
    result = check(Ladder())
    assert "optional liveness properties: add --optional (gets_up_as_anybody_would, comes_down)" in str(result)
    documents: Any = {one["id"]: one for one in result.to_dict()["liveness"]}
    assert {name for name, one in documents.items() if one["wish"]} == set(WISHES)
    assert {name for name, one in documents.items() if one["verdict"] == "not judged"} == set(WISHES)
    assert documents["comes_down"]["fair"] == ["climb"]
    assert "1 of 1 liveness property and 2 optional ones violated (3 cases)" in str(check(Ladder(), optional=True))
    assert "add --optional" not in str(check(Ladder(), optional=True))
    assert "optional liveness properties: add --optional (gets_up_as_anybody_would, " in str(
        check(Ladder(), liveness=False)
    )


def test_all_that_is_fair_is_what_the_protocol_at_hand_has() -> None:
    """The promise names one action and is broken where that takes two; the wish names whatever there is."""
    (promise, optional, _) = Slower().members("leads_to")
    assert (needed(promise), needed(optional)) == (("climb",), ("climb", "begin"))
    verdicts = liveness(Slower(), properties=["gets_up", "gets_up_as_anybody_would"]).verdicts
    assert verdicts == {"gets_up": "violated", "gets_up_as_anybody_would": "holds"}


def test_a_run_that_breaks_a_wish_is_replayed(tmp_path: Any) -> None:
    from epochal.api.replay import replay

    trace = check(Ladder(), properties="comes_down").counterexample
    assert trace is not None
    trace.save(tmp_path / "run.itf.json")
    assert replay(tmp_path / "run.itf.json", protocols=[Ladder]).exit_code == 0


def test_wishes_are_no_reason_why_a_run_should_go_on() -> None:
    """Up for good is where a run may end, although one wishes otherwise."""
    ends = check(Ladder(), deadlock=True, optional=True).search.liveness.ends
    assert ends is not None
    assert (ends.kept, ends.others) == (1, 0)


class OnlyWished(Protocol):
    """A coin that may be turned."""

    up: bool

    @action
    def turn(self) -> None:
        """The other side."""
        self.up = not self.up

    @leads_to(fair=ALL, optional=True)
    def is_up(self) -> tuple[bool, bool]:
        """It shows heads in the end."""
        return not self.up, self.up


def test_nothing_but_wishes() -> None:
    """`liveness` judges them, because nothing else could be meant; `check` does not, and nothing is fair here."""
    assert liveness(OnlyWished()).verdicts == {"is_up": "violated"}
    assert check(OnlyWished()).search.liveness.promises == ()
    assert check(OnlyWished(), optional=True).exit_code == 13


def test_kraft_has_four() -> None:
    words = ["--replication-factor", "2", "--lossy-crashes", "0", "--fencings", "0", "--optional"]
    shown = CliRunner().invoke(main, ["liveness", "kraft", *words])
    assert shown.exit_code in (0, 22)
    assert "9 liveness properties and 4 optional ones hold (23 cases)" in shown.output
    shown = CliRunner().invoke(main, ["show", "kraft"])
    assert "optional; fair: " in shown.output


def test_a_promise_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="has no liveness property 'comes_up'"):
        liveness(Ladder(), properties="comes_up")
