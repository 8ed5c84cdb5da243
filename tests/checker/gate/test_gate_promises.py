"""The gate judges promises: one that is broken fails, one that is gone is drift, and a broken one may be expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.gate.record import Digests, decode_record, encode_record, record_of, trace_of
from epochal.checker.identity.specification import property_digests, specification_digest, text_digest
from epochal.checker.search.confirm import replay_all
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.cli.main import main
from tests.zoo.liveness import Lift
from tests.zoo.rows import source

DOOR = source(
    """
    Door: A door that somebody opens, and the wind shuts.
        open: bool
        propped: bool
        action(fair="strong") push: Somebody opens it.
            require(not self.open)
            self.open = True
        action slam: The wind shuts it.
            require(self.open and not self.propped)
            self.open = False
        action prop: Somebody holds it.
            require(self.open)
            self.propped = True
        action let_go: Nobody holds it any more.
            require(self.propped)
            self.propped = False
        invariant held_open: A door that is held is open.
            return self.open or not self.propped
        leads_to(fair=("push",)) opens: It is open some time.
            return not self.open, self.open
        leads_to(fair=("push",), optional=True) stays_shut: One would like it to be shut.
            return self.open, not self.open
    """
)
STUCK = DOOR.replace("require(not self.open)", "require(not self.open and self.open)")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a specification and its model in the gate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.py").write_text(DOOR)
    assert run("gate", "add", "door.py:Door").exit_code == 0
    return tmp_path


def run(*arguments: str) -> Result:
    """Run `epochal` with these arguments."""
    return CliRunner().invoke(main, list(arguments))


def test_the_lock_file_has_promises_and_no_wishes(folder: Path) -> None:
    (model,) = json.loads((folder / "epochal.lock.json").read_text())["models"].values()
    assert set(model["properties"]) == {"held_open", "opens"}
    found = model["properties"]["opens"]
    assert {name: found[name] for name in ("kind", "verdict", "length", "round", "stopped")} == {
        "kind": "leads_to",
        "verdict": "holds",
        "length": None,
        "round": None,
        "stopped": 0,
    }
    assert run("gate").exit_code == 0


def test_a_promise_that_is_broken_now_fails(folder: Path) -> None:
    (folder / "door.py").write_text(STUCK)
    result = run("gate", "--format", "json")
    assert result.exit_code == 13
    (model,) = json.loads(result.stdout)["models"]
    assert any(one["exit_code"] == 13 for one in model["findings"])
    text = run("gate").stdout
    assert "opens is violated by a fair run that goes on for ever: It is open some time." in text
    assert "for ever: nothing changes any more" in text
    refused = run("gate", "approve", "--reason", "so be it")
    assert refused.exit_code == 13
    assert "expect-violated = ['opens']" in refused.stderr


def test_a_broken_promise_may_be_expected_and_is_missed_when_it_is_kept(folder: Path) -> None:
    file = folder / "epochal.toml"
    (folder / "door.py").write_text(
        DOOR.replace('fair="strong"', 'fair="weak"').replace("not self.open, self.open", "self.open, not self.open")
    )
    file.write_text(file.read_text() + 'expect-violated = ["opens"]\n')
    assert run("gate", "approve", "--reason", "known").exit_code == 0
    assert run("gate").exit_code == 0
    (folder / "door.py").write_text(DOOR)
    missed = run("gate")
    assert missed.exit_code == 21
    assert "opens is expected to be violated, and holds now" in missed.stdout


def test_a_promise_that_is_gone_is_drift(folder: Path) -> None:
    (folder / "door.py").write_text(DOOR.replace('    @leads_to(fair=("push",))\n', ""))
    result = run("gate")
    assert result.exit_code == 20
    assert "the property opens is gone" in result.stdout


def test_another_fairness_is_another_promise_and_is_judged_again(folder: Path) -> None:
    """The steps are the same, so only the promise tells that the kept answer is not the answer."""
    (folder / "door.py").write_text(DOOR.replace('fair="strong"', 'fair="weak"'))
    result = run("gate")
    assert result.exit_code == 0
    assert "the property opens says something else than in the baseline" in result.stdout


def test_a_record_tells_the_run_that_goes_on_for_ever() -> None:
    protocol = Lift()
    model = compile_protocol(protocol)
    result = check(protocol, Options(all_violations=True, liveness=True))
    digests = Digests(specification_digest(model, promises=True), text_digest(protocol), property_digests(model))
    record = record_of(result, digests)
    assert decode_record(json.loads(json.dumps(encode_record(record, runs=True)))) == record
    broken = [one for one in result.liveness.promises if one.trace is not None]
    assert broken
    for one in broken:
        trace = trace_of(record, protocol, one.member.name)
        assert trace is not None and one.trace is not None
        assert (trace.states, trace.loop, trace.closing) == (one.trace.states, one.trace.loop, one.trace.closing)
        assert trace.arguments == one.trace.arguments
        assert "python" in replay_all(protocol, [trace], model).readings
