"""`python -m tests.checker.random_programs --seeds 0:10000 --jobs 2 --out DIR`: many programs, and their outcomes."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.checker.random_programs.campaign import Campaign
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import run


def main() -> int:
    """Run programs; 1 if one of them shows a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.checker.random_programs", description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="the first seed, and the one after the last")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("random-programs"), help="where found programs are written")
    parser.add_argument("--shrink", type=int, default=600, help="tries to make a found program smaller; 0: none")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the program of a seed")
    parser.add_argument("--file", type=Path, help="compare the readings of one file instead, whose protocol is P")
    given = parser.parse_args()
    if given.show is not None:
        print(program(given.show).text)
        return 0
    if given.file is not None:
        text = given.file.read_text(encoding="utf-8")
        outcome = run(text, given.file.stem, symmetric="Identifiers(" in text)
        print(f"{outcome.verdict}: {outcome.cause}\n{outcome.detail}")
        return int(outcome.verdict == "failed")
    first, last = map(int, given.seeds.split(":"))
    given.out.mkdir(parents=True, exist_ok=True)
    summary = Campaign(
        range(first, last), given.jobs, given.out, given.shrink, lambda text: print(text, flush=True)
    ).run()
    (given.out / "summary.json").write_text(json.dumps(summary.as_json(), indent=1) + "\n", encoding="utf-8")
    print(summary.line())
    for cause, seeds in sorted(summary.failures.items(), key=lambda one: -len(one[1])):
        print(f"  {len(seeds):5d}  {cause}  (seeds {', '.join(map(str, seeds[:5]))})")
    return int(bool(summary.failures))


if __name__ == "__main__":
    sys.exit(main())
