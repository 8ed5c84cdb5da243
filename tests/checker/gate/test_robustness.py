"""What can go wrong around the gate: signals, lock files that are broken or edited, bases that are missing or moved."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from epochal.checker.gate.reports.document import gate_schema
from tests.checker.gate.conftest import KIP_320, SMALL, UNFENCED, Repository

LARGE = {"replicas": 3, "log-size": 3, "records": 4, "max-epoch": 3}


def _heed_signals() -> None:
    """What runs under nohup ignores SIGHUP, and hands that on."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_writes_the_report(kip_320: Repository, number: signal.Signals) -> None:
    kip_320.write("large.py", KIP_320.replace('"mine"', '"large"'))
    text = (kip_320.path / "epochal.toml").read_text(encoding="utf-8")
    bounds = ", ".join(f"{name} = {value}" for name, value in LARGE.items())
    kip_320.write("epochal.toml", f'{text}[model.large]\nprotocol = "large.py:Mine"\nbounds = {{ {bounds} }}\n')
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "epochal", "gate", "--base", "HEAD", "--out", "report", "--progress", "plain"],
        cwd=kip_320.path,
        env=kip_320.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_signals,
    )
    assert process.stderr is not None
    while line := process.stderr.readline():
        if "distinct" in line or "states" in line:
            break
    else:
        pytest.fail("the search ended before it could be stopped")
    process.send_signal(number)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 30, printed + errors
    result = json.loads((kip_320.path / "report" / "result.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(gate_schema()).validate(result)
    assert result["stopped"] == number.name
    verdicts = {model["name"]: model["verdict"] for model in result["models"]}
    assert verdicts == {"mine": "unchanged", "large": "inconclusive"}
    large = next(model for model in result["models"] if model["name"] == "large")
    assert large["record"]["distinct_states"] > 1000
    for name in ("summary.md", "sarif.json", "junit/epochal/large/TEST-large.xml"):
        assert (kip_320.path / "report" / name).is_file()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text[: len(text) // 2], "epochal.lock.json is damaged: "),
        (lambda text: text.replace('"version": 1', '"version": 2'), "was written by a newer version of epochal"),
        (
            lambda text: text.replace('   "depth"', '<<<<<<< HEAD\n   "depth"'),
            "epochal.lock.json holds an unresolved merge conflict.",
        ),
        (
            lambda text: text.replace('   "depth"', '=======\n   "depth"').replace("\n", "\r\n"),
            "epochal.lock.json holds an unresolved merge conflict.",
        ),
        (lambda text: text.replace('"state_digest"', '"stat_digest"'), "models.mine: state_digest is missing"),
        (lambda text: text.replace('"depth": 18', '"depth": "18"'), "models.mine: depth is '18'"),
        (lambda text: "[]", "is not a lock file of epochal"),
        (lambda text: "[" * 100_000, "epochal.lock.json is damaged: it is nested too deeply."),
    ],
    ids=("half", "newer", "conflict", "conflict with CR", "missing", "type", "other", "deep"),
)
def test_a_lock_file_that_cannot_be_used(kip_320: Repository, edit: Callable[[str], str], message: str) -> None:
    file = kip_320.path / "epochal.lock.json"
    before = file.read_text(encoding="utf-8")
    file.write_text(edit(before), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != before
    done = kip_320.epochal("gate")
    assert done.returncode == 151
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert kip_320.here("baseline", "show").exit_code == 151
    again = kip_320.here("baseline", "update", "--reason", "made again")
    if "newer" in message:
        assert again.exit_code == 151
    else:
        assert again.exit_code == 0
        assert kip_320.here("gate").exit_code == 0


def test_another_lock_file_is_named(kip_320: Repository) -> None:
    """And what is in it, but no longer configured, is told with its name."""
    text = (kip_320.path / "epochal.lock.json").read_text(encoding="utf-8")
    kip_320.write("other lock.json", text.replace('"mine": {', '"yours": {'))
    document = kip_320.gate("--baseline", "other lock.json", expect=20)
    assert document["base"] == "other lock.json"
    assert {m["name"]: m["verdict"] for m in document["models"]} == {"mine": "new", "yours": "changed"}
    assert "in other lock.json, but no longer" in document["models"][1]["findings"][0]["message"]


def test_a_reason_is_stored_where_behaviour_changed(kip_320: Repository) -> None:
    bounds = ", ".join(f"{name} = {value}" for name, value in SMALL.items())
    with (kip_320.path / "epochal.toml").open("a") as file:
        file.write(f'[model.other]\nprotocol = "kip-320"\nbounds = {{ {bounds} }}\n')
    kip_320.write("mine.py", UNFENCED)
    kip_320.baseline("--reason", "first")
    kip_320.write("mine.py", KIP_320)
    kip_320.baseline("--reason", "second")

    def reasons() -> dict[str, str]:
        models = json.loads((kip_320.path / "epochal.lock.json").read_text(encoding="utf-8"))["models"]
        return {name: one["reason"] for name, one in models.items()}

    assert reasons() == {"mine": "second", "other": "first"}
    kip_320.baseline("other", "--reason", "corrected")
    kip_320.baseline()
    assert reasons() == {"mine": "second", "other": "corrected"}


def test_a_lock_file_edited_by_hand_does_not_pass(kip_320: Repository) -> None:
    """It has the digest of these very rules, and figures of others."""
    file = kip_320.path / "epochal.lock.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    kip_320.write("mine.py", UNFENCED)
    wanted = kip_320.gate(expect=20)["models"][0]["record"]["specification_digest"]
    data["models"]["mine"]["specification_digest"] = wanted
    file.write_text(json.dumps(data), encoding="utf-8")
    findings = kip_320.gate(expect=40)["models"][0]["findings"]
    assert any("unless somebody has edited that file" in finding["message"] for finding in findings)


def test_the_lock_file_is_canonical_and_readable(kip_320: Repository) -> None:
    text = (kip_320.path / "epochal.lock.json").read_text(encoding="utf-8")
    kip_320.baseline()
    assert (kip_320.path / "epochal.lock.json").read_text(encoding="utf-8") == text
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    assert max(map(len, text.splitlines())) < 120


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_digests_do_not_depend_on_the_order_of_hashes(kip_320: Repository, seed: str) -> None:
    done = kip_320.epochal("gate", "--format", "json", PYTHONHASHSEED=seed, EPOCHAL_CACHE_DIR=str(kip_320.path / seed))
    assert done.returncode == 0
    model = json.loads(done.stdout)["models"][0]
    assert model["verdict"] == "unchanged"
    assert model["source"] == "search"


def test_the_base_is_loaded_without_touching_the_work_tree(kip_320: Repository) -> None:
    kip_320.write("mine.py", UNFENCED)
    kip_320.write("untracked.txt", "x")
    before = kip_320.git("status", "--porcelain"), kip_320.git("stash", "list")
    kip_320.gate("--base", "HEAD", expect=20)
    assert (kip_320.git("status", "--porcelain"), kip_320.git("stash", "list")) == before
    assert (kip_320.path / "mine.py").read_text(encoding="utf-8") == UNFENCED
    assert kip_320.git("worktree", "list").count("\n") == 1


def test_a_base_that_does_not_exist(kip_320: Repository, tmp_path: Path) -> None:
    done = kip_320.epochal("gate", "--base", "origin/main")
    assert done.returncode == 2
    assert "--base origin/main: this repository has no such commit." in done.stderr
    outside = Repository(tmp_path / "outside", kip_320.cache)
    outside.path.mkdir()
    outside.write("mine.py", KIP_320)
    outside.model(SMALL)
    done = outside.epochal("gate", "--base", "HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr
    done = outside.epochal("gate")
    assert done.returncode == 151
    assert "there is no epochal.lock.json" in done.stderr


def test_a_model_whose_file_was_renamed_is_compared_with_what_it_was(kip_320: Repository) -> None:
    (kip_320.path / "mine.py").unlink()
    kip_320.write("models/renamed.py", UNFENCED)
    text = (kip_320.path / "epochal.toml").read_text(encoding="utf-8")
    kip_320.write("epochal.toml", text.replace("mine.py:Mine", "models/renamed.py:Mine"))
    (model,) = kip_320.gate("--base", "HEAD", expect=20)["models"]
    assert (model["verdict"], model["baseline"]["name"], model["notes"]) == ("widened", "HEAD", [])
    kip_320.write("models/renamed.py", KIP_320)
    (model,) = kip_320.gate("--base", "HEAD", expect=0)["models"]
    assert (model["verdict"], model["findings"]) == ("unchanged", [])


def test_a_property_that_says_something_else_needs_a_reason(kip_320: Repository) -> None:
    weaker = KIP_320 + (
        "\n    def leader_in_isr(self) -> bool:\n"
        '        """Says less."""\n        return self.next_record == 0 or self.next_record == 1\n'
    )
    kip_320.write("mine.py", weaker)
    (model,) = kip_320.gate(expect=0)["models"]
    told = {f["message"]: f["source"] for f in model["findings"]}
    assert told["the property leader_in_isr says something else than in the baseline"]["file"] == "mine.py"
    annotated = kip_320.epochal("gate", GITHUB_ACTIONS="true").stdout
    assert "::warning file=mine.py," in annotated and "leader_in_isr says something else" in annotated
    refused = kip_320.epochal("baseline", "update")
    assert refused.returncode == 2
    assert "what is asked of mine.py:Mine differs from what is recorded" in refused.stderr
    done = kip_320.epochal("baseline", "update", "--reason", "less is enough")
    assert "mine: the same behaviour with other properties, 6,787 states" in done.stdout


def test_a_model_that_the_base_does_not_have_is_new(kip_320: Repository) -> None:
    kip_320.write("second.py", KIP_320)
    with (kip_320.path / "epochal.toml").open("a") as file:
        file.write(
            '[model.second]\nprotocol = "second.py:Mine"\nbounds = { log-size = 1, records = 1, max-epoch = 1 }\n'
        )
    document = kip_320.gate("--base", "HEAD", "second", expect=0)
    assert document["models"][0]["relation"] == "new"
    assert "HEAD is not the baseline of this model: there is no file second.py" in document["models"][0]["notes"][0]
    assert kip_320.gate("second", expect=20)["models"][0]["verdict"] == "new"
