"""What other programs read of an audit: JSON by its schema, SARIF by its own, a page that runs nothing, a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.kafka.audit.decided import Answered
from epochal.kafka.audit.topic_class import Kind
from epochal.kafka.audit_rules import RULES
from epochal.report.schema import schema_of
from tests.audit.golden import CLUSTERS, KEPT, KEYWORDS, RECORDED, REFUSED, audited, expected, once, to_keep, told
from tests.audit.test_requests import topic
from tests.checker.gate.test_reports import validate_sarif
from tests.cli.conftest import Run
from tests.each import for_each
from tests.packed import ARCHIVE


@for_each("name", KEYWORDS)
def test_a_cluster_is_told_word_by_word_and_to_programs(name: str) -> None:
    """One audit: its text, its JSON by the schema, and SARIF that points at lines that are there.

    In every recorded cluster the settings of its topics lose the same, whoever leads and whichever release runs.
    """
    result = once(name)
    kept = expected(name).read_text(encoding="utf-8")
    assert to_keep(name, f"{result}\n") == kept, "python -m tests.audit.golden writes it again"
    document = result.to_dict()
    jsonschema.validate(document, schema_of("audit"))
    assert json.loads(json.dumps(document)) == document
    sarif = result.to_sarif(CLUSTERS)
    validate_sarif(sarif)
    runs: Any = sarif["runs"]
    (run,) = runs
    assert len(run["results"]) == len(result.findings_left)
    for one in run["results"]:
        for place in [*one.get("locations", []), *one.get("relatedLocations", [])]:
            physical = place["physicalLocation"]
            lines = (CLUSTERS / physical["artifactLocation"]["uri"]).read_text(encoding="utf-8").splitlines()
            assert 1 <= physical.get("region", {"startLine": 1})["startLine"] <= len(lines)
    if name in RECORDED:
        wrong = {subject for one in result.errors for subject in one.subjects}
        assert {"clicks", "import", "sessions"} <= wrong <= {"clicks", "import", "sessions", "cc-samples"}


@for_each("name", REFUSED)
def test_what_is_refused_is_told(name: str) -> None:
    assert told(name) == expected(name).read_text(encoding="utf-8"), "python -m tests.audit.golden writes it again"


def test_a_setting_is_pointed_at() -> None:
    """The line of `min.insync.replicas=1` of the topic, not that of the broker's default; and that of another setting
    in a file with which the broker has not been started since, which counts as well.
    """
    found = audited("contradictory")
    (one,) = found.errors
    assert [str(place) for place in one.places] == ["topic-configs.txt:2", "topics.txt:1", "server-1.properties:4"]


def test_what_is_accepted_is_suppressed(tmp_path: Path) -> None:
    lock = tmp_path / "lock.json"
    result = audited("strimzi", lock=lock, accepting="acked-lost/clicks.v1", reason="they may be lost")
    runs: Any = result.to_sarif()["runs"]
    (run,) = runs
    suppressed = [one for one in run["results"] if "suppressions" in one]
    assert [(one["ruleId"], one["suppressions"][0]["justification"]) for one in suppressed] == [
        ("acked-lost", "they may be lost")
    ]
    validate_sarif(result.to_sarif())


def test_the_folder(tmp_path: Path, run: Run) -> None:
    (tmp_path / "topics.txt").write_text(topic("only.one", 1, "") + topic("only-one", 1, ""), encoding="utf-8")
    shown = run("audit", "topics.txt", "--kafka", "4.3.1", "--out", "report")
    assert shown.exit_code == 12, shown.output
    folder = tmp_path / "report"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "audit.json",
        "audit.sarif",
        "index.html",
        "runs/only-one-lossy.html",
        "runs/only-one-lossy.itf.json",
        "summary.md",
    ]
    for name in ("index.html", "audit.json", "audit.sarif", "runs"):
        assert str(Path("report") / name) in shown.stdout
    assert 'href="runs/only-one-lossy.html"' in (folder / "index.html").read_text(encoding="utf-8")
    assert len(epochal.replay(folder / "runs" / "only-one-lossy.itf.json").trace.states) == 7
    validate_sarif(json.loads((folder / "audit.sarif").read_text(encoding="utf-8")))
    jsonschema.validate(json.loads((folder / "audit.json").read_text(encoding="utf-8")), schema_of("audit"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        *((("good",), 0), (("producers",), 12), (("strimzi",), 12), (("no-version",), 30)),
        *((("cut-off",), 2), (("nowhere",), 2)),
    ],
)
def test_exit_codes(run: Run, words: tuple[str, ...], code: int) -> None:
    shown = run("audit", *(str(CLUSTERS / word) for word in words), "--no-search", "--brief")
    assert shown.exit_code == code
    assert (f"exit code {code} " in shown.stdout) == (code != 2)
    assert ("epochal: " in shown.stderr) == (code == 2)


def test_the_page_tells_what_was_not_read_and_what_storage_does() -> None:
    page = audited("pasted").to_html()
    assert "Not read, environment variables of containers" in page and "docker-compose.yml" in page
    assert "since storage is ephemeral" not in page and "since storage is ephemeral" in audited("ephemeral").to_html()


# What is said of recorded and of hand-made clusters, word by word; and that every loss has its run.

ELSEWHERE = {"policy", "no-writes", "last-known-leader", "tiered-lineage"}
"""Rules that test_requests.py and test_implied.py look at."""


def test_packed_files_are_read_as_plain_ones() -> None:
    """`epochal audit` of a folder with an archive says the same as of its files, but for the names of files."""
    packed = sorted({archive.parent.relative_to(KEPT).as_posix() for archive in KEPT.rglob(ARCHIVE)})
    assert set(packed) == set(RECORDED)
    lock = CLUSTERS / "no.lock.json"
    for name in packed:
        said = str(epochal.audit(KEPT / name, searches=False, lock=lock)).replace(f"{ARCHIVE}/", "")
        assert to_keep(name, f"{said}\n") == expected(name).read_text(encoding="utf-8"), name


def test_every_rule_is_shown_by_a_cluster() -> None:
    texts = [expected(name).read_text(encoding="utf-8") for name in KEYWORDS]
    said = {rule for rule in RULES if any(re.search(rf"^\+?  {rule}  ", text, re.MULTILINE) for text in texts)}
    assert said | ELSEWHERE == set(RULES)


def lost_in(result: ClusterAudit) -> dict[tuple[str, int, str], tuple[Kind, Answered]]:
    """Each thing that is lost, once: by what was searched, the replication factor, and the fault."""
    found = {}
    for kind in result.audit.audited.classes:
        for answered in result.audit.audited.decider.all_of(kind):
            if answered.worst.is_lost:
                found[(answered.worst.reference, kind.copies, answered.fault.id)] = (kind, answered)
    return found


def test_a_loss_has_its_run() -> None:
    result = audited("one-and-five")
    lossy = [pair for (_, _, fault), pair in lost_in(result).items() if fault == "lossy"]
    (kind, answered), *rest = (pair for pair in lossy if pair[0].copies == 1)
    trace = result.audit.audited.decider.run_of(answered.worst, answered.fault)
    assert not rest and kind.copies == 1
    assert trace is not None and len(trace.states) == answered.worst.length == 7
    assert trace.property_id == "acknowledged_durable"


@pytest.mark.long
def test_each_loss_has_its_run() -> None:
    """What is lost in any of the clusters, every third: searched, replayed in both readings, and as long as told."""
    every = {}
    for name in KEYWORDS:
        result = audited(name)
        for key, (_, answered) in lost_in(result).items():
            every[key] = (result.audit.audited.decider, answered)
    assert len(every) > 120
    for _, (decider, answered) in sorted(every.items(), key=lambda item: item[0])[::3]:
        trace = decider.run_of(answered.worst, answered.fault)
        assert trace is not None and len(trace.states) == answered.worst.length, answered
