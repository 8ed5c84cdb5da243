"""The story of a trace as plain text."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epochal
from epochal.checker.base.files import held, write_atomically, write_together
from epochal.checker.search.reference_engine import check
from epochal.checker.search.result import Options
from epochal.checker.trace.explain import (
    Change,
    claim,
    differences,
    explain,
    lanes,
    property_of,
    protocol_name,
    sentence,
    shown_bounds,
)
from epochal.checker.trace.text import markdown, story
from epochal.checker.trace.trace import Step, Trace
from epochal.checker.trace.why import why_false
from epochal.spec.classic.async_isr import AsyncIsr
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds, LeaderAndIsr, Record, ReplicaState
from epochal.spec.language import ActionInstance, Identifier, Protocol, Set
from epochal.spec.language.display import shown_leaves, shown_lines
from epochal.spec.language.marks import Kind
from tests.checker.snapshots import same_as_snapshot
from tests.checker.trace.runs import states_of, walk
from tests.zoo.traced import Clash, Cluster, DeepClash, DeepLog, Nameless, Nested, Node, Spoken, Zoo


@pytest.mark.parametrize("shown", ["told", "fields"])
def test_the_whole_story(shown: str, counterexample: Trace) -> None:
    same_as_snapshot(__file__, f"story-{shown}", "\n".join(story(counterexample, shown == "fields")))


def test_a_broken_step_property_shows_the_step(zoo: Zoo) -> None:
    result = check(zoo, Options(properties=("flag_stays_down",)))
    trace = result.properties[0].trace
    assert trace is not None
    lines = story(trace)
    at = lines.index("In the last step, SetFlag(n1):")
    assert lines[at - 2 : at] == ["  The flag is never raised.", "  because flag is false, new.flag is true"]
    assert lines[at + 1 : at + 4] == ["  flag: false -> true", "  node: - -> n1", "In state 1, the last:"]


def test_a_run_claims_nothing(zoo: Zoo) -> None:
    trace = walk(zoo, 2)
    lines = story(trace)
    assert lines[0] == "zoo: a run (3 states; nodes 2, high 2)"
    assert "In state 2, the last:" in lines
    assert not [line for line in lines[1:] if "violated" in line or line.startswith("a run")]


def test_a_step_that_changes_nothing_says_so(zoo: Zoo) -> None:
    initial = zoo.initial_states()[0]
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    lines = story(Trace(zoo, initial, (Step(nothing, initial),)))
    assert lines[0] == "zoo: a run (2 states; nodes 2, high 2)"
    at = next(i for i, line in enumerate(lines) if line.startswith("1. Nothing()  Change nothing at all"))
    assert lines[at + 1] == "     (nothing changes)"


def test_the_note_and_a_failed_rule(counterexample: Trace) -> None:
    lines = story(replace(counterexample, verdict="error", property_id="", note="offset 3\nis outside the log"))
    at = lines.index("a rule cannot be evaluated")
    assert lines[at + 1 : at + 3] == ["  offset 3", "  is outside the log"]


def test_numbers_are_aligned(zoo: Zoo) -> None:
    initial = zoo.initial_states()[0]
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    lines = story(Trace(zoo, initial, (Step(nothing, initial),) * 10))
    heads = [line for line in lines if re.match(r" *\d+\. ", line)]
    assert heads[0] == " 0. Initial state"
    assert heads[-1].startswith("10. Nothing()")
    assert heads[9].startswith(" 9. Nothing()")


def test_a_step_that_says_nothing_is_told_by_its_docstring_or_once() -> None:
    (found,) = check(Spoken(), Options(properties=("stays",))).properties
    assert found.trace is not None
    assert [one.sentence for one in explain(found.trace)] == ["The value grows"] * 2
    lines = story(found.trace)
    assert [line.split("  [")[0] for line in lines if re.match(r"\d\. G", line)] == [
        "1. Grow()  The value grows",
        "2. Grow()  The value grows",
    ]
    fell = Trace(Spoken(), (2,), (Step(Spoken().instances[1], (0,)),))
    assert [line.split("  [")[0] for line in story(fell) if line.startswith("1. ")] == ["1. Fall()"]
    assert [line.split(" (")[0] for line in markdown(fell, "x").splitlines() if line.startswith("1. ")] == [
        "1. **`Fall()`**"
    ]


# What people read of a state.

ZOO = Zoo()


def replicated(**fields: Any) -> Kip320:
    """Two replicas; b1 leads in epoch 0 and holds a record."""
    protocol = Kip320(ClassicBounds(replicas=2, log_size=2, records=2, max_epoch=1))
    state = protocol.at(protocol.initial_states()[0])
    b1, _ = state.replicas
    state.replicas[b1] = ReplicaState(
        log=[Record(id=1, epoch=0)], hw=1, epoch=0, leader=b1, isr=Set(state.replicas)
    )  # fmt: skip
    state.requests.append(LeaderAndIsr(leader=None, isr=Set([b1])))
    return state


def listed(shown: dict[str, str]) -> str:
    """Paths and values, one a line."""
    return "\n".join(f"{path}: {value}" for path, value in shown.items())


@pytest.mark.parametrize("show", [shown_leaves, shown_lines], ids=["leaves", "lines"])
def test_leaves_are_named_as_a_kafka_engineer_would(show: Callable[..., dict[str, str]]) -> None:
    """In the order of the state; or a line for each broker."""
    state = replicated()
    same_as_snapshot(__file__, f"replicated-{show.__name__}", listed(show(state, state.codes())))


def test_every_kind_of_domain_has_leaves(zoo: Zoo) -> None:
    """Those of two variables that would be named alike keep the variable."""
    same_as_snapshot(__file__, "leaves-of-the-zoo", listed(shown_leaves(zoo, zoo.initial_states()[0])))


def test_a_map_without_records_puts_the_key_before_the_variable() -> None:
    protocol = AsyncIsr()
    leaves = shown_leaves(protocol, protocol.initial_states()[0])
    assert leaves["b2.offsets"] == "0"
    assert leaves["controller"] == "{b1, b2, b3} v0"
    assert leaves["leader.pending_version"] == "-"


def test_a_variable_called_like_an_identifier_does_not_swallow_leaves() -> None:
    protocol = Clash()
    assert list(shown_leaves(protocol, protocol.codes())) == ["n1.nodes.hw", "n2.nodes.hw", "n1.hw"]


def test_the_last_resort_is_the_path_of_the_specification() -> None:
    protocol = DeepClash()
    assert list(shown_leaves(protocol, protocol.codes())) == [
        "nodes[n1].hw",
        "nodes[n2].hw",
        "n1.nodes.hw",
        "n1.hw",
    ]


def test_the_leaves_of_a_free_slot_are_all_dashes() -> None:
    protocol = DeepLog()
    empty = {"log[0].seen[n1]": "-", "log[0].seen[n2]": "-"}
    assert shown_leaves(protocol, protocol.codes()) == empty
    state = protocol.at(protocol.codes())
    nodes: list[Identifier] = list(protocol.each(Node))
    state.log.append(Nested(seen={nodes[0]: True, nodes[1]: False}))
    assert shown_leaves(protocol, state.codes()) == {"log[0].seen[n1]": "true", "log[0].seen[n2]": "false"}


@settings(max_examples=50, deadline=None)
@given(st.lists(states_of(ZOO), min_size=2, max_size=2))
def test_the_paths_do_not_depend_on_the_state(states: list[tuple[int, ...]]) -> None:
    first, second = (shown_leaves(ZOO, codes) for codes in states)
    assert list(first) == list(second)
    assert all(value for value in first.values())


# Steps in words, and the leaves that change.


def step_of(protocol: Protocol, label: str) -> ActionInstance:
    """The first instance with this label."""
    return next(instance for instance in protocol.instances if instance.label == label)


def test_a_step_tells_who_did_what_to_whom(counterexample: Trace) -> None:
    fetch = explain(counterexample)[5]
    assert (fetch.number, fetch.label) == (6, "Fetch(b2, b1)")
    assert (fetch.by, fetch.to) == ("b2", "b1")
    assert fetch.sentence == "b2 fetches the next record from b1"
    assert fetch.where.file == "spec/classic/follower.py"
    assert [str(change) for change in fetch.changes] == ["b2.log[0]: - -> r0@e0"]


def test_a_lane_stays_a_lane(counterexample: Trace) -> None:
    elect = explain(counterexample)[0]
    assert (elect.by, elect.to) == ("controller", "b1")
    assert elect.changes == (
        Change("quorum.leader", "-", "b1"),
        Change("requests[0]", "-", "b1 {b1, b2}"),
    )
    assert lanes(step_of(AsyncIsr(), "FollowerReplicates(b2)")) == ("b2", "leader")
    assert lanes(step_of(AsyncIsr(), "LeaderWrite()")) == ("leader", "")


def test_a_step_that_says_nothing_has_the_first_sentence_of_its_docstring(zoo: Zoo) -> None:
    assert sentence(step_of(zoo, "Nothing()")) == "Change nothing at all; nobody does it"
    assert sentence(zoo.instances[-2]) == "Two instances of this action can have the same label"


def test_a_difference_that_the_text_hides_is_told_by_the_stored_leaves(zoo: Zoo) -> None:
    before = zoo.initial_states()[0]
    state = zoo.at(before)
    state.secret.hidden = True
    assert differences(zoo, before, state.codes()) == (Change("secret.hidden", "false", "true"),)


def test_values_that_read_alike_are_told_apart_by_their_codes(zoo: Zoo) -> None:
    state = zoo.at(zoo.initial_states()[0])
    states = []
    for member in list(zoo.variables["twin"].domain.values())[1:]:
        state.twin = member
        states.append(state.codes())
    assert differences(zoo, *states) == (Change("twin", "read-only (code 1)", "read-only (code 2)"),)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_unequal_states_always_differ_in_some_leaf(data: st.DataObject) -> None:
    before = data.draw(states_of(ZOO))
    leaf = data.draw(st.integers(0, len(before) - 1))
    codes = list(before)
    codes[leaf] = data.draw(st.integers(0, ZOO.leaves[leaf].domain.size - 1))
    after = tuple(ZOO.at(codes).codes())
    assert bool(differences(ZOO, before, after)) == (before != after)
    assert all(change.before != change.after for change in differences(ZOO, before, after))


def test_what_a_trace_claims(counterexample: Trace, witness: Trace) -> None:
    assert claim(counterexample) == "weak_isr is violated"
    assert claim(witness) == "record_committed is reached"
    assert claim(replace(counterexample, property_id="", verdict="error")) == "a rule cannot be evaluated"
    assert claim(replace(counterexample, property_id="", verdict="run")) == "a run"


def test_names(counterexample: Trace) -> None:
    assert protocol_name(counterexample) == "truncate-to-hw"
    assert protocol_name(replace(counterexample, facts={"protocol": "mine.py:Mine"})) == "mine.py:Mine"
    assert protocol_name(Trace(Nameless(), (0,), ())) == "Nameless"
    assert shown_bounds(counterexample.protocol) == "replicas 2, log_size 1, records 1, max_epoch 1"
    assert shown_bounds(Nameless()) == "no bounds"


def test_the_property_of_a_trace(counterexample: Trace) -> None:
    member = property_of(counterexample)
    assert member is not None and member.name == "weak_isr"
    assert property_of(replace(counterexample, property_id="")) is None
    assert property_of(replace(counterexample, property_id="gone")) is None


# Why a property is false: the values that make it so, as the source says them.


TOLD = {
    "low": "n is n1 (of heights): super().fits(n1, 3) is false",
    "pairs": "a is n1 (of heights), b is n2 (of heights): heights[n1] is 3, heights[n2] is 0, heights[n1] + 1 is 4",
    "quiet": "n is n1 (of heights): chosen is {n1}",
    "told_apart": "post is n1 at 3",
    "somebody": "chosen has 1 member, any((heights[n] == 2 for n in heights)) is false",
    "moods": "{mood if n in chosen else Mood.CALM for n in heights} is {calm, very-loud}",
    "named": "chosen has 1 member, anybody is false, never_so() is always false",
    "by_a_loop": None,
    "never_higher": "n is n1 (of heights): new.heights[n1] is 3, heights[n1] is 0",
}


@pytest.mark.parametrize("name", TOLD)
def test_the_reason_is_told(name: str) -> None:
    zoo = Cluster()
    before = zoo.codes()
    shout = next(i for i in zoo.instances if i.action.name == "shout")
    after = zoo.step(zoo.at(before), shout)
    assert after is not None
    kind: Kind = "action_property" if name == "never_higher" else "invariant"
    member = next(m for m in zoo.members(kind) if m.name == name)
    reason = why_false(zoo, member, before, after) if kind == "action_property" else why_false(zoo, member, after)
    assert (None if reason is None else str(reason)) == TOLD[name]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (
            "kraft-s25",
            "  because r is b1 (of brokers), id is 0 (of acknowledged): "
            "any((record.id == 0 for record in brokers[b1].log)) is false",
        ),
        ("kip-101", "  because leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0"),
        (
            "kraft-s16",
            "  because r is b1 (of brokers): registrations[b1].fenced is true, now.isr is {b1, b2}, "
            "now.isr has 2 members",
        ),
    ],
)
def test_a_story_ends_with_it(reference: str, said: str) -> None:
    assert said in str(epochal.check(epochal.load(reference)).counterexample).splitlines()


def test_a_witness_has_no_reason() -> None:
    run = epochal.check(epochal.load("kip-320", replicas=2, log_size=1, records=1, max_epoch=1)).traces
    assert run and all("because" not in str(trace) for trace in run.values())


# Writing files whole or not at all.


def test_writes_utf_8_with_plain_line_ends(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "é\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == "é\nb\n".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_replaces_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a much longer old content")
    write_atomically(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_failed_write_leaves_the_old_content_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(tmp_path / "a.txt", "half \ud800")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_folder_and_a_folder_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a.txt", "a")
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, "a")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_atomically(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_device_is_written_and_stays_a_device() -> None:
    write_atomically(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    """Also by a process that has its number, as in a container; what somebody is writing stays, and so do others."""
    left = tmp_path / f".a.txt.{os.getpid()}.{threading.get_ident()}.tmp"
    left.write_text("hal")
    written, others = tmp_path / ".a.txt.1.2.tmp", {".b.txt.1.2.tmp", ".a.txt.mine.tmp"}
    for name in others:
        (tmp_path / name).touch()
    with written.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomically(tmp_path / "a.txt", "new")
        assert {p.name for p in tmp_path.iterdir()} == {"a.txt", written.name, *others}
    write_atomically(tmp_path / "a.txt", "newer")
    assert {p.name for p in tmp_path.iterdir()} == {"a.txt", *others}
    assert (tmp_path / "a.txt").read_text() == "newer"


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    """Such as a Parquet table; nothing stays beside them."""
    write_atomically(tmp_path / "a.bin", b"\r\n\xff")
    assert (tmp_path / "a.bin").read_bytes() == b"\r\n\xff" and len(list(tmp_path.iterdir())) == 1


def test_of_several_files_none_is_written_if_one_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "\ud800"})
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "other"})
    assert [(tmp_path / name).read_text() for name in ("a.txt", "b.txt")] == ["new", "other"]


def test_a_folder_is_held_by_one_writer_or_many_readers(tmp_path: Path) -> None:
    with held(tmp_path, shared=True) as nobody_wrote:
        assert nobody_wrote and not (tmp_path / "lock").exists()
    with held(tmp_path) as first, held(tmp_path) as second, held(tmp_path, shared=True) as reader:
        assert (first, second, reader) == (True, False, False)
    with held(tmp_path, shared=True) as first, held(tmp_path, shared=True) as second, held(tmp_path) as writer:
        assert (first, second, writer) == (True, True, False)
    with held(tmp_path) as again:
        assert again


def test_a_process_that_is_killed_lets_go(tmp_path: Path) -> None:
    program = "import sys, time; from pathlib import Path; from epochal.checker.base.files import held\n"
    program += "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)"
    arguments = [sys.executable, "-P", "-c", program, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        with held(tmp_path) as alone:
            assert not alone
        process.kill()
    with held(tmp_path) as alone:
        assert alone
