"""Files to start a specification of one's own from: what `epochal new FILE` writes.

Each is a whole file that checks at once. The word FILE in it stands for the name of the file.
"""

from __future__ import annotations

TOY = '''"""A lock that clients ask for: a specification to turn into your own.

    epochal check FILE:Lock              every reachable state
    epochal show FILE:Lock               what was understood of it
    epochal mutate FILE:Lock             what each guard is for
"""

from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Protocol,
    Set,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    require,
)


# How large the model is. Each bound is an option of the commands: --clients 4.
@dataclass(frozen=True)
class LockBounds(Bounds):
    clients: int = bound(3, least=1, most=6, help="the number of clients", why="each multiplies the number of states")


# Domains are finite: c1, c2, c3. Identifiers have no order and no arithmetic, so that --symmetry can exchange them.
Client = Annotated[Identifier, Identifiers("c", LockBounds.clients)]


class Lock(Protocol):
    """A lock: clients ask for it, and one has it at a time."""

    bounds: LockBounds

    # The state: annotated attributes. They begin empty, none, false, or with the least value; write a method
    # `initial` for anything else.
    asking: Set[Client]
    holder: Client | None

    # The steps. Parameters are chosen in every possible way; `require` says when a step can be taken.
    # by, to and says tell the story of a run: who acts, on whom, and the sentence; sends names a message, which is an
    # arrow in diagrams. fair="weak" says that what can always be done is done in the end.

    @action(by="client", to="lock", sends="Ask", says="{client} asks for the lock")
    def ask(self, client: Client) -> None:
        """A client asks, unless it has asked or has the lock."""
        require(client not in self.asking)
        require(self.holder != client)
        self.asking = self.asking | {client}

    @action(by="lock", to="client", sends="Grant", says="{client} gets the lock", fair="weak")
    def grant(self, client: Client) -> None:
        """The lock goes to a client that asks for it."""
        require(client in self.asking)
        require(self.holder is None)  # take this guard away, and check again
        self.asking = self.asking - {client}
        self.holder = client

    @action(by="client", to="lock", sends="Release", says="{client} gives the lock back", fair="weak")
    def give_back(self, client: Client) -> None:
        """Who has the lock gives it back."""
        require(self.holder == client)
        self.holder = None

    # The properties. The first sentence of the docstring is what reports say.

    @invariant
    def holder_does_not_ask(self) -> bool:
        """Who has the lock does not ask for it."""
        return self.holder is None or self.holder not in self.asking

    @action_property
    def never_taken_away(self, new: "Lock") -> bool:
        """The lock goes from a client to nobody first, never to another client: self is before a step, new after."""
        return self.holder is None or new.holder is None or self.holder == new.holder

    @reachable
    def somebody_waits(self) -> bool:
        """A client waits while another has the lock: else the check would say little."""
        return self.holder is not None and len(self.asking) > 0
'''

KIP_320 = '''"""A variant of KIP-320, the protocol of Kafka 2.1 to 2.6: replace or add steps and properties below.

    epochal check FILE:Variant --max-epoch 1         every reachable state
    epochal compare kip-320 FILE:Variant --max-epoch 1   which steps it takes away, and which it adds
    epochal gate add FILE:Variant --max-epoch 1      record its behaviour, so that changes are told

`epochal show kip-320` lists its rules. They stand in epochal/spec/classic: controller, leader, follower, kip_320.
"""

from epochal.language import action, invariant, require
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import Replica


class Variant(Kip320):
    """KIP-320, with the rules below in place of its own."""

    # A method of the same name replaces a step. This is the one of KIP-320, to be changed: the controller elects any
    # member of the ISR. Delete it to have the original again.
    @action(by="controller", to="leader", sends="LeaderAndIsr", says="the controller elects {leader}")
    def elect_leader(self, leader: Replica) -> None:
        """The controller elects a member of the ISR, also while the present leader is alive."""
        super().elect_leader(leader)

    # A step of your own is a method with a new name. With this one check says that leader_takes_office is broken:
    # nobody is elected in place of a leader that has resigned.
    #
    # @action(by="leader", says="{leader} resigns")
    # def resign(self, leader: Replica) -> None:
    #     """A leader that has lost its followers gives up its office."""
    #     require(self.presumes_leadership(leader))
    #     require(len(self.replicas[leader].isr) == 1)
    #     self.replicas[leader].leader = None

    # A property of your own. Those of KIP-320 (weak_isr, strong_isr, ...) are checked as well.
    @invariant
    def high_watermark_in_the_log(self) -> bool:
        """No replica's high watermark is beyond the end of its log."""
        return all(self.replicas[r].hw <= self.end(r) for r in self.replicas)
'''

KRAFT = '''"""A variant of kraft, the protocol of today's Kafka: replace or add steps and properties below.

    epochal check FILE:Variant --replication-factor 2 --records 1 --max-epoch 2 --symmetry
    epochal show FILE:Variant                        its bounds, settings, steps and properties

`epochal show kraft` lists its rules, with their parameters; they stand in epochal/spec/kraft: controller, leader,
follower, producer, broker_lifecycle. `epochal explain may_join` tells one of them.
"""

from epochal.language import Identifier, invariant
from epochal.spec.kraft.configuration import ConfigurableKraft


class Variant(ConfigurableKraft):
    """Kafka with eligible leader replicas, with the rules below in place of its own."""

    # A method of the same name replaces a rule. This is a helper that several steps use: who may be elected at all.
    # def may_lead(self, r: Identifier) -> bool:
    #     """Whether the controller accepts a replica as leader: it is live, and not the one that led last."""
    #     return super().may_lead(r) and r != self.recovery.last_known_leader

    # A property of your own. Those of kraft are checked as well; --property ID asks for one of them only.
    @invariant
    def high_watermark_in_the_log(self) -> bool:
        """No broker's high watermark is beyond the end of its log."""
        return all(self.brokers[b].hw <= self.end(b) for b in self.brokers)
'''

FILES: dict[str, tuple[str, str]] = {"toy": ("Lock", TOY), "kip-320": ("Variant", KIP_320), "kraft": ("Variant", KRAFT)}
"""By what they start from: the name of the class in them, and their text."""


def starting_file(source: str, file: str) -> tuple[str, str]:
    """The name of the protocol in a starting file that will be called `file`, and the text."""
    name, text = FILES[source]
    return name, text.replace("FILE:", f"{file}:")
