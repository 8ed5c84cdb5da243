"""Decide once what recovers by itself, for the usual settings.

Run it as `python -m epochal.kafka.guarantees.decide_recoveries`.

What `usual_recoveries.json` has already for the same rules is kept; the file is written whenever a search is done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from epochal.checker.base.files import write_atomically
from epochal.checker.base.installed import tool_version
from epochal.spec.kraft.columns import usual_choices
from epochal.spec.kraft.guarantees import BOUNDS, faults_for, guarded
from epochal.spec.language import SettingValue
from epochal.spec.loading import instantiate

from .recovery import FILE, Answer, decided, key_of, search_for

Case = tuple[Mapping[str, SettingValue], dict[str, int]]
"""Settings, and the bounds of the search."""


def usual_recoveries() -> dict[str, Case]:
    """The cases that come with the package, by their key: the newest release and its design, under every fault."""
    found: dict[str, Case] = {}
    for choice in usual_choices({}):
        for fault in faults_for(choice.settings):
            settings, bounds = {**choice.settings, **fault.settings}, fault.bounds(BOUNDS)
            found.setdefault(key_of(guarded(settings), bounds), (settings, bounds))
    return found


def main() -> int:
    """Bring the file up to date."""
    file = Path(__file__).with_name(FILE)
    before: dict[str, Answer] = json.loads(file.read_bytes())["answers"] if file.exists() else {}
    cases = usual_recoveries()
    answers = {key: before[key] for key in cases if key in before}
    for number, (key, (settings, bounds)) in enumerate(cases.items(), start=1):
        if key not in answers:
            answers[key] = decided(search_for(instantiate(guarded(settings), bounds), None, None, None, None))
            print(f"{number} of {len(cases)}: {answers[key]['states']:,} states", file=sys.stderr)
            _write(file, {one: answers[one] for one in cases if one in answers})
    _write(file, {one: answers[one] for one in cases})
    return 0


def _write(file: Path, answers: Mapping[str, Answer]) -> None:
    content = {"decided_by": f"epochal {tool_version()}", "bounds": BOUNDS, "answers": answers}
    write_atomically(file, json.dumps(content, separators=(",", ":")).replace('"},"', '"},\n"') + "\n")


if __name__ == "__main__":
    sys.exit(main())
