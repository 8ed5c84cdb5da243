"""Runs that break promises: as files, replayed in both readings, and refused if they show nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search.confirm import every_semantics
from epochal.checker.trace import itf, itf_reader
from epochal.checker.trace.export.dot import dot
from epochal.checker.trace.export.sequencediagram import sequencediagram
from epochal.checker.trace.itf import TraceError
from epochal.checker.trace.mermaid import mermaid
from epochal.checker.trace.replay import replay
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Trace
from epochal.spec.language import Protocol
from tests.checker.liveness.judged import by_python
from tests.checker.liveness.test_known_answers import run
from tests.checker.liveness.zoo import KNOWN, Called, Counter, Lift, Ping, RealEnd

BROKEN = [(kind, name) for (kind, name), answer in KNOWN.items() if answer is not None]


def broken(kind: type[Protocol], name: str) -> Trace:
    """The run that breaks a promise."""
    found = by_python(compile_protocol(kind()))
    trace = next(one.trace for one in found.promises if one.member.name == name)
    assert trace is not None
    return trace


def why_refused(trace: Trace) -> list[str]:
    """What each reading has against a run."""
    readings, _ = every_semantics(trace.protocol)
    return [outcome.reason for outcome in replay(trace, readings).outcomes if not outcome.ok]


@pytest.mark.parametrize(("kind", "name"), BROKEN, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_run_is_read_again_and_replays(kind: type[Protocol], name: str) -> None:
    trace = broken(kind, name)
    again = itf_reader.decode(itf.dumps(trace), lambda _: kind)
    assert run(again) == run(trace)
    assert again.arguments == trace.arguments
    assert itf.encode(trace)["loop"] == trace.loop
    assert why_refused(again) == []


def test_what_shows_nothing_is_refused() -> None:
    """By both readings: a round that does not close, a goal that comes, a step that was always possible."""
    round_trip = broken(Called, "arrives")
    assert round_trip.closing is not None
    assert why_refused(replace(round_trip, closing=None, loop=0)) != []
    other = next(one for one in round_trip.protocol.instances if one.action.name == "door")
    open_end = why_refused(replace(round_trip, closing=other))
    assert open_end == [f"{other.label} does not lead back from the last state to state 0"] * 2
    at_first = replace(broken(Lift, "arrives_unfairly"), property_id="arrives")
    assert why_refused(at_first) == ["it is not fair: Rise() could be taken, and never is"] * 2
    ended = replace(broken(RealEnd, "rings"), property_id="rings_unfairly")
    assert why_refused(ended) == []
    bounded = broken(RealEnd, "rings")
    in_bounds = Counter()
    moved = replace(bounded, protocol=in_bounds)
    assert why_refused(moved) == ["it is not fair: CountOn() could be taken, and never is"] * 2


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("loop", 7, "loop: 7 instead of the number of a state, 0 to 1"),
        ("loop", True, "loop: True instead of the number of a state"),
        ("loop", None, "loop: a run has one exactly if it violates a liveness property"),
        ("closing", {"action": "fly", "label": "Fly()", "arguments": []}, "the specification has no action 'fly'"),
        ("closing", {"action": "rise"}, "there is no label"),
        ("arguments", [{}], "#meta.arguments: they are not those of arrives"),
    ],
)
def test_damage_is_named(part: str, value: object, message: str) -> None:
    data = itf.encode(broken(Called, "arrives"))
    holder = data if part == "loop" else data["#meta"]
    if value is None:
        del holder[part]
    else:
        holder[part] = value
    with pytest.raises(TraceError) as error:
        itf_reader.decode(data, lambda _: Called)
    assert message.replace("'", '"') in error.value.message.replace("'", '"')


def test_graphs_and_diagrams_show_what_happens_for_ever() -> None:
    """A step back to where the round begins, or one that says that nothing changes."""
    round_trip = broken(Called, "arrives")
    assert round_trip.closing is not None
    drawn = dot(round_trip).splitlines()
    arrow = f's{round_trip.length - 1} -> s{round_trip.loop} [label=" {round_trip.closing.label}\\l"'
    (back,) = [line for line in drawn if arrow in line]
    assert "#a40000" in back
    lines = sequencediagram(round_trip).splitlines()
    assert lines.index("loop for ever") < lines.index("end")
    standing = broken(Lift, "arrives_unfairly")
    assert standing.loop == standing.length - 1
    ever = f's{standing.loop} -> s{standing.loop} [label=" for ever: nothing changes any more\\l", color="#a40000"'
    assert sum(ever in line for line in dot(standing).splitlines()) == 1
    assert sum("for ever: nothing changes any more" in line for line in sequencediagram(standing).splitlines()) == 1


def test_a_story_says_what_happens_for_ever() -> None:
    told = story(broken(Called, "arrives"))
    assert "arrives is violated (2 states; no bounds)" in told[0]
    wanted = ["-- from here on the goal does not hold", "-- for ever:", "     and all is as in state 0"]
    assert [line for line in told if line in wanted] == wanted
    assert "    Rise(): taken in step 1" in told
    assert "arrives(s2) is violated" in story(broken(Ping, "arrives"))[0]
    drawn = mermaid(broken(Called, "arrives")).splitlines()
    assert drawn.index("    loop for ever") < drawn.index("    end")
    assert sum("Note over" in line for line in drawn) == 3
