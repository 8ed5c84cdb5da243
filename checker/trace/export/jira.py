"""A trace as a story in the wiki markup of JIRA, for a ticket of Kafka's."""

from __future__ import annotations

import re

from ...base.numbers import counted
from ..explain import claim, explain, property_of, protocol_name, shown_bounds
from ..run import Run
from ..text import because, story


def jira(trace: Run, all_fields: bool = False, file: str = "") -> str:
    """What it shows, a table of its steps, and the whole story in a box of fixed width.

    Views tell it, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    member = property_of(trace)
    lines = [f"h3. {_text(protocol_name(trace))}: {_text(claim(trace))}", ""]
    if member is not None:
        lines += [f"bq. {_text(member.sentence)}", ""] if member.sentence else []
    if reason := because(trace):
        lines += [f"*Because* {_text(reason)}", ""]
    lines += [f"{counted(trace.length, 'state')}, within {_text(shown_bounds(trace.protocol))}.", ""]
    lines.append("||#||step||what is different||")
    for step in explain(trace, all_fields):
        told = r" \\ ".join(_text(str(one)) for one in step.told) or "nothing"
        lines.append(f"|{step.number}|{_text(step.sentence)}|{told}|")
    text = "\n".join(story(trace, all_fields)).replace("{noformat}", "{ noformat }")
    return "\n".join([*lines, "", "{noformat:title=The complete run}", text, "{noformat}"]) + "\n"


def _text(text: str) -> str:
    """Text on one line in which nothing is markup: a backslash stands before every sign that could be."""
    return re.sub(r"([\\{}\[\]|*_\-+^~!?#])", r"\\\1", text.replace("\n", " "))
