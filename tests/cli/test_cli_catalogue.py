"""The folder of known bugs: regenerated, compared, and missing bugs reported."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.confirm import every_semantics, replay_all
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.replay import replay
from epochal.errors import EpochalError
from epochal.kafka import catalogue as gallery_induction
from epochal.kafka.catalogue import (
    Entry,
    Searched,
    differing,
    entries_of,
    everything,
    found_entries,
    induction_entry,
    missing_bugs,
    rendered,
    shown_by,
    stale,
)
from epochal.report.schema import COMMANDS, schema_of
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS, known_bug
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.registry import REGISTRY, registered
from tests.each import for_each
from tests.house.test_architecture import ROOT

SMALL = ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1)


@pytest.fixture(scope="module")
def wanted() -> list[Searched]:
    return [Searched(name, (), registered(name)(SMALL)) for name in ("truncate-to-hw", "kip-320")]


@pytest.fixture(scope="module")
def entries(wanted: list[Searched]) -> list[Entry]:
    return found_entries(wanted, reference_engine.check, lambda name: None)


def test_every_violation_becomes_an_entry_with_its_history(entries: list[Entry]) -> None:
    assert [(e.member.name, e.trace.length, e.file) for e in entries] == [
        ("weak_isr", 9, "truncate-to-hw-weak-isr.itf.json"),
        ("strong_isr", 10, "truncate-to-hw-strong-isr.itf.json"),
    ]
    assert all(e.bug is not None and e.bug.versions == "0.8 to 0.10.2" for e in entries)


def test_the_index_has_a_row_for_each_and_links_that_exist(entries: list[Entry]) -> None:
    files = rendered(entries, "counterexamples")
    assert set(files) == {
        "README.md",
        "truncate-to-hw-weak-isr.itf.json",
        "truncate-to-hw-weak-isr.md",
        "truncate-to-hw-strong-isr.itf.json",
        "truncate-to-hw-strong-isr.md",
    }
    rows = [line for line in files["README.md"].splitlines() if line.startswith("|")]
    assert rows[0] == "| bug (ID) | what happens | also | Kafka | protocol | property | states | trace |"
    assert rows[2] == (
        "| KAFKA-1211 (S1 classic) | Truncation to a stale high watermark loses committed records | KIP-101 "
        "| 0.8 to 0.10.2 | `truncate-to-hw` | `weak_isr` | 9 "
        "| [ITF](truncate-to-hw-weak-isr.itf.json), [story](truncate-to-hw-weak-isr.md) |"
    )
    assert len(rows) == 4
    assert "epochal replay counterexamples/truncate-to-hw-weak-isr.itf.json" in files["truncate-to-hw-weak-isr.md"]


def test_a_folder_is_compared_file_by_file(entries: list[Entry], tmp_path: Path) -> None:
    files = rendered(entries, "counterexamples")
    assert differing(tmp_path / "none", files) == [f"{name}: missing" for name in files]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert differing(tmp_path, files) == []
    trace = tmp_path / "truncate-to-hw-weak-isr.itf.json"
    text = trace.read_text(encoding="utf-8")
    assert '"version": "' in text
    trace.write_text(text.replace('"version": "', '"version": "9.9'), encoding="utf-8")
    assert differing(tmp_path, files) == []
    trace.write_text(text.replace('"r0@e0"', '"r0@e1"').replace("b1", "b2"), encoding="utf-8")
    (tmp_path / "old.itf.json").write_text("{}", encoding="utf-8")
    assert differing(tmp_path, files) == [
        "truncate-to-hw-weak-isr.itf.json: out of date",
        "old.itf.json: no longer generated",
    ]
    assert stale(tmp_path, files) == ["old.itf.json"]


def test_a_known_bug_that_is_not_found_is_missing(entries: list[Entry], wanted: list[Searched]) -> None:
    assert missing_bugs(entries, wanted) == []
    assert missing_bugs(entries[:1], wanted) == ["truncate-to-hw: strong_isr"]


def test_a_bug_that_others_hide_is_looked_for_at_its_own_bounds(wanted: list[Searched]) -> None:
    everywhere = [one for one in everything() if one.bounds]
    assert [(one.name, one.bounds) for one in everywhere] == [
        ("kip-279", (("max_epoch", 1),)),
        ("quorum-no-check-quorum", (("log_size", 1), ("max_epoch", 3))),
        ("quorum-change-any-epoch", (("voters", 4), ("log_size", 2))),
        ("quorum-same-cadence", (("log_size", 1), ("max_epoch", 1))),
        ("zookeeper-stale-confirmation", (("stops", 0), ("max_version", 4))),
        ("zookeeper-lost-disk", (("controllers", 2),)),
    ]
    hidden = everywhere[:1]
    assert hidden[0].protocol.bounds.as_dict()["max_epoch"] == 1
    assert [one.name for one in everything() if not one.bounds] == [n for n in REGISTRY if not n.endswith("-proof")]
    assert missing_bugs([], hidden) == ["kip-279: strong_isr --max-epoch 1"]
    bounds = (("max_epoch", 1),)
    violating = Searched("kip-279", bounds, wanted[0].protocol)
    result = reference_engine.check(violating.protocol, Options(all_violations=True))
    entries = entries_of(violating, result)
    assert [(e.member.name, e.file) for e in entries] == [("strong_isr", "kip-279-strong-isr-max-epoch-1.itf.json")]


def test_a_search_that_is_cut_makes_no_entries(wanted: list[Searched]) -> None:
    result = reference_engine.check(wanted[0].protocol, Options(max_states=10))
    with pytest.raises(EpochalError, match="did not see every state") as failure:
        entries_of(wanted[0], result)
    assert failure.value.exit_code == 30


def test_the_history_names_protocols_and_properties_that_exist_once() -> None:
    seen = set()
    for bug in KNOWN_BUGS:
        kind = registered(bug.without_rule)
        members = {m.name for k in ("invariant", "action_property", "leads_to") for m in kind.members(k)}
        for name in bug.properties:
            assert name in members
            assert (bug.without_rule, name, bug.other_bounds) not in seen
            seen.add((bug.without_rule, name, bug.other_bounds))
            assert known_bug(bug.without_rule, name, bug.other_bounds) is bug
        assert bug.tickets and bug.versions and bug.title
        registered(bug.without_rule).bounds_type()(**dict(bug.other_bounds))
    not_listed = {
        "kip-320",
        "async-isr",
        "async-isr-high-watermark",
        "kraft",
        "kip-320-proof",
        "kip-279-proof",
        "quorum",
        "quorum-change-log",
        "quorum-reconfiguration",
        "quorum-reconfiguration-snapshots",
        "quorum-snapshots",
        "quorum-proof",
        "quorum-commit-proof",
        "quorum-vote-not-persisted-proof",
        "kraft-proof",
        "zookeeper",
        "zookeeper-alter-isr",
        "kip-320-as-shipped",
        "kraft-reassignment",
        "kraft-kip-320",
        "leader-epoch-cache",
        "balancing-zookeeper",
        "balancing-kraft",
        "transactions",
        "transactions-v1",
        "share-groups",
        "share-groups-unclean",
        "diskless",
        "diskless-transactions",
    }
    numbered = [bug.id for bug in KNOWN_BUGS if bug.id]
    assert len(set(numbered)) == len(numbered)
    assert {bug.without_rule for bug in KNOWN_BUGS} & set(REGISTRY) == set(REGISTRY) - not_listed
    assert known_bug("kip-320", "strong_isr") is None


def test_a_counterexample_to_induction_stands_beside_the_runs(entries: list[Entry]) -> None:
    """It is the least one, it replays in both readings, and the index explains what it is."""
    induction = induction_entry()
    assert replay_all(induction.trace.protocol, [induction.trace]).readings == ("python", "native")
    files = rendered(entries, "counterexamples", induction)
    name = "kip-279-proof-leader-expands-isr-quorum-isr-holds-what-is-committed"
    assert {f"{name}.itf.json", f"{name}.md"} <= set(files)
    assert len(files) == len(rendered(entries, "counterexamples")) + 2
    index = files["README.md"]
    assert f"[ITF]({name}.itf.json), [story]({name}.md)" in index
    assert "how the lemmas of KIP-320 were found" in " ".join(index.split())
    story = files[f"{name}.md"]
    assert "State 0 is not reachable within these bounds (exhaustive: all 71,266 states)." in story
    assert "epochal prove kip-279-proof --replicas 3 --log-size 2 --records 2 --max-epoch 1" in story
    assert "b1: leads e1, ISR {b1, b2}; log r0@e0, hw 0" in story


def test_a_counterexample_to_induction_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the step preserves the lemma after all, that is no file to write."""
    monkeypatch.setattr(gallery_induction, "PROTOCOL", "kip-320-proof")
    with pytest.raises(
        EpochalError, match="preserves quorum_isr_holds_what_is_committed, which it should not"
    ) as failure:
        induction_entry()
    assert failure.value.exit_code == 21


def test_the_runs_of_the_catalogue_are_in_the_folder(entries: list[Entry]) -> None:
    """A run that is an entry already is linked, not searched again; the story says what it shows."""
    searched_before = Searched("kip-279", (), entries[0].searched.protocol)
    known = replace(entries[0], searched=searched_before, bug=known_bug("kip-279", "weak_isr"))
    scenarios = [one for one in CATALOGUE if one.id in ("S6", "S12", "S18")]
    searched: list[str] = []
    shown = shown_by(scenarios, [known], breadth_first.check, searched.append)
    assert searched == ["KIP-497 (S12), kraft-s12", "KAFKA-18106 (S18), kraft-s18"]
    assert [one.entry.trace.length for one in shown] == [9, 3, 6]
    files = rendered([known], "counterexamples", shown=shown)
    assert set(files) == {
        "README.md",
        *(f"kip-279-weak-isr.{end}" for end in ("md", "itf.json")),
        *(f"kraft-s12-leader-candidate-completeness.{end}" for end in ("md", "itf.json")),
        *(f"kraft-s18-leader-completeness.{end}" for end in ("md", "itf.json")),
    }
    index = files["README.md"]
    assert "| KIP-497 (S12) | The leader counts a smaller ISR before the controller has agreed | - | none; " in index
    assert "| KIP-320 (S6) |" in index and "[story](kip-279-weak-isr.md)" in index
    assert "truncates the only copy of r0" in files["kraft-s18-leader-completeness.md"]


def test_a_bug_of_the_catalogue_that_is_not_found_is_told() -> None:
    (scenario,) = [one for one in CATALOGUE if one.id == "S12"]
    told = {one.name: getattr(scenario, one.name) for one in fields(KnownBug)}
    fixed = KnownBug(**{**told, "without_rule": scenario.with_rule, "bounds": {}})
    with pytest.raises(
        EpochalError, match=r"KIP-497 \(S12\) was not found: leader_candidate_completeness of kraft-s12-fixed"
    ) as failure:
        shown_by([fixed], [], breadth_first.check, lambda name: None)
    assert failure.value.exit_code == 21


def stored() -> list[Path]:
    """The traces in the folder of the repository."""
    return sorted((Path(__file__).resolve().parents[2] / "counterexamples").glob("*.itf.json"))


def test_the_stored_folder_has_every_run_of_the_catalogue() -> None:
    names = {path.name for path in stored()}
    index = (stored()[0].parent / "README.md").read_text(encoding="utf-8")
    assert all(index.count(f"[ITF]({name})") == 1 for name in names), "each run stands in the index once"
    for one in CATALOGUE:
        assert f"\n| {one.name} | {one.title} | " in index
    assert {
        f"{one.without_rule}-{one.property_id.replace('_', '-')}.itf.json" for one in CATALOGUE if not one.other_bounds
    } <= names


@for_each("path", stored())
def test_every_stored_run_replays_in_python(path: Path) -> None:
    trace = TraceReader([]).read(path)
    outcome = replay(trace, [PythonSemantics(trace.protocol)])
    assert outcome.ok, outcome.lines()


@pytest.mark.long
@pytest.mark.parametrize("path", stored(), ids=lambda path: path.name.removesuffix(".itf.json"))
def test_every_stored_run_replays_in_machine_code(path: Path) -> None:
    trace = TraceReader([]).read(path)
    readings, missing = every_semantics(trace.protocol)
    assert missing == ""
    assert replay(trace, readings).ok


# `epochal schema`: every document that a command prints is as its schema says, and has no other key.

KEEPS_THE_FENCED = f"{ROOT / 'tests/conformance/test_controller.py'}:KeepsTheFenced"
OF_FOUR = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")
PRINTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "bmc": (
        ("truncate-to-hw", *OF_FOUR, "--length", "8"),
        ("kip-320", *OF_FOUR, "--length", "2", "--actions"),
    ),
    "catalogue": (("--list",), ("S12",)),
    "check": (
        ("truncate-to-hw", *OF_FOUR),
        ("kip-320", *OF_FOUR, "--engine", "python", "--symmetry"),
        ("kip-320", *OF_FOUR, "--static", "--max-states", "50"),
        ("kip-320", *OF_FOUR, "--deadlock"),
    ),
    "compare": (("kip-279", "kip-320", *OF_FOUR),),
    "conform": (
        (str(ROOT / "tests/evidence/leader-change-4.3.1.tar.xz"),),
        (str(ROOT / "tests/evidence/leader-change-3.9.2.tar.xz"), "--protocol", KEEPS_THE_FENCED),
    ),
    "graph": (("truncate-to-hw", *OF_FOUR, "--limit", "400"),),
    "guarantees": (("--fault", "none", "--replication-factor", "1", "--max-epoch", "1", "--metadata-lag", "1"),),
    "liveness": (("balancing-kraft", "--brokers", "2", "--failures", "1", "--needs", "--fair", "fail"),),
    "explain": (("12",), ("strong_isr",), ()),
    "list": (("--family", "kraft"),),
    "mutate": (("kip-320", *OF_FOUR, "--only", "elect_leader"),),
    "prove": (
        ("kip-320-proof", *OF_FOUR, "--max-states", "0"),
        ("kip-279-proof", *OF_FOUR, "--max-states", "0", "--minimize"),
    ),
    "show": (("kip-320",), ("kraft", "--kafka", "3.5", "--acks", "1"), ("balancing-kraft",)),
    "simulate": (("truncate-to-hw", *OF_FOUR, "--runs", "30"),),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_schema_is_one(run: Any, command: str) -> None:
    schema = json.loads(run("schema", command).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema == schema_of(command)


def test_all_at_once_and_what_there_is_not(run: Any) -> None:
    assert list(json.loads(run("schema").stdout)) == list(COMMANDS)
    shown = run("schema", "chek")
    assert shown.exit_code == 2 and "chek prints no JSON.\n  Did you mean check?" in shown.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [(name, words) for name, each in PRINTED.items() for words in each],
    ids=lambda one: one[0] if one else "alone",
)
def test_what_is_printed_is_as_the_schema_says(run: Any, command: str, words: tuple[str, ...]) -> None:
    shown = run(command, *words, "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of(command))


def test_a_replay_is_as_the_schema_says(run: Any) -> None:
    shown = run("replay", str(ROOT / "counterexamples" / "kip-279-strong-isr.itf.json"), "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of("replay"))


def test_tables_are_as_the_schemas_say(run: Any, tmp_path: Path) -> None:
    kept, tables = str(tmp_path / "run"), str(tmp_path / "tables")
    run("check", "truncate-to-hw", *OF_FOUR, "--checkpoint", kept)
    shown = run("export", kept, "--out", tables, "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of("export"))
    (tmp_path / "sweep.toml").write_text("[[task]]\ncheck = 'kip-101'\nbounds = { replicas = 2, max-epoch = 0 }\n")
    shown = run("sweep", str(tmp_path / "sweep.toml"), "--out", tables, "--workers", "1", "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of("sweep"))


def test_every_command_that_prints_json_has_a_schema() -> None:
    from epochal.cli.main import main

    printing = set()
    for name in main.lazy:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) and name == "lockstep" else {}
        every = {name: command, **{f"{name}-{word}": one for word, one in inner.items()}}
        if not main.lazy[name].hidden:
            printing |= {word for word, one in every.items() if any(p.name == "output_format" for p in one.params)}
    lines = {"lockstep-lines"}  # what `lockstep run` says of lines of the harness, in place of a trace
    assert printing | lines == set(COMMANDS)
