"""Lock files and records as text: the same bytes for the same content, and what is wrong is named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.gate.lock_file import Lock, Locked, LockError, dumps, loads, read, write
from epochal.checker.gate.record import (
    Failed,
    PropertyRecord,
    Record,
    RecordError,
    Run,
    decode_record,
    encode_record,
    with_present_words,
)
from tests.checker.gate.lamp import DIGESTS, LAMP, PRESSED, RECORD

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
    text = dumps(LOCK)
    assert text == dumps(Lock(dict(reversed(list(LOCK.models.items())))))
    assert text.startswith('{\n "format": "epochal-lock",\n "models": {\n  "a": {') and text.endswith("\n}\n")
    assert '"ö": 1' in text
    again = loads(text)
    assert dumps(again) == text
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
]


@pytest.mark.parametrize(("damage", "said"), DAMAGED, ids=[said for _, said in DAMAGED])
def test_a_damaged_model_is_named(damage: Callable[[dict[str, Any]], Any], said: str) -> None:
    data = json.loads(dumps(LOCK))
    damage(data["models"]["b"])
    with pytest.raises(LockError) as caught:
        loads(json.dumps(data), "the.lock")
    assert str(caught.value) == f"the.lock is damaged: models.b: {said}.\n  {RESTORE}"


@pytest.mark.parametrize("data", [None, 3, "x", []], ids=repr)
def test_a_model_that_is_no_object_is_named(data: Any) -> None:
    with pytest.raises(RecordError, match="stands where an object is expected"):
        decode_record(data)
    with pytest.raises(LockError, match=r"models\.a: .* stands where an object is expected"):
        loads(json.dumps({"format": "epochal-lock", "version": 1, "models": {"a": data}}))


TEXT = dumps(LOCK)
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
        loads(text, "the.lock")
    assert str(caught.value) == message


def test_what_only_looks_like_a_conflict_is_none() -> None:
    locked = copy.copy(LOCK.models["b"])
    for reason in ("<<<<<<< HEAD", "x\n=======\n", "=======", ">>>>>>>"):
        text = dumps(Lock({"b": replace(locked, reason=reason)}))
        assert loads(text).models["b"].reason == reason


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "epochal.lock.json"
    assert read(file) is None
    write(file, LOCK)
    assert file.read_text(encoding="utf-8") == TEXT
    found = read(file)
    assert found is not None and dumps(found) == TEXT
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    file.write_bytes(b"\xff{}")
    with pytest.raises(LockError) as caught:
        read(file)
    assert str(caught.value) == (
        "epochal.lock.json is damaged: it is not UTF-8.\n  Restore it: git checkout -- epochal.lock.json"
    )
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(LockError, match=r"epochal\.lock\.json is not a lock file"):
        read(file)


def test_an_empty_lock_file() -> None:
    assert loads(dumps(Lock())).models == {}
    assert isinstance(LOCK.models["a"].record, Record)
