"""What a worker process runs: it answers the questions that its parent sends, until its parent ends.

The parent hands over one end of a socket, by its number. Nothing else runs here by itself: no script of the user,
wherever the parent was started from. A question may have a file of the user loaded, which then runs, and may ask
questions of its own: they start no further processes (`answers_for_another`).
"""

from __future__ import annotations

import os
import sys
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

SOLVES = "z3"
"""Said to a process that will ask Z3, which takes a while to load."""

ANSWERS = "EPOCHAL_ANSWERS_FOR"
"""Of the environment: there in a process that answers for another one, and in what it starts."""


def answers_for_another() -> bool:
    """Whether this process answers the questions of another one, and so starts no processes that do the same.

    Else a file whose top level asks something would start processes that load the file, and so on without end.
    """
    return ANSWERS in os.environ


def work(connection: Connection) -> None:
    """Answer what is asked. It says at first, with an empty answer, that it has started."""
    requests = SimpleQueue[Any]()
    threading.Thread(target=_receive, args=(connection, requests), daemon=True).start()
    connection.send(())
    who: Any = None
    while True:
        asked = requests.get()
        try:
            if isinstance(asked, Exception):
                raise asked
            about, question = asked
            if about is not None:
                make, premises = about
                who = make(premises)
            found: object = who.answer(question)
        except Exception as error:  # told where the answer is waited for
            found = error
        try:
            connection.send(found)
        except OSError:
            os._exit(1)


def _receive(connection: Connection, requests: SimpleQueue[Any]) -> None:
    """Hand on what the parent sends. It ends, and Z3 may be at work for minutes on what nobody waits for any more.

    What cannot be read here, such as a class of the parent's `__main__`, is handed on as the error that it is.
    """
    while True:
        try:
            requests.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)
        except Exception as error:
            requests.put(error)


if __name__ == "__main__":
    if SOLVES in sys.argv[2:]:
        import z3  # noqa: F401
    work(Connection(int(sys.argv[1])))
