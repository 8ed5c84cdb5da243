"""A TCP proxy between two nodes, which can delay, hold back or cut what passes.

One thread with one event loop serves all links. It knows nothing of Kafka: bytes go through as they come.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from typing import Any

from tests.brokers.addresses import LOOPBACK, link_address

CHUNK = 65_536


class Link:
    """The way from a source to a target that accepts connections at an address of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: str, port: int, target: str = LOOPBACK) -> None:
        self.address, self.port, self._target, self._loop = address, port, target, loop
        self.delayed_by = 0.0
        self.accepted = 0
        self.passed = 0
        self._open = asyncio.Event()
        self._open.set()
        self._refusing = False
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """How many connections there are now."""
        return len(self._connections)

    # -- what a scenario says, from any thread ------------------------------------------------------------------------

    def delay(self, seconds: float) -> None:
        """Let bytes arrive so many seconds later, in both directions, in their order; 0 ends it."""
        self.delayed_by = seconds

    def hold(self) -> None:
        """Let nothing through and lose nothing: connections stay, and bytes wait for `release`."""
        self._soon(self._open.clear)

    def release(self) -> None:
        """Let go what was held, and accept connections again after `cut`."""

        def again() -> None:
            self._refusing = False
            self._open.set()

        self._soon(again)

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
        self._connections.add(task)
        self.accepted += 1
        try:
            if not self._refusing:
                await self._pass_on(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # a side is gone, or the link is cut: both sides see their connection closed
        finally:
            self._connections.discard(task)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy both ways until either side closes."""
        await self._open.wait()
        far_reader, far_writer = await asyncio.open_connection(self._target, self.port)
        ways = [asyncio.create_task(self._copy(*ends)) for ends in ((reader, far_writer), (far_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            far_writer.close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy one way; a delay holds for each chunk from when it came, so that it is no limit of throughput."""
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=1024)

        async def read() -> None:
            data = b"-"
            while data:
                try:
                    data = await reader.read(CHUNK)
                except OSError:
                    data = b""  # a reset is passed on as an end
                await waiting.put((self._loop.time() + self.delayed_by, data))

        reading = asyncio.create_task(read())
        try:
            while True:
                due, data = await waiting.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                await self._open.wait()
                if not data:
                    return
                writer.write(data)
                await writer.drain()
                self.passed += len(data)
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
