"""Protocols whose runs are told: one with a variable of every kind of domain, and those with odd words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.zoo.rows import rows

rows(
    globals(),
    "Protocol",
    """
    ZooBounds < Bounds: How large the zoo is.
        nodes: int = bound(2, most=3, help="the number of nodes")
        high: int = bound(2, least=0, most=5, help="the greatest number")
    B = ZooBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Number = Annotated[int, Integers(-1, B.high)]
    Color < Enum: Members read as people write them.
        DARK_RED = 1
        GREEN = 2
    Twin < Enum: Two members that read alike, so that only their own names tell them apart.
        READ_ONLY = 1
        Read_Only = 2
    Dash < Enum: A member that reads like none.
        _ = 1
        OTHER = 2
    Entry < Struct: A record without a text format.
        number: Number
        color: Color | None
    Secretive < Struct, text="s{shown}": A record whose text leaves out a field.
        shown: bool
        hidden: bool
    Pair < Struct, text="{color}/{flag}": A record for sets.
        color: Color
        flag: bool
    NodeState < Struct: Has a field of the same name as Other, so that `n1.x` would be two leaves.
        x: Number
        log: Annotated[Log[Entry], Capacity(2)]
    Other < Struct: See NodeState.
        x: bool
    Zoo: Nothing that makes sense.
        name: ClassVar[str] = "zoo"
        bounds: ZooBounds
        flag: bool
        maybe_flag: bool | None
        number: Number
        maybe_number: Number | None
        color: Color
        maybe_color: Color | None
        twin: Twin | None
        dash: Dash | None
        node: Node | None
        nodes: Set[Node]
        pairs: Set[Pair]
        entry: Entry | None
        secret: Secretive
        maybe_secret: Secretive | None
        states: Map[Node, NodeState]
        others: Map[Node, Other]
        counts: Map[Node, Map[Color, Number]]
        by_flag: Map[bool, Number | None]
        by_number: Map[Number, Entry]
        by_maybe: Map[Node | None, bool]
        numbers: Annotated[Log[Number], Capacity(3)]
        maybes: Annotated[Log[Color | None], Capacity(2)]
        history: Ghost[Set[Number]]
        action(by="node", to="producer", says="{node} sets the flag") set_flag(node: Node): Set the flag.
            require(not self.flag)
            self.flag = True
            self.node = node
        action nothing: Change nothing at all; nobody does it.
            pass
        action(by="controller", to="controller", says="") hide(secret: Secretive, entry: Entry)
            '''Two instances of this action can have the same label.'''
            require(
                self.flag
                and entry.color is not None
            )
            self.secret = secret
            self.entry = entry
        action(by="a lane; with <signs> #1", says="overflow") overflow: Fails where the number is at its highest.
            require(self.flag)
            self.number += 1
        invariant no_flag: The flag is not set.
            return not self.flag
        action_property flag_stays_down: The flag is never raised.
            return self.flag or not new.flag
        reachable flag_is_set: The flag is set.
            return self.flag
        reachable number_grows(new: Self): The number grows.
            return new.number > self.number
    Fixed < Zoo: The zoo with its invariant repaired.
        invariant no_flag: Anything goes.
            return True
    Unshown < Zoo: Its witness of a step cannot be evaluated.
        reachable number_grows(new: Self): Divides by zero.
            return 1 // int(new.number - self.number) > 0
    Unjudged < Zoo: Its invariant cannot be evaluated.
        invariant no_flag: Divides by zero.
            return 1 // int(self.number - self.number) > 0
    Unborn < Zoo: Its initial states cannot be evaluated.
        def initial(self) -> None:
            # Leaves its domain.
            self.number = 99
    Choosy < Zoo: It has no initial state at all.
        def initial(self) -> None:
            # Refuses.
            require(False)
    Spoken: Steps without `says`: one is told by its docstring, and one has none.
        value: Annotated[int, Integers(0, 2)]
        action grow: The value grows. Nobody knows why.
            require(self.value < 2)
            self.value += 1
        action fall
            require(self.value == 2)
            self.value = 0
        invariant stays: It never falls again.
            return self.value < 2
    Hw < Struct: A record with one field.
        hw: bool
    Clash: A variable that is called like a node.
        bounds: ZooBounds
        nodes: Map[Node, Hw]
        n1: Hw
    Inner < Struct: A record called like the variable of DeepClash.
        hw: bool
    Outer < Struct: Its leaves are named as those of `Map[Node, Hw]` in the variable `nodes`.
        nodes: Inner
        hw: bool
    DeepClash: Even the key with the variable is not unique here.
        bounds: ZooBounds
        nodes: Map[Node, Hw]
        n1: Outer
    Nested < Struct: An entry that holds a map.
        seen: Map[Node, bool]
    DeepLog: A log of records with a map inside.
        bounds: ZooBounds
        log: Annotated[Log[Nested], Capacity(1)]
    Nameless: It has neither a name nor bounds.
        bounds: Bounds
        flag: bool
    Member = Annotated[Identifier, Identifiers("n", 3)]
    Small = Annotated[int, Integers(0, 3)]
    Mood < Enum:
        CALM = 0
        VERY_LOUD = 1
    Post < Struct, text="{owner} at {height}":
        owner: Member | None
        height: Small
    Base:
        name = "base"
        def fits(self, n: Identifier, height: int) -> bool:
            # Whether a height fits a node.
            return height <= 2
    Cluster < Base: A protocol whose properties are false in ways of their own.
        name = "why"
        heights: Map[Member, Small]
        chosen: Set[Member]
        mood: Mood
        post: Post
        action shout(n: Member)
            require(self.mood == Mood.CALM)
            self.mood = Mood.VERY_LOUD
            self.heights[n] = 3
            self.chosen |= {n}
            self.post.owner = n
            self.post.height = 3
        def fits(self, n: Identifier, height: int) -> bool:
            # As always, and it is not the chosen one.
            return super().fits(n, height) and n not in self.chosen
        invariant low: All fit.
            return all(self.fits(n, self.heights[n]) for n in self.heights if self.heights[n] > 0)
        invariant pairs: Two of a kind.
            highest = 2
            return all(
                self.heights[a] <= highest or self.heights[b] > self.heights[a] + 1
                for a in self.heights
                for b in self.heights
                if a != b
            )
        invariant quiet: Nobody is loud, or nobody is chosen.
            if self.mood == Mood.CALM:
                return True
            return not any(n in self.chosen for n in self.heights)
        invariant told_apart: The post says so.
            return self.post == Post(owner=None, height=0) if len(self.chosen) > 0 else True
        invariant somebody: Somebody is at two.
            return len(self.chosen) == 0 or any(self.heights[n] == 2 for n in self.heights)
        invariant moods: Nobody is loud where somebody is calm.
            return not (
                {Mood.CALM, Mood.VERY_LOUD} <= {self.mood if n in self.chosen else Mood.CALM for n in self.heights}
            )
        invariant named: A name for a condition is no value of its own.
            chosen = len(self.chosen) > 0
            anybody = any(self.heights[n] == 2 for n in self.heights)
            return not chosen or anybody or self.never_so()
        def never_so(self) -> bool:
            # A rule that was taken away.
            return False
        invariant by_a_loop: A loop has no single reason.
            total = 0
            for n in self.heights:
                total += self.heights[n]
            return total < 3
        action_property never_higher: Nothing grows.
            return all(new.heights[n] <= self.heights[n] for n in self.heights)
    Idle: Nothing ever happens.
        bounds: Bounds
        flag: bool
    """,
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
