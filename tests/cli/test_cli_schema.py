"""`epochal schema`: every document that a command prints is as its schema says, and has no other key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from epochal.report.schema import COMMANDS, schema_of
from tests.house.test_architecture import ROOT

KEEPS_THE_FENCED = f"{ROOT / 'tests/conformance/test_controller.py'}:KeepsTheFenced"
SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")
PRINTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "bmc": (
        ("truncate-to-hw", *SMALL, "--length", "8"),
        ("kip-320", *SMALL, "--length", "2", "--actions"),
    ),
    "catalogue": (("--list",), ("S12",)),
    "check": (
        ("truncate-to-hw", *SMALL),
        ("kip-320", *SMALL, "--engine", "python", "--symmetry"),
        ("kip-320", *SMALL, "--static", "--max-states", "50"),
        ("kip-320", *SMALL, "--deadlock"),
    ),
    "compare": (("kip-279", "kip-320", *SMALL),),
    "conform": (
        (str(ROOT / "tests/evidence/leader-change-4.3.1.tar.xz"),),
        (str(ROOT / "tests/evidence/leader-change-3.9.2.tar.xz"), "--protocol", KEEPS_THE_FENCED),
    ),
    "graph": (("truncate-to-hw", *SMALL, "--limit", "400"),),
    "guarantees": (("--fault", "none", "--replication-factor", "1", "--max-epoch", "1", "--metadata-lag", "1"),),
    "liveness": (("balancing-kraft", "--brokers", "2", "--failures", "1", "--needs", "--fair", "fail"),),
    "list": (("--family", "kraft"),),
    "mutate": (("kip-320", *SMALL, "--only", "elect_leader"),),
    "prove": (
        ("kip-320-proof", *SMALL, "--max-states", "0"),
        ("kip-279-proof", *SMALL, "--max-states", "0", "--minimize"),
    ),
    "simulate": (("truncate-to-hw", *SMALL, "--runs", "30"),),
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
    ("command", "words"), [(name, words) for name, each in PRINTED.items() for words in each], ids=lambda one: one[0]
)
def test_what_is_printed_is_as_the_schema_says(run: Any, command: str, words: tuple[str, ...]) -> None:
    shown = run(command, *words, "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of(command))


def test_a_replay_is_as_the_schema_says(run: Any) -> None:
    shown = run("replay", str(ROOT / "counterexamples" / "kip-279-strong-isr.itf.json"), "--format", "json")
    jsonschema.validate(json.loads(shown.stdout), schema_of("replay"))


def test_tables_are_as_the_schemas_say(run: Any, tmp_path: Path) -> None:
    kept, tables = str(tmp_path / "run"), str(tmp_path / "tables")
    run("check", "truncate-to-hw", *SMALL, "--checkpoint", kept)
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
        if not main.lazy[name].hidden and any(param.name == "output_format" for param in command.params):
            printing.add(name)
    assert printing == set(COMMANDS)
