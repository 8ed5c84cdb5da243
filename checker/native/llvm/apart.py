"""What a process runs that compiles a module beside a search: LLVM text from its input, object code to its output.

LLVM holds a lock in each process, so that a thread which optimises for ten seconds would keep the others from asking it
for anything, and the search from ending.
"""

from __future__ import annotations

import os
import sys

from .jit import Compiler

NICE = 3
"""How far it stands back where processors are short: workers of the search get twice as much, and it does end."""


def main(level: str, passes: str) -> None:
    """Compile the text, and keep the code in the cache."""
    os.nice(NICE)
    text = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(Compiler().compile_and_keep(text, int(level), bool(int(passes))))


if __name__ == "__main__":
    main(*sys.argv[1:])
