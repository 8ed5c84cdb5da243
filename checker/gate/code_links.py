"""Code and the actions that model it: a warning when one changed without the other.

A link names files of an implementation, as patterns relative to the top of the repository, and actions of models. What
changed is known only relative to a commit, so links are looked at where the gate is given `--base`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .changes import changes
from .outcome import GateResult, ModelOutcome
from .settings import CodeLink


def link_warnings(links: Sequence[CodeLink], result: GateResult, changed: Iterable[str]) -> tuple[str, ...]:
    """What to say about code that changed without its model, or the other way round."""
    files = list(changed)
    found = []
    for link in links:
        touched = [file for file in files if any(_matches(file, pattern) for pattern in link.files)]
        models = [m for m in result.models if not link.models or m.name in link.models]
        actions = sorted({a for m in models for a in _changed_actions(m) if not link.actions or a in link.actions})
        named = ", ".join(link.actions) or "the model"
        if touched and not actions:
            found.append(f"{', '.join(touched[:3])} changed, but what models it did not: {named}")
        elif actions and not touched:
            found.append(f"{', '.join(actions)} changed, but the code it models did not: {', '.join(link.files)}")
    return tuple(found)


def _changed_actions(model: ModelOutcome) -> list[str]:
    return [one.action for one in changes(model.difference)]


def _matches(file: str, pattern: str) -> bool:
    """Whether a path matches a pattern, in which `*` and `?` stay within a folder and `**` crosses folders."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(words.get(part, re.escape(part)) for part in parts), file) is not None
