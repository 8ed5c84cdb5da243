"""One value for many: partitions with different numbers of replicas, nodes and producers that differ, and what no file
says. Each is judged, the worst of each column is told, and nothing that another value may break is promised."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.api.audit_cells import HEADER, WORST_FIRST, WRITES, rows
from epochal.exit_codes import ExitCode
from epochal.kafka.audit.audited import read_cluster
from epochal.kafka.audit.decided import Outcome, most_copies, worst
from epochal.kafka.audit.topic_class import classified
from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, UNCLEAN, heeds
from tests.audit.golden import audited
from tests.audit.test_requests import of_topics, rules, topic

FAULTS = slice(HEADER.index("1 RESTARTS"), HEADER.index("POWER LOSS") + 1)


def cells(result: ClusterAudit) -> list[tuple[str, ...]]:
    return [tuple(text for text, _ in row) for row in rows(result.audit.audited)]


def how_bad(row: tuple[str, ...]) -> list[int]:
    """Each column of a row: the less, the worse."""
    faults = [next(n for n, word in enumerate(WORST_FIRST) if text.startswith(word)) for text in row[FAULTS]]
    return [*faults, WRITES.index(row[-1])]


def partitioned(*copies: int, configs: str = "min.insync.replicas=2") -> str:
    """A topic whose partitions have so many replicas each."""
    head = f"Topic: t\tTopicId: A\tPartitionCount: {len(copies)}\tReplicationFactor: {copies[0]}\tConfigs: {configs}\n"
    ids = [",".join(map(str, range(1, many + 1))) for many in copies]
    lines = (f"\tTopic: t\tPartition: {n}\tLeader: 1\tReplicas: {i}\tIsr: {i}\n" for n, i in enumerate(ids))
    return head + "".join(lines)


@pytest.mark.parametrize("wanted", [1, 2, 3])
@pytest.mark.parametrize("copies", [(3, 2), (1, 3), (2, 3, 1)])
def test_no_column_is_better_than_of_any_partition(tmp_path: Path, copies: tuple[int, ...], wanted: int) -> None:
    configs = f"min.insync.replicas={wanted}"
    (together,) = cells(of_topics(tmp_path, partitioned(*copies, configs=configs), kafka="3.9"))
    alone = [cells(of_topics(tmp_path, partitioned(one, configs=configs), kafka="3.9"))[0] for one in copies]
    assert how_bad(together) == [min(column) for column in zip(*map(how_bad, alone), strict=True)]
    assert together[HEADER.index("RF")] == ", ".join(map(str, sorted(copies)))


def test_the_fewest_replicas_are_not_the_weakest(tmp_path: Path) -> None:
    """Where as many are waited for as there are, S15 cannot happen; with one more it can, and writes go on."""
    two, three = (cells(of_topics(tmp_path, partitioned(n)))[0] for n in (2, 3))
    assert two[FAULTS.start] == "kept" and three[FAULTS.start] == "kept*"
    assert (two[-1], three[-1]) == ("NO", "yes")


def test_it_is_said_which_partitions(tmp_path: Path) -> None:
    result = of_topics(tmp_path, partitioned(3, 2, 4, 3))
    found = {one.rule: one for one in result.findings_left}
    assert found["copies-differ"].title.startswith("partition 1 has 2 replicas, others have 3 or 4:")
    assert "to some partitions" in found["no-writes"].title
    assert "Of t only partition 1, which has 2 replicas." in found["no-writes"].why
    assert "Of t only partitions 0, 3, which have 3 replicas." in found["release-hole"].why
    classes = result.to_dict()["classes"]
    assert [(one["replication_factor"], one["partitions"]) for one in classes] == [
        (2, {"t": [1]}),
        (3, {"t": [0, 3]}),
        (4, {"t": [2]}),
    ]


@pytest.mark.parametrize(
    "acks", [left_out for n in (1, 2) for left_out in itertools.combinations(("0", "1", "all"), n)]
)
def test_each_producer_counts(tmp_path: Path, acks: tuple[str, ...]) -> None:
    """A write with acks=1 goes on where one with acks=all stops, and is lost sooner."""

    def row(*several: str) -> tuple[str, ...]:
        folder = tmp_path / "-".join(several)
        folder.mkdir(exist_ok=True)
        (folder / "topics.txt").write_text(topic("t", 3, "min.insync.replicas=3"), encoding="utf-8")
        for one in several:
            (folder / f"app-{one}.properties").write_text(f"acks={one}\n", encoding="utf-8")
        found = epochal.audit(folder, kafka="4.3.1", searches=False, lock=tmp_path / "no.json")
        return cells(found)[0]

    alone = [how_bad(row(one)) for one in acks]
    assert how_bad(row(*acks)) == [min(column) for column in zip(*alone, strict=True)]


def test_each_node_counts(tmp_path: Path) -> None:
    """Where one node has 3 and another 1, records are lost as with 1, and writes stop as with 3."""
    (tmp_path / "topics.txt").write_text(topic("t", 3, "min.insync.replicas=3"), encoding="utf-8")
    for node, value in ((1, 3), (2, 1), (3, 3)):
        text = f"process.roles=broker\nnode.id={node}\nmin.insync.replicas={value}\n"
        (tmp_path / f"server-{node}.properties").write_text(text, encoding="utf-8")
    result = epochal.audit(tmp_path, kafka="3.9", searches=False, lock=tmp_path / "no.json")
    (row,) = cells(result)
    one, three = (cells(of_topics(tmp_path, topic("t", 3, f"min.insync.replicas={n}"), kafka="3.9"))[0] for n in (1, 3))
    assert how_bad(row) == [min(pair) for pair in zip(how_bad(one), how_bad(three), strict=True)]
    (told,) = [found for found in result.findings_left if found.rule == "min-isr-differs"]
    assert ("each is judged" in told.title and "is 3 (" in told.title) or "is 1 (" in told.title


def test_releases_that_run_together_write_where_each_does() -> None:
    kept, lost = Outcome("kept", writes=(False, None)), Outcome("acked lost", 12, writes=(True, None))
    assert worst([kept, lost]).writes == (False, None) and worst([kept, lost]).word == "acked lost"
    assert worst([lost, Outcome("open")]).writes == (None, None)


def unheaded(name: str, copies: int) -> str:
    """The line of a partition alone, as `--under-replicated-partitions` prints it."""
    return topic(name, copies).splitlines()[1] + "\n"


@pytest.mark.parametrize("kafka", ["3.9", "4.3.1", None])
@pytest.mark.parametrize("copies", [2, 3, 5])
def test_what_no_file_says_is_no_error(tmp_path: Path, copies: int, kafka: str | None) -> None:
    result = of_topics(tmp_path, unheaded("t", copies), kafka=kafka)
    assert not result.errors and result.exit_code in (ExitCode.HOLDS, ExitCode.INCONCLUSIVE)
    assert "min-isr-unknown/t" in rules(result) and "unclean-unknown/t" in rules(result)
    shown = [row[2] for row in cells(result)]
    assert shown == [f"? if {n}" for n in range(1, (copies if copies < 5 else 2) + 1)]
    assert all(one["min_insync_replicas"]["assumed"] for one in result.to_dict()["classes"])


def test_what_is_wrong_with_every_value_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "app.properties").write_text("acks=1\n", encoding="utf-8")
    (tmp_path / "topics.txt").write_text(unheaded("t", 3) + unheaded("one", 1), encoding="utf-8")
    result = epochal.audit(tmp_path, kafka="3.9", searches=False, lock=tmp_path / "no.json")
    assert {key for one in result.errors for key in one.keys} == {"acked-lost/t", "one-copy/one"}
    (error,) = [one for one in result.errors if one.rule == "acked-lost"]
    assert error.title.startswith("acks=1: ")
    assert error.fix is not None and any("min.insync.replicas=" in line for line in error.fix.commands)


def test_it_is_said_which_broker_not_to_stop(tmp_path: Path) -> None:
    line = unheaded("t", 3).replace("Isr: 1,2,3", "Isr: 2").replace("Leader: 1", "Leader: 2")
    for text in (line, topic("t").splitlines()[0] + "\n" + line):
        (now,) = [one for one in of_topics(tmp_path, text).findings_left if one.rule.startswith("now-")]
        assert "Do not stop broker 2: no other replica is in sync of t-0." in now.why


@pytest.mark.parametrize("name", ["copies-differ", "only-under-replicated", "refused-before-3.7"])
def test_every_form_has_every_row(name: str) -> None:
    """The page and the document tell what the table tells."""
    result = audited(name)
    page, document = result.to_html(), result.to_dict()
    for row in cells(result):
        assert all(f"{text}<" in page for text in row if text)
    kinds = [kind for cases in result.audit.audited.rows for case in cases for kind in case.kinds]
    assert [one["replication_factor"] for one in document["classes"]] == [kind.copies for kind in kinds]
    assert [one["writes_refused"] for one in document["classes"]] == [kind.refuses for kind in kinds]


KNOWN = {
    "a topic's line": (topic("t", 3, ""), "", "1"),
    "a topic's own value": (topic("t", 3), "", "2"),
    "no value of the topic, and all of its nodes": (
        unheaded("t", 3),
        "Dynamic configs for topic t are:\n  retention.ms=1 sensitive=false "
        "synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1}\n",
        "3",
    ),
}


@pytest.mark.parametrize("said", KNOWN)
def test_what_a_file_says_is_known(tmp_path: Path, said: str) -> None:
    topics, configs, value = KNOWN[said]
    (tmp_path / "topics.txt").write_text(topics, encoding="utf-8")
    if configs:
        (tmp_path / "configs.txt").write_text(configs, encoding="utf-8")
        for node in (1, 2, 3):
            text = f"process.roles=broker\nnode.id={node}\nmin.insync.replicas=3\n"
            (tmp_path / f"server-{node}.properties").write_text(text, encoding="utf-8")
    result = epochal.audit(tmp_path, kafka="3.9", searches=False, lock=tmp_path / "no.json")
    assert "min-isr-unknown/t" not in rules(result)
    assert [row[2].split()[0] for row in cells(result)] == [value]


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_a_node_that_is_not_told_may_have_any_value(tmp_path: Path, left_out: int) -> None:
    """With the files of the others the value is as unknown as without: a third node may lead."""
    (tmp_path / "topics.txt").write_text(unheaded("t", 3), encoding="utf-8")
    (tmp_path / "configs.txt").write_text(KNOWN["no value of the topic, and all of its nodes"][1], encoding="utf-8")
    for node in {1, 2, 3} - {left_out}:
        text = f"process.roles=broker\nnode.id={node}\nmin.insync.replicas=2\n"
        (tmp_path / f"server-{node}.properties").write_text(text, encoding="utf-8")
    result = epochal.audit(tmp_path, kafka="3.9", searches=False, lock=tmp_path / "no.json")
    assert "min-isr-unknown/t" in rules(result) and not result.errors


def test_a_policy_is_kept_only_with_every_value(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[require]]\ntopics = "t"\nkeep = ["clean"]\nwrites-with-down = 1\n', encoding="utf-8")
    result = of_topics(tmp_path, unheaded("t", 3), policy=policy, kafka="3.9")
    (missed,) = result.errors
    assert missed.title.startswith("if min.insync.replicas is 3: no write with 1 down (requirement 1")


@pytest.mark.parametrize("kafka", ["3.6", "3.7", "3.8.1", "3.9", "4.3.1"])
def test_what_a_release_does_not_heed(tmp_path: Path, kafka: str) -> None:
    """Unclean election by its setting, and no more replicas than there are: as the table of releases has it."""
    configs = "min.insync.replicas=4,unclean.leader.election.enable=true"
    result = of_topics(tmp_path, topic("t", 3, configs), kafka=kafka)
    (kind,) = result.audit.audited.classes
    assert kind.unclean == heeds(kafka, UNCLEAN)
    assert kind.refuses != heeds(kafka, MIN_ISR, AT_MOST_COPIES)
    assert ("not-heeded/t" in rules(result)) != kind.unclean
    (row,) = cells(result)
    assert (row[-1] == "NO, refused") == kind.refuses
    assert row[4] == ("YES" if kind.unclean else "not heeded")
    if kafka == "3.8.1":
        assert not result.errors


def test_unclean_election_counts_on_zookeeper() -> None:
    """There it was heeded: the cell that the settings lose says so, whatever else is not decided."""
    result = audited("zookeeper", kafka="3.8", what_if="topic:*:unclean.leader.election.enable=true")
    assert all(kind.unclean for kind in result.audit.audited.classes)


def test_an_upgrade_over_a_release_that_heeds_more_is_judged_both_ways(tmp_path: Path) -> None:
    text = topic("t", 2, "min.insync.replicas=3,unclean.leader.election.enable=true")
    (tmp_path / "topics.txt").write_text(text, encoding="utf-8")
    (found,), _ = classified(read_cluster([tmp_path]), False, ("3.6", "3.9"), most_copies())
    assert {(kind.unclean, kind.refuses) for kind in found.kinds} == set(itertools.product((False, True), repeat=2))


def test_replicas_that_are_added_do_not_have_everything_yet(tmp_path: Path) -> None:
    """From one replica to three: the row is of the time when that is over, and a note says so."""
    topic = "Topic: t\tTopicId: NuqY9opWTXe2V2caun4MwA\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
    line = "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1\tAdding Replicas: 2,3\tRemoving Replicas: \n"
    (note,) = [one for one in of_topics(tmp_path, topic + line).findings_left if one.rule == "reassigning"]
    assert note.why == ("Partition 0: until then the ISR has 1.",)
