"""Questions of the day: read from replicas and the ISR, and decided by searches of classes."""

from __future__ import annotations

import io
import itertools
import random
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.api.audit_cells import run_key
from epochal.api.audit_summary import summary
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.report.page import PlainPage
from tests.audit.golden import audited
from tests.audit.test_pull_requests import strimzi


def partition(number: int, replicas: str, isr: str, leader: str, elr: str = "") -> str:
    return (
        f"\tTopic: t\tPartition: {number}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {isr}\tElr: {elr}"
        "\tLastKnownElr: \n"
    )


def asked(folder: Path, *questions: str, configs: str = "min.insync.replicas=2", lines: str) -> ClusterAudit:
    """Questions about one topic of Kafka 4.3.1."""
    copies = lines.split("Replicas: ")[1].split("\t")[0].count(",") + 1
    head = f"Topic: t\tTopicId: A\tPartitionCount: {lines.count('Leader:')}\tReplicationFactor: {copies}\t"
    (folder / "topics.txt").write_text(f"{head}Configs: {configs}\n{lines}")
    return epochal.audit(
        folder / "topics.txt", kafka="4.3.1", searches=False, may=list(questions), lock=folder / "no.json"
    )


def verdicts(result: ClusterAudit) -> list[str]:
    return [one.verdict for one in result.answers]


HEALTHY = partition(0, "1,2,3", "1,2,3", "1")


def test_a_broker_may_be_stopped_or_not(tmp_path: Path) -> None:
    healthy = asked(tmp_path, "stop:3", lines=HEALTHY)
    assert verdicts(healthy) == ["yes"] and healthy.exit_code == ExitCode.HOLDS
    fewer = asked(tmp_path, "stop:3", lines=partition(0, "1,2,3", "1,3", "1"))
    assert verdicts(fewer) == ["writes stop"] and fewer.exit_code == ExitCode.DRIFTED
    alone = asked(tmp_path, "stop:3", lines=partition(0, "1,2,3", "3", "3"))
    assert verdicts(alone) == ["no"] and alone.exit_code == ExitCode.VIOLATED
    assert alone.answers[0].effects[0].partitions == ("t-0",)
    not_there = asked(tmp_path, "stop:4", lines=HEALTHY + partition(1, "4,5,6", "4,5,6", "4"))
    assert verdicts(not_there) == ["yes"]


def test_the_summary_of_a_pull_request_has_the_answers(tmp_path: Path) -> None:
    result = asked(tmp_path, "stop:3", lines=partition(0, "1,2,3", "3", "3"))
    told = summary(result.headline, result, {})
    assert "* may broker 3 be stopped? **NO**\n" in told and "`t-0`" in told
    assert "ask again right before you act" in told


def test_an_eligible_replica_keeps_a_partition_up(tmp_path: Path) -> None:
    lines = partition(0, "1,2,3", "3", "3", elr="2")
    assert not any("nobody in sync" in one.why for one in asked(tmp_path, "stop:3", lines=lines).answers[0].effects)


def test_a_no_has_its_run(tmp_path: Path) -> None:
    result = asked(tmp_path, "power:1", configs="min.insync.replicas=1", lines=HEALTHY)
    assert verdicts(result) == ["no"]
    (effect,) = [one for one in result.answers[0].effects if one.verdict == "no"]
    ((_, answered),) = effect.runs
    assert answered.fault.id == "lossy" and answered.worst.is_lost
    assert "--fault lossy --story" in str(result)
    key = run_key(*effect.runs[0])
    page = result.to_html({key: "runs/t-lossy.html"})
    assert 'href="runs/t-lossy.html"' in page and "may broker 1 lose power? NO" in page
    document = result.to_dict()["answers"]
    assert document[0]["effects"][0]["runs"] and document[0]["verdict"] == "no"


def test_the_rest_of_the_questions(tmp_path: Path) -> None:
    result = asked(tmp_path, "stop", "stop:any=2", "stop:1,2,3", "power:1,2,3", "roll", lines=HEALTHY)
    assert verdicts(result) == ["yes", "yes", "yes", "writes stop", "no", "no", "yes"]


def test_a_rolling_restart_waits_for_who_is_behind(tmp_path: Path) -> None:
    (answer,) = asked(tmp_path, "roll", lines=partition(0, "1,2,3", "1,2", "1")).answers
    assert answer.verdict == "no" and "wait until all are in sync" in answer.effects[0].why


def test_a_rolling_restart_is_as_good_as_each_stop(tmp_path: Path) -> None:
    """Two crashes that overlap lose records with unclean election; stops that wait for each other do not."""
    unclean = "min.insync.replicas=2,unclean.leader.election.enable=true"
    (answer,) = asked(tmp_path, "roll", configs=unclean, lines=HEALTHY).answers
    assert answer.verdict == "yes" and any("stopped too early" in one.why for one in answer.effects)


def test_racks_and_controllers() -> None:
    (rack,) = audited("kafka-4.3.1/healthy", may="stop:rack=a").answers
    assert rack.verdict == "no" and any("no majority" in one.why for one in rack.effects)
    (one,) = audited("kafka-4.3.1/healthy", may="stop:1").answers
    assert one.verdict == "writes stop"


def test_files_without_partitions_suppose_the_worst(tmp_path: Path) -> None:
    (tmp_path / "topics.yaml").write_text(strimzi("orders", 2))
    found = epochal.audit(
        tmp_path / "topics.yaml", kafka="4.1", searches=False, may=["stop:any=1", "stop:any=2"], lock=tmp_path / "no"
    )
    assert verdicts(found) == ["yes", "writes stop"]


def test_a_change_is_asked_about(tmp_path: Path) -> None:
    asked(tmp_path, "stop:3", lines=HEALTHY)
    more = {"kafka": "4.3.1", "searches": False, "may": "stop:3", "lock": tmp_path / "no"}
    stricter = epochal.audit(tmp_path / "topics.txt", what_if="topic:t:min.insync.replicas=3", **more)  # type: ignore[arg-type]
    assert verdicts(stricter) == ["writes stop"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("halt:3", "is no question"),
        ("stop:x", "is no question"),
        ("stop:9", "no file names broker 9"),
        ("stop:any=3", "any=2 is the most"),
        ("stop:rack=z", "no broker is in rack"),
        ("roll:1", "is no question"),
        ("power", "is no question"),
    ],
)
def test_a_question_that_is_none(tmp_path: Path, question: str, said: str) -> None:
    with pytest.raises(EpochalError, match=said) as caught:
        asked(tmp_path, question, lines=HEALTHY)
    assert caught.value.exit_code == ExitCode.USAGE


def test_random_layouts_against_a_direct_reading(tmp_path: Path) -> None:
    """Whether a partition goes offline, or refuses writes, by the sentence of the rule and nothing else."""
    some = random.Random(44)
    for _ in range(20):
        layouts = []
        for number in range(6):
            replicas = some.sample(range(1, 6), 3)
            isr = some.sample(replicas, some.randint(1, 3))
            layouts.append((number, replicas, isr))
        lines = "".join(
            partition(number, ",".join(map(str, replicas)), ",".join(map(str, isr)), str(isr[0]))
            for number, replicas, isr in layouts
        )
        known = sorted({one for _, replicas, _ in layouts for one in replicas})
        result = asked(tmp_path, *(f"stop:{one}" for one in known), lines=lines)
        for broker, answer in zip(known, result.answers, strict=True):
            told = {
                word: {name for one in answer.effects if one.why.startswith(word) for name in one.partitions}
                for word in ("nobody in sync", "writes with acks=all stop")
            }
            offline = {f"t-{number}" for number, _, isr in layouts if isr == [broker]}
            stops = {f"t-{number}" for number, _, isr in layouts if broker in isr and len(isr) == 2}
            assert told["nobody in sync"] == offline
            assert told["writes with acks=all stop"] == stops


def test_any_two_is_the_worst_of_all_pairs(tmp_path: Path) -> None:
    lines = partition(0, "1,2,3", "1,2,3", "1") + partition(1, "2,3,4", "2,3", "2")
    order = ("no", "not known", "writes stop", "yes")
    pairs = [f"stop:{one},{other}" for one, other in itertools.combinations(range(1, 5), 2)]
    worst = min(verdicts(asked(tmp_path, *pairs, lines=lines)), key=order.index)
    assert verdicts(asked(tmp_path, "stop:any=2", lines=lines)) == [worst]


def test_without_racks_it_is_said_what_tells_them(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n")
    with pytest.raises(UsageError, match="No file names a rack") as caught:
        epochal.audit(tmp_path, kafka="4.1", searches=False, may=["power:rack=a"], lock=tmp_path / "no.json")
    assert "broker.rack" in str(caught.value)


def test_three_lines_have_the_answers() -> None:
    result = audited("kafka-4.3.1/healthy", may="stop:any=2")
    page = io.StringIO()
    result.render_briefly(PlainPage(page))
    assert "may any 2 brokers at once be stopped? NO" in page.getvalue()
