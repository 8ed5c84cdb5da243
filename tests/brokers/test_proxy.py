"""The proxy between two nodes, with an echo in place of a broker: what it delays, holds, cuts and leaves alone."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from tests.brokers.addresses import LOOPBACK, free_ports, link_address
from tests.brokers.messages import Api, Meter, Part, Way
from tests.brokers.process import wait_until
from tests.brokers.proxy import Link, Proxies


class Echo(socketserver.BaseRequestHandler):
    """Sends back what comes."""

    def handle(self) -> None:
        while data := self.request.recv(65_536):
            self.request.sendall(data)


@pytest.fixture
def proxies() -> Iterator[Proxies]:
    """A proxy on the way from node 1 to node 2, where an echo listens."""
    (port,) = free_ports(1)
    proxies = Proxies()
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with socketserver.ThreadingTCPServer((LOOPBACK, port), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        proxies.open([(1, 2)], {2: [port]})
        yield proxies
        proxies.close()
        proxies.close()
        server.shutdown()


@pytest.fixture
def link(proxies: Proxies) -> Link:
    """The link from node 1 to node 2."""
    return proxies.between(1, 2)[0]


def connected(link: Link) -> socket.socket:
    """A connection through the link."""
    return socket.create_connection((link_address(1, 2), link.port), timeout=5)


def echoed(connection: socket.socket, data: bytes) -> bytes:
    """What comes back for this; shorter if the connection closes before."""
    connection.sendall(data)
    found = b""
    while len(found) < len(data) and (more := connection.recv(65_536)):
        found += more
    return found


def test_bytes_pass_as_they_are(link: Link) -> None:
    data = bytes(range(256)) * 10_000
    with connected(link) as connection:
        sending = threading.Thread(target=connection.sendall, args=(data,))
        sending.start()
        found = b""
        while len(found) < len(data):
            found += connection.recv(65_536)
        sending.join()
    assert found == data
    assert link.accepted == 1


def test_a_delay_is_for_both_ways_and_ends(link: Link) -> None:
    with connected(link) as connection:
        link.delay(0.2)
        begun = time.monotonic()
        assert echoed(connection, b"slow") == b"slow"
        assert 0.4 <= time.monotonic() - begun < 4
        link.delay(0)
        begun = time.monotonic()
        assert echoed(connection, b"fast") == b"fast"
        assert time.monotonic() - begun < 0.2


def test_what_is_held_comes_later_and_whole(link: Link) -> None:
    with connected(link) as connection:
        assert echoed(connection, b"first") == b"first"
        link.hold()
        connection.sendall(b"second")
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(100)
        link.release()
        connection.settimeout(5)
        assert connection.recv(100) == b"second"


def request(api: int, text: bytes) -> bytes:
    """A message as Kafka writes a request: its length, the API key, and more."""
    return struct.pack(">ih", len(text) + 2, api) + text


def test_a_part_is_held_and_the_rest_passes(link: Link) -> None:
    """Answers on connections with fetches wait, after one more; other connections, and requests, pass."""
    answers = Part(Way.ANSWERS, Api.FETCH)
    with connected(link) as fetching, connected(link) as heartbeats:
        fetch, beat = request(Api.FETCH, b"fetch"), request(Api.HEARTBEAT, b"beat")
        assert (echoed(fetching, fetch), echoed(heartbeats, beat)) == (fetch, beat)
        link.hold(answers, after=1)
        assert echoed(fetching, fetch) == fetch and not link.holds(answers)
        passed = link.passed
        fetching.sendall(fetch)
        wait_until("the answer waits", lambda: link.holds(answers), 5)
        assert link.passed == passed + len(fetch) and not link.holds(Part(Way.REQUESTS))
        assert echoed(heartbeats, beat) == beat
        link.hold(Part(Way.REQUESTS))
        link.release(answers)
        assert fetching.recv(100) == fetch
        heartbeats.sendall(beat)
        wait_until("the request waits", lambda: link.holds(Part(Way.REQUESTS, Api.HEARTBEAT)), 5)
        assert not link.holds(Part(Way.REQUESTS, Api.FETCH))
        link.release()
        assert heartbeats.recv(100) == beat


@pytest.mark.parametrize("size", [1, 5, 6, 7, 64])
def test_messages_are_counted_however_they_are_cut(size: int) -> None:
    data = b"".join(request(api, b"x" * length) for api, length in ((1, 4), (56, 30), (18, 4)))
    meter, seen = Meter(), []
    for start in range(0, len(data), size):
        meter.feed(data[start : start + size])
        seen.append(meter.ended)
    assert (meter.ended, meter.kinds) == (3, {1, 56, 18}) and seen == sorted(seen)
    meter.feed(request(63, b"unfinished")[:-1])
    assert (meter.ended, meter.kinds) == (3, {1, 56, 18, 63})


def test_a_cut_closes_and_refuses_until_it_is_released(link: Link) -> None:
    with connected(link) as connection:
        assert echoed(connection, b"before") == b"before"
        link.cut()
        assert connection.recv(100) == b""
    with connected(link) as connection:
        assert connection.recv(100) == b""
    link.release()
    with connected(link) as connection:
        assert echoed(connection, b"after") == b"after"


def test_a_way_is_whole_unless_something_of_it_is_held_or_cut(link: Link, proxies: Proxies) -> None:
    assert proxies.whole(1, [2, 3]) and proxies.whole(2, [1])
    link.hold(Part(Way.ANSWERS, Api.FETCH))
    assert not proxies.whole(1, [2, 3]) and proxies.whole(1, [3]) and proxies.whole(2, [1])
    link.release(Part(Way.ANSWERS, Api.FETCH))
    assert proxies.whole(1, [2])
    link.cut()
    assert not proxies.whole(1, [2])
    link.release()
    assert proxies.whole(1, [2])


def test_nothing_is_kept_of_a_connection_that_is_reset(link: Link) -> None:
    connection = connected(link)
    assert echoed(connection, b"before") == b"before"
    assert link.connections == 1
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    wait_until("the connection is given up", lambda: link.connections == 0, 5)


def test_a_link_without_a_proxy_is_named() -> None:
    proxies = Proxies()
    proxies.open([], {})
    with pytest.raises(KeyError, match="no proxy is on the way from node 1 to node 2; proxied: none"):
        proxies.between(1, 2)
    proxies.close()
