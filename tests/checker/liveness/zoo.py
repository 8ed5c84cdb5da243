"""Small protocols of which it is known by thinking what must happen in them in the end."""

from __future__ import annotations

from typing import Annotated

from epochal.spec.language import (
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    action,
    bounded,
    constraint,
    leads_to,
    require,
)

Floor = Annotated[int, Integers(0, 2)]
Count = Annotated[int, Integers(0, 3)]
Server = Annotated[Identifier, Identifiers("s", 2)]


class Lift(Protocol):
    """Goes up when it must, and opens and closes its door as it likes."""

    floor: Floor
    open: bool

    @action(fair="weak")
    def rise(self) -> None:
        """One floor up."""
        require(self.floor < 2)
        self.floor += 1

    @action(fair="weak")
    def rise_closed(self) -> None:
        """One floor up, if the door is closed."""
        require(self.floor < 2 and not self.open)
        self.floor += 1

    @action(fair="strong")
    def rise_patiently(self) -> None:
        """One floor up, if the door is closed; it waits for that."""
        require(self.floor < 2 and not self.open)
        self.floor += 1

    @action
    def door(self) -> None:
        """Opens or closes."""
        self.open = not self.open

    @leads_to(fair=("rise",))
    def arrives(self) -> tuple[bool, bool]:
        """It is on the top floor in the end."""
        return True, self.floor == 2

    @leads_to(fair=())
    def arrives_unfairly(self) -> tuple[bool, bool]:
        """It arrives although nobody makes it."""
        return True, self.floor == 2

    @leads_to(fair=("rise_closed",))
    def arrives_closed(self) -> tuple[bool, bool]:
        """It arrives although it waits for a closed door."""
        return True, self.floor == 2

    @leads_to(fair=("rise_patiently",))
    def arrives_patiently(self) -> tuple[bool, bool]:
        """It arrives although it waits for a closed door, for it never gives up."""
        return True, self.floor == 2

    @leads_to(fair=())
    def stays(self) -> tuple[bool, bool]:
        """On the top floor it is on the top floor."""
        return self.floor == 2, self.floor == 2


class Called(Lift):
    """Somebody on the ground calls the lift."""

    @action
    def call(self) -> None:
        """Down."""
        require(self.floor == 1)
        self.floor = 0


class LiftWithADoorThatCloses(Lift):
    """The door does not stay open, nor closed."""

    @action(fair="weak")
    def door(self) -> None:
        """Opens or closes."""
        self.open = not self.open

    @leads_to(fair=("rise_closed", "door"))
    def arrives_closed(self) -> tuple[bool, bool]:
        """Whenever the door is open, rising is impossible: that is excuse enough."""
        return True, self.floor == 2

    @leads_to(fair=("rise_patiently", "door"))
    def arrives_patiently(self) -> tuple[bool, bool]:
        """Rising is possible again and again, so it is done."""
        return True, self.floor == 2


class Counter(Protocol):
    """Counts for ever; the model stops at three. Each count may ring a bell, which nobody makes it do."""

    count: Count
    rung: bool

    @action(fair="weak")
    def count_on(self) -> None:
        """One more."""
        require(not self.rung)
        bounded(self.count < 3)
        self.count += 1

    @action
    def ring(self) -> None:
        """The bell."""
        require(not self.rung)
        self.rung = True

    @leads_to(fair=("count_on",))
    def rings(self) -> tuple[bool, bool]:
        """The bell rings in the end: no run within the bounds breaks it, because counting goes on outside."""
        return True, self.rung

    @leads_to(fair=())
    def rings_unfairly(self) -> tuple[bool, bool]:
        """It rings although nobody counts."""
        return True, self.rung


class RealEnd(Counter):
    """What counts ends at three."""

    @action(fair="weak")
    def count_on(self) -> None:
        """One more, while there is one."""
        require(not self.rung)
        require(self.count < 3)
        self.count += 1


class Constrained(RealEnd):
    """The same counter, which counts on; the search leaves it at two."""

    @constraint
    def small(self) -> bool:
        """Nobody looks further."""
        return self.count < 3


class Idle(Protocol):
    """A fair step that changes nothing is no step."""

    on: bool

    @action(fair="weak")
    def poll(self) -> None:
        """Nothing new."""
        require(not self.on)

    @action
    def switch(self) -> None:
        """On."""
        self.on = True

    @leads_to(fair=("poll",))
    def lights(self) -> tuple[bool, bool]:
        """It lights up, if asking for it helped."""
        return True, self.on


class Choice(Protocol):
    """A step whose outcome is chosen, now one and now the other being possible: fairness is of who acts."""

    odd: bool
    done: bool

    @action(by="server", fair="weak")
    def finish(self, server: Server, late: bool) -> None:
        """Done; `late` is an outcome."""
        require(not self.done and late == self.odd)
        self.done = True

    @action
    def alternate(self) -> None:
        """Odd, even."""
        require(not self.done)
        self.odd = not self.odd

    @leads_to(fair=("finish",))
    def finishes(self) -> tuple[bool, bool]:
        """It is done: some server could always do it."""
        return True, self.done


class ChoiceByInstance(Choice):
    """The same, with fairness of each outcome: neither is always possible, so the run escapes both."""

    @action(by="server", fair="weak", each=("server", "late"))
    def finish(self, server: Server, late: bool) -> None:
        """Done."""
        require(not self.done and late == self.odd)
        self.done = True


class Fetches(Protocol):
    """Two followers that fetch, for ever; who does not is behind."""

    news: Map[Server, bool]

    @action(by="server", fair="weak")
    def fetch(self, server: Server) -> None:
        """There is always news for the first, and once for the second."""
        require(server == self.member(Server, 0) or not self.news[server])
        self.news[server] = not self.news[server]

    @leads_to(fair=("fetch",))
    def catches_up(self) -> tuple[bool, bool]:
        """The second has fetched in the end."""
        return True, self.news[self.member(Server, 1)]


class FetchesByAction(Fetches):
    """The same, with fairness of fetching as a whole: one follower starves the other."""

    @action(by="server", fair="weak", each=())
    def fetch(self, server: Server) -> None:
        """Either fetches."""
        require(server == self.member(Server, 0) or not self.news[server])
        self.news[server] = not self.news[server]


class Ping(Protocol):
    """A request that moves between two servers that nothing tells apart: why representatives cannot be judged."""

    asks: Server

    @action(by="server")
    def move(self, server: Server) -> None:
        """To the other one."""
        require(server != self.asks)
        self.asks = server

    @leads_to(fair=())
    def arrives(self, server: Server) -> tuple[bool, bool]:
        """It comes to each server, though nobody makes it."""
        return True, self.asks == server


class Trip(Protocol):
    """Leaves the ground floor once, and then goes between the others for ever."""

    floor: Floor

    @action(fair="weak")
    def go(self) -> None:
        """One floor up, or down from the last."""
        self.floor = self.floor + 1 if self.floor < 2 else 1

    @leads_to(fair=("go",), once=True)
    def starts(self) -> tuple[bool, bool]:
        """From the start, it is on the ground floor some time."""
        return True, self.floor == 0

    @leads_to(fair=("go",))
    def comes_back(self) -> tuple[bool, bool]:
        """Wherever it is, it comes to the ground floor again."""
        return True, self.floor == 0

    @leads_to(fair=("go",), once=True)
    def comes_back_from_the_first(self) -> tuple[bool, bool]:
        """If it starts on the first floor, which it does not."""
        return self.floor == 1, self.floor == 0

    @leads_to(fair=("go",), once=True)
    def rests(self) -> tuple[bool, bool]:
        """If it starts on the ground floor it goes higher than there is."""
        return self.floor == 0, self.floor > 2


KNOWN: dict[tuple[type[Protocol], str], tuple[int, int] | None] = {
    (Lift, "arrives"): None,
    (Lift, "arrives_unfairly"): (1, 0),
    (Lift, "arrives_closed"): (1, 2),
    (Lift, "arrives_patiently"): (2, 0),
    (Lift, "stays"): None,
    (LiftWithADoorThatCloses, "arrives_closed"): (1, 2),
    (LiftWithADoorThatCloses, "arrives_patiently"): None,
    (Called, "arrives"): (1, 2),
    (Counter, "rings"): None,
    (Counter, "rings_unfairly"): (1, 0),
    (RealEnd, "rings"): (4, 0),
    (Constrained, "rings"): None,
    (Idle, "lights"): (1, 0),
    (Choice, "finishes"): None,
    (ChoiceByInstance, "finishes"): (1, 2),
    (Fetches, "catches_up"): None,
    (FetchesByAction, "catches_up"): (1, 2),
    (Ping, "arrives"): (1, 0),
    (Trip, "starts"): None,
    (Trip, "comes_back"): (2, 2),
    (Trip, "comes_back_from_the_first"): None,
    (Trip, "rests"): (2, 2),
}
"""Each promise with the states of the shortest run that breaks it and of its round, None for one that is kept."""
