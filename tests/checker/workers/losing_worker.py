"""A worker process that never answers: the system kills it, or its solver fails, as the environment says."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection

if __name__ == "__main__":
    connection = Connection(int(sys.argv[1]))
    connection.send(())
    connection.recv()
    if os.environ["EPOCHAL_TEST_WORKER"] == "dies":
        os._exit(9)
    connection.send(ZeroDivisionError("in the other process"))
    connection.recv()
