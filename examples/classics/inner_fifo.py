"""A queue between two channels with a handshake.

Source: tlaplus/Examples, `SpecifyingSystems/FIFO/MCInnerFIFO`; L. Lamport, "Specifying Systems", chapter 4.
States:
    InnerFIFO(messages=3, length=3): 3864, depth 11
Awkward: `INSTANCE Channel WITH chan <- in` becomes a record with helper functions; the head is taken out of the queue
by a comprehension over the others; the queue has room for one entry more than the constraint allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Protocol,
    Struct,
    action,
    bound,
    constraint,
    reachable,
    require,
)


@dataclass(frozen=True)
class QueueBounds(Bounds):
    messages: int = bound(3, least=1, most=4, help="the number of different messages")
    length: int = bound(3, least=1, most=5, help="the length of the queue up to which is searched")


Message = Annotated[Identifier, Identifiers("m", QueueBounds.messages)]
Bit = Annotated[int, Integers(0, 1)]


class Channel(Struct):
    """A value, which is new as long as the two bits differ."""

    value: Message
    ready: Bit
    acknowledged: Bit


def send(channel: Channel, message: Message) -> None:
    """Put a message on a channel that is free."""
    require(channel.ready == channel.acknowledged)
    channel.value, channel.ready = message, 1 - channel.ready


def receive(channel: Channel) -> None:
    """Take the message from a channel that has one."""
    require(channel.ready != channel.acknowledged)
    channel.acknowledged = 1 - channel.acknowledged


class InnerFIFO(Protocol):
    """A sender puts messages on channel `into`, a buffer keeps them, and a receiver takes them from `out`."""

    bounds: QueueBounds
    into: Channel
    out: Channel
    queue: Annotated[Log[Message], Capacity(QueueBounds.length + 1)]

    def initial(self, first: Message, first_bit: Bit, second: Message, second_bit: Bit) -> None:
        self.into = Channel(value=first, ready=first_bit, acknowledged=first_bit)
        self.out = Channel(value=second, ready=second_bit, acknowledged=second_bit)

    @constraint
    def queue_is_short(self) -> bool:
        """How far is searched."""
        return len(self.queue) <= self.bounds.length

    @action(by="sender", to="buffer", says="{message} is sent")
    def sender_sends(self, message: Message) -> None:
        send(self.into, message)

    @action(by="buffer", says="the buffer receives a message")
    def buffer_receives(self) -> None:
        receive(self.into)
        self.queue.append(self.into.value)

    @action(by="buffer", to="receiver", says="the buffer sends a message on")
    def buffer_sends(self) -> None:
        require(len(self.queue) > 0)
        send(self.out, self.queue[0])
        self.queue = [self.queue[i] for i in range(1, len(self.queue))]

    @action(by="receiver", says="a message is received")
    def receiver_receives(self) -> None:
        receive(self.out)

    @reachable
    def queue_fills(self) -> bool:
        """The queue is as long as is searched, and both channels are in use."""
        return (
            len(self.queue) == self.bounds.length
            and self.into.ready != self.into.acknowledged
            and self.out.ready != self.out.acknowledged
        )
