"""A TCP proxy between two nodes, which can delay, hold back or cut what passes.

One thread with one event loop serves all links. Bytes go through as they come. Of Kafka it knows where a message ends
and what a request is for (`messages`), so that a scenario can hold back the metadata of a broker and nothing else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from typing import Any

from tests.brokers.addresses import LOOPBACK, link_address
from tests.brokers.messages import ALL, Meter, Part, Way

CHUNK = 65_536


class Connection:
    """One connection through a link: what has come of requests, what was let through each way, and what waits."""

    def __init__(self) -> None:
        self.asked = Meter()
        self.let_through = {way: Meter() for way in Way}
        self.waiting = set[Way]()

    def is_of(self, part: Part) -> bool:
        """Whether it has had requests of the kind that a part is about."""
        return part.api is None or part.api in self.asked.kinds


class Hold:
    """A part of what passes that waits; `after` so many messages that still go through on each connection."""

    def __init__(self, part: Part, after: int) -> None:
        self.part, self._after = part, after
        self._until: dict[tuple[Connection, Way], int] = {}

    def stops(self, connection: Connection, way: Way) -> bool:
        """Whether the next bytes of a connection wait."""
        if not connection.is_of(self.part) or self.part.way not in {None, way}:
            return False
        ended = connection.let_through[way].ended
        return ended >= self._until.setdefault((connection, way), ended + self._after)


class Link:
    """The way from a source to a target that accepts connections at an address of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: str, port: int, target: str = LOOPBACK) -> None:
        self.address, self.port, self._target, self._loop = address, port, target, loop
        self.delayed_by = 0.0
        self.accepted = 0
        self.passed = 0
        self._holds: list[Hold] = []
        self._changed = asyncio.Event()
        self._refusing = False
        self._connections: dict[asyncio.Task[None], Connection] = {}
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """How many connections there are now."""
        return len(self._connections)

    @property
    def whole(self) -> bool:
        """Whether all passes: nothing is held, and connections are accepted."""
        return not self._holds and not self._refusing

    # -- what a scenario says, from any thread ------------------------------------------------------------------------

    def delay(self, seconds: float) -> None:
        """Let bytes arrive so many seconds later, in both directions, in their order; 0 ends it."""
        self.delayed_by = seconds

    def hold(self, part: Part = ALL, after: int = 0) -> None:
        """Let nothing of a part through and lose nothing: connections stay, and bytes wait for `release`.

        `after` lets so many messages through before, on each connection.
        """
        self._soon(lambda: self._holds.append(Hold(part, after)))

    def release(self, part: Part | None = None) -> None:
        """Let go a part that was held, or all; then also accept connections again after `cut`."""

        def again() -> None:
            self._holds = [hold for hold in self._holds if part is not None and hold.part != part]
            self._refusing = self._refusing and part is not None
            self._changed.set()
            self._changed = asyncio.Event()

        self._soon(again)

    def holds(self, part: Part) -> bool:
        """Whether something of a part has come and waits."""
        waiting = [connection.waiting for connection in self._connections.copy().values() if connection.is_of(part)]
        return any(ways if part.way is None else part.way in ways for ways in waiting)

    def cut(self) -> None:
        """Close all connections, losing what is under way, and close new ones at once, until `release`."""

        def close() -> None:
            self._refusing = True
            for task in self._connections:
                task.cancel()

        self._soon(close)

    def _soon(self, change: Callable[[], object]) -> None:
        """Make a change on the thread of the loop, and wait until it is made."""
        done: Future[None] = Future()

        def make() -> None:
            change()
            done.set_result(None)

        self._loop.call_soon_threadsafe(make)
        done.result(10)

    # -- on the thread of the loop ------------------------------------------------------------------------------------

    async def listen(self) -> None:
        """Begin to accept connections."""
        self._server = await asyncio.start_server(self._connected, self.address, self.port)

    async def close(self) -> None:
        """Close everything."""
        if self._server:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = connection = Connection()
        self.accepted += 1
        try:
            if not self._refusing:
                await self._pass_on(connection, reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # a side is gone, or the link is cut: both sides see their connection closed
        finally:
            del self._connections[task]
            writer.close()

    async def _pass_on(
        self, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Copy both ways until either side closes."""
        await self._let_through(connection, Way.REQUESTS)
        far_reader, far_writer = await asyncio.open_connection(self._target, self.port)
        ends = {Way.REQUESTS: (reader, far_writer), Way.ANSWERS: (far_reader, writer)}
        ways = [asyncio.create_task(self._copy(connection, way, *both)) for way, both in ends.items()]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            far_writer.close()

    async def _let_through(self, connection: Connection, way: Way) -> None:
        """Wait as long as a hold stops this way of a connection."""
        while any(hold.stops(connection, way) for hold in self._holds):
            connection.waiting.add(way)
            await self._changed.wait()
        connection.waiting.discard(way)

    async def _copy(
        self, connection: Connection, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Copy one way; a delay holds for each chunk from when it came, so that it is no limit of throughput."""
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=1024)

        async def read() -> None:
            data = b"-"
            while data:
                try:
                    data = await reader.read(CHUNK)
                except OSError:
                    data = b""  # a reset is passed on as an end
                if way is Way.REQUESTS:
                    connection.asked.feed(data)
                await waiting.put((self._loop.time() + self.delayed_by, data))

        reading = asyncio.create_task(read())
        try:
            while True:
                due, data = await waiting.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                await self._let_through(connection, way)
                if not data:
                    return
                connection.let_through[way].feed(data)  # counted before the other side can have it
                self.passed += len(data)
                writer.write(data)
                await writer.drain()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


class Proxies:
    """All links of a cluster that have a proxy, by source and target."""

    def __init__(self) -> None:
        self._links: dict[tuple[int, int], list[Link]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxies", daemon=True)

    def open(self, links: Iterable[tuple[int, int]], ports: Mapping[int, Iterable[int]]) -> None:
        """Put a proxy on each link: one for each port that its target listens on."""
        self._thread.start()
        for source, target in links:
            found = [Link(self._loop, link_address(source, target), port) for port in ports[target]]
            self._links[source, target] = found
            for link in found:
                self._run(link.listen())

    def between(self, source: int, target: int) -> list[Link]:
        """The proxies on the connections that a node opens to another."""
        if (source, target) not in self._links:
            known = ", ".join(f"{one} to {other}" for one, other in self._links) or "none"
            raise KeyError(f"no proxy is on the way from node {source} to node {target}; proxied: {known}")
        return self._links[source, target]

    def whole(self, source: int, targets: Iterable[int]) -> bool:
        """Whether all passes from a node to each of these; where no proxy is on the way it does."""
        return all(link.whole for target in targets for link in self._links.get((source, target), []))

    def close(self) -> None:
        """Close all connections and end the thread; more than once is fine."""
        if self._thread.is_alive():
            for links in self._links.values():
                for link in links:
                    self._run(link.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
        if not self._loop.is_running():
            self._loop.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)
