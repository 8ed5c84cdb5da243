"""Every recording of real brokers, as whoever asks is answered: each is asked about once, and all is read from that."""

from __future__ import annotations

import json
import re
import tarfile
from typing import Any

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.broker_log import OfPartition
from epochal.kafka.evidence.client_history import Acknowledged, Reading, RecordSent, WasRead
from epochal.kafka.validation.collected import Collected
from epochal.kafka.validation.controller import RuleSet
from epochal.kafka.validation.detectors import DIVERGED
from epochal.kafka.validation.noticed import H1, N1, S15
from epochal.kafka.validation.run.evidence import decided, evidence_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as
from tests.conformance.evidence import ARCHIVES, CHANGE, FOLDER, TIERED, judged_brokers, logs_of, partition_of
from tests.conformance.test_whole_run import INCOMPLETE, NEVER_BACK
from tests.conftest import LONG
from tests.each import for_each

BELOW = {
    "a truncation below a high watermark, where a crash may have lost records",
    "a truncation below a high watermark, with an unclean election",
}
"""Where counterexamples of the model were played, records were lost as they were to be."""

KINDS = {
    *("role changes", "changes within a leader epoch", "answers to AlterPartition", "ISR shrinks"),
    *("AlterPartition requests", "fetches of followers"),
    *("fetchers", "truncations", "log starts", "high watermarks"),
}


UNDECIDED = {
    "reproduced-h1-4.0.2": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.1.2": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.3.1": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-h1-4.4.0": "settings change on the way, and a leader may learn that later (H1)",
    "reproduced-s10-4.0.0": "the version has rules for steps that are in no run: late_answers_dropped",
}
"""Recordings of steps that runs do not have."""

LOST = (
    *("reproduced-h3-4.0", "reproduced-h3-4.1", "reproduced-h3-4.2"),
    *("reproduced-h14-", "reproduced-h15"),
    *("reproduced-n1", "reproduced-n2", "reproduced-s15", "reproduced-s2", "reproduced-t1", "reproduced-t5"),
    "unclean-election",
)
"""Where brokers lost what was committed, or what a producer was told of, or broke another property (H15)."""

CRASHED = (
    "reproduced-h3",
    "reproduced-n2",
    "reproduced-s20",
    "raised-min-isr-3.9.2-tier-2",
    "raised-min-isr-4.3.1-tier-2",
)
"""Where the run that is told has a crash that loses the end of a log: what was held back of it was lost on the brokers.
In the last two nothing was, but a run without one is found among thousands of moments only."""

FILE = "tests/conformance/test_recordings.py"
HARD = [name for name in ARCHIVES if f"{FILE}::test_one_run_explains_all[{name}]" in LONG]
"""Recordings of which the run takes long to find."""


@pytest.mark.parametrize("name", ARCHIVES)
def test_one_run_explains_all(name: str) -> None:
    """Decisions of the controller, lines of all brokers, and what lies on their disks, as whoever asks is answered.

    What the specification says is lost in the run is lost on the brokers.
    """
    result = is_accepted(name)
    verdict = result.judged.runs
    assert verdict is not None and verdict.refused == []
    given_up = [one.given_up.partition("; not here: ")[0] for one in verdict.undecided]
    assert given_up == ([UNDECIDED[name]] if name in UNDECIDED else [])
    (run,) = (one for one in verdict.runs if one.partition == partition_of(name))
    if name not in UNDECIDED:
        assert (run.explained == run.evidence.events) == (INCOMPLETE.get(name) != NEVER_BACK)
        assert run.explained > 10
        (trace,) = (one for one in result.judged.told if one.partition == partition_of(name))
        assert not trace.violated or name.startswith(LOST), trace.violated
        assert bool(trace.losses) == name.startswith(CRASHED)


@pytest.mark.usefixtures("without_runs")
@for_each("name", HARD)
def test_a_recording_is_accepted_where_its_run_takes_long(name: str) -> None:
    is_accepted(name)


def is_accepted(name: str) -> epochal.Conformance:
    """The answer to a recording, which refuses nothing and tells of every loss."""
    result = epochal.conform(FOLDER / f"{name}.tar.xz")
    assert result.exit_code == ExitCode.HOLDS
    assert result.judged.evidence.versions == (version_of(name),), "versions are what processes said"
    the_controller_is_accepted(result)
    the_brokers_are_accepted(name, result)
    it_is_complete_as_recorded(name, result)
    what_is_lost_is_what_the_recording_says(name, result)
    if "tier" not in name and name not in TIERED:
        it_tells_of_clients_and_disks(name, result.judged.evidence)
    return result


def version_of(name: str) -> str:
    """The version by which a recording is called."""
    found = re.search(r"-(\d+\.\d+\.\d+)(?:-|$)", name)
    assert found is not None
    return found[1]


def test_the_versions_that_are_recorded() -> None:
    assert {version_of(name) for name in ARCHIVES} == {
        "3.9.2", "4.0.0", "4.0.2", "4.1.2", "4.2.1", "4.2.2", "4.3.1", "4.4.0"
    }  # fmt: skip


def the_controller_is_accepted(result: epochal.Conformance) -> None:
    """Every change, in every recorded scenario and version, is a step of that version's own model."""
    verdict, log = result.controller, result.judged.evidence.metadata
    assert verdict is not None and log is not None
    assert verdict.refused == [] and verdict.left_out == {}
    assert verdict.judged == sum(record.kind == CHANGE for record in log.records) >= 1


def the_brokers_are_accepted(name: str, result: epochal.Conformance) -> None:
    """Every line of use is read, judged and accepted: as many as a plain search for their words finds."""
    verdict = result.brokers
    assert verdict is not None and verdict.refused == [] and verdict.cut == ()
    assert verdict.left_out.keys() <= BELOW and (name.startswith("reproduced-") or not verdict.left_out)
    assert bool(verdict.suspected) == name.startswith(("reproduced-n1", "reproduced-s15", "reproduced-s10-4.0.0"))
    text = b"".join(logs_of(name).values())
    below = sum(verdict.left_out.values()) + len(verdict.suspected)
    assert verdict.judged["role changes"] == text.count(b"starts at leader epoch") > 3
    moved = sum(b"-future" in line for line in text.splitlines() if b"Log loaded for partition" in line)
    assert verdict.judged["log starts"] + moved == text.count(b"Log loaded for partition")
    truncations = [line for line in text.splitlines() if b"with TruncationState" in line]
    assert verdict.judged["truncations"] + below == sum(b"ReplicaAlterLogDirs" not in line for line in truncations)
    assert verdict.judged.get("changes within a leader epoch", 0) == text.count(b"Skipped the become-")
    assert verdict.judged.get("answers to AlterPartition", 0) == text.count(b"ISR updated to")
    assert {kind for kind, many in verdict.judged.items() if many} <= KINDS


def it_is_complete_as_recorded(name: str, result: epochal.Conformance) -> None:
    """All that a broker does not say, such as a fetcher that is not begun in a shutdown, is not taken for a gap."""
    evidence, version = result.judged.evidence, result.judged.version
    rules = RuleSet(ConfigurableKraft, VERSIONS[known_as(version)], version, evidence.static)
    events = [one.event for log in evidence.logs for one in log.events]
    told = {(event.topic, event.number) for event in events if isinstance(event, OfPartition)}
    assert evidence.metadata is not None
    found = [evidence_of(one, evidence.logs).missing for one in decided(evidence.metadata, rules, told)]
    assert found and {one for one in found if one} == ({INCOMPLETE[name]} if name in INCOMPLETE else set())


def what_is_lost_is_what_the_recording_says(name: str, result: epochal.Conformance) -> None:
    """`about.json` has what a consumer no longer read. Beside N1 no leader missed a term, and nobody saw S15."""
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        content = archive.extractfile("about.json")
        assert content is not None
        said: dict[str, Any] = json.load(content)
    expected = said["reproduces"]["lost"] if "reproduces" in said else []
    if name.startswith(("unclean-election", "reproduced-t5")):  # T5 deletes what is before the start of the log
        expected = ["r3", "r4"]
    if name.startswith("reproduced-t1"):  # the log of the leader begins after all records, as if they had expired
        expected = []
    assert result.judged.clients is not None
    assert [one.says.split("'")[1] for one in result.judged.clients.lost] == expected
    about = {one.about for one in result.judged.noticed}
    assert (N1 in about) == name.startswith("reproduced-n1")
    assert about.isdisjoint({S15, DIVERGED})
    assert (H1 in about) == name.startswith("reproduced-h1-")


def it_tells_of_clients_and_disks(name: str, evidence: Collected) -> None:
    """What each client sent, was told and read; and what was read is on the disks."""
    (history,) = evidence.histories
    assert {RecordSent, Acknowledged, Reading, WasRead} <= {type(line.event) for line in history.lines}
    seen = [line.event for line in history.lines if isinstance(line.event, WasRead)]
    if partition_of(name) == "t-0":
        assert {event.named for event in seen} == {("t", 0)}
    for topic, number in {event.named for event in seen}:
        replicas = [one for one in evidence.replicas if one.named == (topic, number)]
        assert {one.broker for one in replicas} <= ({1, 2, 3} if topic == "t" else {4, 5})
        for one in replicas:
            assert one.end is not None and one.start == 0 and one.topic_id is not None
            assert one.end == (one.stretches[-1].last + 1 if one.stretches else 0)
        read = {event.offset: event.value for event in seen if event.named == (topic, number)}
        longest = max(replicas, key=lambda one: one.end or 0)
        assert all(longest.values[offset] == value.encode() for offset, value in read.items())
    assert {one.leader for one in evidence.quorum} <= {101, 102, 103}


def test_all_kinds_of_lines_are_among_them() -> None:
    some = ("isr-shrink-4.3.1-tier-2", "unclean-election-4.3.1", "leader-change-4.3.1", "preferred-election-4.3.1")
    assert {kind for name in some for kind, many in judged_brokers(name).judged.items() if many} == KINDS
