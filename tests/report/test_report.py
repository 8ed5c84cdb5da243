"""The report of a trace: everything that a story has and more, as text that stays text, in one file."""

from __future__ import annotations

import html
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

import epochal
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.report.document import LONGEST, Report, tried
from epochal.checker.trace.report.html import REFERENCE, address, to_html
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Step, Trace
from epochal.cli.main import main
from tests.report.hostile import Hostile
from tests.zoo.liveness import Lift

FOLDER = Path(__file__).parents[2] / "counterexamples"
SAMPLES = (
    "kraft-n1-leader-candidate-completeness",
    "kip-279-strong-isr",
    "zookeeper-stale-confirmation-follower-joins-isr",
    "quorum-same-cadence-leader-is-elected-log-size-1-max-epoch-1",
    "kip-279-proof-leader-expands-isr-quorum-isr-holds-what-is-committed",
)


FILE = "found.itf.json"

pytestmark = pytest.mark.xdist_group("reports of runs")
"""Each is made once."""


def read(name: str) -> Trace:
    """A trace of the gallery."""
    return TraceReader((), ()).read(FOLDER / f"{name}.itf.json")


@cache
def report_of(name: str) -> Report:
    """The report of a trace, which nobody changes."""
    return Report(read(name))


@cache
def page_of(name: str) -> str:
    """The page of a trace."""
    return to_html(read(name), FILE)


class Page(HTMLParser):
    """What a page consists of: tags that are open, texts, and attributes."""

    VOID = frozenset({"meta", "br", "img", "link", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens."""
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """A tag closes, and it is the one that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """A text."""
        self.texts.append(data)


@pytest.mark.parametrize("name", SAMPLES)
def test_it_is_one_file_that_asks_for_nothing(name: str) -> None:
    text = page_of(name)
    page = Page(text)
    assert page.open == []
    (policy,) = (attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert str(policy).startswith("default-src 'none'; style-src 'sha256-")
    for tag, attrs in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        assert not {"src", "style", "srcset", "action"} & attrs.keys()
        assert not any(key.startswith("on") for key in attrs)
        assert not str(attrs.get("href", "#")).startswith("javascript")
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_its_own_part_is_small() -> None:
    """Without its data: style, script, and what is the same on every page."""
    text = page_of(SAMPLES[1])
    own = sum(map(len, re.findall(r"<style>.*?</style>|<script>.*?</script>", text, re.S)))
    assert own < 25_000
    assert len(text) < 250_000


@pytest.mark.parametrize("name", SAMPLES)
def test_it_says_what_the_story_says(name: str) -> None:
    """Every step with its sentence and line, the property, why it is false, and the words of the last state."""
    trace = read(name)
    shown = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", page_of(name)).split()))
    told = [line.strip() for line in story(trace)]
    for line in told:
        if found := re.match(r"\d+\. (\S+\(.*?\))  (.*)  \[(.*)\]", line):
            for part in found.groups():
                assert " ".join(part.split()) in shown, part
        if line.startswith("because "):
            assert " ".join(line.removeprefix("because ").split()) in shown


def test_lanes_cards_and_arrows() -> None:
    report = report_of(SAMPLES[0])
    assert report.lanes == ["controller", "b1", "b2", "b3", "producer"]
    assert report.because == "r is b3 (of brokers): brokers[b3].log is empty, committed has 1 record"
    assert report.accused == {"b3"}
    first, seventh = report.moments[0], report.moments[7]
    assert set(first.cards) == {"controller", "b1", "b2", "b3"}
    (log,) = seventh.cards["b1"].logs
    assert [cell.text for cell in log.cells] == ["r0@e0"]
    assert log.marks == (("high watermark", 1),)
    assert [(arrow.sender, arrow.receiver) for arrow in seventh.arrows] == [("controller", "b1")]
    assert seventh.fields["committed"].logs[0].words == "committed 0: r0@e0"
    lanes, fields = report.last
    assert set(lanes) == {*report.lanes}
    assert set(fields) == {"committed"}


def test_every_guard_has_its_truth_and_values() -> None:
    moment = report_of(SAMPLES[0]).moments[5]
    assert moment.ran.guards
    assert all(guard.holds for guard in moment.ran.guards)
    assert {line.guard.text for line in moment.ran.source if line.guard} >= {"self.presumes_leadership(leader)"}
    assert "view(b1).leader is b1" in [fact for guard in moment.ran.guards for fact in guard.facts]


def test_what_else_was_possible_is_what_the_protocol_does() -> None:
    """Against the Python reading: every enabled action and every refused one is there, once."""
    trace = read(SAMPLES[0])
    for moment, codes in zip(report_of(SAMPLES[0]).moments, trace.states, strict=True):
        assert moment.elsewhere is not None
        enabled = {instance.label for instance, _ in trace.protocol.outcomes(codes)}
        if moment.number < len(trace.steps):
            enabled -= {trace.steps[moment.number].instance.label}
        assert {label for label, _ in moment.elsewhere.possible} == enabled
        refused = [label for group in moment.elsewhere.refused for _, labels in group.actions for label in labels]
        assert len(refused) == len(set(refused))
        assert not set(refused) & enabled
        taken = moment.number < len(trace.steps)
        assert len(refused) + len(enabled) + taken == len(trace.protocol.instances)


def test_a_refused_action_names_the_first_guard_that_is_false() -> None:
    trace = read(SAMPLES[0])
    fetch = next(one for one in trace.protocol.instances if one.label == "Fetch(b3, b1)")
    found = tried(trace.protocol, trace.states[8], fetch)
    assert not found.enabled
    assert [guard.holds for guard in found.guards] == [False]
    assert found.guards[-1].text == "self.follows(follower, leader)"
    assert found.guards[-1].facts


def test_properties_by_steps() -> None:
    report = report_of(SAMPLES[0])
    first = report.properties[0]
    assert first.member.name == "leader_candidate_completeness"
    assert first.truths == (*("true",) * 9, "false")
    reached = next(row for row in report.properties if row.member.name == "record_acknowledged")
    assert reached.truths == (*("",) * 7, *("reached",) * 3)
    steps = [row for row in report.properties if row.member.mark.kind == "action_property"]
    assert steps
    assert all(row.truths[0] == "" for row in steps)


def test_a_promise_that_is_broken_by_standing_still() -> None:
    report = report_of(SAMPLES[2])
    assert report.accused == {"b1"}
    assert report.properties[0].truths[-5:] == ("false",) * 5
    (said,) = report.said_at(12)
    assert said.startswith("For ever: nothing changes any more, if nobody ever takes one of these, and nobody has to")
    assert said.endswith(": LeaderWrite(b2), Restart(b3)")
    assert report.fairness[0].endswith("none of the fair steps is possible:")
    assert report.because.startswith(
        "it waits from state 8 on, in state 12 as before: b is b2 (of brokers): brokers[b2].up is true"
    )
    assert report.because.endswith("brokers[b1].up is true, partition.isr is {b2}")
    assert "KAFKA-14154" in report.note


def test_a_promise_that_is_broken_by_a_round() -> None:
    trace, report = read(SAMPLES[3]), report_of(SAMPLES[3])
    assert trace.loop is not None
    assert any("For ever" in said for said in report.said_at(trace.loop))
    assert f"and all is as in state {trace.loop}" in report.closing
    assert 'class="moment again"' in page_of(SAMPLES[3])


def test_it_is_the_same_every_time() -> None:
    assert to_html(read(SAMPLES[1]), FILE) == page_of(SAMPLES[1])


def test_a_text_is_never_more_than_a_text() -> None:
    result = epochal.check(Hostile(), engine="python")
    (trace,) = (one.trace for one in result.search.properties if one.trace is not None)
    page = Page(trace.to_html("<script>'\".itf.json"))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "img" not in [tag for tag, _ in page.tags]
    assert "onerror" not in {key for _, attrs in page.tags for key in attrs}
    links = [str(attrs["href"]) for tag, attrs in page.tags if tag == "a" and not str(attrs["href"]).startswith("#")]
    assert links
    assert all(link.startswith(("https://issues.apache.org/", "https://cwiki.apache.org/")) for link in links)


def test_a_long_run_says_that_something_is_left_out() -> None:
    """A door that opens and closes, again and again."""
    protocol = Lift()
    (door,) = (instance for instance in protocol.instances if instance.action.name == "door")
    states = [protocol.initial_states()[0]]
    while len(states) <= LONGEST + 1:
        after = protocol.step(protocol.at(states[-1]), door)
        assert after is not None
        states.append(after)
    trace = Trace(protocol, states[0], tuple(Step(door, codes) for codes in states[1:]))
    report = Report(trace)
    assert report.is_cut
    assert all(moment.elsewhere is None and moment.ran.guards == () for moment in report.moments)
    assert "what else was possible is left out" in to_html(trace)
    assert "is left out" not in page_of(SAMPLES[1])


def test_notebooks_get_it_without_its_script() -> None:
    shown = read(SAMPLES[1])._repr_html_()
    page = Page(shown)
    ((tag, attrs),) = page.tags
    assert tag == "iframe"
    assert attrs["sandbox"] is None
    inside = Page(str(attrs["srcdoc"]))
    assert inside.open == []
    assert "addEventListener" not in shown


def test_commands_write_it(tmp_path: Path) -> None:
    """`trace export --to html`, and `check --out` beside each trace."""
    sample = FOLDER / f"{SAMPLES[1]}.itf.json"
    one = tmp_path / "one.html"
    run = CliRunner().invoke(main, ["trace", "export", str(sample), "--to", "html", "--out", str(one)])
    assert run.exit_code == 0, run.output
    assert one.read_text(encoding="utf-8") == to_html(read(SAMPLES[1]), str(sample))
    out = tmp_path / "found"
    run = CliRunner().invoke(
        main, ["check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--out", str(out)]
    )
    assert run.exit_code == 12, run.output
    traces = sorted(out.glob("*.itf.json"))
    assert traces
    for file in traces:
        report = file.with_name(file.name.replace(".itf.json", ".html"))
        assert str(report) in run.output
        assert report.read_text(encoding="utf-8") == to_html(TraceReader((), ()).read(file), file.name)


def test_references_lead_to_their_pages() -> None:
    """A proposal whose address is not known is searched for."""
    assert address("KAFKA-18991") == "https://issues.apache.org/jira/browse/KAFKA-18991"
    assert address("KIP-996") == "https://cwiki.apache.org/confluence/display/KAFKA/KIP-996%3A+Pre-Vote"
    assert address("KIP-841").endswith("dosearchsite.action?queryString=KIP-841")
    assert re.findall(REFERENCE, "KAFKA-1, KIP-22. xKIP-3 KIP-") == ["KAFKA-1", "KIP-22"]


def test_a_step_says_what_came_of_it() -> None:
    """Not only which action was taken: who leads then, what is truncated, and what is committed."""
    moments = report_of(SAMPLES[0]).moments
    assert moments[0].events == ()
    assert moments[2].events == ("controller: leader b1 e2, ISR {b1, b3}",)
    assert moments[7].events == ("b1 leads in epoch 2", "high watermark of b1 moves to 1", "r0@e0 is committed")
    assert moments[9].events == ("b3 truncates r0@e0",)
    lost = report_of("kraft-h13-leader-completeness").moments[7]
    assert lost.events == ("b1 follows b2 e1", "b1 loses r0@e0", "high watermark of b1 moves back to 0")


def test_the_lines_that_ran_are_told_of_all_that_a_step_calls() -> None:
    """The step that commits: the leader table is kept, because the branch that forgets it does not run."""
    moment = report_of(SAMPLES[0]).moments[7]
    called = {one.name: one for one in moment.ran.called}
    ran = {line.text.strip(): line.ran for line in called["become_leader"].source}
    assert ran["self.forget_followers(leader)"] is False
    assert ran["self.advance_high_watermark(leader)"] is True
    ran = {line.text.strip(): line.ran for line in called["act_on_metadata"].source}
    assert (ran["self.become_leader(broker, led_before, epoch_before)"], ran["else:"]) == (True, False)
    assert "Partition.makeLeader" in called["become_leader"].description
    assert all(line.ran for line in moment.ran.source)
    assert not any('"""' in line.text for one in called.values() for line in one.source)


def test_every_guard_is_shown_where_it_stands() -> None:
    """Those of called methods in them; a rule that was taken away is shown by its source."""
    moment = report_of(SAMPLES[2]).moments[11]
    called = {one.name: one for one in moment.ran.called}
    shown = [line.guard for one in called.values() for line in one.source if line.guard]
    shown += [line.guard for line in moment.ran.source if line.guard]
    assert len(shown) == len(moment.ran.guards)
    assert not moment.ran.others
    assert "is_up_to_date(1, b2) is always true" in [fact for guard in shown for fact in guard.facts]
    assert [line.text.strip() for line in called["is_up_to_date"].source][-1] == "return True"


def test_bounds_of_the_model_are_no_rules_of_the_system() -> None:
    elsewhere = report_of(SAMPLES[0]).moments[7].elsewhere
    assert elsewhere is not None
    bounds = {group.text for group in elsewhere.refused if group.bounded}
    assert "self.used.fencings < self.bounds.fencings" in bounds
    assert {group.text for group in elsewhere.refused} - bounds >= {"self.follows(follower, leader)"}


def test_only_signs_that_occur_are_explained() -> None:
    violated, broken = (page_of(name) for name in SAMPLES[::2][:2])
    assert "where the property is false, not who caused it" in violated
    assert "cannot be evaluated" not in violated.rpartition("What the signs mean")[2]
    assert "<dt>liveness</dt>" in broken
    assert "<dt>liveness</dt>" not in violated
