"""`epochal list`: every protocol, by family, as text and as JSON."""

from __future__ import annotations

import json

from epochal.cli.commands.list_protocols import FAMILY_NAMES
from epochal.spec.registry import FAMILIES, REGISTRY, START, family_of
from tests.cli.conftest import Run


def test_every_protocol_has_a_family_and_is_listed_once_in_it(run: Run) -> None:
    assert tuple(FAMILIES) == FAMILY_NAMES
    assert {family_of(name) for name in REGISTRY} == set(FAMILIES)
    assert set(START) <= set(REGISTRY)
    shown = run("list").stdout
    assert shown.startswith("Start here\n  truncate-to-hw  where it began")
    listed = [line.split()[0] for line in shown.partition("\n\n")[2].splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(REGISTRY)


def test_one_family(run: Run) -> None:
    shown = run("list", "--family", "quorum").stdout
    assert shown.startswith("quorum: The metadata quorum")
    assert "quorum-proof" in shown and "kip-320" not in shown and "Start here" not in shown
    assert run("list", "--family", "x").exit_code == 2


def test_as_json(run: Run) -> None:
    document = json.loads(run("list", "--format", "json").stdout)
    assert [one["protocol"] for one in document["protocols"]] == list(REGISTRY)
    kip_320 = next(one for one in document["protocols"] if one["protocol"] == "kip-320")
    assert (kip_320["family"], kip_320["proof"]) == ("classic", "kip-320-proof")
    assert kip_320["start"] and kip_320["summary"]
