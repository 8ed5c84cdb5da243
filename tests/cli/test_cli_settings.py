"""Settings of a configuration: options of the commands, part of a protocol's name, and keys of a model of the gate."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from epochal.spec.language import BoundsError
from epochal.spec.language.reference import joined, quoted, split_reference
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


def test_a_result_names_its_configuration_and_its_trace_replays(run: Run, tmp_path: Path) -> None:
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


def test_a_trace_with_a_foreign_setting_is_refused(run: Run, tmp_path: Path) -> None:
    run("check", "kraft", *ALONE, *TINY, "--property", "acknowledged_durable", "--out", "found")
    (file,) = Path("found").glob("*.itf.json")
    file.write_text(file.read_text().replace('"configuration": {"kafka"', '"configuration": {"kavka"'))
    result = run("replay", str(file))
    assert "#meta.configuration: kraft-3.5-min-insync-replicas-1-acks-1 has no setting kavka" in result.stderr
    assert result.exit_code != 0


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
