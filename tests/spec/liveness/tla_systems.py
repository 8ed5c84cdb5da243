"""Small systems, each in TLA+ and in Epochal: what the rows of `tla_rows` are about."""

from __future__ import annotations

from typing import Annotated

from epochal.spec.language import Identifier, Identifiers, Integers, Map, Protocol, action, leads_to, require

Number = Annotated[int, Integers(0, 5)]
Client = Annotated[Identifier, Identifiers("c", 2)]

COUNTER = """
EXTENDS Naturals
VARIABLE n
vars == n
Init == n = 0
Up == n < 3 /\\ n' = n + 1
Skip == n = 2 /\\ n' = 4
Round == n >= 3 /\\ n' = IF n = 5 THEN 4 ELSE n + 1
Next == Up \\/ Skip \\/ Round
"""


class Counter(Protocol):
    """Counts up to three, or past it, and then goes round between four and five."""

    n: Number

    @action(fair="weak")
    def up(self) -> None:
        """One more."""
        require(self.n < 3)
        self.n += 1

    @action(fair="weak")
    def skip(self) -> None:
        """From two to four."""
        require(self.n == 2)
        self.n = 4

    @action(fair="weak")
    def round(self) -> None:
        """Between four and five."""
        require(self.n >= 3)
        self.n = 4 if self.n == 5 else self.n + 1

    @leads_to(fair=("up", "skip", "round"))
    def one_leads_to_four(self) -> tuple[bool, bool]:
        """n = 1 ~> n = 4."""
        return self.n == 1, self.n == 4

    @leads_to(fair=("up", "skip", "round"))
    def one_leads_to_three(self) -> tuple[bool, bool]:
        """n = 1 ~> n = 3."""
        return self.n == 1, self.n == 3

    @leads_to(fair=("up", "skip", "round"))
    def four_again_and_again(self) -> tuple[bool, bool]:
        """[]<>(n = 4)."""
        return True, self.n == 4

    @leads_to(fair=("up", "skip", "round"))
    def two_again_and_again(self) -> tuple[bool, bool]:
        """[]<>(n = 2)."""
        return True, self.n == 2

    @leads_to(fair=("up", "skip", "round"), once=True)
    def two_some_time(self) -> tuple[bool, bool]:
        """<>(n = 2)."""
        return True, self.n == 2

    @leads_to(fair=("up", "skip", "round"), once=True)
    def three_some_time(self) -> tuple[bool, bool]:
        """<>(n = 3)."""
        return True, self.n == 3

    @leads_to(fair=("up", "skip", "round"), once=True)
    def zero_then_two(self) -> tuple[bool, bool]:
        """n = 0 => <>(n = 2)."""
        return self.n == 0, self.n == 2

    @leads_to(fair=("up", "skip", "round"), once=True)
    def zero_then_three(self) -> tuple[bool, bool]:
        """n = 0 => <>(n = 3)."""
        return self.n == 0, self.n == 3


class Settling(Counter):
    """With a step that somebody takes once a condition stays: it can be put off only as long as that fails again."""

    settled: bool

    def stays(self) -> bool:
        """What holds for ever in the end."""
        return self.n >= 4

    @action(fair="weak")
    def settle(self) -> None:
        """It holds from now on, somebody says; the run goes on as before."""
        require(self.stays() and not self.settled)
        self.settled = True

    @leads_to(fair=("up", "skip", "round", "settle"))
    def stays_in_the_end(self) -> tuple[bool, bool]:
        """<>[](n >= 4)."""
        return True, self.settled


class Unsettled(Settling):
    """The same of a condition that fails again and again."""

    def stays(self) -> bool:
        """Only every other state."""
        return self.n == 4


EVERY = "WF_vars(Up) /\\ WF_vars(Skip) /\\ WF_vars(Round)"

CLIENTS = """
EXTENDS Naturals
VARIABLES asking, shut
vars == <<asking, shut>>
Client == {1, 2}
Init == asking = [i \\in Client |-> FALSE] /\\ shut = FALSE
Ask(i) == ~asking[i] /\\ asking' = [asking EXCEPT ![i] = TRUE] /\\ UNCHANGED shut
Serve(i) == asking[i] /\\ ~shut /\\ asking' = [asking EXCEPT ![i] = FALSE] /\\ UNCHANGED shut
Turn == shut' = ~shut /\\ UNCHANGED asking
Next == Turn \\/ \\E i \\in Client : Ask(i) \\/ Serve(i)
"""
OPEN = CLIENTS.replace("Next == Turn \\/ ", "Next == ")


class Clients(Protocol):
    """Clients ask again and again, and are served while the counter is open, which it always is."""

    asking: Map[Client, bool]
    shut: bool

    @action(by="client")
    def ask(self, client: Client) -> None:
        """A client asks."""
        require(not self.asking[client])
        self.asking[client] = True

    @action(by="client", fair="weak")
    def serve(self, client: Client) -> None:
        """A client is served."""
        require(self.asking[client] and not self.shut)
        self.asking[client] = False

    @leads_to(fair=("serve",), parts=("turn",))
    def is_served(self, client: Client) -> tuple[bool, bool]:
        """Whoever asks is served: for each client, asking ~> ~asking."""
        return self.asking[client], not self.asking[client]


class AnyClient(Clients):
    """Somebody is served in the end, whoever it is."""

    @action(each=())
    def serve(self, client: Client) -> None:
        """A client is served."""
        super().serve(client)


class Shutting(Clients):
    """The counter is shut and opened again and again."""

    @action(fair="weak")
    def turn(self) -> None:
        """It is shut, or opened."""
        self.shut = not self.shut


class Strongly(Shutting):
    """Served is who waits while the counter is open again and again."""

    @action(fair="strong")
    def serve(self, client: Client) -> None:
        """A client is served."""
        super().serve(client)


class StronglyAny(Strongly):
    """Somebody is."""

    @action(each=())
    def serve(self, client: Client) -> None:
        """A client is served."""
        super().serve(client)


SIDES = """
VARIABLES left, done
vars == <<left, done>>
Init == left = TRUE /\\ done = FALSE
Flip == left' = ~left /\\ UNCHANGED done
A == left /\\ ~done /\\ done' = TRUE /\\ UNCHANGED left
B == ~left /\\ ~done /\\ done' = TRUE /\\ UNCHANGED left
Next == Flip \\/ A \\/ B
"""


class Sides(Protocol):
    """What is to be done can be done on the left by one step, on the right by another, and the sides change."""

    left: bool
    done: bool

    @action
    def flip(self) -> None:
        """The side changes."""
        self.left = not self.left

    @action(fair="weak")
    def on_the_left(self) -> None:
        """It is done on the left."""
        require(self.left and not self.done)
        self.done = True

    @action(fair="weak")
    def on_the_right(self) -> None:
        """It is done on the right."""
        require(not self.left and not self.done)
        self.done = True

    @leads_to(fair=("on_the_left", "on_the_right"))
    def is_done(self) -> tuple[bool, bool]:
        """~done ~> done."""
        return not self.done, self.done


class EitherSide(Sides):
    """One step, whose parameter says which of the two it is: fair as a whole."""

    on_the_left = None  # type: ignore[assignment]  # taken away
    on_the_right = None  # type: ignore[assignment]  # taken away

    @action(fair="weak", each=())
    def do(self, left: bool) -> None:
        """It is done on one of the sides."""
        require(self.left == left and not self.done)
        self.done = True

    @leads_to(fair=("do",))
    def is_done(self) -> tuple[bool, bool]:
        """~done ~> done."""
        return not self.done, self.done


FORK = """
EXTENDS Naturals
VARIABLE n
vars == n
Init == n = 0
A == n = 0 /\\ n' = 1
B == n = 0 /\\ n' = 2
Back == n > 0 /\\ n' = 0
Next == A \\/ B \\/ Back
"""


class Fork(Protocol):
    """One way or the other, and back."""

    n: Number

    @action(fair="strong")
    def a(self) -> None:
        """One way."""
        require(self.n == 0)
        self.n = 1

    @action(fair="strong")
    def b(self) -> None:
        """The other."""
        require(self.n == 0)
        self.n = 2

    @action(fair="weak")
    def back(self) -> None:
        """And back."""
        require(self.n > 0)
        self.n = 0

    @leads_to(fair=("a", "b", "back"))
    def goes_one_way(self) -> tuple[bool, bool]:
        """n = 0 ~> n = 1."""
        return self.n == 0, self.n == 1


class EitherWay(Fork):
    """One step with a choice."""

    a = None  # type: ignore[assignment]  # taken away
    b = None  # type: ignore[assignment]  # taken away

    @action(fair="strong", each=())
    def go(self, other: bool) -> None:
        """One of the ways."""
        require(self.n == 0)
        self.n = 2 if other else 1

    @leads_to(fair=("go", "back"))
    def goes_one_way(self) -> tuple[bool, bool]:
        """n = 0 ~> n = 1."""
        return self.n == 0, self.n == 1


DOOR = """
VARIABLES open, locked
vars == <<open, locked>>
Init == open = FALSE /\\ locked = FALSE
Lock == ~open /\\ ~locked /\\ locked' = TRUE /\\ UNCHANGED open
Move == ~locked /\\ open' = ~open /\\ UNCHANGED locked
Next == Lock \\/ Move
"""


class Door(Protocol):
    """The door above, whose guard is a rule, which the step requires and the promise asks."""

    open: bool
    locked: bool

    def may_lock(self) -> bool:
        """Whether the door can be locked."""
        return not self.open and not self.locked

    @action(fair="weak")
    def lock(self) -> None:
        """Only a closed door is locked."""
        require(self.may_lock())
        self.locked = True

    @action(fair="weak")
    def move(self) -> None:
        """The door opens, or closes."""
        require(not self.locked)
        self.open = not self.open

    @leads_to(fair=("lock", "move"))
    def is_locked(self) -> tuple[bool, bool]:
        """ENABLED Lock ~> locked."""
        return self.may_lock(), self.locked

    @leads_to(fair=("lock", "move"))
    def can_be_locked(self) -> tuple[bool, bool]:
        """~locked ~> ENABLED Lock."""
        return not self.locked, self.may_lock()


class Guarded(Door):
    """The guard needs one moment."""

    @action(fair="strong")
    def lock(self) -> None:
        """Only a closed door is locked."""
        super().lock()
