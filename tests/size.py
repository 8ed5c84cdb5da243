"""How large the product and its tests are: modules and lines by room, and what a change makes of them.

python -m tests.size                  this checkout
python -m tests.size --against HEAD~1 with the difference from a commit
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("src", "spec", "checker", "cli")
FORMER = {"epochal": "src"}
"""Folders that an earlier commit has under another name."""

Size = tuple[int, int]
"""Modules and lines."""


def git(*words: str) -> bytes:
    """What git says. Raises CalledProcessError with its message."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def room_of(path: str) -> str | None:
    """The room of a source file, Python or C, two folders deep; None for what is neither product nor test."""
    parts = path.split("/")
    parts[0] = FORMER.get(parts[0], parts[0])
    if not path.endswith((".py", ".c", ".h")) or parts[0] not in (*PRODUCT, "tests"):
        return None
    folders = [part for part in parts[:-1] if (parts[0], part) != ("src", "epochal")]
    return "/".join(folders[:2])


def files(commit: str) -> Iterator[tuple[str, int]]:
    """The files of a commit, or of the checkout if it is "", with their lines."""
    if not commit:
        for name in git("ls-files", "-z").decode().split("\0"):
            if room_of(name) and (ROOT / name).is_file():
                yield name, (ROOT / name).read_bytes().count(b"\n")
        return
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and room_of(member.name) else None
            if content is not None:
                yield member.name, content.read().count(b"\n")


def sizes(commit: str = "") -> dict[str, Size]:
    """Modules and lines of every room."""
    found: defaultdict[str, Size] = defaultdict(lambda: (0, 0))
    for name, lines in files(commit):
        room = room_of(name) or ""
        found[room] = (found[room][0] + 1, found[room][1] + lines)
    return dict(found)


def total(found: dict[str, Size], of: Sequence[str]) -> Size:
    """The sum of the rooms of some folders."""
    own = [size for room, size in found.items() if room.split("/")[0] in of]
    return sum(modules for modules, _ in own), sum(lines for _, lines in own)


def table(now: dict[str, Size], before: dict[str, Size] | None) -> list[str]:
    """A line for each room, and two sums."""
    order = {folder: number for number, folder in enumerate((*PRODUCT, "tests"))}
    rooms = sorted({*now, *(before or {})}, key=lambda room: (order[room.split("/")[0]], room))
    rows = [(room, now.get(room, (0, 0)), (before or {}).get(room, (0, 0))) for room in rooms]
    for name, folders in (("product", PRODUCT), ("tests", ("tests",))):
        rows.append((name, total(now, folders), total(before or {}, folders)))
    lines = []
    for room, (modules, count), (_, former) in rows:
        change = "" if before is None else f"{count - former:>+9,}" if count != former else f"{'':>9}"
        if before is None or change.strip() or room in ("product", "tests"):
            lines.append(f"{room:<28}{modules:>6} modules{count:>10,} lines{change}")
    return lines


def main(arguments: Sequence[str]) -> None:
    """Print the table. Exits with git's message where there is no such commit."""
    parser = argparse.ArgumentParser(prog="python -m tests.size", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--against", metavar="COMMIT", default="", help="show what has changed since this commit")
    given = parser.parse_args(arguments)
    try:
        before = sizes(given.against) if given.against else None
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr.decode().strip())
    print(*table(sizes(), before), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
