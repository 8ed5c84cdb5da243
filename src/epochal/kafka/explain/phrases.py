"""Where a description leads: faults, known bugs, steps and properties that are told in the words that somebody uses.

`one broker loses its disk` is the name of nothing here; `a crash that loses data` is, and means the same.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS
from epochal.spec.kraft.guarantees import FAULTS
from epochal.spec.language.marks import Kind
from epochal.spec.registry import REGISTRY, registered

AT_MOST = 6
"""How many of a kind are told; a longer description leads to fewer."""

UNSAID: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "been", "before", "by", "but", "can", "does", "for", "from"),
        *("has", "have", "his", "how", "if", "in", "into", "is", "it", "its", "kafka", "my", "no", "not", "of", "off"),
        *("on", "one", "only", "or", "other", "our", "out", "own", "than", "that", "the", "their", "them", "then"),
        *("there", "they", "this", "to", "was", "what", "when", "which", "while", "who", "whose", "why", "will"),
        *("with", "without", "broker", "brokers", "node", "nodes", "replica", "replicas", "server", "machine"),
    )
)
"""Words that say nothing about what is meant: nearly everything here is about brokers."""

FAILING: Final = {
    **dict.fromkeys(("loses", "lose", "losing", "loss", "lossy"), "lost"),
    **dict.fromkeys(("dies", "die", "died", "dead", "down", "fails", "fail", "failed", "failure", "failures"), "crash"),
    **dict.fromkeys(("restart", "restarts", "comes", "back", "returns", "return", "reboot"), "start"),
}
"""How a fault is said, in one word for each."""

SAME: Final = {
    **FAILING,
    **dict.fromkeys(("disk", "disks", "volume", "storage", "log", "logs"), "data"),
    **dict.fromkeys(("elects", "elected", "election", "elections"), "elect"),
    **dict.fromkeys(("write", "writes", "written", "wrote"), "append"),
    **dict.fromkeys(("twice", "duplicate", "duplicates", "duplicated"), "again"),
}
"""Words that mean the same here, or nearly so."""

KINDS_LED_TO: Final[dict[Kind, str]] = {"action": "steps", "invariant": "properties", "action_property": "properties"}


@dataclass(frozen=True)
class Led:
    """What a description leads to: which kind of things it is one of, how it is told, and the command that shows it."""

    kind: str
    text: str
    command: str


def led_to(description: str) -> list[Led]:
    """What is told with all the words of a description, or with words that mean the same; faults and bugs first."""
    asked = _meant(description)
    return (
        [] if not asked else [led for told in (_faults, _led_to_bugs, _led_to_members) for led in _first(told(), asked)]
    )


def _first(told: Iterable[tuple[str, Led]], asked: frozenset[str]) -> list[Led]:
    """Of those that are told with every word, the shortest."""
    found = sorted((len(text), number, led) for number, (text, led) in enumerate(told) if asked <= _meant(text))
    return [led for _, _, led in found[:AT_MOST]]


def _meant(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(stem(SAME.get(word, word)) for word in words if word not in UNSAID)


def stem(word: str) -> str:
    """A word without its ending, where it is long enough: `crashes`, `crashed` and `crash` are one."""
    for ending in ("ing", "es", "ed", "s", "e", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _faults() -> Iterator[tuple[str, Led]]:
    for fault in FAULTS:
        yield fault.title, Led("faults", f"{fault.id}: {fault.title}", f"epochal guarantees --fault {fault.id}")


def _led_to_bugs() -> Iterator[tuple[str, Led]]:
    for bug in KNOWN_BUGS:
        key = bug.id or next(iter(bug.references()), "")
        shown = f"catalogue {shlex.quote(key)}" if key and bug in CATALOGUE else f"show {bug.without_rule}"
        yield bug.title, Led("known bugs", f"{bug.name}: {bug.title}", f"epochal {shown}")


def _led_to_members() -> Iterator[tuple[str, Led]]:
    """The steps and properties, each by the first protocol that tells it so."""
    seen: set[str] = set()
    for name in REGISTRY:
        kind = registered(name)
        for mark, what in KINDS_LED_TO.items():
            for member in kind.members(mark):
                text = f"{member.name}: {member.sentence}"
                if text not in seen:
                    seen.add(text)
                    yield text, Led(what, text, f"epochal show {name}")
