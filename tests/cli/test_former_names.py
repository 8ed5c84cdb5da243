"""Names from before work for one release more: options and keywords with a warning, fields beside the present ones."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import epochal
from epochal.cli.main import main
from epochal.former import FIELDS, KEYWORDS, OPTIONS, present_keywords, present_options
from epochal.report.schema import COMMANDS, schema_of
from epochal.spec.language import leads_to
from epochal.spec.language.marks import mark_of

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


@pytest.mark.parametrize("former", OPTIONS)
def test_every_former_option_is_one_of_a_command(former: str) -> None:
    command = "check" if former == "--wishes" else "guarantees"
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
    assert set(KEYWORDS.values()) == {"optional", "causes", "recovery"}


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
