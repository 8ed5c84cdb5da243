"""Settings of a configuration: options of the commands, part of a protocol's name, and keys of a model of the gate."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import epochal
from epochal.api import catalogue as asked
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.cli.main import main
from epochal.former import FIELDS, KEYWORDS, OPTIONS, present_keywords, present_options
from epochal.kafka import catalogue as scenarios
from epochal.report.schema import COMMANDS, schema_of
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from epochal.spec.language import BoundsError, Protocol, leads_to
from epochal.spec.language.configurable import joined, quoted, split_reference
from epochal.spec.language.marks import mark_of
from epochal.spec.registry import REGISTRY, is_registered, names_in_catalogue, registered
from tests.cli.conftest import Run

TINY = ["--replication-factor=2", "--max-epoch=1", "--metadata-lag=1", "--fencings=0", "--shrinks=0", "--elections=0"]
ALONE = ("--kafka", "3.5", "--min-insync-replicas", "1", "--acks", "1")
REFERENCE = "kraft --kafka 3.5 --min-insync-replicas 1 --acks 1"

SWITCH = """
    from typing import ClassVar

    from epochal.language import Configurable, Setting, action, invariant, require


    class Lamp(Configurable):
        \"\"\"A lamp that somebody may have broken.\"\"\"

        name: ClassVar[str] = "lamp"
        broken: ClassVar[bool] = False
        declared_settings: ClassVar = (Setting("broken", "switch", "whether it stays dark", "off"),)
        lit: bool

        @classmethod
        def configured(cls, configuration):
            return type("Lamp", (cls,), {"configuration": dict(configuration), **configuration})

        @action
        def press(self) -> None:
            \"\"\"Press the button.\"\"\"
            require(not self.broken)
            self.lit = True

        @invariant
        def dark(self) -> bool:
            \"\"\"It is dark.\"\"\"
            return not self.lit
"""


def lamp() -> str:
    """The file of the lamp, in the working folder."""
    Path("lamp.py").write_text(textwrap.dedent(SWITCH))
    return "lamp.py"


MISTAKES = [
    (
        "check kraft --kafka 5.0",
        2,
        "--kafka: no version or generation is called '5.0'\n  The newest version that is",
    ),
    (
        "check kraft --kafka 2.3",
        2,
        "2.3 is older than KRaft, which came with Kafka 2.8\n  Its protocol is 'kip-",
    ),
    ("show kraft --kafka g1", 2, "Its protocol is 'kip-101': give that name instead of kraft."),
    ("check kraft --acks 2", 2, "--acks 2: producers know 0, 1, all (INVALID_REQUIRED_ACKS)"),
    (
        "check kraft --kafka 3.6 --min-insync-replicas 3 --replication-factor 2",
        2,
        "--min-insync-replicas 3 with --replication-factor 2: before Kafka 3.7 every write with acks=all is refused",
    ),
    ("check kraft --min-insync-replicas 0", 2, "--min-insync-replicas 0: at least 1 is needed"),
    ("check kraft --min-insync-replicas two", 2, "--min-insync-replicas must be a whole number, not 'two'"),
    ("check kraft --kafka 3.6 --elr", 2, "--elr with --kafka 3.6: eligible leader replicas (KIP-966) came with Kafka"),
    ("check kraft --no-strict-hw", 2, "Say --no-elr as well, or --elr to see what goes wrong."),
    ("check kraft --kafka", 2, "option '--kafka' requires an argument"),
    ("check kraft --ack 1", 2, "no such option --ack. Did you mean --acks?"),
    ("simulate kip-320 --acks 1", 2, "kip-320 has no option --acks; its bounds are"),
    ("bmc kraft --length 1 --kafka 3.5 --property follower_reads", 2, "kraft-3.5 has no property 'follower_reads'"),
]


@pytest.mark.parametrize(("command", "code", "message"), MISTAKES, ids=[m[0][:40] for m in MISTAKES])
def test_mistakes(command: str, code: int, message: str, run: Run) -> None:
    result = run(*command.split())
    assert message in result.stderr
    assert result.stderr.startswith("epochal: ")
    assert (result.stdout, result.exit_code) == ("", code)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("kraft --ackz 1", "kraft has no setting --ackz\n  Did you mean --acks?"),
        (
            "kraft --acks",
            "--acks needs a text, not True\n  Give --acks a text: acks of every producer: 0, 1 or all, which is",
        ),
        ("kraft --elr on", "--elr must be true or false, not 'on'"),
        ("kip-320 --acks 1", "kip-320 has no setting --acks\n  It takes none."),
    ],
)
def test_mistakes_within_a_name(reference: str, message: str, run: Run) -> None:
    result = run("show", reference)
    assert message in result.stderr
    assert result.exit_code == 2


def test_elr_without_strict_high_watermark_must_be_asked_for(run: Run) -> None:
    assert run("show", "kraft", "--no-strict-hw", "--elr").exit_code == 0
    assert run("show", "kraft", "--no-strict-hw", "--no-elr").exit_code == 0


def test_help_lists_the_settings(run: Run) -> None:
    told = run("check", "kraft", "--help").stdout
    assert "Configuration of kraft:" in told
    assert "--elr / --no-elr" in told
    assert "--kafka KAFKA" in told
    assert "Configuration of" not in run("check", "kip-320", "--help").stdout


def test_settings_may_stand_before_the_protocol_and_within_its_name(run: Run) -> None:
    after = run("show", "kraft", "--acks", "1", "--no-elr").stdout
    assert run("show", "--no-elr", "--acks", "1", "kraft").stdout == after
    assert run("show", "kraft --acks 1 --no-elr").stdout == after
    assert run("show", "kraft --acks 1", "--no-elr").stdout == after
    assert "Next: epochal check kraft --acks 1 --no-elr" in after
    assert run("show", "kraft", "--acks", "-1").stdout == run("show", "kraft --acks all").stdout


def test_a_result_names_its_configuration_and_its_trace_replays(run: Run) -> None:
    """A trace whose configuration has a setting that nobody knows is refused."""
    result = run("check", "kraft", *ALONE, *TINY, "--format", "json", "--out", "found")
    assert result.exit_code == 12
    document = json.loads(result.stdout)
    assert document["reference"] == REFERENCE
    assert document["configuration"] == {"kafka": "3.5", "min_insync_replicas": 1, "acks": "1"}
    name = "kraft-3-5-min-insync-replicas-1-acks-1-acknowledged-durable.itf.json"
    again = run("replay", f"found/{name}")
    assert again.exit_code == 0
    assert REFERENCE in again.stdout
    story = run("trace", "export", f"found/{name}", "--to", "markdown").stdout
    assert f"epochal check {REFERENCE} --replication-factor 2" in story
    file = Path("found") / name
    file.write_text(file.read_text().replace('"configuration": {"kafka"', '"configuration": {"kavka"'))
    refused = run("replay", str(file))
    assert "#meta.configuration: kraft-3.5-min-insync-replicas-1-acks-1 has no setting kavka" in refused.stderr
    assert refused.exit_code != 0


def test_a_report_says_the_configuration(run: Run) -> None:
    told = run("check", "kraft", *ALONE, *TINY, "--property", "acknowledged_durable").stdout
    assert told.startswith("kraft-3.5-min-insync-replicas-1-acks-1: acknowledged_durable")
    assert "  configuration: --kafka 3.5 --min-insync-replicas 1 --acks 1\n  bounds: --replication-factor 2" in told
    assert f"epochal check {REFERENCE} --replication-factor 2" in told


def test_properties_of_the_configured_protocol_are_known(run: Run) -> None:
    """Kafka 2.8 is judged by what its hole breaks, which the newest protocol cannot even say."""
    wanted = ("--property", "follower_read_consistency", "--runs", "1", "--depth", "3", "--engine", "python")
    assert run("simulate", "kraft", *wanted).exit_code == 2
    assert run("simulate", *wanted, "kraft", "--kafka", "2.8").exit_code == 0


def test_a_protocol_of_ones_own_may_have_settings(run: Run) -> None:
    file = lamp()
    assert run("check", f"{file}:Lamp").exit_code == 12
    dark = run("check", f"{file}:Lamp", "--broken")
    assert dark.exit_code == 22, "it holds, and the button can never be pressed"
    assert "configuration: --broken" in dark.stdout
    assert run("compare", f"{file}:Lamp", f"{file}:Lamp --broken", "--fail-on-difference").exit_code == 20
    assert "drop require #1: not self.broken" in run("mutate", f"{file}:Lamp", "--broken").stdout


def test_a_model_of_the_gate_has_a_configuration(run: Run) -> None:
    file = lamp()
    added = run("baseline", "add", f"{file}:Lamp", "--broken", "--name", "dark", "--expect-never", "press")
    assert added.exit_code == 0, added.stderr
    assert "configuration = { broken = true }" in Path("epochal.toml").read_text()
    assert json.loads(Path("epochal.lock.json").read_text())["models"]["dark"]["protocol"] == "lamp.py:Lamp --broken"
    assert run("gate").exit_code == 0
    Path("epochal.toml").write_text(Path("epochal.toml").read_text().replace("true", "false"))
    assert run("gate").exit_code == 12


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("{ kavka = '3.5' }", "model.k: configuration: kraft has no setting kavka\n  Did you mean kafka?"),
        ("{ kafka = '9.9' }", "model.k: configuration: kafka: no version or generation is called '9.9'"),
        ("{ elr = 'yes' }", "model.k: configuration: elr must be true or false, not 'yes'"),
        ("{ kafka = '3.6', min-insync-replicas = 4 }", "model.k: min-insync-replicas = 4 with"),
        ("[1]", "model.k: configuration must be a table of texts, numbers, true and false: { kafka = '3.5' }"),
    ],
)
def test_mistakes_in_a_model(table: str, message: str, run: Run) -> None:
    Path("epochal.toml").write_text(f"[model.k]\nprotocol = 'kraft'\nconfiguration = {table}\n")
    result = run("baseline", "update")
    assert message in result.stderr
    assert result.exit_code == 151


def test_references() -> None:
    assert split_reference("a.py:B --x 1 --no-y --z") == ("a.py:B", {"x": "1", "y": False, "z": True})
    assert split_reference("kraft --acks=1 --elr") == ("kraft", {"acks": "1", "elr": True})
    assert joined("kraft", {"acks": "1", "elr": False}) == "kraft --acks 1 --no-elr"
    assert quoted("my file.py:B --acks 1") == "'my file.py:B' --acks 1"
    with pytest.raises(BoundsError, match="belongs to no setting"):
        split_reference("kraft --acks 1 2")


def test_show_says_what_does_not_apply(run: Run) -> None:
    rows = {line.split()[0]: line for line in run("show", "kraft", "--kafka", "G8").stdout.splitlines() if line.strip()}
    assert "must not happen here" in rows["isr_empty"]
    assert "must be reachable" in rows["no_leader"]


# Flags beat EPOCHAL_ variables, which beat the file, which beats defaults; mistakes in any of them are named.

CHEAP = ("check", "async-isr", "--replicas", "2", "--max-offset", "1", "--property", "record_committed")
TOML = "[tool.epochal]\n"


def cut_and_engine(result: Result) -> tuple[str, str]:
    document = json.loads(result.stdout)
    return document["cut"], document["engine"]


def test_flags_beat_variables_beat_the_file_beats_defaults(folder: Path, run: Run) -> None:
    big = ("check", "kip-320")
    (folder / "epochal.toml").write_text('engine = "python"\nformat = "json"\nmax-states = 30\n', encoding="utf-8")
    assert cut_and_engine(run(*big)) == ("the budget of 30 states is spent", "python")
    env = {"EPOCHAL_MAX_STATES": "40"}
    assert cut_and_engine(run(*big, env=env)) == ("the budget of 40 states is spent", "python")
    assert cut_and_engine(run(*big, "--max-states", "50", env=env)) == ("the budget of 50 states is spent", "python")
    text = run(*big, "--format", "text", env=env).stdout
    assert text.startswith("kip-320: inconclusive: the budget of 40 states")


def test_pyproject_is_read_and_epochal_toml_beats_it(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text(TOML + 'engine = "python"\nformat = "json"\nmax-states = 30\n')
    assert cut_and_engine(run("check", "kip-320")) == ("the budget of 30 states is spent", "python")
    (folder / "epochal.toml").write_text('engine = "python"\nmax-states = 20\nformat = "json"\n', encoding="utf-8")
    assert cut_and_engine(run("check", "kip-320")) == ("the budget of 20 states is spent", "python")


def test_a_pyproject_of_somebody_else_is_no_concern(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\nengine = 1\n")
    assert run(*CHEAP, "--engine", "python").exit_code == 0


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("epochal.toml", "bugdet = '5m'\n", "epochal.toml: unknown key 'bugdet'. Did you mean budget?"),
        ("epochal.toml", "max_states = 5\n", "epochal.toml: unknown key 'max_states'. Did you mean max-states?"),
        ("epochal.toml", "zzz = 1\n", "epochal.toml: unknown key 'zzz'. Known keys: engine, budget, max-states"),
        ("epochal.toml", "engine = \n", "epochal.toml is not valid TOML:"),
        ("epochal.toml", "engine = true\n", "epochal.toml: engine must be a text or a number, not True"),
        (
            "epochal.toml",
            "engine = 'tlc'\n",
            "epochal.toml: engine: 'tlc' is not one of 'auto', 'native',",
        ),
        ("epochal.toml", "budget = 'soon'\n", "epochal.toml: budget: 'soon' is not a duration. Write 30s, 5m or 2h."),
        ("epochal.toml", "format = 'xml'\n", "epochal.toml: format: 'xml' is not one of"),
        ("pyproject.toml", TOML + "engin = 'native'\n", "pyproject.toml, [tool.epochal]: unknown key 'engin'. Did you"),
        ("pyproject.toml", "[tool]\nepochal = 3\n", "pyproject.toml, [tool.epochal] must be a table of settings"),
    ],
)
def test_a_bad_file_exits_with_151(file: str, text: str, message: str, folder: Path, run: Run) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    result = run(*CHEAP)
    assert message in result.stderr
    assert result.exit_code == 151
    assert run("check", "--help").exit_code == 0


def test_a_bad_variable_exits_with_151(run: Run) -> None:
    result = run(*CHEAP, env={"EPOCHAL_BUDGET": "soon"})
    assert result.exit_code == 151
    assert result.stderr == (
        "epochal: environment variable EPOCHAL_BUDGET: 'soon' is not a duration. Write 30s, 5m or 2h.\n"
    )


def test_variables_of_others_are_no_concern(run: Run) -> None:
    result = run("list", env={"EPOCHAL_HOME": "/x", "EPOCHAL_WORKERS": "2"})
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_variable_that_is_nearly_a_setting_is_told(run: Run) -> None:
    result = run("list", env={"EPOCHAL_BUGDET": "5m"})
    assert result.exit_code == 0
    assert result.stderr == (
        "epochal: EPOCHAL_BUGDET is no variable of epochal and is not heeded. Did you mean EPOCHAL_BUDGET?\n"
    )


def test_a_file_that_is_not_text_exits_with_151(folder: Path, run: Run) -> None:
    (folder / "epochal.toml").write_bytes(b"\xff\xfe")
    result = run(*CHEAP)
    assert result.exit_code == 151
    assert "epochal.toml is not valid TOML" in result.stderr


# `epochal catalogue`: what is searched, what is told, and every exit code.

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
                *["S20", "S24", "S25", "S27", "S31", "N1", "P1", "X2"],
                *["H8", "H16", "KIP-360", "KIP-854", "KIP-890", "KIP-890b", "KAFKA-7190"],
                *["KAFKA-7414", "KAFKA-9491", "KAFKA-9666", "KAFKA-10432", "KAFKA-14402", "KAFKA-16352"],
                *["KAFKA-17375", "KAFKA-19446", "KAFKA-20716"],
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
    monkeypatch.setattr(asked, "CATALOGUE", (wrong, by_id("S4")))
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


# Names from before work for one release more: options and keywords with a warning, fields beside the present ones.

SMALLEST = epochal.load("kip-320", replicas=2, log_size=1, records=1, max_epoch=1)
SMALL = ("kip-320", "--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


def test_a_former_option_is_the_present_one_with_a_warning() -> None:
    told: list[str] = []
    assert present_options(["kip-320", "--wishes", "--", "--wishes"], told.append) == [
        *("kip-320", "--optional"),
        *("--", "--wishes"),
    ]
    (warning,) = told
    assert warning.startswith("epochal: warning: --wishes is called --optional now.")
    assert present_options(["--wishes=yes", "--name=--wishes"], told.append) == ["--optional=yes", "--name=--wishes"]


@pytest.mark.parametrize("former", OPTIONS)
def test_every_former_option_is_one_of_a_command(former: str) -> None:
    command = {"--wishes": "check", "--judge": "compare"}.get(former, "guarantees")
    shown = CliRunner().invoke(main, [command, "--help"])
    assert OPTIONS[former] in shown.output and former not in shown.output


def test_a_command_takes_it() -> None:
    former = CliRunner().invoke(main, ["check", *SMALL, "--wishes", "--format", "json", "--progress", "none"])
    assert former.exit_code == 0 and "--wishes is called --optional now" in former.stderr
    document = json.loads(former.stdout)
    assert document["generated_states"] == document["transitions"] > 0
    assert document["dead_ends"] == document["terminal_states"]


def test_a_former_keyword_is_the_present_one_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="wishes is called optional now"):
        epochal.check(SMALLEST, wishes=True)  # type: ignore[call-arg]  # a former name
    with pytest.raises(TypeError, match="wishes is the former name of optional"):
        present_keywords({"wishes": True, "optional": True})
    assert set(KEYWORDS.values()) == {"optional", "causes", "recovery", "check_properties"}


def test_a_former_argument_of_leads_to() -> None:
    with pytest.warns(DeprecationWarning, match=r"leads_to\(wish=...\) is leads_to\(optional=...\) now"):

        @leads_to(fair=("step",), wish=True)
        def comes(self: object) -> tuple[bool, bool]:
            return True, True

    mark = mark_of(comes)
    assert mark is not None and mark.optional


def test_the_schema_calls_former_fields_deprecated() -> None:
    found: set[str] = set()
    for command in COMMANDS:
        for definition in schema_of(command).get("$defs", {}).values():
            properties = definition.get("properties", {})
            for name in FIELDS.keys() & properties.keys():
                if FIELDS[name] in properties:
                    assert properties[name]["deprecated"] is True
                    found.add(name)
    assert found == FIELDS.keys()
