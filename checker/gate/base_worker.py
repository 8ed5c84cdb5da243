"""A process of its own for the specification of another commit.

Two versions of one specification cannot be imported into one process. This one is started with the folder of the other
commit; the protocols come from there, the language and the checker are those of this tool. It reads one JSON request
from stdin and writes one JSON answer to stdout: the record and the rules, or why they cannot be had, and its warnings,
which the process that asked tells unless it has told them itself.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The record and the rules of `reference` within `bounds`, or the code and message of what went wrong.

    `packages` is the folder whose `spec` package replaces that of this tool, or "". If the specification digest is the
    `known` one, the record is left out; with `rules_only` nothing is searched, and there is none.
    """
    from epochal.exit_codes import ExitCode

    from ..described import described
    from ..search.budget import BudgetExceeded, Deadline

    try:
        if request["packages"]:
            _take_specifications_from(Path(request["packages"]) / "spec")
        from epochal.spec.former_names import former_names
        from epochal.spec.language.configurable import taken_apart_by
        from epochal.spec.loading import instantiate, load_protocol

        from .model_search import ModelSearch

        with Deadline(request["budget"]).watching("loading and compiling the baseline"), former_names():
            kind = taken_apart_by(load_protocol(request["reference"]), request["apart"])
            question = ModelSearch(instantiate(kind, request["bounds"]), request["reference"])
        digests = question.digests
        found: dict[str, Any] = {"specification": digests.specification, "text": digests.text}
        if digests.specification == request["known"]:
            return found
        from ..difference.difference import encode_rules
        from .record import encode_record

        if request.get("rules_only"):
            return {**found, "rules": encode_rules(question.rules)}

        question.keep_rules()
        record = question.kept() or question.searched(request["engine"], request["budget"], None)
        return {**found, "record": encode_record(record, runs=True), "rules": encode_rules(question.rules)}
    except BudgetExceeded as spent:
        return {"code": ExitCode.INCONCLUSIVE, "message": str(spent)}
    except Exception as error:  # told to the process that asked
        code, message = described(error)
        return {"code": code, "message": message}


def _take_specifications_from(folder: Path) -> None:
    """Let the specifications be those of a folder, and their names mean what they meant there.

    The language, and how a name is looked up, stay those of this tool.
    """
    from epochal import spec
    from epochal.spec import registry

    spec.__path__ = [str(folder)]
    file = folder / "registry.py"
    found = importlib.util.spec_from_file_location("epochal.spec.registry_of_the_base", file)
    theirs = None
    if found is not None and found.loader is not None and file.is_file():
        theirs = importlib.util.module_from_spec(found)
        found.loader.exec_module(theirs)
    for name in ("REGISTRY", "IN_CATALOGUE"):
        present: dict[str, str] = getattr(registry, name)
        present.clear()
        present.update(getattr(theirs, name, {}))


def main() -> None:
    """Answer one request."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from ..base.cache import collected_warnings

    warnings = collected_warnings()
    found = answer(json.load(sys.stdin))
    json.dump({**found, "warnings": warnings}, out)
    out.close()


if __name__ == "__main__":
    main()
