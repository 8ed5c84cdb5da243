"""What a run with random faults does and when: all of it from a seed, before the run begins.

Each fault is one that the specification has: a process ends in one of three ways or stands still, messages are late or
lost between two nodes, an operator asks for something. Each ends after a while, so that a run goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

LONGEST = 10.0
"""Seconds after which a fault has ended: more than a session and `replica.lag.time.max.ms` of `configuration.QUICK`."""


@dataclass(frozen=True, order=True)
class Step:
    """Something that is done at a time, in seconds since the run began."""

    at: float
    what: str
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """How a plan is written down."""
        return asdict(self)


class Planner:
    """Makes a plan: a node or a link has one fault at a time.

    A `clean` plan has nothing that may lose what an ISR of `min.insync.replicas` has: no tail is lost, nobody is
    elected uncleanly, and the setting stays as it is.
    """

    def __init__(self, seed: int, seconds: float, brokers: int, controller: int, clean: bool = False) -> None:
        self._random = random.Random(seed)
        self._brokers, self._controller, self._seconds = list(range(1, brokers + 1)), controller, seconds
        self._clean = clean
        self._busy: dict[object, float] = {}
        self._now = 0.0
        self.steps: list[Step] = []

    def make(self) -> list[Step]:
        """The steps in their order."""
        faults: dict[Callable[[], None], int] = {
            self._kill: 4,
            self._crash: 3,
            self._stop: 3,
            self._pause: 3,
            self._restart_controller: 1,
            self._cut: 3,
            self._hold: 3,
            self._late_metadata: 3,
            self._late_proposals: 2,
            self._delay: 2,
            self._prefer: 4,
            self._elect_uncleanly: 1,
            self._reassign: 2,
            self._set_min_isr: 2,
            self._set_unclean: 1,
        }
        if self._clean:
            for fault in (self._crash, self._elect_uncleanly, self._set_min_isr, self._set_unclean):
                del faults[fault]
        self._now = 2.0
        while self._now < self._seconds - 1:
            self._random.choices(list(faults), list(faults.values()))[0]()
            self._now += self._random.uniform(0.2, 3.5)
        return sorted(self.steps)

    # -- processes ------------------------------------------------------------------------------------------------

    def _kill(self) -> None:
        """kill -9, and a start later."""
        self._ends("kill", {})

    def _crash(self) -> None:
        """A power failure: what was not flushed is lost, a few records at the end."""
        self._ends("crash", {"tail": self._random.randint(1, 6)})

    def _stop(self) -> None:
        """A controlled shutdown; it is killed if it has not ended when it is to start again."""
        self._ends("begin_stop", {})

    def _ends(self, what: str, facts: dict[str, Any]) -> None:
        broker = self._random.choice(self._brokers)
        self._for_a_while(broker, what, {"node": broker, **facts}, "start_again", {"node": broker})

    def _pause(self) -> None:
        """It stands still, as in a long collection of garbage."""
        broker = self._random.choice(self._brokers)
        self._for_a_while(broker, "pause", {"node": broker}, "resume", {"node": broker})

    def _restart_controller(self) -> None:
        """kill -9 of the only controller, which comes back soon."""
        node = {"node": self._controller}
        self._for_a_while(self._controller, "kill", node, "start_again", node)

    # -- links ----------------------------------------------------------------------------------------------------

    def _link(self) -> dict[str, int]:
        """A way from a broker to another, or to the controller."""
        source, target = self._random.sample([*self._brokers, self._controller], 2)
        return (
            {"source": target, "target": source} if source == self._controller else {"source": source, "target": target}
        )

    def _to_controller(self) -> dict[str, int]:
        return {"source": self._random.choice(self._brokers), "target": self._controller}

    def _cut(self) -> None:
        """Connections are closed, and none is made."""
        self._of_link(self._link(), "cut", {})

    def _hold(self) -> None:
        """Nothing passes, and nothing is lost."""
        self._of_link(self._link(), "hold", {})

    def _late_metadata(self) -> None:
        """A broker hears no metadata; its heartbeats and proposals pass."""
        self._of_link(self._to_controller(), "hold", {"way": "answers", "api": "FETCH"})

    def _late_proposals(self) -> None:
        """What a broker asks by AlterPartition, or is answered, is late."""
        way = self._random.choice(["requests", "answers"])
        self._of_link(self._to_controller(), "hold", {"way": way, "api": "ALTER_PARTITION"})

    def _delay(self) -> None:
        """Everything comes later."""
        self._of_link(self._link(), "delay", {"seconds": round(self._random.uniform(0.05, 1.5), 2)})

    def _of_link(self, link: dict[str, int], what: str, facts: dict[str, Any]) -> None:
        self._for_a_while((link["source"], link["target"]), what, {**link, **facts}, "release", link)

    # -- an operator ----------------------------------------------------------------------------------------------

    def _prefer(self) -> None:
        """An election of the preferred leader."""
        self._step(self._now, "elect", {"kind": "preferred"})

    def _elect_uncleanly(self) -> None:
        """An unclean election, by hand: Kafka refuses it where there is a leader."""
        self._step(self._now, "elect", {"kind": "unclean"})

    def _reassign(self) -> None:
        """Other replicas, two or all of the brokers, or another order of them."""
        count = self._random.choice([len(self._brokers), len(self._brokers), len(self._brokers) - 1])
        self._step(self._now, "reassign", {"replicas": self._random.sample(self._brokers, count)})

    def _set_min_isr(self) -> None:
        """min.insync.replicas is changed."""
        self._step(self._now, "configure", {"min_insync_replicas": str(self._random.choice([1, 2, 2]))})

    def _set_unclean(self) -> None:
        """Unclean elections are allowed for a while."""
        name = "unclean_leader_election_enable"
        self._for_a_while(name, "configure", {name: "true"}, "configure", {name: "false"})

    # -- what is free ---------------------------------------------------------------------------------------------

    def _for_a_while(self, of: object, what: str, facts: dict[str, Any], end: str, ending: dict[str, Any]) -> None:
        """A fault and its end, unless there is one already."""
        if self._busy.get(of, 0.0) <= self._now:
            until = min(self._now + self._random.uniform(0.5, LONGEST), self._seconds)
            self._busy[of] = until + 0.5
            self._step(self._now, what, facts)
            self._step(until, end, ending)

    def _step(self, at: float, what: str, facts: dict[str, Any]) -> None:
        self.steps.append(Step(round(at, 2), what, facts))
