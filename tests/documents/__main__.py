"""`python -m tests.documents PAGE...`: run the pages, and renew the line numbers that their stories name.

A story says where each step stands in the specification. When only these numbers have changed, a page is renewed;
whatever else differs is printed.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from tests.documents.harness import ROOT, blocks, commands, pages, run, typed, written

NUMBER = re.compile(r"(?<=\.py:)\d+")


def renewed(page: Path) -> str:
    """The page with the line numbers of today."""
    content = page.read_text(encoding="utf-8")
    for block in blocks(page):
        if not block.is_run or block.language != "console" or not NUMBER.search(block.text):
            continue
        text = block.text
        for command in commands(block):
            printed = {NUMBER.sub("", line.rstrip()): line.rstrip() for line in typed(command.typed)[1].splitlines()}
            for line in filter(NUMBER.search, command.shown.splitlines()):
                text = text.replace(line, printed.get(NUMBER.sub("", line), line))
        content = content.replace(block.text, text)
    return content


def main() -> None:
    """Renew the pages that are named, or all."""
    for page in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            written(page, Path(folder))
            content = renewed(page)
            if content != page.read_text(encoding="utf-8"):
                page.write_text(content, encoding="utf-8")
                print(f"renewed {page.relative_to(ROOT)}")
            for difference in run(page, long=False):
                print(difference)
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
