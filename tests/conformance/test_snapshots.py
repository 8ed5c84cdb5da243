"""A metadata log that begins with a snapshot, as that of every cluster which has run for a week: runs begin there."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.brokers import judge_brokers
from epochal.kafka.validation.controller import RuleSet, controller_of, judge_controller
from epochal.kafka.validation.detectors import known_of
from epochal.kafka.validation.run.as_trace import told
from epochal.kafka.validation.run.evidence import decided, evidence_of
from epochal.kafka.validation.run.judged_runs import PartitionRun, judge_runs, run_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from epochal.spec.language.configurable import with_configuration
from tests.conformance.evidence import CHANGE, FOLDER, of_archive, records_of
from tests.conformance.made_up import MadeUp
from tests.conformance.snapshots import beginning_at

MANY = (
    *(
        "leader-change-4.3.1",
        "preferred-election-4.3.1",
        "reassignment-3.9.2",
        "cleared-elr-4.1.2",
        "unclean-election-3.9.2",
    ),
    *("reproduced-n1-4.3.1", "reproduced-h3-4.2.1", "reproduced-n2-4.0.2", "injected-3-3.9.2"),
)


@cache
def rules_of(name: str) -> RuleSet:
    """The rules of a recording."""
    evidence = of_archive(name)
    (version,) = evidence.versions
    judging = with_configuration(controller_of(ConfigurableKraft, ConfigurableKraft.settings), {"kafka": version})
    return RuleSet(ConfigurableKraft, cast("type[ConfigurableKraft]", judging).settings, version, evidence.static)


def cuts(name: str) -> list[int]:
    """Where a log may begin: not between a change and the record before it, which are of one batch."""
    records = records_of(name)
    made = next(number for number, one in enumerate(records) if one.kind == "PARTITION_RECORD")
    return [at for at in range(made + 1, len(records)) if CHANGE not in (records[at].kind, records[at - 1].kind)]


def run(name: str, log: MetadataLog) -> PartitionRun:
    """The run of t-0 from there on."""
    evidence = of_archive(name)
    (one,) = decided(log, rules_of(name), {("t", 0)})
    return run_of(ConfigurableKraft, evidence_of(one, evidence.logs, evidence.replicas))


@pytest.mark.parametrize("name", MANY)
def test_controller_and_brokers_are_accepted_from_a_snapshot_on(name: str) -> None:
    """Every change after it is judged, and none of the brokers' lines is refused, whatever is from before."""
    evidence, records = of_archive(name), records_of(name)
    some = cuts(name)
    for at in some[:: max(1, len(some) // 6)]:
        log = beginning_at(records, at)
        verdict = judge_controller(log, rules_of(name))
        assert verdict.refused == [] and verdict.left_out == {}
        assert verdict.judged == sum(one.kind == CHANGE for one in records[at:])
        assert judge_brokers(evidence.logs, known_of(evidence, log, evidence.versions[0])).refused == []


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("leader-change-4.3.1", 36),  # before the leader is fenced
        ("leader-change-4.3.1", 46),  # a broker is down
        ("preferred-election-4.3.1", 35),
        ("preferred-election-4.3.1", 55),
        ("reassignment-4.3.1", 53),
        ("reproduced-n1-4.3.1", 48),
    ],
)
def test_a_run_begins_at_the_snapshot(name: str, offset: int) -> None:
    found = run(name, beginning_at(records_of(name), offset))
    assert found.is_whole and found.explained == found.evidence.events
    assert "snapshot" in told(found, rules_of(name).version).why_not


def test_nothing_is_refused_for_what_the_logs_had_before() -> None:
    """At this snapshot a follower lacks a record of its leader: no run is found, and that says nothing."""
    found = run("reproduced-n1-4.3.1", beginning_at(records_of("reproduced-n1-4.3.1"), 43))
    assert not found.is_refused and not found.is_whole
    why = "it was there before the metadata log begins, and what its logs had then is not known"
    assert found.given_up.startswith(why)


def test_changes_at_the_edges_of_a_log_may_lack_their_cause() -> None:
    """A log that ends or begins between a change and the record beside it: a copy was made in between."""
    name = "leader-change-4.3.1"
    records = records_of(name)
    first = next(number for number, one in enumerate(records) if one.kind == CHANGE)
    for log in (MetadataLog(records[: first + 1]), beginning_at(records, first)):
        verdict = judge_controller(log, rules_of(name))
        assert verdict.refused == []
    ends = judge_controller(MetadataLog(records[: first + 1]), rules_of(name))
    assert list(ends.left_out) == ["the record that tells its cause may be before the log begins, or after it ends"]


@pytest.mark.parametrize("name", MANY[:-1])
def test_a_log_without_its_beginning_and_without_a_snapshot_is_not_refused(name: str) -> None:
    """What was set before it is not known: whatever it was, a change may be one of Kafka's."""
    records, rules = records_of(name), rules_of(name)
    for at in range(1, len(records), max(1, len(records) // 6)):
        assert judge_controller(MetadataLog(records[at:]), rules).refused == []


def test_no_run_is_looked_for_where_it_is_not_known_what_was_set() -> None:
    """Neither is one refused: features are set when a cluster begins."""
    evidence, records = of_archive("cleared-elr-4.1.2"), records_of("cleared-elr-4.1.2")
    at = next(number for number, one in enumerate(records) if one.kind == "TOPIC_RECORD")
    verdict = judge_runs(ConfigurableKraft, evidence, MetadataLog(records[at:]), rules_of("cleared-elr-4.1.2"))
    assert verdict.runs == [] and any("eligible.leader.replicas.version" in reason for reason in verdict.left_out)


def test_what_is_set_in_a_log_without_its_beginning_is_known() -> None:
    """No setting of Kafka explains what these do not allow."""
    made = MadeUp(min_isr=2)
    made.add("CONFIG_RECORD", resourceType=4, resourceName="", name="unclean.leader.election.enable", value="false")
    made.changes(isr=[1])
    made.add("NO_OP_RECORD")
    late = [replace(one, offset=one.offset + 7) for one in made.records]
    rules = RuleSet(ConfigurableKraft, VERSIONS["4.3.1"], "4.3.1")
    assert judge_controller(MetadataLog(tuple(late)), rules).refused != []
    without_levels = tuple(one for one in late if one.kind != "FEATURE_LEVEL_RECORD")
    assert judge_controller(MetadataLog(without_levels), rules).refused == []


@pytest.mark.parametrize(
    ("first", "end", "begins_with"), [(19, 30, True), (19, 78, False), (19, 900, False), (19, 9, False)]
)
def test_a_snapshot_stands_for_the_beginning_of_a_log_that_goes_on_after_it(
    first: int, end: int, begins_with: bool, tmp_path: Path
) -> None:
    """Behind all that is here, or with a gap, it says nothing of what the log has."""
    with tarfile.open(FOLDER / "unclean-election-4.3.1.tar.xz") as archive:
        archive.extractall(tmp_path / "all", filter="data")
    lines = (tmp_path / "all/dumps/node-101-metadata.txt").read_text().splitlines(keepends=True)
    here = tmp_path / "here"
    here.mkdir()
    begins = next(number for number, line in enumerate(lines) if f"baseOffset: {first} " in line)
    (here / "dump.txt").write_text("".join([*lines[:2], *lines[begins:]]))
    snapshot = here / f"{end:020}-{1:010}.checkpoint"
    snapshot.write_bytes((tmp_path / "all/node-101/metadata/bootstrap.checkpoint").read_bytes())
    result = epochal.conform(here, kafka="4.3.1")
    log = result.judged.evidence.metadata
    assert log is not None and bool(log.begins_with) == begins_with
    assert result.exit_code != ExitCode.DRIFTED and str(result).startswith(str(here))
