"""Protocols that searches, simulations and mutations are tried on, each about one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.zoo.rows import rows

rows(
    globals(),
    "Protocol",
    """
    Node = Annotated[Identifier, Identifiers("n", 2)]
    Number = Annotated[int, Integers(0, 3)]
    Neighbours: Where the number is 2 a step leads to the violation, and another action cannot be evaluated.
        name: ClassVar[str] = "neighbours"
        bounds: Bounds
        number: Number
        kept: Number
        log: Annotated[Log[Number], Capacity(1)]
        seen: Map[Node, bool]
        action grow(node: Node): One more, seen by a node.
            require(self.number < 3)
            self.number += 1
            self.seen[node] = True
        action note: Keep the number in the log.
            require(self.number == 0 and len(self.log) == 0)
            self.log.append(self.number)
        action read: Fails where the log is empty.
            require(self.number == 2)
            self.kept = self.log[0]
        invariant below_three: The number stays below three.
            return self.number < 3
        reachable both_seen: Both nodes have seen a step.
            return all(self.seen[n] for n in self.each(Node))
    FailingJudge < Neighbours: Another property cannot be evaluated of the step that breaks one.
        read = None
        action_property logged: Fails where the number reaches three and the log is empty.
            return new.number < 3 or new.log[0] == 0
        action_property stays_small: The number stays below three.
            return new.number < 3
    Supposed < Neighbours: A lemma that a step breaks, from a state in which another rule fails.
        lemma small: At most two.
            return self.number <= 2
    Failing: Two steps, of which one cannot be evaluated in some states.
        bounds: Bounds
        x: Annotated[int, Integers(0, 5)]
        log: Annotated[Log[Annotated[int, Integers(0, 1)]], Capacity(2)]
        action up: One more.
            require(self.x < 5)
            self.x += 1
        action append: Append, though the log may be full.
            require(self.x >= 2)
            self.log.append(1)
    ClockBounds < Bounds: How often the clock ticks.
        ticks: int = bound(2, least=0, most=5, help="ticks")
    Clock: Ticks, and may strike; whether it has a bell is a setting.
        bounds: ClockBounds
        bell: ClassVar[bool] = True
        strikes: ClassVar[bool] = True
        x: Annotated[int, Integers(0, 5)]
        struck: bool
        action tick: Ticks.
            require(self.x < self.bounds.ticks)
            self.x += 1
        action strike: Strikes once, if it does.
            require(self.strikes and self.x == self.bounds.ticks and not self.struck)
            self.struck = True
        invariant small: Stays within its ticks.
            return self.x <= self.bounds.ticks
        reachable(only_if=lambda self: self.bell) heard(new: Self): The bell is heard.
            return new.struck and not self.struck
        reachable(only_if=lambda self: self.has_time()) two_ticks: Two ticks: an ordinary method decides.
            return self.bounds.ticks >= 2 and self.x == 2
        def has_time(self) -> bool:
            # Whether there is time for two ticks.
            return self.bounds.ticks >= 2
    Silent < Clock: Has no bell, and does not strike.
        bell = False
        strikes = False
        strike = None
    Haunted < Clock: Has no bell, and strikes all the same.
        bell = False
    Broken < Clock: Has a bell, and does not strike.
        strikes = False
    Undecided < Clock: Asks the state whether the property applies.
        reachable(only_if=lambda self: self.x > 0) late: It is late.
            return self.x == 2
    Lamp: A lamp that is switched on and off, which it should not be.
        on: bool
        action press: The lamp changes.
            self.on = not self.on
        action pull_the_plug: The same by other means: two steps of one state show the same.
            self.on = not self.on
        action_property stays_on: Nobody switches it off.
            return not self.on or new.on
    Tree: A tree with two branches at each of its inner states, where something is wrong near the root.
        place: Annotated[int, Integers(1, 2**16 - 1)]
        action left: One branch.
            require(self.place < 2**15)
            self.place = 2 * self.place
        action right: The other one.
            require(self.place < 2**15)
            self.place = 2 * self.place + 1
        invariant is_at_the_root: False after a step.
            return self.place < 2
        invariant is_in_the_tree: Never false.
            return self.place > 0
    WorseTree < Tree: The same, and half of the leaves are wrong, too.
        invariant is_even: False in every second leaf.
            return self.place < 2**15 or self.place % 2 == 0
    Late: Numbers that pass a promise which has no answer in the third of them.
        number: Annotated[int, Integers(0, 3)]
        kept: Annotated[Log[Annotated[int, Integers(0, 3)]], Capacity(2)]
        action(fair="weak") count: The next number.
            require(self.number < 3)
            self.number = self.number + 1
        invariant is_a_number: Never false.
            return self.number >= 0
        leads_to(fair=("count",)) is_told: Looks into an empty log.
            return self.number == 2 and self.kept[0] > 0, self.number == 3
    Overflowing: A number that gets too large, and something beside it that does not matter.
        number: Annotated[int, Integers(0, 3)]
        beside: Annotated[int, Integers(0, 9)]
        action count: The last time there is no room.
            self.number = self.number + 1
        action turn: What does not matter.
            self.beside = (self.beside + 1) % 10
        invariant is_small: Nothing else is wrong.
            return self.number < 4
    Constrained: Two constraints, of which the second cannot be evaluated where the first is false.
        name: ClassVar[str] = "constrained"
        bounds: Bounds
        number: Annotated[int, Integers(0, 5)]
        log: Annotated[Log[Annotated[int, Integers(0, 5)]], Capacity(2)]
        action grow: One more.
            require(self.number < 5)
            self.number += 1
        action note: Keep the number.
            require(len(self.log) < 2)
            self.log.append(self.number)
        constraint small: At most three.
            return self.number <= 3
        constraint no_gap: Fails at four unless the log is full.
            return self.number < 4 or self.log[1] >= 0
        invariant never_four: Judged outside the constraint too.
            return self.number < 4
    Nowhere: No choice passes.
        bounds: Bounds
        x: Annotated[int, Integers(0, 2)]
        def initial(self, first: Annotated[int, Integers(0, 2)]) -> None:
            # Begins nowhere.
            require(first > 2)
            self.x = first
        action up: Counts.
            self.x = min(self.x + 1, 2)
    Counts: Every step breaks the same property.
        count: Annotated[int, Integers(0, 5)]
        action up: Count.
            require(self.count < 5)
            self.count += 1
        action_property never_up: Nothing counts.
            return new.count == self.count
    TwoHands: Two hands: the slow one moves when the fast one has come around, and there are many kinds of clocks.
        kind: Annotated[int, Integers(0, 1023)]
        slow: Annotated[int, Integers(0, 7)]
        fast: Annotated[int, Integers(0, 15)]
        action tick: Move.
            require(self.slow < 7)
            if self.fast < 15:
                self.fast += 1
            else:
                self.fast = 0
                self.slow += 1
    Turns: The last level has no new state, and yet shows something.
        on: bool
        count: Annotated[int, Integers(0, 1)]
        action turn(on: bool): On or off.
            self.on = on
        action_property never_off: Nothing is turned off: shown by the steps from the last level.
            return new.on or not self.on
        invariant counts: Nothing counts.
            return self.count == 0
    Breaks < Turns: The last level has no new state, and a rule fails in it.
        action turn(on: bool): On, and never off.
            was = self.on
            self.on = on
            self.count = self.count if on or not was else 2
    Many = Annotated[int, Integers(0, 69)]
    ManyPromises: More promises than bits of a word: one for each number.
        number: Many
        stuck: bool
        action(fair="weak") count: One more.
            require(self.number < 69 and not self.stuck)
            self.number += 1
        action stick: No further, from 63 on.
            require(self.number == 63)
            self.stuck = True
        leads_to(fair=("count",)) comes(other: Many): Each number comes in the end.
            return True, self.number >= other
    Level = Annotated[int, Integers(0, 4)]
    BurningLamp: A lamp that burns out.
        level: Level
        action turn: Brighter.
            self.level += 1
        action stay: As it was.
            require(self.level < 2)
        invariant dim: It is never bright.
            return self.level < 2
        action_property never_brighter: From 1 it does not get brighter.
            return not (self.level == 1 and new.level == 2)
        constraint small: No more than three.
            return self.level <= 3
    Switched: A rule behind a switch that is off, one that calls the other, and history in a nested if.
        x: Annotated[int, Integers(0, 3)]
        def strict(self) -> bool:
            # The switch.
            return False
        action grow: Grows.
            require(self.x < 3)
            if 1 > 2:
                require(self.x == 0 and self.x < 2)
            self.x += 1
        invariant small: Stays small.
            return self.x <= 3 and self.x >= 0
    Door: A door that opens, and jams if somebody turns the key while it is shut.
        open: bool
        jammed: bool
        action(fair="weak") push: Somebody opens it.
            require(not self.open and not self.jammed)
            self.open = True
        action slam: The wind shuts it.
            require(self.open and not self.jammed)
            self.open = False
        action turn_key: Somebody turns the key in an open door, where it does no harm for long.
            require(self.open)
            self.jammed = True
        action(fair="weak") oil: A door that jams is oiled while it is open.
            require(self.jammed and self.open)
            self.jammed = False
        invariant no_third_hinge: Whoever looks sees a door.
            return self.open or not self.open or self.jammed
        leads_to(fair=("push", "oil")) opens: A door that is shut is open some time.
            return not self.open, self.open
    Brokers < Bounds:
        brokers: int = bound(3, least=1, most=5, help="brokers", why="each is a state more")
    Broker = Annotated[Identifier, Identifiers("b", Brokers.brokers)]
    Lag = Annotated[int, Integers(-2, 3)]
    State < Enum:
        IN_SYNC = 0
        OUT = 1
    Progress < Struct:
        lag: Lag
        owner: Broker | None
        group: Set[Broker]
    Everything: A variable of each kind.
        bounds: Brokers
        level: Annotated[int, Integers(-5, 5)]
        on: bool
        mode: State
        maybe_mode: State | None
        maybe_lag: Lag | None
        lags: Set[Lag]
        entry: Progress
        maybe_entry: Progress | None
        by_broker: Map[Broker, Progress]
        modes: Map[Broker, State]
        log: Annotated[Log[Progress], Capacity(3)]
        lag_log: Annotated[Log[Lag], Capacity(2)]
    Large: An integer that no signed column can hold.
        large: Annotated[int, Integers(1 << 63, (1 << 63) + 1)]
    """,
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
