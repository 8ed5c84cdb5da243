"""`epochal catalogue`: what is searched, what is told, and every exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.kafka.catalogue import catalogue as scenarios
from epochal.spec.bugs import catalogue
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from epochal.spec.language import Protocol
from epochal.spec.registry import REGISTRY, is_registered, names_in_catalogue, registered
from tests.cli.conftest import Run

LETTERED = ("S3b", "S17b", "S21b", "S26a", "S26b", "S26c", *(f"S33{letter}" for letter in "abcdef"))
SECTION_11 = {*(f"S{n}" for n in range(1, 36)), *LETTERED, "N1", "N2", "N3"} - {"S26", "S33"}


def by_id(id: str) -> KnownBug:
    return next(one for one in CATALOGUE if one.id == id)


def test_nothing_is_left_out_in_silence() -> None:
    """Every number is searched, or is listed with the reason; in one place only."""
    searched = {one.id.split()[0] for one in CATALOGUE}
    listed = {one.id for one in NOT_MODELLED}
    assert listed.isdisjoint(searched) and len(listed) == len(NOT_MODELLED)
    assert searched | listed >= SECTION_11
    assert not searched & {one.id for one in NOT_MODELLED}
    assert len({one.id for one in CATALOGUE}) == len(CATALOGUE)
    assert all(one.reason and one.title for one in NOT_MODELLED)


def test_every_protocol_of_the_catalogue_has_its_name() -> None:
    """Both sides are registered, have the property and the bounds, and say what they are."""
    for one in CATALOGUE:
        for name in (one.without_rule, one.with_rule):
            kind = registered(name)
            assert kind.name == name
            members = (kind.members(k) for k in ("invariant", "action_property", "leads_to"))
            assert one.property_id in {m.name for found in members for m in found}
            kind.bounds_type()(**dict(one.other_bounds))
        without, with_rule = scenarios.sides(one)
        assert without.bounds.as_dict() == with_rule.bounds.as_dict()
    assert not set(names_in_catalogue()) & set(REGISTRY)
    assert not is_registered("kraft-s99")


@pytest.mark.parametrize(
    ("keys", "ids"),
    [
        (("KAFKA-18106",), ["S18"]),
        (("kip-903",), ["S17"]),
        (("kafka-7128",), ["S9", "S9 classic"]),
        (("s17", "KAFKA-15221"), ["S17", "S17b"]),
        (
            ("2.0.0",),
            [
                *["S3b", "S4", "S5", "S6", "S9"],
                "S9 classic",
                "S19",
                "S19 ZooKeeper",
                *["S20", "S24", "S25", "S27", "S31", "N1", "P1"],
                *["H8", "KIP-360", "KIP-854", "KIP-890", "KAFKA-7190"],
                *["KAFKA-7414", "KAFKA-9491", "KAFKA-10432", "KAFKA-14402", "KAFKA-17375", "KAFKA-19446"],
                *["KAFKA-20716"],
            ],
        ),
    ],
)
def test_tickets_kips_and_versions_are_keys(keys: tuple[str, ...], ids: list[str]) -> None:
    assert [one.id for one in scenarios.chosen(keys, CATALOGUE) if one.id != "S30"] == ids


@pytest.mark.parametrize(
    ("versions", "had", "had_not"),
    [
        ("2.8 to 4.1", ("2.8", "2.8.2", "3.9", "4.1", "4.1.1"), ("2.7", "4.2", "0.11")),
        ("0.8 to 0.10.2", ("0.8", "0.10", "0.10.2.1"), ("0.11", "0.7.2")),
        ("before 2.2", ("0.8", "2.1.1"), ("2.2", "2.2.0", "3.0")),
        ("2.7 to 3.9.0 and 4.0.0", ("2.7", "3.9", "3.9.0", "4.0", "4.0.0"), ("3.9.1", "4.0.1", "4.1", "2.6")),
        ("3.5 and 3.6", ("3.5", "3.6.2"), ("3.4", "3.7")),
        ("2.7 (not in use yet)", ("2.7",), ("2.8",)),
        ("4.0 and 4.1, with ELR", ("4.0",), ("3.9",)),
        ("all, with unclean.leader.election.enable=true", ("0.8", "4.1"), ()),
        ("none; never shipped", (), ("0.8", "4.1")),
    ],
)
def test_which_versions_had_a_bug(versions: str, had: tuple[str, ...], had_not: tuple[str, ...]) -> None:
    entry = replace(by_id("S1"), versions=versions)
    assert [version for version in (*had, *had_not) if entry.was_in(version)] == list(had)


def test_every_entry_says_its_versions_so_that_they_are_understood() -> None:
    assert all(one.was_in("3.5") in (True, False) for one in CATALOGUE)


def test_unknown_keys_and_other_names_of_the_command(run: Run) -> None:
    assert "Did you mean KAFKA-18106?" in run("catalogue", "KAKFA-18106").stderr
    assert "KAFKA-9892 is in no model" in run("catalogue", "KAFKA-9892").stderr
    assert run("catalogue", "7.0.9.x").exit_code == 2
    for name in ("catalog", "bugs"):
        assert run(name, "--list").stdout == run("catalogue", "--list").stdout


def test_show_says_which_bugs_a_protocol_has(run: Run) -> None:
    rows = run("show", "kip-279").stdout.split("Known bugs")[1].split("Bounds")[0].splitlines()
    assert [line[:20].strip() for line in rows if "(S" in line] == ["KIP-320 (S6)", "KAFKA-7128 (S9 cla"]
    assert "Known bugs" not in run("show", "kip-320").stdout


def test_a_single_entry_is_told_as_a_story(run: Run) -> None:
    shown = run("catalogue", "s25").stdout
    assert "KIP-101 (S25): acks=1 is lost by a clean failover" in shown
    assert "without its rule, kraft-s25  acknowledged_durable:  violated, 4 states" in shown
    assert "with it, kraft-s25-fixed     acknowledged_durable:  holds, 249 states, depth 12" in shown
    assert "3. Produce(b1)  A producer appends a record at b1" in shown
    assert "replayed step by step in: python, native" in shown


def test_several_entries_are_a_table(run: Run) -> None:
    lines = run("catalogue", "S12", "S3").stdout.splitlines()
    assert lines[0] == (
        "2 entries: each is violated without its rule, and holds with it in every state within the same bounds"
    )
    assert [line[:17].strip() for line in lines if "(S" in line] == ["KAFKA-6361 (S3)", "KIP-497 (S12)"]
    assert "violated, 11 states" in lines[3] and "KIP-279" in lines[3]


def test_the_document_says_the_same(run: Run, tmp_path: Path) -> None:
    result = run("catalogue", "S12", "--format", "json", "--out", str(tmp_path))
    document = json.loads(result.stdout)
    assert document == json.loads((tmp_path / "catalogue.json").read_text())
    (entry,) = document["entries"]
    assert entry["as_expected"] is True and document["exit_code"] == 0
    assert (entry["faulty"]["verdict"], entry["faulty"]["length"]) == ("violated", 3)
    assert (entry["sound"]["verdict"], entry["sound"]["exhaustive"]) == ("holds", True)
    assert entry["bounds"]["shrinks"] == 1
    trace = tmp_path / "kraft-s12-leader-candidate-completeness.itf.json"
    assert run("replay", str(trace)).exit_code == 0


def test_the_list_searches_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "run", None)
    shown = run("catalogue", "--list").stdout
    names = [one.name for one in CATALOGUE] + [one.name for one in NOT_MODELLED]
    assert all(f"  {name} " in shown for name in names)
    document = json.loads(run("catalogue", "--list", "--format", "json").stdout)
    assert len(document["entries"]) == len(CATALOGUE) and len(document["not_searched"]) == len(NOT_MODELLED)


def test_an_id_asks_for_its_equals_in_other_families() -> None:
    assert [one.id for one in scenarios.chosen(["s9"], CATALOGUE)] == ["S9", "S9 classic"]
    assert [one.id for one in scenarios.chosen(["S9 classic"], CATALOGUE)] == ["S9 classic"]


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("S99", "no entry of the catalogue is called 'S99'. 'epochal catalogue --list' has the numbers"),
        ("S33b", "KAFKA-15021 (S33b) is in no model: a delay"),
        ("", "no entry of the catalogue is called ''."),
        ("kraft-s15", "no entry of the catalogue is called 'kraft-s15'."),
    ],
)
def test_an_unknown_id_is_refused(id: str, said: str, run: Run) -> None:
    result = run("catalogue", id)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_unknown_id_is_told_every_key_once(run: Run) -> None:
    known = run("catalogue", "zzzz").stderr.partition("Known entries, tickets and KIPs: ")[2].strip().rstrip(".")
    keys = known.split(", ")
    assert {"S1", "KAFKA-15665", "KIP-320"} <= set(keys) and all(keys)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("faulty", "sound", "code", "said"),
    [
        ("kip-320", "kip-320", 21, "NOT VIOLATED"),
        ("kip-320-offset-only", "kip-320-offset-only", 12, "VIOLATED, 11 states"),
        ("kip-320", "kip-320-offset-only", 12, "VIOLATED, 11 states"),
    ],
)
def test_what_is_not_as_expected_has_its_exit_code(
    faulty: str, sound: str, code: int, said: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug that is not found, or a rule that does not help; the other entries are told as well."""
    wrong = replace(by_id("S3"), without_rule=faulty, with_rule=sound)
    monkeypatch.setattr(catalogue, "CATALOGUE", (wrong, by_id("S4")))
    result = run("catalogue", "S3", "S4")
    assert result.exit_code == code
    assert result.stdout.startswith("1 of 2 entries not as expected: KAFKA-6361 (S3)\n")
    assert said in result.stdout and "violated, 13 states" in result.stdout
    alone = run("catalogue", "S3")
    assert alone.exit_code == code
    assert ("Counterexample although the rule is there" in alone.stdout) == (code == 12)


def test_a_spent_budget_is_told(run: Run) -> None:
    result = run("catalogue", "S20", "--budget", "0.001s")
    assert result.exit_code == 30
    assert "OPEN: " in result.stdout


def test_an_interruption_ends_the_run_and_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was finished before is still reported."""
    honest = breadth_first.check

    def interrupted(protocol: Protocol, options: Options) -> CheckResult:
        result = honest(protocol, options)
        return replace(result, cut="interrupted") if protocol.name == "kip-279" else result

    monkeypatch.setattr(breadth_first, "check", interrupted)
    result = run("catalogue", "S3", "S4", "S6", "N2", "--workers", "1")
    assert result.exit_code == 30
    assert result.stdout.startswith("interrupted: 2 entries not searched\n2 entries: each is violated")
    assert run("catalogue", "S6").stdout == "interrupted: 1 entry not searched\n"


def test_progress_names_the_entry(run: Run) -> None:
    lines = [json.loads(line) for line in run("catalogue", "S3", "S4", "--progress", "json").stderr.splitlines()]
    assert {line["id"] for line in lines} == {"S3", "S4"}
    assert lines[-1]["done"] == lines[-1]["entries"] == 2


@pytest.mark.long
def test_the_whole_catalogue_is_as_expected(run: Run) -> None:
    result = run("catalogue")
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith(f"{len(CATALOGUE)} entries: each is violated without its rule")
