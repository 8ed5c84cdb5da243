"""What running brokers have shown of the known bugs is said in one place, and is what they left behind."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug

ROOT = Path(__file__).resolve().parents[2]
NOT_YET = "no running Kafka has shown"


def said() -> set[tuple[str, str]]:
    """The bugs with the releases, as the catalogue has them."""
    return {(bug.id, release) for bug in CATALOGUE for release in bug.shown_on}


def test_the_catalogue_says_what_brokers_lost() -> None:
    """Each archive tells which acknowledged records no consumer could read at the end."""
    archives = sorted((ROOT / "tests/evidence").glob("reproduced-*.tar.xz"))
    found = {(about["reproduces"]["id"], about["kafka"]) for about in map(about_of, archives) if lost(about)}
    assert found == said() != set()


def lost(about: dict[str, Any]) -> bool:
    """Whether a record was lost that had been acknowledged."""
    return bool(about["reproduces"]["lost"])


def about_of(archive: Path) -> dict[str, Any]:
    """What an archive says of itself."""
    with tarfile.open(archive) as opened:
        name = next(name for name in opened.getnames() if name.endswith("about.json"))
        content = opened.extractfile(name)
        assert content is not None
        told: dict[str, Any] = json.load(content)
        return told


def test_the_page_says_the_same() -> None:
    rows = re.findall(
        r"^\|[^|]*\| ([A-Z][0-9a-z]+) \| ([0-9., ]+) \| lost", (ROOT / "docs/kafka/reproduced.md").read_text(), re.M
    )
    assert {(id, release) for id, releases in rows for release in releases.split(", ")} == said()


def test_what_was_shown_is_told_wherever_a_bug_is() -> None:
    told = {bug.id: bug.seen_in() for bug in CATALOGUE}
    assert told["N1"].endswith(
        "no ticket known (related: KAFKA-2721); reproduced on Apache Kafka 3.9.2, 4.1.2, 4.2.1, 4.2.2, 4.3.1, 4.4.0"
    )
    assert told["S25"] == "Every Kafka; reproduced on Apache Kafka 3.9.2, 4.3.1, 4.4.0"
    assert "reproduced" not in told["S14"]


def test_no_story_and_no_finding_denies_it() -> None:
    for bug in CATALOGUE:
        assert not (bug.shown_on and NOT_YET in bug.story), bug.id
        finding = finding_of(bug)
        if finding.exists():
            told = " ".join(finding.read_text().split())
            assert (NOT_YET not in told) == bool(bug.shown_on), bug.id
            assert all(release in told for release in bug.shown_on), bug.id


def finding_of(bug: KnownBug) -> Path:
    """Its page, if it has one."""
    return ROOT / "docs/kafka/findings" / f"{bug.id.lower()}.md"


def test_the_index_of_findings_names_what_was_shown() -> None:
    """Of those with a page, and of the others that have no ticket."""
    text = " ".join((ROOT / "docs/kafka/findings.md").read_text().split())
    (shown,) = re.findall(r"Running brokers \[have shown\]\(reproduced.md\) (.*?); none of the others", text)
    own = {bug.id for bug in CATALOGUE if bug.shown_on and (finding_of(bug).exists() or bug.id[0] in "NHQWP")}
    assert set(re.findall(r"\b[A-Z][0-9]+[a-z]?\b", shown)) == own
