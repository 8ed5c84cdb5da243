"""Assumptions that somebody makes or takes back, and which of them a promise takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from epochal.api.check import check, liveness
from epochal.api.replay import replay
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.result import ANY, Liveness
from epochal.checker.semantics.fairness import Assumptions, assumptions, needed
from epochal.checker.trace import itf, itf_reader
from epochal.checker.trace.itf import TraceError
from epochal.cli.main import main
from epochal.errors import UsageError
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.language import Protocol
from epochal.spec.quorum.switches import QuorumSameCadence
from tests.checker.liveness.judged import by_machine, by_python
from tests.checker.liveness.test_kafka import NEEDED
from tests.checker.liveness.zoo import KNOWN, Lift

SMALL = KraftBalancing(brokers=2, failures=1)
KINDS = list(dict.fromkeys(kind for kind, _ in KNOWN))


def told(found: Liveness) -> list[tuple[str, str, int]]:
    """What each promise takes."""
    return [(need.member.name, need.without, need.doomed) for need in found.needs]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_both_judges_say_what_promises_take(kind: type[Protocol]) -> None:
    """What a promise takes is what it is broken without, judged by itself."""
    model = compile_protocol(kind())
    found = told(by_python(model, needs=True))
    assert found == told(by_machine(kind(), needs=True))
    assert {name for name, without, _ in found if without == ANY} == {one.member.name for one in model.promises}
    for name, without, doomed in found:
        alone = by_python(model, lambda m, w=without: set() if w == ANY else set(needed(m)) - {w})  # type: ignore[misc]  # a default
        one = next(one for one in alone.promises if one.member.name == name)
        assert sum(case.doomed for case in one.cases) == doomed


def test_balancing_takes_all_it_assumes() -> None:
    found = liveness(KraftBalancing(), needs=True)
    assert found.exit_code == 0
    assert {need.without for need in found.search.liveness.needs if need.doomed} == {*NEEDED, ANY}
    text = str(found)
    assert "Fairness that each property needs" in text
    assert "policy_is_satisfied  elect_preferred, elect_online, come_back, rejoin, begin_round  -" in text


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_is_taken_back_is_said(engine: str, tmp_path: Path) -> None:
    """In the report, in JSON, in the file of the run, and in the replay, which is fair under it alone."""
    found = check(SMALL, unfair=["rejoin"], engine=engine)
    assert found.exit_code == 13
    assert "Assumed besides what they name: rejoin not fair." in str(found)
    assert "--property policy_is_satisfied --unfair rejoin" in str(found)
    document: Any = found.to_dict()
    assert document["assumed"] == {"fair": [], "unfair": ["rejoin"]}
    assert "rejoin" not in document["liveness"][0]["fair"]
    trace = found.counterexample
    assert trace is not None
    data = itf.encode(trace)
    assert data["#meta"]["assumed"] == {"fair": [], "unfair": ["rejoin"]}
    trace.save(tmp_path / "run.itf.json")
    assert replay(tmp_path / "run.itf.json").exit_code == 0
    del data["#meta"]["assumed"]
    (tmp_path / "run.itf.json").write_text(json.dumps(data))
    again = replay(tmp_path / "run.itf.json")
    assert again.exit_code == 20
    assert "it is not fair: Rejoin(" in str(again)


def test_strength_is_a_matter_of_assumption() -> None:
    """A quorum without chance elects a leader once votes are assumed to be strongly fair, though not marked so."""
    quorum = QuorumSameCadence()
    strong = check(quorum, fair=["vote=strong", "pre_vote=strong"], properties="leader_is_elected")
    assert strong.verdicts["leader_is_elected"] == "holds"
    weak = check(quorum, fair="vote=weak", properties="leader_is_elected")
    assert weak.verdicts["leader_is_elected"] == "violated"


def test_an_action_without_a_mark_can_be_assumed_to_be_fair() -> None:
    """A door that is closed again and again breaks no promise that waits for it strongly."""
    found = check(Lift(), fair=["rise"], properties="arrives_unfairly")
    assert found.verdicts["arrives_unfairly"] == "holds"
    assert check(Lift(), fair=["door"], properties="arrives_unfairly").exit_code == 13


@pytest.mark.parametrize(
    ("fair", "unfair", "message"),
    [
        (["rejoinn"], [], "has no action 'rejoinn'\n  Did you mean rejoin?"),
        ([], ["fetch"], "has no action 'fetch'"),
        ([], ["fail"], "no liveness property of balancing-kraft assumes that fail is fair"),
        (["rejoin=often"], [], "an action is fair or rejoin=strong or rejoin=weak, not 'rejoin=often'"),
        (["rejoin"], ["rejoin"], "rejoin is assumed to be fair, and not to be fair"),
        (["rejoin", "rejoin=strong"], [], "rejoin is assumed to be fair twice"),
    ],
)
def test_what_cannot_be_assumed_is_refused(fair: list[str], unfair: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        assumptions(SMALL, fair, unfair)
    assert message in str(error.value)
    words = [*(f"--fair={one}" for one in fair), *(f"--unfair={one}" for one in unfair)]
    shown = CliRunner().invoke(main, ["check", "balancing-kraft", *words])
    assert isinstance(shown.exception, UsageError) or shown.exit_code == 2


def test_assumptions_need_promises_that_are_judged() -> None:
    with pytest.raises(UsageError, match="which are left out"):
        check(SMALL, unfair=["rejoin"], liveness=False)
    for command in (["liveness", "async-isr"], ["check", "async-isr", "--fair", "follower_replicates"]):
        shown = CliRunner().invoke(main, command)
        assert "has no liveness property" in f"{shown.exception}{shown.output}"
    with pytest.raises(UsageError, match="has no liveness property 'leader_in_isr'"):
        liveness(SMALL, properties="leader_in_isr")


def test_what_a_file_says_was_assumed_is_checked() -> None:
    trace = check(SMALL, unfair=["rejoin"]).counterexample
    assert trace is not None
    data = itf.encode(trace)
    assert itf_reader.decode(data, lambda _: KraftBalancing).assumed == Assumptions(unfair=("rejoin",))
    wrongs: list[dict[str, Any]] = [{"fair": ["fly"], "unfair": []}, {"fair": [1], "unfair": []}, {"fair": []}]
    for wrong in wrongs:
        data["#meta"]["assumed"] = wrong
        with pytest.raises(TraceError, match=r"#meta\.assumed"):
            itf_reader.decode(data, lambda _: KraftBalancing)
