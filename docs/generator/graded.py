"""The page that grades public rules for topics, each by what searches have decided of the settings it lets through."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docs.generator.markdown import page, table
from epochal.kafka.audit.decided import Decider
from epochal.kafka.audit.topic_class import Kind
from epochal.kafka.guarantees.decided import GuaranteeOptions

CONDUKTOR = "[Conduktor's policy pack](https://kafka-options-explorer.conduktor.io/policies)"
KCPILOT, LENSES, JIKKOU = "KCPilot (SoftwareMill)", "topic audit of Lenses", "Jikkou"


@dataclass(frozen=True)
class Rule:
    """A public rule, as it is read: whether it lets settings through, by replication factor and min.insync.replicas."""

    source: str
    text: str
    admits: Callable[[int, int], bool]


RULES: Sequence[Rule] = (
    Rule(CONDUKTOR, "replication factor at least 3", lambda copies, _: copies >= 3),
    Rule(CONDUKTOR, "min.insync.replicas = replication factor - 1", lambda copies, wanted: wanted == copies - 1),
    Rule(CONDUKTOR, "2 ≤ min.insync.replicas ≤ replication factor - 1", lambda copies, wanted: 2 <= wanted < copies),
    Rule(
        CONDUKTOR,
        "regulated: min.insync.replicas at least 3, replication factor at least 5",
        lambda copies, wanted: wanted >= 3 and copies >= 5,
    ),
    Rule(CONDUKTOR, "tier free: min.insync.replicas at least 1", lambda _, wanted: wanted >= 1),
    Rule(CONDUKTOR, "tier paid: min.insync.replicas at least 2", lambda _, wanted: wanted >= 2),
    Rule(
        CONDUKTOR,
        "tier enterprise: min.insync.replicas at least 2, replication factor at least 3",
        lambda copies, wanted: wanted >= 2 and copies >= 3,
    ),
    Rule(
        KCPILOT,
        "replication factor - min.insync.replicas at least 2 (best)",
        lambda copies, wanted: copies - wanted >= 2,
    ),
    Rule(KCPILOT, "replication factor - min.insync.replicas at least 1", lambda copies, wanted: copies - wanted >= 1),
    Rule(LENSES, "replication factor at least 3 (fine)", lambda copies, _: copies >= 3),
    Rule(LENSES, "replication factor at least 2 (a warning)", lambda copies, _: copies >= 2),
    Rule(JIKKOU, "a least replication factor, here 3", lambda copies, _: copies >= 3),
)
"""What was read in 2026. A rule about the minimum alone is asked with a minimum that can be met."""

COPIES = 3
"""Up to so many replicas every promise below is decided for every release."""

RELEASES: Sequence[tuple[str, bool]] = (("3.9", False), ("4.3", False), ("4.3", True))
"""Releases, and whether eligible leader replicas are on."""

SETTINGS = tuple((copies, wanted) for copies in range(1, COPIES + 1) for wanted in range(1, copies + 1))


@dataclass(frozen=True)
class Kept:
    """What was decided of settings: nothing is lost by a crash, nor by a loss of power; writes go on with one down."""

    crash: bool
    power: bool
    writes: bool

    @property
    def all(self) -> bool:
        """Whether every promise is kept."""
        return self.crash and self.power and self.writes


@functools.cache
def kept(release: str, elr: bool, copies: int, wanted: int) -> Kept:
    """What the release keeps as it was designed, with acks=all and without unclean election, decided by searches."""
    decider = _decider(release)
    kind = Kind(copies, wanted, "all", unclean=False, elr=elr)
    words = [decider.by_design(kind, fault).word for fault in ("clean", "lossy")]
    assert "open" not in words, f"{kind} of Kafka {release} is not decided"
    return Kept(words[0] == "kept", words[1] == "kept", copies > 1 and decider.writes(kind) is True)


@functools.cache
def _decider(release: str) -> Decider:
    return Decider((release,), GuaranteeOptions(searches=False))


def graded(rule: Rule, release: str, elr: bool) -> tuple[str, ...]:
    """What a rule lets through of what was decided, which of that breaks each promise, and what it refuses though all
    hold.
    """
    answers = {one: kept(release, elr, *one) for one in SETTINGS}
    through = [one for one in SETTINGS if rule.admits(*one)]
    if not through:
        return ("nothing up to 3 replicas", "not decided", "not decided", "not decided", _named(_safe(answers)))
    return (
        _named(through),
        *(
            _named([one for one in through if not getattr(answers[one], promise)], "kept", "broken: ")
            for promise in ("crash", "power", "writes")
        ),
        _named([one for one in _safe(answers) if one not in through]),
    )


def _safe(answers: dict[tuple[int, int], Kept]) -> list[tuple[int, int]]:
    return [one for one, answer in answers.items() if answer.all]


def _named(settings: Sequence[tuple[int, int]], none: str = "nothing", before: str = "") -> str:
    return before + ", ".join(f"{copies}/{wanted}" for copies, wanted in settings) if settings else none


def word(rule: Rule, release: str, elr: bool) -> str:
    """What a rule is worth: exact, or what it lets through and what it refuses."""
    answers = {one: kept(release, elr, *one) for one in SETTINGS}
    through = [one for one in SETTINGS if rule.admits(*one)]
    if not through:
        return "not decided"
    loses = any(not (answers[one].crash and answers[one].power) for one in through)
    stops = any(not answers[one].writes for one in through)
    refuses = any(one not in through for one in _safe(answers))
    told = [
        *(["lets losses through"] if loses else []),
        *(["lets writes stop"] if stops else []),
        *(["refuses what is safe"] if refuses else []),
    ]
    return ", ".join(told) or "exact"


def in_words(release: str, elr: bool) -> str:
    """`Kafka 4.3, ELR on`."""
    return f"Kafka {release}" + ("" if release < "4" else f", ELR {'on' if elr else 'off'}")


INTRODUCTION = """
Tools and companies publish rules for topics. This page asks what such a rule is worth: which settings it lets through,
and what searches have decided of these. Each rule does what it was made for; most are about one promise, and are read
as if they were about three. This is asked, with `acks=all` and without unclean election, by the rules that each release
was designed with:

* **a crash**: no record that was acknowledged or read is lost if one broker crashes and keeps its disk;
* **a power loss**: the same, if that broker loses what it had not flushed;
* **writes**: writes go on while one broker is down.

Settings are written as replication factor/`min.insync.replicas`, up to 3 replicas, where everything is decided. A rule
is *exact* if it lets no loss through, writes go on, and it refuses nothing that is safe. Ask for any settings yourself:
`epochal guarantees --kafka 4.3 --replication-factor 3 --min-insync-replicas 1`; or let
[a policy](../policies.md) be generated in place of such a rule.
"""

READING = """
*A power loss* decides. Without eligible leader replicas none of these settings survive it: the last member of the ISR
may lose what only it has. With them on, as they are for new clusters since 4.1, every `min.insync.replicas` from 2
survives it, and 3/2 alone lets writes go on as well: "2 ≤ min.insync.replicas ≤ replication factor - 1" is exact. A
rule about the replication factor alone says nothing about a power loss. A margin of 2 buys writes while two brokers are
down, and pays with acknowledged records.

More than 4 replicas are not searched, so that the rule for regulated topics is not graded. Known bugs of a release
break some of what is kept here, whatever the settings (`epochal guarantees`).
"""

VOTERS = """
## An even number of voters

KCPilot calls an even number of controllers critical, for the danger of a split brain. But two majorities of four voters
have a voter in common, too, and no two controllers lead in one epoch: a search of four voters finds none
(`one_leader_per_epoch` of `epochal check quorum --voters 4`), and `epochal prove quorum --unbounded` proves it for any
number of voters. The fourth voter buys nothing, that is true: four survive the loss of one, as three do.
"""


def graded_rules() -> str:
    """The page."""
    header = ("rule", "of", *(in_words(*one) for one in RELEASES))
    summary = [(rule.text, rule.source, *(word(rule, *one) for one in RELEASES)) for rule in RULES]
    return page(
        "Public rules, graded by search",
        INTRODUCTION,
        "## In a word",
        table(header, summary),
        READING,
        *itertools.chain.from_iterable(_section(*one) for one in RELEASES),
        VOTERS,
    )


def _section(release: str, elr: bool) -> Iterator[str]:
    yield f"## {in_words(release, elr)}"
    header = ("rule", "lets through", "a crash", "a power loss", "writes", "refuses though all hold")
    seen: dict[tuple[str, ...], list[str]] = {}
    for rule in RULES:
        seen.setdefault(graded(rule, release, elr), []).append(rule.text)
    yield table(header, [("; ".join(dict.fromkeys(texts)), *cells) for cells, texts in seen.items()])
