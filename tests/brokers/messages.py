"""The messages of Kafka's protocol in a stream of bytes: where each ends, and of which kind a request is.

A message is its length in four bytes, and then that many bytes; those of a request begin with its API key.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass

HEAD = struct.Struct(">ih")
"""The length of a message, and the API key if it is a request; no message is shorter than a correlation id."""


class Api(enum.IntEnum):
    """The requests that links are told to hold back. A broker has a connection to the controller for each of these."""

    FETCH = 1
    ALTER_PARTITION = 56
    HEARTBEAT = 63


class Way(enum.Enum):
    """A direction on a connection: requests go from the node that opened it, answers come back."""

    REQUESTS = "requests"
    ANSWERS = "answers"


@dataclass(frozen=True)
class Part:
    """A part of what passes on a link: one way or both, on connections with requests of one kind or on all."""

    way: Way | None = None
    api: Api | None = None

    def told(self) -> dict[str, object]:
        """How a line of steps.jsonl tells it."""
        facts = {"way": self.way and self.way.value, "api": self.api and self.api.name}
        return {name: value for name, value in facts.items() if value is not None}


ALL = Part()


class Meter:
    """Counts the messages that end in a stream, and notes the kinds of requests that begin in it."""

    def __init__(self) -> None:
        self.ended = 0
        self.kinds = set[int]()
        self._head = b""
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Go on with the next bytes, cut as they may be."""
        while data:
            if not self._left:
                wanted = HEAD.size - len(self._head)
                self._head, data = self._head + data[:wanted], data[wanted:]
                if len(self._head) < HEAD.size:
                    return
                length, kind = HEAD.unpack(self._head)
                self._head, self._left = b"", max(1, length - 2)
                self.kinds.add(kind)
            taken = min(self._left, len(data))
            self._left, data = self._left - taken, data[taken:]
            self.ended += not self._left
