"""Small protocols of which it is known by thinking what must happen in them in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epochal.spec.language import Protocol
from tests.zoo.rows import rows

PROTOCOLS = rows(
    globals(),
    "Protocol",
    """
    Floor = Annotated[int, Integers(0, 2)]
    Count = Annotated[int, Integers(0, 3)]
    Server = Annotated[Identifier, Identifiers("s", 2)]
    Lift: Goes up when it must, and opens and closes its door as it likes.
        floor: Floor
        open: bool
        action(fair="weak") rise: One floor up.
            require(self.floor < 2)
            self.floor += 1
        action(fair="weak") rise_closed: One floor up, if the door is closed.
            require(self.floor < 2 and not self.open)
            self.floor += 1
        action(fair="strong") rise_patiently: One floor up, if the door is closed; it waits for that.
            require(self.floor < 2 and not self.open)
            self.floor += 1
        action door: Opens or closes.
            self.open = not self.open
        leads_to(fair=("rise",)) arrives: It is on the top floor in the end.
            return True, self.floor == 2
        leads_to(fair=()) arrives_unfairly: It arrives although nobody makes it.
            return True, self.floor == 2
        leads_to(fair=("rise_closed",)) arrives_closed: It arrives although it waits for a closed door.
            return True, self.floor == 2
        leads_to(fair=("rise_patiently",)) arrives_patiently: It never gives up to wait for a closed door.
            return True, self.floor == 2
        leads_to(fair=()) stays: On the top floor it is on the top floor.
            return self.floor == 2, self.floor == 2
    Called < Lift: Somebody on the ground calls the lift.
        action call: Down.
            require(self.floor == 1)
            self.floor = 0
    LiftWithADoorThatCloses < Lift: The door does not stay open, nor closed.
        action(fair="weak") door: Opens or closes.
            self.open = not self.open
        leads_to(fair=("rise_closed", "door")) arrives_closed: An open door is excuse enough.
            return True, self.floor == 2
        leads_to(fair=("rise_patiently", "door")) arrives_patiently: Rising is possible again and again, so it is done.
            return True, self.floor == 2
    Counter: Counts for ever; the model stops at three. Each count may ring a bell, which nobody makes it do.
        count: Count
        rung: bool
        action(fair="weak") count_on: One more.
            require(not self.rung)
            bounded(self.count < 3)
            self.count += 1
        action ring: The bell.
            require(not self.rung)
            self.rung = True
        leads_to(fair=("count_on",)) rings: It rings in the end: counting goes on outside of the bounds.
            return True, self.rung
        leads_to(fair=()) rings_unfairly: It rings although nobody counts.
            return True, self.rung
    RealEnd < Counter: What counts ends at three.
        action(fair="weak") count_on: One more, while there is one.
            require(not self.rung)
            require(self.count < 3)
            self.count += 1
    Constrained < RealEnd: The same counter, which counts on; the search leaves it at two.
        constraint small: Nobody looks further.
            return self.count < 3
    Idle: A fair step that changes nothing is no step.
        on: bool
        action(fair="weak") poll: Nothing new.
            require(not self.on)
        action switch: On.
            self.on = True
        leads_to(fair=("poll",)) lights: It lights up, if asking for it helped.
            return True, self.on
    Choice: A step whose outcome is chosen, now one and now the other being possible: fairness is of who acts.
        odd: bool
        done: bool
        action(by="server", fair="weak") finish(server: Server, late: bool): Done; `late` is an outcome.
            require(not self.done and late == self.odd)
            self.done = True
        action alternate: Odd, even.
            require(not self.done)
            self.odd = not self.odd
        leads_to(fair=("finish",)) finishes: It is done: some server could always do it.
            return True, self.done
    ChoiceByInstance < Choice:
        # The same, with fairness of each outcome: neither is always possible, so the run escapes both.
        action(by="server", fair="weak", each=("server", "late")) finish(server: Server, late: bool): Done.
            require(not self.done and late == self.odd)
            self.done = True
    Fetches: Two followers that fetch, for ever; who does not is behind.
        news: Map[Server, bool]
        action(by="server", fair="weak") fetch(server: Server): Always news for the first, once for the second.
            require(server == self.member(Server, 0) or not self.news[server])
            self.news[server] = not self.news[server]
        leads_to(fair=("fetch",)) catches_up: The second has fetched in the end.
            return True, self.news[self.member(Server, 1)]
    FetchesByAction < Fetches: The same, with fairness of fetching as a whole: one follower starves the other.
        action(by="server", fair="weak", each=()) fetch(server: Server): Either fetches.
            require(server == self.member(Server, 0) or not self.news[server])
            self.news[server] = not self.news[server]
    Ping: A request that moves between two servers that nothing tells apart: why representatives cannot be judged.
        asks: Server
        action(by="server") move(server: Server): To the other one.
            require(server != self.asks)
            self.asks = server
        leads_to(fair=()) arrives(server: Server): It comes to each server, though nobody makes it.
            return True, self.asks == server
    Trip: Leaves the ground floor once, and then goes between the others for ever.
        floor: Floor
        action(fair="weak") go: One floor up, or down from the last.
            self.floor = self.floor + 1 if self.floor < 2 else 1
        leads_to(fair=("go",), once=True) starts: From the start, it is on the ground floor some time.
            return True, self.floor == 0
        leads_to(fair=("go",)) comes_back: Wherever it is, it comes to the ground floor again.
            return True, self.floor == 0
        leads_to(fair=("go",), once=True) comes_back_from_the_first: If it starts on the first floor, which it does not.
            return self.floor == 1, self.floor == 0
        leads_to(fair=("go",), once=True) rests: If it starts on the ground floor it goes higher than there is.
            return self.floor == 0, self.floor > 2
    Tasks: Two tasks take two locks each, in opposite orders, and give both back in the end.
        left_first: Count
        right_first: Count
        action go_left: It takes the left lock, then the right one, and gives both back.
            require(self.left_first < 3)
            require(self.left_first != 0 or self.right_first != 2)
            require(self.left_first != 1 or self.right_first in (0, 3))
            self.left_first += 1
        action go_right: It takes the right lock, then the left one, and gives both back.
            require(self.right_first < 3)
            require(self.right_first != 0 or self.left_first != 2)
            require(self.right_first != 1 or self.left_first in (0, 3))
            self.right_first += 1
    Declared < Tasks: Says where a run may end.
        ends done: Both tasks are done.
            return self.left_first == 3 and self.right_first == 3
    DeclaredTwice < Declared: Allows the other end, too.
        ends stuck: Both wait.
            return self.left_first == 1 and self.right_first == 1
    Bounded < Declared: The model has no room for the end of the first task, whose second step a bound alone stops.
        action go_left: As before, as far as there is room.
            require(self.left_first < 3)
            require(self.left_first != 1 or self.right_first in (0, 3))
            bounded(self.left_first < 2)
            self.left_first += 1
    Unfinished < Declared: States outside are possible, and lead on.
        constraint small: Not all is done.
            return self.left_first + self.right_first < 6
    Fails < Declared: Where a run may end cannot be said everywhere.
        queue: Annotated[Log[Count], Capacity(1)]
        ends done: Wrong in one state.
            return self.queue[self.left_first] == 1
    Ordered: Guards and a bound in all the places where they can stand.
        count: Count
        mark: bool
        def within(self, least: int) -> None:
            # A helper that stops, too.
            bounded(self.count < least)
        action(fair="weak") after(high: bool): The bound is last, on one path.
            require(not self.mark)
            if high:
                self.within(2)
            self.count = (self.count + 1) % 4
        action(fair="weak") before: The bound is first: what comes after it is not asked.
            bounded(self.count < 1)
            require(self.mark)
            self.mark = False
        action(fair="weak") never: No state is within the bound.
            bounded(False)
            self.mark = not self.mark
        action flip: The mark changes.
            self.mark = not self.mark
        leads_to(fair=("after", "before", "never")) ends: Nothing in particular.
            return True, False
    Passed: A ball that somebody throws to one of two servers, and that they pass on, for ever.
        held: Map[Server, bool]
        action(fair="weak") throw(server: Server): Nobody has it yet.
            require(all(not self.held[s] for s in self.each(Server)))
            self.held[server] = True
        action hand_on(server: Server, other: Server): Perhaps it is handed on.
            require(self.held[server] and server != other)
            self.held[server] = False
            self.held[other] = True
        leads_to(fair=("throw",)) comes(server: Server): Whoever lacks it gets it.
            return not self.held[server], self.held[server]
    Letter: A letter that is written and read.
        written: bool
        read: bool
        action(fair="weak") write: Somebody writes it.
            require(not self.written)
            self.written = True
        action(fair="weak") read_it: Somebody reads it.
            require(self.may_read() and not self.read)
            self.read = True
        action(fair="weak") burn: Somebody could burn it, which the promise leaves out on purpose.
            require(self.written and not self.read)
            self.read = True
        def may_read(self) -> bool:
            # Whether it is there to be read.
            return self.written
        leads_to(fair=("write", "read_it")) is_read: It is read in the end.
            return True, self.read
    Posted < Letter: It has to be brought, too.
        brought: bool
        def may_read(self) -> bool:
            # Who has it.
            return self.brought
        action(fair="weak") bring: The postman brings it.
            require(self.written and not self.brought)
            self.brought = True
        action forge: Somebody brings another, which nobody has to.
            require(self.written and not self.brought)
            self.brought = True
    Known < Posted: A promise that knows the postman.
        leads_to(fair=("write", "bring", "read_it")) is_read: It is read in the end.
            return True, self.read
    LeftOut < Posted: A promise that knows the postman, and does not count on him.
        leads_to(fair=("write", "read_it")) is_read: It is read in the end.
            return True, self.read
    Still: A step that changes nothing, and where a run may end if somebody says so.
        on: bool
        action stay: Nothing happens.
            self.on = False
    MayEnd < Still: It may.
        ends anywhere: A run may end anywhere.
            return not self.on
    Ladder: Somebody climbs, and may jump down once. Nobody said that he stays up.
        high: bool
        jumped: bool
        action(fair="weak") climb: One step up.
            require(not self.high)
            self.high = True
        action jump: Down again.
            require(self.high and not self.jumped)
            self.high = False
            self.jumped = True
        leads_to(fair=("climb",)) gets_up: Who is down gets up.
            return not self.high, self.high
        leads_to(fair=ALL, optional=True) gets_up_as_anybody_would: Who is down gets up, by all that is done fairly.
            return not self.high, self.high
        leads_to(fair=ALL, optional=True) comes_down: Who is up comes down.
            return self.high, not self.high
    Slower < Ladder: Climbing takes two steps.
        half: bool
        action(fair="weak") begin: Half way up.
            require(not self.high and not self.half)
            self.half = True
        action(fair="weak") climb: The rest of it.
            require(self.half and not self.high)
            self.high = True
            self.half = False
    OnlyWished: A coin that may be turned.
        up: bool
        action turn: The other side.
            self.up = not self.up
        leads_to(fair=ALL, optional=True) is_up: It shows heads in the end.
            return not self.up, self.up
    Insides < Counter: A bound inside an operand.
        action(fair="weak") count_on: Wrong.
            self.rung = self.rung or bounded(self.count < 3) is None
    EndsInSteps < Tasks: Where a run may end takes two states.
        ends done(new: Self): Wrong.
            return new.left_first == 3
    CannotBeEvaluated < Counter: A promise that cannot be evaluated in some states, of which none is in the first rank.
        queue: Annotated[Log[Count], Capacity(1)]
        leads_to(fair=("count_on",)) fails: Nothing is ever in the queue.
            return self.count < 2 or self.queue[0] == 1, self.rung
    Stuck < Lift: It rises once, and there nothing is possible.
        rise_closed = rise_patiently = arrives_patiently = None
        def rise(self) -> None:
            require(self.floor < 1)
            self.floor += 1
    """,
)

_KNOWN: dict[str, dict[str, tuple[int, int] | None]] = {
    "Lift": {
        "arrives": None,
        "arrives_unfairly": (1, 0),
        "arrives_closed": (1, 2),
        "arrives_patiently": (2, 0),
        "stays": None,
    },
    "LiftWithADoorThatCloses": {"arrives_closed": (1, 2), "arrives_patiently": None},
    "Called": {"arrives": (1, 2)},
    "Counter": {"rings": None, "rings_unfairly": (1, 0)},
    "RealEnd": {"rings": (4, 0)},
    "Constrained": {"rings": None},
    "Idle": {"lights": (1, 0)},
    "Choice": {"finishes": None},
    "ChoiceByInstance": {"finishes": (1, 2)},
    "Fetches": {"catches_up": None},
    "FetchesByAction": {"catches_up": (1, 2)},
    "Ping": {"arrives": (1, 0)},
    "Trip": {"starts": None, "comes_back": (2, 2), "comes_back_from_the_first": None, "rests": (2, 2)},
}
KNOWN: dict[tuple[type[Protocol], str], tuple[int, int] | None] = {
    (PROTOCOLS[kind].kind, name): answer for kind, answers in _KNOWN.items() for name, answer in answers.items()
}
"""Each promise with the states of the shortest run that breaks it and of its round, None for one that is kept."""

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
