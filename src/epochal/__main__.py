"""`epochal`, and `python -m epochal`: the command line, which heeds Ctrl-C from its first import on."""

from __future__ import annotations

import gc
import os
import sys

from epochal.exit_codes import ExitCode


def main() -> None:
    """Run the command line, and exit with its code."""
    try:
        from epochal.cli.main import main as command
    except KeyboardInterrupt:  # imports take a moment, and none of them knows what to do about it
        print("epochal: interrupted", file=sys.stderr, flush=True)
        os._exit(ExitCode.INTERRUPTED)  # half of the modules are there: nothing of theirs may run any more
    try:
        command()
    finally:
        gc.freeze()  # the process ends: to look for garbage in a whole graph once more would take a quarter of a second


if __name__ == "__main__":
    main()
