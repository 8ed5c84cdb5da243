"""What Kafka's own classes have shown of the known holes: the kept answers, and how they are asked for.

`kept/shown.json` has what becomes of each hole, and in which releases: `shown`, `closed`, or `not mapped` with the
reason. It is the answer of `epochal lockstep catalogue --kafka RELEASE --traces counterexamples`, and that of the runs
below for holes that this command does not show. `python -m tests.lockstep.record` writes it, and a test asks again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import epochal
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.known import KnownHole
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.settings import ReassignmentEnds
from epochal.spec.registry import registered

HERE: Final = Path(__file__).resolve().parent
RUNS: Final = HERE.parents[1] / "counterexamples"
HOLES: Final = HERE / "kept" / "shown.json"
RELEASES: Final = ("3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
"""The newest one of each version that the lockstep runs."""


def kept(release: str) -> dict[str, str]:
    """What became of each hole, as it is kept."""
    said: dict[str, dict[str, list[str]]] = json.loads(HOLES.read_text(encoding="utf-8"))
    return {id: what for id, became in said.items() for what, releases in became.items() if release in releases}


def keep(release: str, holes: Mapping[str, str]) -> None:
    """Keep what became of each hole in a release, in the place of what was kept of it: a line for each hole."""
    every = {one: holes if one == release else kept(one) for one in RELEASES}
    said: dict[str, dict[str, list[str]]] = {bug.id: {} for bug in CATALOGUE}
    for one, became in every.items():
        for id, what in became.items():
            said[id].setdefault(what, []).append(one)
    lines = (f" {json.dumps(id)}: {json.dumps(what)}" for id, what in said.items() if what)
    HOLES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def asked(release: str) -> dict[str, str]:
    """The same, from Kafka's classes now."""
    return with_further(release, epochal.lockstep_catalogue(kafka=release, traces=RUNS).holes)


def with_further(release: str, holes: Iterable[KnownHole]) -> dict[str, str]:
    """What became of these holes, and of those that take a run of their own."""
    found = {one.id: one.says if one.played is None else one.standing.value for one in holes}
    had = {bug.id for bug in CATALOGUE if bug.was_in(release)}
    more = {id: shows for id, shows in FURTHER.items() if id in had and found.get(id) != "shown"}
    return found | {id: "shown" if shows(release) else "closed" for id, shows in more.items()}


def shortest(hole: str) -> Trace:
    """The shortest run of a hole without eligible leader replicas."""
    kind = cast(type[Kraft], registered(f"kraft-{hole}"))
    searched = with_settings(kind, replace(kind.settings, elr=False), f"kraft-{hole} without ELR")(None)
    (bug,) = (one for one in CATALOGUE if one.without_rule == f"kraft-{hole}")
    return epochal.check(searched, properties=[bug.property_id], liveness=False).traces[bug.property_id]


# -- H5 ---------------------------------------------------------------------------------------------------------------
# No time goes on, so that what the follower has truncated is not written to the file of its epochs.

EPOCH_FILE: Final = [
    "produce:0:0:-1",
    "fetch:1:0",
    "fetch:2:0",
    "fetch:1:0",
    "fetch:2:0",
    "produce:0:1:-1",
    "fetch:2:0",
    "fetch:2:0",
    "controller:elect:preferred",
    "replay:1:1",
    "controller:fence:1",
    "replay:0:2",
    "replay:1:1",
    "fetch:1:0",
    "fetch:1:0",
    "fetch:1:0",
]
"""Broker 1 leads for a moment, so that it has an epoch more; then it truncates that, and copies the second record."""

FAILURE: Final = ("crash:1:-1", "controller:restart:1:unclean start:1", "fetch:1:0")
BOTH: Final = [[0, 0], [1, 0]]


def beginning(version: str) -> str:
    """The line of a cluster of three, of which broker 0 leads, and broker 1 is the preferred leader."""
    return f"begin|3|{int(version != '3.9.2')}|2|0|1,0,2|0|0|0|0,1,2||-1|0|||0,1,2|"


def story_of_h5(version: str) -> list[str]:
    """All lines of it."""
    return [beginning(version), *EPOCH_FILE, *FAILURE]


def after(version: str, lines: Sequence[str], fixes: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What broker 1 is like after each of the lines of a story."""
    with running(CLUSTER, kafka_classes(version, None, fixes=fixes)) as kafka:
        answers = kafka.ask([beginning(version), *lines])
    assert not [one for one in answers if one.startswith("thrown")]
    return [json.loads(one)["state"]["brokers"][1] for one in answers]


def h5(release: str) -> bool:
    """Whether the follower truncates a record that it had committed, by the epoch that its file has again."""
    *_, restarted, fetched = after(release, [*EPOCH_FILE, *FAILURE])
    return bool(restarted["log"] == BOTH and restarted["highWatermark"] == 2 and fetched["log"] == BOTH[:1])


# -- W4 ---------------------------------------------------------------------------------------------------------------
# Since 4.3 a reassignment may end earlier, so that the committed run is none of these releases.

W4_OF_4_3: Final = HERE / "kept" / "w4-4.3.json"


def w4_of_4_3() -> type[Kraft]:
    """W4 with the rule of 4.3 about when a reassignment is complete: its own run is another one."""
    bug = next(one for one in BUGS if one.id == "W4")
    settings = replace(bug.faulty, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY)
    kind = registered("kraft-w4")
    assert issubclass(kind, Kraft)
    return with_settings(kind, settings, "kraft-w4-4.3")


def w4(release: str) -> bool:
    """Whether an empty replica is elected."""
    played = epochal.lockstep_run(W4_OF_4_3, protocols=[w4_of_4_3()], kafka=release)
    return played.exit_code == ExitCode.VIOLATED


# -- T7 ---------------------------------------------------------------------------------------------------------------
# In its run an expiry task begins that has noted nothing of the remote tier, and looks that up first.

BEGIN_TIERED: Final = "begin|2|{elr}|1|1|0,1|0|0|0|0,1||-1|0|||0,1||tiered-storage"

DELETED_BY_THE_FORMER_LEADER: Final = (
    "produce:0:0:-1 roll:0",
    "fetch:1:0 roll:1",
    "fetch:1:0 roll:1",
    "fetch:1:0 roll:1",
    "controller:fence:0",
    "replay:1:1",
    "upload:1",
    "delete_local:1:0",
    "delete:0:1",
    "delete_remote:0",
    "replay:0:1",
    "look_up:1",
    "delete_remote:1",
)
"""Broker 1 leads, and has record 0 in the remote tier alone. Broker 0 has not heard of that, and deletes it there.

Then both tasks of broker 1 run.
"""


def t7(release: str) -> bool:
    """Whether the leader goes on telling of an offset at which neither its disk nor the remote tier has anything."""
    begin = BEGIN_TIERED.format(elr=int(release != "3.9.2"))
    with running(CLUSTER, kafka_classes(release, None)) as kafka:
        answers = kafka.ask([begin, *(f"wait:31000 {line}" for line in DELETED_BY_THE_FORMER_LEADER)])
    state = json.loads(answers[-1])["state"]
    leader = state["brokers"][1]
    return bool(state["remote"] == leader["log"] == [] and leader["logStart"] == 0 < leader["localStart"])


# -- T2 ---------------------------------------------------------------------------------------------------------------
# The fault is what a task does not do that is not there.

DISABLED: Final = ("disable_copying:0", "disable_copying:1")
"""Both brokers hear of remote.log.copy.disable."""


def without_copying(release: str, disabled: Sequence[str] = DISABLED) -> tuple[str, dict[str, Any]]:
    """What becomes of a look-up, and the state after it, where the leader before has deleted what was uploaded."""
    begin = BEGIN_TIERED.format(elr=int(release != "3.9.2"))
    lines = (
        "produce:0:0:-1 roll:0",
        "fetch:1:0 roll:1",
        "fetch:1:0 roll:1",
        "upload:0",
        "look_up:1",
        "fetch:1:0 roll:1",
        "delete_local:1:0",
        *disabled,
        "delete:0:1",
        "delete_remote:0",
        "stop:0 controller:shut_down:0",
        "replay:1:1",
        "look_up:1",
    )
    with running(CLUSTER, kafka_classes(release, None)) as kafka:
        answers = kafka.ask([begin, *(f"wait:31000 {line}" for line in lines)])
    last = json.loads(answers[-1])
    return last["answers"][-1], last["state"]


def t2(release: str) -> bool:
    """Whether a new leader, which has no task that looks, tells of an offset at which there is nothing any more."""
    outcome, state = without_copying(release)
    leader = state["brokers"][1]
    nothing = state["remote"] == leader["log"] == []
    return bool(outcome == "NO_TASK" and nothing and leader["logStart"] == 0 < leader["localStart"])


FURTHER: Final[Mapping[str, Callable[[str], bool]]] = {"H5": h5, "W4": w4, "T7": t7, "T2": t2}
"""Holes that the command does not show by the runs that it has."""
