"""What can go wrong around the gate: signals, lock files that are broken or edited, bases that are missing or moved."""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from epochal.checker.gate.record import (
    Failed,
    Lock,
    Locked,
    LockError,
    PropertyRecord,
    Record,
    RecordError,
    Run,
    decode_record,
    encode_record,
    lock_from,
    lock_text,
    read_lock,
    with_present_words,
    write_lock,
)
from epochal.checker.gate.reports import gate_schema
from tests.checker.gate.conftest import KIP_320, SMALL, UNFENCED, Repository
from tests.checker.gate.lamp import DIGESTS, LAMP, PRESSED, RECORD
from tests.cli.conftest import COUNTER

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
    done = kip_320.here("gate")
    assert done.exit_code == 151
    assert message in done.stderr
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
    kip_320.append("epochal.toml", f'[model.other]\nprotocol = "kip-320"\nbounds = {{ {bounds} }}\n')
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
    done = kip_320.here("gate", "--base", "origin/main")
    assert done.exit_code == 2
    assert "--base origin/main: this repository has no such commit." in done.stderr
    outside = Repository(tmp_path / "outside", kip_320.cache)
    outside.path.mkdir()
    outside.write("mine.py", KIP_320)
    outside.model(SMALL)
    apart = outside.epochal("gate", "--base", "HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert apart.returncode == 2
    assert "is not in a git repository" in apart.stderr
    done = outside.here("gate")
    assert done.exit_code == 151
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
    refused = kip_320.here("baseline", "update")
    assert refused.exit_code == 2
    assert "what is asked of mine.py:Mine differs from what is recorded" in refused.stderr
    done = kip_320.here("baseline", "update", "--reason", "less is enough")
    assert "mine: the same behaviour with other properties, 6,787 states" in done.stdout


def test_a_model_that_the_base_does_not_have_is_new(kip_320: Repository) -> None:
    kip_320.write("second.py", KIP_320)
    kip_320.append(
        "epochal.toml",
        '[model.second]\nprotocol = "second.py:Mine"\nbounds = { log-size = 1, records = 1, max-epoch = 1 }\n',
    )
    document = kip_320.gate("--base", "HEAD", "second", expect=0)
    assert document["models"][0]["relation"] == "new"
    assert "HEAD is not the baseline of this model: there is no file second.py" in document["models"][0]["notes"][0]
    assert kip_320.gate("second", expect=20)["models"][0]["verdict"] == "new"


# Lock files and records as text: the same bytes for the same content, and what is wrong is named.

WHOLE = replace(
    RECORD,
    cut="the budget is spent",
    bounds={"size": 3},
    warnings=("a warning",),
    vacuous=("it is empty",),
    runs={"lit": PRESSED, "dark": Run((0, 1), ())},
    failed=Failed("none is used", "lamp.py", 7, PRESSED),
    tool="9.9.9",
)
LOCK = Lock({"b": Locked(RECORD, ("lit", "dark"), "because"), "a": Locked(replace(RECORD, bounds={"ö": 1}))})


def test_a_record_is_read_as_it_was_written() -> None:
    assert decode_record(json.loads(json.dumps(encode_record(WHOLE, runs=True)))) == WHOLE
    assert decode_record(json.loads(json.dumps(encode_record(RECORD, runs=True)))) == RECORD
    short = encode_record(WHOLE, runs=False)
    assert not {"runs", "failed", "warnings", "vacuous"} & set(short)
    assert short["exhaustive"] is False
    kept = decode_record(short)
    assert kept == replace(WHOLE, warnings=(), vacuous=(), runs={}, failed=None)


def test_what_is_counted_of_a_record() -> None:
    """The lamp has four states; it goes on at its first press."""
    assert RECORD.exhaustive and not WHOLE.exhaustive
    assert (RECORD.distinct_states, RECORD.transitions, RECORD.depth) == (4, 4, 4)
    assert RECORD.actions == {"press": (3, 3), "rest": (1, 0)}
    assert [(n, p.kind, p.verdict, p.length) for n, p in RECORD.properties.items()] == [
        ("dark", "invariant", "holds", None),
        ("lit", "reachable", "holds", 2),
    ]
    assert RECORD.runs == {"lit": PRESSED}
    assert (RECORD.violated(), RECORD.unreached(), RECORD.out_of_place(), RECORD.never_taken()) == ([], [], [], [])
    wrong = {
        "dark": PropertyRecord("invariant", "violated", 2),
        "lit": PropertyRecord("reachable", "violated"),
        "there": PropertyRecord("reachable", "violated", 3),
        "slow": PropertyRecord("action_property", "violated", 3),
        "open": PropertyRecord("invariant", "unknown"),
    }
    amiss = replace(RECORD, properties=wrong, actions={"press": (0, 0), "rest": (1, 0)})
    assert (amiss.violated(), amiss.unreached(), amiss.out_of_place()) == (["dark", "slow"], ["lit"], ["there"])
    assert amiss.never_taken() == ["press"]
    assert replace(amiss, cut="time").never_taken() == []


def test_the_same_behaviour() -> None:
    assert RECORD.same_behaviour(replace(RECORD, specification="other", text="other"))
    for other in (
        replace(RECORD, state_digest="other"),
        replace(RECORD, step_digest="other"),
        replace(RECORD, cut="time"),
    ):
        assert not RECORD.same_behaviour(other) and not other.same_behaviour(RECORD)
    assert not WHOLE.same_behaviour(WHOLE)


def test_present_words_take_the_place_of_old_ones() -> None:
    old = replace(WHOLE, actions={"rest": (1, 0), "press": (3, 3), "gone": (9, 9)})
    now = with_present_words(old, LAMP, "lamp --bright", replace(DIGESTS, text="new text"), ("w",), ("v",))
    assert (now.protocol, now.bounds, now.text, now.warnings, now.vacuous) == (
        "lamp --bright",
        {},
        "new text",
        ("w",),
        ("v",),
    )
    assert list(now.actions.items()) == [("press", (3, 3)), ("rest", (1, 0))]
    assert (now.specification, now.runs, now.failed) == (old.specification, old.runs, old.failed)


def test_a_lock_file_is_canonical() -> None:
    text = lock_text(LOCK)
    assert text == lock_text(Lock(dict(reversed(list(LOCK.models.items())))))
    assert text.startswith('{\n "format": "epochal-lock",\n "models": {\n  "a": {') and text.endswith("\n}\n")
    assert '"ö": 1' in text
    again = lock_from(text)
    assert lock_text(again) == text
    assert again.models["b"] == Locked(replace(RECORD, runs={}), ("dark", "lit"), "because")
    assert again.models["a"].reason == "" and again.models["a"].expected_violations == ()


MADE_AGAIN = "or make it again with: epochal gate approve --reason '...'"
RESTORE = "Restore it (git checkout -- the.lock), " + MADE_AGAIN
TAKE = "Take either side (git checkout --ours or --theirs), then run: epochal gate approve --reason '...'"
RECORD_FIELDS = {
    "protocol": (3, "3"),
    "bounds": ([], "[]"),
    "specification_digest": (None, "None"),
    "text_digest": (1, "1"),
    "engine": ({}, "{}"),
    "cut": (False, "False"),
    "distinct_states": (True, "True"),
    "generated_states": ("4", "'4'"),
    "depth": (1.5, "1.5"),
    "state_digest": (4, "4"),
    "step_digest": ([1], "[1]"),
    "properties": ([], "[]"),
    "actions": ("x" * 60, "'" + "x" * 39),
    "tool": (1, "1"),
}


def without(name: str) -> Callable[[dict[str, Any]], Any]:
    """Take a field of the model away."""
    return lambda model: model.pop(name)


def with_value(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """Give a field of the model another value."""
    return lambda model: model.update({name: value})


DAMAGED: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    *((without(name), f"{name} is missing") for name in RECORD_FIELDS),
    *((with_value(name, value), f"{name} is {shown}") for name, (value, shown) in RECORD_FIELDS.items()),
    (with_value("bounds", {"size": "3"}), "bounds.size is not a number"),
    (with_value("bounds", {"size": True}), "bounds.size is not a number"),
    (with_value("actions", {"press": {"steps": 1}}), "new_states is missing"),
    (with_value("actions", {"press": {"steps": True, "new_states": 1}}), "steps is True"),
    (with_value("actions", {"press": 3}), "3 stands where an object is expected"),
    (with_value("properties", {"dark": {"kind": "invariant", "verdict": "holds"}}), "digest is missing"),
    (with_value("properties", {"dark": {"kind": 1, "verdict": "holds", "digest": ""}}), "kind is 1"),
    (without("expected_violations"), "'expected_violations' is missing"),
    (without("reason"), "'reason' is missing"),
    (with_value("reason", None), "expected_violations or reason has another type"),
    (with_value("expected_violations", "dark"), "expected_violations or reason has another type"),
    (with_value("runs", {"dark": 5}), "Expected `object`, got `int` - at `$[...]`"),
    (with_value("failed", 5), "Expected `object | null`, got `int`"),
]


@pytest.mark.parametrize(("damage", "said"), DAMAGED, ids=[said for _, said in DAMAGED])
def test_a_damaged_model_is_named(damage: Callable[[dict[str, Any]], Any], said: str) -> None:
    data = json.loads(lock_text(LOCK))
    damage(data["models"]["b"])
    with pytest.raises(LockError) as caught:
        lock_from(json.dumps(data), "the.lock")
    assert str(caught.value) == f"the.lock is damaged: models.b: {said}.\n  {RESTORE}"


@pytest.mark.parametrize("data", [None, 3, "x", []], ids=repr)
def test_a_model_that_is_no_object_is_named(data: Any) -> None:
    with pytest.raises(RecordError, match="stands where an object is expected"):
        decode_record(data)
    with pytest.raises(LockError, match=r"models\.a: .* stands where an object is expected"):
        lock_from(json.dumps({"format": "epochal-lock", "version": 1, "models": {"a": data}}))


TEXT = lock_text(LOCK)
NO_LOCK = 'the.lock is not a lock file of epochal: "format" must be "epochal-lock".'
UNUSABLE = {
    "ours": ("<<<<<<< HEAD\n" + TEXT, "the.lock holds an unresolved merge conflict.\n  " + TAKE),
    "base": (TEXT + "|||||||\n", "the.lock holds an unresolved merge conflict.\n  " + TAKE),
    "both": (TEXT + "=======\r\n", "the.lock holds an unresolved merge conflict.\n  " + TAKE),
    "theirs": (TEXT + ">>>>>>> theirs", "the.lock holds an unresolved merge conflict.\n  " + TAKE),
    "half": ("{", f"the.lock is damaged: Expecting property name enclosed in double quotes: line 1 column 2 (char 1).\n"
             f"  {RESTORE}"),
    "list": ("[]", NO_LOCK),
    "other format": ('{"format": "other", "version": 1, "models": {}}', NO_LOCK),
    "no version": ('{"format": "epochal-lock", "models": {}}', NO_LOCK),
    "version in words": ('{"format": "epochal-lock", "version": "1", "models": {}}', NO_LOCK),
    "newer": (
        '{"format": "epochal-lock", "version": 2, "models": {}}',
        "the.lock was written by a newer version of epochal (its format is 2, this one knows 1).\n"
        "  Install the version that wrote it.",
    ),
    "no models": (
        '{"format": "epochal-lock", "version": 1}',
        "the.lock is damaged: models is missing.\n  Restore it: git checkout -- the.lock",
    ),
    "models in a list": (
        '{"format": "epochal-lock", "version": 1, "models": []}',
        "the.lock is damaged: models is missing.\n  Restore it: git checkout -- the.lock",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_lock_file_that_is_none(case: str) -> None:
    text, message = UNUSABLE[case]
    with pytest.raises(LockError) as caught:
        lock_from(text, "the.lock")
    assert str(caught.value) == message


def test_what_only_looks_like_a_conflict_is_none() -> None:
    locked = copy.copy(LOCK.models["b"])
    for reason in ("<<<<<<< HEAD", "x\n=======\n", "=======", ">>>>>>>"):
        text = lock_text(Lock({"b": replace(locked, reason=reason)}))
        assert lock_from(text).models["b"].reason == reason


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "epochal.lock.json"
    assert read_lock(file) is None
    write_lock(file, LOCK)
    assert file.read_text(encoding="utf-8") == TEXT
    found = read_lock(file)
    assert found is not None and lock_text(found) == TEXT
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    file.write_bytes(b"\xff{}")
    with pytest.raises(LockError) as caught:
        read_lock(file)
    assert str(caught.value) == (
        "epochal.lock.json is damaged: it is not UTF-8.\n  Restore it: git checkout -- epochal.lock.json"
    )
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(LockError, match=r"epochal\.lock\.json is not a lock file"):
        read_lock(file)


def test_an_empty_lock_file() -> None:
    assert lock_from(lock_text(Lock())).models == {}
    assert isinstance(LOCK.models["a"].record, Record)


# Whenever the gate or `baseline` is killed, or has no room, the files are the old ones or the new ones, and whole.

CONFIGURED = """[model.counter]
protocol = "counter.py:Counter"
bounds = {{ most = {} }}
expect-violated = ["small"]
expect-never = ["never"]
"""
ADD = ("add", "counter.py:Counter", "--name", "second", "--expect-violated", "small", "--expect-never", "never")


@pytest.fixture
def counter(repository: Repository) -> Repository:
    """A counter, recorded; then its bounds were changed."""
    repository.write("counter.py", textwrap.dedent(COUNTER))
    repository.write("epochal.toml", CONFIGURED.format(8))
    repository.baseline()
    repository.write("epochal.toml", CONFIGURED.format(9))
    return repository


def lock_of(repository: Repository) -> Path:
    """Its lock file."""
    return repository.path / "epochal.lock.json"


def killed(repository: Repository, file: str, *arguments: str, stride: int = 1) -> dict[str, Any]:
    """What a command leaves that is killed at every moment, or at every so manieth."""
    command = [sys.executable, "-m", "tests.checker.gate.killed", str(stride), file, *arguments]
    done = subprocess.run(
        command, cwd=repository.path, env=repository.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert not list(repository.path.rglob(".*.tmp")), "the next run removes what a killed one has left"
    return found


def test_baseline_update_is_killed(counter: Repository) -> None:
    old = lock_of(counter).read_text(encoding="utf-8")
    found = killed(counter, "epochal.lock.json", "baseline", "update", "--reason", "larger")
    new = lock_of(counter).read_text(encoding="utf-8")
    assert lock_from(new).models["counter"].reason == "larger"
    assert found["kills"] >= 4 and found["contents"] == [old] and found["ends"] == [0]


def test_baseline_add_is_killed(counter: Repository) -> None:
    """At worst between the two files; the gate then calls the model new."""
    old = (counter.path / "epochal.toml").read_text(encoding="utf-8")
    found = killed(counter, "epochal.toml", "baseline", *ADD, stride=2)
    new = (counter.path / "epochal.toml").read_text(encoding="utf-8")
    assert "[model.second]" in new and "second" in lock_from(lock_of(counter).read_text(encoding="utf-8")).models
    assert found["kills"] >= 3 and set(found["contents"]) <= {old, new} and set(found["ends"]) <= {0, 2}


def test_the_gate_is_killed(counter: Repository) -> None:
    """Reports that are there are whole, and the lock file is not touched."""
    lock = lock_of(counter).read_bytes()
    found = killed(counter, "report/result.json", "gate", "--out", "report", stride=6)
    assert found["kills"] >= 4 and found["documents"] > 2 * found["kills"] and found["ends"] == [20]
    assert lock_of(counter).read_bytes() == lock


LIMITED = """
import resource, sys
from epochal.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
main(sys.argv[2:])
"""


def without_room(repository: Repository, room: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run epochal where no file may become larger than so many bytes."""
    command = [sys.executable, "-B", "-P", "-c", LIMITED, str(room), *arguments]
    return subprocess.run(
        command, cwd=repository.path, env=repository.environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [("update", "--reason", "larger"), ADD])
def test_there_is_no_room_for_the_lock_file(counter: Repository, arguments: tuple[str, ...]) -> None:
    """Nothing is changed, the configuration neither, although there was room for that."""
    before = {path.name: path.read_bytes() for path in counter.path.iterdir() if path.is_file()}
    file = "epochal.toml" if arguments[0] == "add" else "epochal.lock.json"
    done = without_room(counter, 900, "baseline", *arguments)
    assert done.returncode == 153, done.stderr
    assert done.stderr == (
        f"checking {'second' if arguments[0] == 'add' else 'counter'}\n"
        f"epochal: {counter.path / file}: nothing can be written there: File too large.\n"
        "  Nothing was changed. Make room on the disk, or see that you may write there, and run it again.\n"
    )
    assert {path.name: path.read_bytes() for path in counter.path.iterdir() if path.is_file()} == before


def test_the_warning_about_the_cache_is_told_once(counter: Repository) -> None:
    """Although the specification of the other commit is loaded by a process of its own."""
    counter.commit()
    counter.write("counter.py", textwrap.dedent(COUNTER).replace("self.value < 2", "self.value < 3"))
    counter.cache.chmod(0o777)
    done = counter.epochal("gate", "--base", "HEAD")
    assert done.returncode in (0, 20), done.stderr
    assert done.stderr.count("epochal: warning: ") == 1
    assert f"the cache {counter.cache} can be written by others (mode 777), and is not used.\n" in done.stderr
