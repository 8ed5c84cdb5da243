"""What is asked beside the files: a release, producers, changes, what was before, a policy, and acceptances."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from tests.audit.golden import CLUSTERS, audited

TOPICS = (
    "Topic: {0}\tTopicId: A\tPartitionCount: 1\tReplicationFactor: {1}\tConfigs: {2}\n"
    "\tTopic: {0}\tPartition: 0\tLeader: 1\tReplicas: {3}\tIsr: {3}\tElr: \tLastKnownElr: \n"
)
HEALTHY = "kafka-4.3.1/healthy"


def topic(name: str, copies: int = 3, configs: str = "min.insync.replicas=2") -> str:
    """A topic as `kafka-topics --describe` shows it."""
    return TOPICS.format(name, copies, configs, ",".join(map(str, range(1, copies + 1))))


def of_topics(folder: Path, *texts: str, **keywords: object) -> ClusterAudit:
    """The audit of topics alone, of Kafka 4.3.1."""
    (folder / "topics.txt").write_text("".join(texts), encoding="utf-8")
    more = {"kafka": "4.3.1", "searches": False, "lock": folder / "lock.json", **keywords}
    return epochal.audit(folder / "topics.txt", **more)  # type: ignore[arg-type]


def rules(result: ClusterAudit) -> list[str]:
    return [key for one in result.findings_left for key in one.keys]


def refused(*paths: Path, **keywords: object) -> tuple[str, int]:
    with pytest.raises(EpochalError) as caught:
        epochal.audit(*paths, searches=False, **keywords)  # type: ignore[arg-type]
    return str(caught.value), caught.value.exit_code


def test_the_release_that_is_given_counts() -> None:
    given = audited("no-version", kafka="4.1.2")
    assert given.exit_code == ExitCode.HOLDS and given.audit.audited.releases == ("4.1.2",)
    assert "release-unknown/cluster" not in rules(given)
    assert "release-unknown/cluster" in rules(audited("no-version"))


def test_two_releases_give_the_worst_of_both(tmp_path: Path) -> None:
    """N1 is closed in none, S23 only in some: what a mixed cluster loses, one of its releases loses."""
    mixed = audited("mixed-versions").audit
    (kind,) = mixed.audited.classes
    lengths = {}
    for name in ("3.9", "4.1"):
        alone = audited("mixed-versions", kafka=name).audit
        lengths[name] = alone.audited.decider.under(kind, "clean").shipped.length
    assert mixed.audited.releases == ("3.9", "4.1")
    assert mixed.audited.decider.under(kind, "clean").shipped.length == min(
        length for length in lengths.values() if length is not None
    )


def test_a_change_is_decided_and_compared() -> None:
    result = audited(
        HEALTHY, what_if=["topic:clicks:min.insync.replicas=2", "topic:sess*:unclean.leader.election.enable=false"]
    )
    changed = result.to_dict()["changed"]
    assert changed is not None
    assert changed["topics"] == ["clicks", "sessions"]
    assert (
        set(changed["gone"]) >= {"acked-lost/clicks", "acked-lost/sessions"}
        and "acked-lost/clicks" not in changed["new"]
    )
    assert [one.rule for one in result.errors] == ["one-copy"]
    assert "topic:clicks:min.insync.replicas=2" in str(result)


@pytest.mark.parametrize(
    ("change", "topics"),
    [
        ("cluster:min.insync.replicas=1", ["cc-samples", "import", "sessions"]),
        ("cluster:elr=off", ["cc-samples", "clicks", "orders", "payments"]),
        ("producer:*:acks=0", ["cc-samples", "clicks", "import", "orders", "payments", "sessions"]),
        ("topic:import:replication.factor=3", ["import"]),
        ("topic:payments:retention.ms=1", []),
    ],
)
def test_what_a_change_touches(change: str, topics: list[str]) -> None:
    changed = audited(HEALTHY, what_if=change).to_dict()["changed"]
    assert changed is not None and changed["topics"] == topics


def test_a_release_to_come_is_a_change() -> None:
    result = audited(HEALTHY, what_if="cluster:kafka=3.9.2")
    assert result.audit.audited.releases == ("3.9.2",) and result.before is not None
    assert result.before.audited.releases == ("4.3",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("orders=2", "'orders=2' is no change"),
        ("topic:orders:min.insync.replicas", "is no change"),
        ("topic:nobody:min.insync.replicas=2", "no topic is called 'nobody'"),
        ("producer:app.properties:acks=all", "no file of a producer is called 'app.properties'"),
        ("cluster:elr=maybe", "elr is on or off, not 'maybe'"),
        ("topic:orders:min.insync.replicas=many", "min.insync.replicas is 'many', and not a number above zero"),
        ("cluster:kafka=five", "five"),
    ],
)
def test_a_change_of_nothing_is_refused(change: str, said: str) -> None:
    message, code = refused(CLUSTERS / HEALTHY, what_if=change)
    assert said in message and code == ExitCode.USAGE


def test_what_has_changed_since() -> None:
    result = audited(HEALTHY, diff=CLUSTERS / "kafka-3.9.2" / "healthy")
    changed = result.to_dict()["changed"]
    assert changed is not None and "design-hole/payments" in changed["gone"]
    same = audited(HEALTHY, diff=CLUSTERS / HEALTHY)
    assert same.to_dict()["changed"] == {"asked": [f"after {CLUSTERS / HEALTHY}"], "topics": [], "gone": [], "new": []}
    assert "Nothing." in str(same)


def test_two_comparisons_at_once_are_refused() -> None:
    message, _ = refused(CLUSTERS / HEALTHY, diff=CLUSTERS / HEALTHY, what_if="cluster:elr=off")
    assert "two questions" in message


def policy(folder: Path, text: str) -> Path:
    file = folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_policy_that_is_missed(tmp_path: Path) -> None:
    asked = policy(
        tmp_path,
        '[[require]]\ntopics = ["pay*", "orders"]\nkeep = ["clean", "lossy"]\n'
        '[[require]]\ntopics = "clicks"\nkeep = ["lossy"]\nwrites-with-down = 1\n'
        '[[require]]\ntopics = "nobody"\nwrites-with-down = 2\n'
        '[[require]]\ntopics = "payments"\nkeep = "clean"\nas-shipped = true\n'
        '[[require]]\ntopics = "orders"\nwrites-with-down = 1\n',
    )
    result = audited(HEALTHY, policy=asked)
    wrong = [one for one in result.errors if one.rule == "policy"]
    assert [(one.subjects, one.title.split(" (")[0]) for one in wrong] == [
        (("clicks",), "lossy: acked lost, 12 states"),
        (("requirement 3",), "no topic is called nobody, so that nothing is required"),
        (("payments",), "clean: acked lost, 13 states"),
        (("orders",), "no write with 1 down"),
    ]


def test_a_missed_policy_has_its_own_exit_code(tmp_path: Path) -> None:
    """An error that nobody has accepted is more severe."""
    asked = policy(tmp_path, '[[require]]\ntopics = "orders"\nwrites-with-down = 2\n')
    assert audited("good", policy=asked).exit_code == ExitCode.DRIFTED
    assert audited(HEALTHY, policy=asked).exit_code == ExitCode.VIOLATED


def test_a_policy_that_is_kept(tmp_path: Path) -> None:
    asked = policy(
        tmp_path, '[[require]]\ntopics = "*"\nkeep = ["clean", "two-clean", "lossy"]\nwrites-with-down = 1\n'
    )
    assert audited("good", policy=asked).exit_code == ExitCode.HOLDS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing is required"),
        ("require = 3", "nothing is required"),
        ("[[require]\n", "no TOML"),
        ('[[require]]\ntopics = "*"\n', "a requirement names topics, and what is kept or written"),
        ('[[require]]\nkeep = "clean"\n', "a requirement names topics"),
        ('[[require]]\ntopics = "*"\nkeep = "claen"\n', "Did you mean clean?"),
        ('[[require]]\ntopic = "*"\nkeep = "clean"\n', "Did you mean topics?"),
        ('[[require]]\ntopics = "*"\nwrites-with-down = 3\n', "writes-with-down is 0, 1 or 2, not 3"),
        ('[[require]]\ntopics = "*"\nwrites-with-down = true\n', "writes-with-down is 0, 1 or 2"),
        ('[[require]]\ntopics = "*"\nkeep = "clean"\nas-shipped = "yes"\n', "as-shipped is true or false"),
        ('[[require]]\ntopics = [1]\nkeep = "clean"\n', "topics is a text or a list of texts"),
        ("[" * 5000, "no TOML"),
    ],
)
def test_a_policy_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    message, code = refused(CLUSTERS / "good", policy=policy(tmp_path, text))
    assert said in message and "policy.toml" in message and code == ExitCode.BAD_CONFIGURATION


def test_a_finding_is_accepted_until_more_breaks(tmp_path: Path) -> None:
    lock = tmp_path / "lock.json"
    first = audited(HEALTHY, lock=lock, accepting="acked-lost/clicks", reason="they are counted again at night")
    assert "acked-lost/clicks" not in rules(first)
    assert [(one.subjects, one.reason) for one in first.accepted] == [(("clicks",), "they are counted again at night")]
    again = audited(HEALTHY, lock=lock)
    assert rules(again) == rules(first) and again.exit_code == ExitCode.VIOLATED
    worse = audited(HEALTHY, lock=lock, what_if="topic:clicks:unclean.leader.election.enable=true")
    assert "acked-lost/clicks" in rules(worse)


def test_patterns_accept_and_an_empty_report_is_green(tmp_path: Path) -> None:
    lock = tmp_path / "lock.json"
    keys = ["one-copy/*", "acked-lost/*"]
    left = audited(HEALTHY, lock=lock, accepting=keys, reason="a cluster to play with")
    assert not left.errors and left.exit_code == ExitCode.HOLDS
    assert [one["finding"] for one in json.loads(lock.read_text(encoding="utf-8"))["accepted"]] == sorted(keys)


def test_what_is_not_accepted(tmp_path: Path) -> None:
    lock = tmp_path / "lock.json"
    message, _ = refused(CLUSTERS / HEALTHY, lock=lock, accepting="acked-lost/clicks")
    assert "an acceptance needs a reason" in message
    message, _ = refused(CLUSTERS / HEALTHY, lock=lock, accepting="acked-lost/payments", reason="never")
    assert "there is no finding 'acked-lost/payments'" in message and "acked-lost/clicks" in message
    assert not lock.exists()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 9}', '{"format": 1, "accepted": 3}', "\udcff", "[" * 100000]
)
def test_a_lock_that_is_none_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    lock = tmp_path / "lock.json"
    lock.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = lock.read_bytes()
    message, code = refused(CLUSTERS / "good", lock=lock)
    assert "lock.json" in message and code == ExitCode.BAD_CONFIGURATION
    assert lock.read_bytes() == before


def test_a_producer_is_for_the_topics_that_are_named() -> None:
    def acks(**said: None) -> dict[str, set[str]]:
        topics = audited("producers", **said).audit.audited.topics
        return {one.topic.name: {kind.acks for kind in one.kinds} for one in topics}

    assert acks() == {"clicks": {"1"}, "metrics": {"0"}, "orders": {"all"}}
    anywhere = {"0", "1"}, {"0", "1"}, {"0", "1", "all"}
    assert tuple(acks(producers=None).values()) == anywhere, "a producer without topics may write to any"


def test_a_producer_that_is_not_there() -> None:
    message, _ = refused(CLUSTERS / "producers", producers={"orders": "nobody.properties"})
    assert "nobody.properties is no file of a producer" in message


@pytest.mark.parametrize("acks", ["ALL", "2", "", "-2", "all all"])
def test_acks_that_kafka_refuses(tmp_path: Path, acks: str) -> None:
    (tmp_path / "app.properties").write_text(f"acks={acks}\nlinger.ms=5\n", encoding="utf-8")
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-8")
    message, code = refused(tmp_path, kafka="4.3.1")
    assert f"app.properties:1: acks is {acks!r}" in message and code == ExitCode.USAGE


def test_writes_that_stop(tmp_path: Path) -> None:
    found = of_topics(tmp_path, topic("strict", 3, "min.insync.replicas=3"))
    assert "no-writes/strict" in rules(found)


def test_topics_of_one_class_are_one_row(tmp_path: Path) -> None:
    result = of_topics(tmp_path, *(topic(f"topic-{number}") for number in range(200)))
    assert len(result.audit.audited.classes) == 1 and len(result.audit.audited.topics) == 200
    assert "topic-0, topic-1, topic-10 +197" in str(result)


def test_files_are_read_wherever_they_lie(tmp_path: Path) -> None:
    """The order of the files, their names and their folders decide nothing."""
    copy = tmp_path / "somewhere" / "else"
    copy.mkdir(parents=True)
    for number, file in enumerate(sorted((CLUSTERS / HEALTHY).iterdir(), reverse=True)):
        shutil.copy(file, copy / f"{number}.txt")
    found = epochal.audit(*copy.iterdir(), searches=False, lock=tmp_path / "no.json")
    assert [one.title for one in found.findings_left] == [one.title for one in audited(HEALTHY).findings_left] or (
        rules(found) == rules(audited(HEALTHY))
    )


def test_nothing_to_read(tmp_path: Path) -> None:
    assert "needs files of a cluster" in refused()[0]
    assert "topics.txt" in refused(tmp_path / "topics.txt")[0]
    assert refused(tmp_path)[1] == ExitCode.USAGE
