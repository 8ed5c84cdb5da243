"""The alternating bit protocol over two channels that lose messages, and what it is to do.

Source: tlaplus/Examples, `SpecifyingSystems/TLC/MCAlternatingBit` and `ABCorrectness`; L. Lamport, "Specifying
Systems", chapter 14.
States:
    AlternatingBit(data=2, messages=2, acknowledgements=2): 240, depth 10
    ABCorrectness(data=2): 20, depth 3
Awkward: a channel has room for one entry more than the constraint allows; one entry is taken out by a comprehension
over the others; the refinement is written as a property of each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

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
    action_property,
    bound,
    constraint,
    invariant,
    leads_to,
    require,
)


@dataclass(frozen=True)
class DataBounds(Bounds):
    data: int = bound(2, least=1, most=4, help="the number of values that can be sent")


@dataclass(frozen=True)
class ChannelBounds(DataBounds):
    messages: int = bound(2, least=1, most=4, help="the messages on their way, as far as is searched")
    acknowledgements: int = bound(2, least=1, most=4, help="the acknowledgements on their way, as far as is searched")


Datum = Annotated[Identifier, Identifiers("d", DataBounds.data)]
Bit = Annotated[int, Integers(0, 1)]


class ABCorrectness(Protocol):
    """What the protocol is to do: a value is sent, received once, and acknowledged."""

    bounds: DataBounds
    s_bit: Bit
    s_ack: Bit
    r_bit: Bit
    sent: Datum
    received: Datum

    def initial(self, bit: Bit, sent: Datum, received: Datum) -> None:
        self.s_bit = self.s_ack = self.r_bit = bit
        self.sent, self.received = sent, received

    @action(by="sender", says="{d} is sent")
    def send(self, d: Datum) -> None:
        require(self.s_ack == self.s_bit)
        self.sent, self.s_bit = d, 1 - self.s_bit

    @action(by="receiver", fair="weak", says="it is received")
    def receive(self) -> None:
        require(self.r_bit != self.s_bit)
        self.received, self.r_bit = self.sent, self.s_bit

    @action(by="sender", fair="weak", says="it is acknowledged")
    def acknowledge(self) -> None:
        require(self.r_bit != self.s_ack)
        self.s_ack = self.r_bit

    @invariant
    def acknowledged_is_received(self) -> bool:
        """What is acknowledged is received."""
        return self.s_ack != self.s_bit or self.received == self.sent or self.is_fresh()

    def is_fresh(self) -> bool:
        """Whether nothing can have been received, because nothing was sent since the bits agree."""
        return self.s_bit == self.r_bit


class Message(Struct):
    """A value with the bit of its sending."""

    bit: Bit
    datum: Datum


class AlternatingBit(Protocol):
    """A message is sent again and again until its bit comes back."""

    bounds: ChannelBounds
    messages: Annotated[Log[Message], Capacity(ChannelBounds.messages + 1)]
    acks: Annotated[Log[Bit], Capacity(ChannelBounds.acknowledgements + 1)]
    s_bit: Bit
    s_ack: Bit
    r_bit: Bit
    sent: Datum
    received: Datum

    def initial(self, bit: Bit, sent: Datum, received: Datum) -> None:
        self.s_bit = self.s_ack = self.r_bit = bit
        self.sent, self.received = sent, received

    @constraint
    def channels_are_short(self) -> bool:
        """How far is searched."""
        return len(self.messages) <= self.bounds.messages and len(self.acks) <= self.bounds.acknowledgements

    @action(by="sender", says="{d} is sent")
    def send(self, d: Datum) -> None:
        require(self.s_ack == self.s_bit)
        self.sent, self.s_bit = d, 1 - self.s_bit
        self.messages.append(Message(bit=self.s_bit, datum=d))

    @action(by="sender", fair="weak", says="it is sent again")
    def resend(self) -> None:
        require(self.s_ack != self.s_bit)
        self.messages.append(Message(bit=self.s_bit, datum=self.sent))

    @action(by="receiver", fair="strong", says="a message is received")
    def receive(self) -> None:
        require(len(self.messages) > 0)
        self.r_bit, self.received = self.messages[0].bit, self.messages[0].datum
        self.messages = [self.messages[i] for i in range(1, len(self.messages))]

    @action(by="receiver", fair="weak", says="the last bit is acknowledged")
    def acknowledge(self) -> None:
        self.acks.append(self.r_bit)

    @action(by="sender", fair="strong", says="an acknowledgement is received")
    def receive_acknowledgement(self) -> None:
        require(len(self.acks) > 0)
        self.s_ack = self.acks[0]
        self.acks = [self.acks[i] for i in range(1, len(self.acks))]

    @action(says="message {lost} is lost")
    def lose_message(self, lost: Annotated[int, Integers(0, ChannelBounds.messages)]) -> None:
        require(lost < len(self.messages))
        self.messages = [self.messages[i] for i in range(len(self.messages)) if i != lost]

    @action(says="acknowledgement {lost} is lost")
    def lose_acknowledgement(self, lost: Annotated[int, Integers(0, ChannelBounds.acknowledgements)]) -> None:
        require(lost < len(self.acks))
        self.acks = [self.acks[i] for i in range(len(self.acks)) if i != lost]

    @action_property
    def is_correct(self, new: Self) -> bool:
        """Each step is one of ABCorrectness, or changes nothing of it."""
        sends = self.s_ack == self.s_bit and new.s_bit != self.s_bit
        receives = self.r_bit != self.s_bit and new.r_bit == self.s_bit and new.received == self.sent
        hears = self.r_bit != self.s_ack and new.s_ack == self.r_bit
        sender = new.s_bit == self.s_bit and new.sent == self.sent
        receiver = new.r_bit == self.r_bit and new.received == self.received
        acknowledged = new.s_ack == self.s_ack
        return (
            (sends and receiver and acknowledged)
            or (receives and sender and acknowledged)
            or (hears and sender and receiver)
            or (sender and receiver and acknowledged)
        )

    @leads_to(fair=("resend", "receive", "acknowledge", "receive_acknowledgement"))
    def what_is_sent_is_received(self, d: Datum) -> tuple[bool, bool]:
        """What is sent is received in the end."""
        return self.sent == d and self.s_bit != self.s_ack, self.received == d
