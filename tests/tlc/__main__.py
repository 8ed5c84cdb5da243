"""Compares registered protocols with TLC, and keeps what it says: python -m tests.tlc [NAME...]."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError

from .compared import compare
from .rows import NAMES, within
from .tlc import missing

KEPT = Path(__file__).parent / "kept.json"
"""What TLC said of each registered protocol, by its name."""


def kept() -> dict[str, Any]:
    """What was kept."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    return found


def asked(name: str, witnesses: bool) -> dict[str, Any]:
    """What TLC says of a protocol, in the form in which it is kept."""
    protocol = within(name)
    try:
        found = asdict(compare(protocol, witnesses))
    except EpochalError as error:
        found = {"refused": str(error)}
    return {"bounds": protocol.bounds.as_dict(), **found}


def main() -> None:
    """Ask TLC, and write what it says after each protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all that are not kept, if none is named")
    parser.add_argument("--witnesses", action="store_true", help="what must happen, too: a run of TLC for each")
    options = parser.parse_args()
    if why := missing():
        sys.exit(why)
    for name in options.names or [name for name in NAMES if name not in kept()]:
        began = time.monotonic()
        try:
            answer = asked(name, options.witnesses)
        except subprocess.TimeoutExpired as late:
            print(f"{name}: TLC has not ended in {late.timeout:,.0f} s: nothing is kept", flush=True)
            continue
        found = {**kept(), name: answer}
        text = json.dumps({one: found[one] for one in NAMES if one in found}, indent=1, default=list)
        KEPT.with_suffix(".new").write_text(text + "\n", encoding="utf-8")
        KEPT.with_suffix(".new").replace(KEPT)
        said = answer.get("refused") or "; ".join(answer["differences"]) or f"{answer['states']:,} states, the same"
        print(f"{name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
