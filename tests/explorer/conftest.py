"""An explorer in this process, and a real one for the browser."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from epochal.checker.trace.itf_reader import TraceReader
from epochal.cli.explorer.server import Explorer
from epochal.cli.explorer.walk import Address, Opened, Shelf, address_of
from tests.browser import Visit

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1:8737"
TOKEN = "the-token"


def stored(name: str) -> Address:
    """The address of a stored counterexample."""
    trace = TraceReader(()).read(ROOT / "counterexamples" / f"{name}.itf.json")
    return address_of(trace, Opened(str(trace.facts["protocol"]), trace.protocol))


@pytest.fixture(scope="session")
def kip_279() -> Address:
    """The run of 10 steps by which KIP-279 loses a committed record."""
    return stored("kip-279-strong-isr")


def served(explorer: Explorer) -> TestClient:
    """A client of an explorer, which has its token."""
    client = TestClient(explorer.application(), base_url=f"http://{HOST}", follow_redirects=False)
    client.cookies.set(explorer.cookie, TOKEN)
    return client


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A client of an explorer that may do everything."""
    with served(Explorer(Shelf(), TOKEN, HOST)) as made:
        yield made


@pytest.fixture
def reading() -> TestClient:
    """A client of one that is read-only."""
    return served(Explorer(Shelf(), TOKEN, HOST, read_only=True))


@pytest.fixture
def explored(visit: Visit) -> Iterator[Callable[[str], Visit]]:
    """A real server on a free port, and the browser at one of its pages."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(path: str) -> Visit:
        listening = socket.create_server(("127.0.0.1", 0))
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        explorer = Explorer(Shelf(), TOKEN, address, first=path)
        server = uvicorn.Server(
            uvicorn.Config(explorer.application(), log_level="warning", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        running.append((server, thread))
        visit.own = f"http://{address}/"
        visit.page.goto(f"{visit.own}?token={TOKEN}")
        return visit

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(20)
