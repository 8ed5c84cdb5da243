"""Whose line it is in a file that several brokers wrote: what stands beside a message, if it tells brokers apart."""

from __future__ import annotations

import pytest

from epochal.kafka.evidence.broker_log import UNKNOWN_BROKER, LogRead, Process, events_of, labels_of

AT = "[2026-11-23 00:34:48,346] INFO"
SPEAKS = AT + " [Broker id={}] Transitioning 1 partition(s) to local leaders. (state.change.logger)\n"
STARTS = AT + " Recovering 1 logs from /data since no clean shutdown file was found (kafka.log.LogManager)\n"
MADE = AT + " Created log for partition t-0 in /data/t-0 with properties {{}} (kafka.log.LogManager)\n"

BEFORE = {
    "docker compose": "kafka-{}  | ",
    "kubectl": "[pod/kafka-{}/kafka] ",
    "stern": "kafka-{} kafka ",
    "syslog": "Nov 23 00:34:4{} host-{} kafka[7]: ",
    "a time of its own": "2026-11-23T00:34:48.{}Z kafka-{} ",
}


@pytest.mark.parametrize("name", BEFORE)
def test_words_before_a_line(name: str) -> None:
    before = BEFORE[name]
    lines = [
        before.format(broker, broker) + line.format(broker) for line in (SPEAKS, STARTS, MADE) for broker in (1, 2)
    ]
    events, cut = events_of(lines, "all.log")
    assert cut == []
    assert [one.broker for one in events if isinstance(one.event, Process | LogRead)] == [1, 2, 1, 2]


def test_where_every_line_has_the_same_words() -> None:
    lines = [f"kafka | {SPEAKS.format(1)}", f"kafka | {SPEAKS.format(2)}", f"kafka | {STARTS}"]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]


def test_where_words_tell_different_things() -> None:
    """A name that stands before the lines of each of two brokers in another place."""
    lines = [f"a x | {SPEAKS.format(1)}", f"b y | {SPEAKS.format(2)}", f"a y | {STARTS}"]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]


THREAD = "[2026-11-23 00:34:48,346] [{}] INFO "
LAYOUTS = (THREAD, "00:34:48.346 [{}] INFO  ", "2026-11-23T00:34:48.346Z 00:34:48 [{}] INFO ", "[{}] INFO ")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_thread_is_no_broker(layout: str) -> None:
    """Two brokers, each of which has said its number in another thread; the line is of the first one's or of none's."""
    said = [
        layout.format(thread) + SPEAKS.format(at).partition("INFO ")[2] for at, thread in ((1, "main"), (2, "pool"))
    ]
    lines = [*said, layout.format("pool") + STARTS.partition("INFO ")[2]]
    assert [one.broker for one in events_of(lines, "all.log")[0]] == [1, 2, UNKNOWN_BROKER]
    named = [f"kafka-{at}  | {line}" for at, line in zip((1, 2, 1), lines, strict=True)]
    known = 1 if "00:34" in layout else UNKNOWN_BROKER
    assert [one.broker for one in events_of(named, "all.log")[0]] == [1, 2, known]


def test_one_broker_wrote_it_all() -> None:
    lines = [f"[main] {SPEAKS.format(3)}", f"[pool-7-thread-1] {STARTS}"]
    assert [one.broker for one in events_of(lines, "server.log")[0]] == [3, 3]


def test_fields_of_json_that_name_a_source() -> None:
    line = '{"kubernetes": {"pod_name": "kafka-1", "labels": {"app": "kafka"}}, "message": "text", "level": "INFO"}'
    assert labels_of(line) == {".kubernetes.pod_name": "kafka-1", ".kubernetes.labels.app": "kafka"}
    assert labels_of('{"message": ') == labels_of("[" * 9) == labels_of("no level and no time") == {}
