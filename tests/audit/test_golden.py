"""What is said of recorded and of hand-made clusters, word by word; and that every loss has its run."""

from __future__ import annotations

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.exit_codes import ExitCode
from epochal.kafka.audit.decided import Answered
from epochal.kafka.audit.finding import RULES
from epochal.kafka.audit.topic_class import Kind
from tests.audit.golden import CLUSTERS, KEPT, KEYWORDS, RECORDED, REFUSED, audited, expected, told
from tests.each import for_each
from tests.packed import ARCHIVE

ELSEWHERE = {"policy", "no-writes"}
"""Rules that test_requests.py looks at."""


@for_each("name", [*KEYWORDS, *REFUSED])
def test_what_is_said(name: str) -> None:
    assert told(name) == expected(name).read_text(encoding="utf-8"), "python -m tests.audit.golden writes it again"


def test_packed_files_are_read_as_plain_ones() -> None:
    """`epochal audit` of a folder with an archive says the same as of its files, but for the names of files."""
    packed = sorted({archive.parent.relative_to(KEPT).as_posix() for archive in KEPT.rglob(ARCHIVE)})
    assert packed and set(packed) < set(RECORDED)
    lock = CLUSTERS / "no.lock.json"
    for name in packed:
        said = str(epochal.audit(KEPT / name, searches=False, lock=lock)).replace(f"{ARCHIVE}/", "")
        assert said + "\n" == expected(name).read_text(encoding="utf-8"), name


def test_every_rule_is_shown_by_a_cluster() -> None:
    texts = [expected(name).read_text(encoding="utf-8") for name in KEYWORDS]
    said = {rule for rule in RULES if any(f"\n  {rule}  " in text for text in texts)}
    assert said | ELSEWHERE == set(RULES)


@for_each("name", RECORDED)
def test_what_is_wrong_in_every_recorded_cluster(name: str) -> None:
    """What the settings of their topics lose, whoever leads and whichever release runs."""
    wrong = {subject for one in audited(name).errors for subject in one.subjects}
    assert {"clicks", "import", "sessions"} <= wrong <= {"clicks", "import", "sessions", "cc-samples"}


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


def test_what_decides_the_exit_code() -> None:
    codes = {name: audited(name).exit_code for name in ("good", "no-version", "strimzi", "producers")}
    assert codes == {
        "good": ExitCode.HOLDS,
        "no-version": ExitCode.INCONCLUSIVE,
        "strimzi": ExitCode.VIOLATED,
        "producers": ExitCode.VIOLATED,
    }
