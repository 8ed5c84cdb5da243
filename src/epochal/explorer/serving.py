"""Starts the explorer on this machine: finds a port, says where it is, and opens the browser."""

from __future__ import annotations

import contextlib
import errno
import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from epochal.errors import EngineError, UsageError

from .server import Explorer
from .shelf import Shelf

HOST = "127.0.0.1"
USUAL_PORT = 8737


def serve(
    shelf: Shelf,
    path: str = "/",
    port: int | None = None,
    read_only: bool = False,
    browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C. `path` is the page that is opened first, `tell` hears where it is.

    Without a port the usual one is taken, or any free one. Raises UsageError for a port that is in use.
    """
    listening = _listening(port)
    with listening:
        address = f"{HOST}:{listening.getsockname()[1]}"
        explorer = Explorer(shelf, secrets.token_urlsafe(16), address, read_only, path)
        url = f"http://{address}/?token={explorer.token}"
        tell(f"exploring at {url}")
        if browser and not _opened(url):
            tell("no browser was found: open that address yourself")
        tell("Ctrl-C ends it")
        configuration = uvicorn.Config(
            explorer.application(), log_level="critical", access_log=False, timeout_graceful_shutdown=2
        )
        with contextlib.suppress(KeyboardInterrupt):  # which is how it is ended
            uvicorn.Server(configuration).run(sockets=[listening])


def _listening(port: int | None) -> socket.socket:
    """A socket on this machine's own address."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, wanted))
            made.listen(64)
        except OSError as wrong:
            made.close()
            if port is None and wanted:
                continue
            if wrong.errno in (errno.EADDRINUSE, errno.EACCES):
                why = "is in use" if wrong.errno == errno.EADDRINUSE else "may not be used by you"
                raise UsageError(f"port {wanted} {why}", "Give another --port, or none.") from wrong
            raise EngineError(f"nothing can listen on {HOST}: {wrong.strerror}") from wrong
        return made
    raise EngineError(f"no port of {HOST} is free", "End what listens there, or give a --port.")


def _opened(url: str) -> bool:
    """Whether a browser could be asked to open an address."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
