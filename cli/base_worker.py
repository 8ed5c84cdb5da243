"""A process of its own for the specification of another commit.

Two versions of one specification cannot be imported into one process. This one is started with the folder of the other
commit; the protocols come from there, the language and the checker are those of this tool. It reads one JSON request
from stdin and writes one JSON answer to stdout: the record and the rules, or why they cannot be had.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The record and the rules of `reference` within `bounds`, or the code and message of what went wrong.

    `packages` is the folder whose `spec` package replaces that of this tool, or "". If the specification digest is the
    `known` one, the record is left out.
    """
    import spec
    import spec.language

    if request["packages"]:
        spec.__path__ = [str(Path(request["packages"]) / "spec")]
    from .boundary import described
    from .gate_question import Question
    from .load import instantiate, load_protocol

    try:
        kind = load_protocol(request["reference"])
        question = Question(instantiate(kind, request["bounds"]), request["reference"], None)
        digests = question.digests
        found: dict[str, Any] = {"specification": digests.specification, "text": digests.text}
        if digests.specification == request["known"]:
            return found
        from checker.gate.record import encode_record
        from checker.gate.rules import encode_rules

        question.keep_rules()
        record = question.kept() or question.searched(request["engine"], request["budget"], None)
        return {**found, "record": encode_record(record, runs=True), "rules": encode_rules(question.rules)}
    except Exception as error:  # told to the process that asked
        code, message = described(error)
        return {"code": code, "message": message}


def main() -> None:
    """Answer one request."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(answer(json.load(sys.stdin)), out)
    out.close()


if __name__ == "__main__":
    main()
