"""What is compared and how runs are judged, on kept answers of Kafka's classes: without Java."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import epochal
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.kafka.lockstep.compared import ClusterSeen, differences, kafka_leaves, model_leaves
from epochal.kafka.lockstep.directed import not_mapped, play
from epochal.kafka.lockstep.driven import THROWN, Driven, _commits_without_news, _proposes_beside_another
from epochal.kafka.lockstep.families import families_of
from epochal.kafka.lockstep.family import KafkaRequest, request_of
from epochal.kafka.lockstep.known import left_by_model
from epochal.kafka.lockstep.lines import AnsweredLine, read_lines, story
from epochal.kafka.lockstep.models import protocol_beside, with_rules
from epochal.kafka.lockstep.runs import DEFAULT_BOUNDS
from epochal.kafka.lockstep.steps import MAPPED, commands, refused_by_harness
from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import Record
from tests.lockstep.record import FIXED, SHOWN

HERE = Path(__file__).resolve().parent
RUNS = HERE.parents[1] / "counterexamples"


class Kept:
    """A harness that answers what was kept, and takes the lines in their order alone."""

    def __init__(self, file: Path) -> None:
        self.left = read_lines(file)

    def ask(self, lines: Sequence[str]) -> list[str]:
        answers = []
        for line in lines:
            kept, answer = self.left.pop(0)
            assert line == kept
            answers.append(answer)
        return answers


def run_of(name: str) -> Trace:
    return TraceReader(()).read(RUNS / f"{name}.itf.json")


@pytest.fixture(scope="module")
def n1() -> Trace:
    return run_of("kraft-n1-leader-candidate-completeness")


def test_kafka_follows_n1_to_the_end_and_the_property_is_violated_in_its_state(n1: Trace) -> None:
    kafka = Kept(SHOWN)
    played = play(kafka, n1)
    assert (played.followed, played.taken, played.holds) == (True, 9, False)
    assert played.order == ("b1", "b2", "b3")
    assert not kafka.left


def test_a_fix_leaves_n1_and_every_leaf_is_told(n1: Trace) -> None:
    played = play(Kept(FIXED), n1)
    assert (played.followed, played.taken, played.holds) == (False, 7, None)
    assert [tuple(one) for one in played.differs] == [
        ("b1 high watermark", "0", "1"),
        ("b1 knows b3 at", "unknown", "1"),
        ("acknowledged", "none", "r0"),
    ]


def test_every_leaf_of_kafkas_state_is_compared(n1: Trace) -> None:
    """Whatever value of the answer changes, the states differ."""
    answer = json.loads(read_lines(SHOWN)[-1][1])["state"]
    assert isinstance(n1.protocol, Kraft)
    state, names = n1.protocol.at(n1.steps[-1].codes), ("b1", "b2", "b3")
    families = families_of(state)
    assert differences(kafka_leaves(ClusterSeen.of(answer), names, families), model_leaves(state)) == ()
    changes: list[tuple[str, object]] = [
        ("highWatermark", 0),
        ("leaderEpoch", 7),
        ("log", [[0, 2]]),
        ("pending", 3),
        ("epochStart", 0),
        ("isr", [0]),
        ("maximalIsr", [0]),
        ("followers", {"1": -1, "2": 0}),
        ("leads", False),
    ]
    for name, value in changes:
        changed = json.loads(json.dumps(answer))
        changed["brokers"][0][name] = value
        assert differences(kafka_leaves(ClusterSeen.of(changed), names, families), model_leaves(state)), name
    others: tuple[tuple[str, object], ...] = (
        ("acknowledged", []),
        ("proposed", [[0, 1], None, None]),
        ("brokers", [None, *answer["brokers"][1:]]),
    )
    for name, value in others:
        seen = ClusterSeen.of({**answer, name: value})
        assert differences(kafka_leaves(seen, names, families), model_leaves(state)), name
    fields = answer["controller"].split("|")
    for place, value in ((0, "1"), (1, "9"), (3, "0"), (4, "1"), (5, "2"), (6, "1"), (10, "0")):
        seen = ClusterSeen.of({**answer, "controller": "|".join((*fields[:place], value, *fields[place + 1 :]))})
        assert differences(kafka_leaves(seen, names, families), model_leaves(state)), place


def test_an_exception_of_kafka_is_a_difference(n1: Trace) -> None:
    class Throwing(Kept):
        def ask(self, lines: Sequence[str]) -> list[str]:
            return [f"{THROWN}java.lang.IllegalStateException"] if "fetch" in lines[0] else super().ask(lines)

    assert isinstance(n1.protocol, Kraft)
    driven = Driven(Throwing(SHOWN), n1.protocol, (0, 1, 2), n1.initial)
    step = next(one for one in n1.steps if one.instance.action.name == "fetch")
    found = driven.take(request_of(step.instance), [(step.instance, step.codes)])
    assert [tuple(one) for one in found] == [("exception", "java.lang.IllegalStateException", "none")]


def test_what_the_model_of_a_release_says_of_a_run(n1: Trace) -> None:
    assert left_by_model(n1, "4.4.0") is None
    assert left_by_model(run_of("kraft-s22-elected-leader-is-alive"), "4.0.2") is None
    assert left_by_model(run_of("kraft-s22-elected-leader-is-alive"), "4.4.0") == 4
    assert left_by_model(run_of("kraft-n2-acknowledged-durable"), "4.0.2") is not None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("kraft-n1-leader-candidate-completeness", ""),
        ("kraft-kip-98-remembered-is-in-log", ""),
        ("kip-279-strong-isr", "is not kraft"),
    ],
)
def test_which_runs_can_be_played(name: str, why: str) -> None:
    found = not_mapped(run_of(name), "4.4.0")
    assert found == "" if why == "" else why in found


def test_a_run_with_eligible_leader_replicas_is_none_of_a_release_without(n1: Trace) -> None:
    assert "has no eligible leader replicas" in not_mapped(n1, "3.9.2")


def test_every_step_of_a_random_walk_is_a_line_or_has_a_reason() -> None:
    protocol = protocol_beside("4.4.0", "kraft", {"elr": True}, DEFAULT_BOUNDS)
    semantics, codes = PythonSemantics(protocol), protocol.initial_states()[0]
    places = {one: place for place, one in enumerate(protocol.at(codes).brokers)}
    mapped, reasons = set[str](), set[str]()
    for step in range(200):
        state, found = protocol.at(codes), semantics.successors(codes)
        for instance, _ in found:
            request = request_of(instance)
            assert "successor" not in dict(request.arguments) and "elected" not in dict(request.arguments)
            reason = refused_by_harness(state, request)
            if reason:
                reasons.add(reason)
            else:
                line = commands(state, request, places)
                assert line.startswith("wait:31000 ") and "None" not in line
                mapped.add(request.action)
        if not found:
            break
        codes = found[(step * 7) % len(found)][1]
    assert mapped <= MAPPED.keys() and len(mapped) >= 8
    assert reasons <= {"another replica is preferred", "the leader drops all that are slow"}


def test_rules_are_replaced_by_their_names() -> None:
    protocol = protocol_beside("4.4", "kraft")
    assert not protocol.settings.known_partition_epoch_ignored
    changed = with_rules(protocol, {"known_partition_epoch_ignored": "true", "followers_forgotten": "each_epoch"})
    assert changed.settings.known_partition_epoch_ignored
    assert changed.settings.followers_forgotten.name == "EACH_EPOCH"
    assert with_rules(protocol, {}) is protocol
    with pytest.raises(UsageError, match="no rule is called"):
        with_rules(protocol, {"known_partition_epoch": "true"})
    with pytest.raises(UsageError, match="is true or false, not maybe"):
        with_rules(protocol, {"elr": "maybe"})


def test_a_file_of_lines_reads_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "run.steps"
    file.write_text(f"# a remark\n{story(['begin|2', 'fetch:1:0'], ['{}', '{1}'])}stop:0\n", encoding="utf-8")
    assert read_lines(file) == [("begin|2", "{}"), ("fetch:1:0", "{1}"), ("stop:0", "")]
    file.write_text("begin:3:1:0\nstate\n= x\n", encoding="utf-8")
    assert read_lines(file) == [("begin:3:1:0", ""), ("state", "x")]  # of voters
    assert AnsweredLine("a", "", "b").same and not AnsweredLine("a", "c", "b").same
    file.write_text("fetch:1:0\n", encoding="utf-8")
    with pytest.raises(UsageError, match="does not begin a cluster"):
        read_lines(file)


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ('{"answers":["NONE"],"state":{"hw":1,"log":[[0,0]]}}', True),
        ('{"answers":["NONE"],"state":{"hw":1,"log":[[0,0]],"markers":{}},"more":1}', True),
        ('{"answers":["NONE"],"state":{"hw":1,"log":[[0,0],[1,0]]}}', False),
        ('{"answers":["NONE"],"state":{"hw":true,"log":[[0,0]]}}', False),
        ('{"answers":["NONE"],"state":{"log":[[0,0]]}}', False),
        ('{"answers":["NONE"],"state":[]}', False),
        ("NullPointerException", False),
    ],
)
def test_what_a_newer_harness_says_besides_does_not_count(now: str, same: bool) -> None:
    assert AnsweredLine("fetch:1:0", '{"answers":["NONE"],"state":{"hw":1,"log":[[0,0]]}}', now).same is same


@pytest.mark.parametrize(("name", "what"), [("no.steps", "there is no file"), ("no.itf.json", "there is no trace")])
def test_what_is_not_there_is_told(tmp_path: Path, name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.api.lockstep.kafka_classes", lambda *_: None)
    asked = epochal.lockstep_lines if name.endswith(".steps") else epochal.lockstep_run
    with pytest.raises(UsageError, match=what):
        asked(tmp_path / name, kafka="4.4.0")


def test_a_fetch_that_commits_without_news_is_left_out() -> None:
    """The follower fetches from where it did before, and whoever counts has all: Kafka does not look, the core does."""
    protocol = configured(kafka="4.4.0")(None, replication_factor=3)
    state = protocol.at(protocol.initial_states()[0])
    leader = state.metadata[0].leader
    assert leader is not None
    first, second = (one for one in state.brokers if one != leader)
    request = KafkaRequest("fetch", (("follower", second), ("leader", leader)))
    assert not _commits_without_news(state, request)  # nobody has fetched: the high watermark is where it was
    for one in (first, second):
        state.brokers[one].log.append(Record(0, 0))
        state.brokers[leader].followers[one] = 1
    state.brokers[leader].log.append(Record(0, 0))
    assert _commits_without_news(state, request)
    state.brokers[leader].followers[second] = 0
    assert not _commits_without_news(state, request)  # news


def test_a_proposal_beside_that_of_another_leader_is_left_out() -> None:
    protocol = configured(kafka="4.4.0")(None, replication_factor=3)
    state = protocol.at(protocol.initial_states()[0])
    leader = state.metadata[0].leader
    assert leader is not None
    first, second = (one for one in state.brokers if one != leader)
    request = KafkaRequest("fetch", (("follower", second), ("leader", leader)))
    state.request.leader = first
    assert not _proposes_beside_another(state, request)  # it is in the ISR
    state.metadata[0].isr -= {second}
    assert _proposes_beside_another(state, request)
    state.request.leader = leader
    assert not _proposes_beside_another(state, request)
