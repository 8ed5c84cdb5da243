"""What a worker process runs: it answers the questions that its parent sends, until its parent ends."""

from __future__ import annotations

from multiprocessing.connection import Connection

from epochal.checker.unbounded.ladder import ask


def work(connection: Connection) -> None:
    """Answer one question after the other."""
    while True:
        try:
            question, unit, steep, first = connection.recv()
            connection.send(ask(question, unit, steep, first))
        except (EOFError, OSError):
            return
