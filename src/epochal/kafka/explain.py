"""What a word means: an exit code, a property, action, rule, bound or setting, a protocol, a known bug, a ticket."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from epochal.checker.base.numbers import counted
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS
from epochal.spec.bugs.known_bug import is_reference, references_in
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from epochal.spec.kraft import settings as kraft_settings
from epochal.spec.kraft.configuration import ACKS_SYNONYMS, SETTINGS
from epochal.spec.kraft.generations import (
    CLASSIC,
    FIRST_WITH_ELR,
    GENERATIONS,
    RELEASES,
    VERSIONS,
    Version,
    generation_of,
    known_as,
    numbered,
    older,
)
from epochal.spec.kraft.guarantees import FAULTS
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import Setting, SettingValue, as_options, option, settings_of
from epochal.spec.language.errors import BoundsError, nearest, of_the_same_number
from epochal.spec.language.marks import Kind
from epochal.spec.language.rules import Rule, rules_of
from epochal.spec.registry import REGISTRY, is_registered, registered

from .audit_rules import RULES as AUDIT_RULES
from .situations import FAILING, situations, stem

# -- phrases ----------------------------------------------------------------------------------------------------------
# Where a description leads: faults, known bugs, steps and properties that are told in the words that somebody uses.
#
# `one broker loses its disk` is the name of nothing here; `a crash that loses data` is, and means the same.

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


# -- questions --------------------------------------------------------------------------------------------------------
# Settings in a question: `is acks=all with min.insync.replicas=1 safe` is one for `epochal guarantees`.

CALLED: Mapping[str, tuple[str, ...]] = {
    "min_insync_replicas": ("min.insync.replicas", "min isr", "min.in.sync.replicas"),
    "acks": ("acks",),
    "unclean_leader_election": ("unclean.leader.election.enable", "unclean.leader.election"),
    "elr": ("eligible.leader.replicas.version", "elr"),
}
"""The settings that an operator or a producer has, as they are called in a question."""

REPLICAS = Setting("replication_factor", "number", "how many replicas there are", "3")
REPLICAS_CALLED = ("replication.factor", "rf")

ACKS = frozenset((*(one.value for one in Acks), *ACKS_SYNONYMS))

SWITCHED: Mapping[str, bool] = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}

BETWEEN = r"[\s._-]*"
"""What may stand between the words of a name: `min.insync.replicas`, `min-insync-replicas`."""


def asked_settings(question: str) -> list[str]:
    """The options of `epochal guarantees` that a question means; none if no setting has a value in it.

    Two releases alone are an upgrade: `from 3.9 to 4.1`. One besides other settings is the one that is asked about.
    """
    releases = [name for name in re.findall(r"\b[0-9]+(?:\.[0-9]+)+\b", question) if known_as(name) in VERSIONS]
    said = dict(_said(question.lower()))
    if len(releases) == 2:
        return ["--from", releases[0], "--to", releases[1], *as_options(said)]
    if said and len(releases) == 1:
        said = {"kafka": releases[0], **said}
    return as_options(said)


def _said(question: str) -> Iterator[tuple[str, SettingValue]]:
    """The settings with a value in the question, in the order of their declaration."""
    called = [(REPLICAS, REPLICAS_CALLED), *((one, CALLED[one.name]) for one in SETTINGS if one.name in CALLED)]
    for setting, names in called:
        value = next((text for name in names for text in _values(question, name)), None)
        if value is None or (setting.name == "acks" and value not in ACKS):
            continue
        try:
            yield setting.name, setting.value(SWITCHED.get(value, value) if setting.kind == "switch" else value)
        except BoundsError:  # a word of the sentence, and no value
            continue


def _values(question: str, name: str) -> list[str]:
    """What stands after a name: `acks=all`, `acks: all`, `acks of all`, `acks all`."""
    words = BETWEEN.join(map(re.escape, re.split(r"[\s._-]", name)))
    return re.findall(rf"\b{words}\s*(?:=|:|\bof\b|\bis\b|\s)\s*(-?[a-z0-9]+)\b", question)


# -- releases ---------------------------------------------------------------------------------------------------------
# Which releases of Kafka have a rule: yes or no, from the first with KRaft to the newest that is known.

NO, ASKED_FOR, YES = "no", "off unless set", "yes"

SINCE: Final[dict[str, Version]] = {
    "decides_on_one_fetch": (3, 5),
    "elr_has_only_replicas": FIRST_WITH_ELR,
    "known_leader_must_be_active": FIRST_WITH_ELR,
    "override_starts_anew": (3, 0),
    "reassignment_ends": (3, 0),
}
"""The first version in which there is something to rule: broker epochs in proposals, ELR, reassignments with KRaft."""


def in_releases(rule: str) -> str:
    """`2.8 to 3.6: no; 3.7 to 4.4: yes`; "" for a rule of which no release is known to lack it.

    Then nothing is said: a hole may be known to the catalogue alone, or lie in what somebody sets.
    """
    asked = [version for version in VERSIONS if numbered(version) >= SINCE.get(rule, ())]
    groups = [(has, list(found)) for has, found in itertools.groupby(asked, lambda one: _has(rule, one))]
    if [has for has, _ in groups] == [YES]:
        return ""
    return "; ".join(f"{_from_to(found)}: {has}" for has, found in groups)


def _has(rule: str, version: str) -> str:
    if getattr(VERSIONS[version], rule) == getattr(Settings(), rule):
        return YES
    return ASKED_FOR if rule == "elr" and numbered(version) >= FIRST_WITH_ELR else NO


def _from_to(found: list[str]) -> str:
    """`3.7 to 4.4` of versions with all their releases, `3.9.1 to 3.9.2` of some of them."""
    first, last = found[0], found[-1]
    if _minor(first) == _minor(last) and numbered(last)[2] < RELEASES[_minor(last)]:
        first = ".".join(map(str, numbered(first)))
    if numbered(last)[2] < RELEASES[_minor(last)]:
        last = ".".join(map(str, numbered(last)))
    elif _minor(first) != _minor(last) or first == _minor(last):
        last = _minor(last)
    return first if first == last else f"{first} to {last}"


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


KINDS: Final[dict[Kind, str]] = {
    "action": "an action",
    "invariant": "an invariant: true in every reachable state",
    "action_property": "a property of every step",
    "reachable": "something that must be reachable",
    "lemma": "a lemma of a proof",
    "leads_to": "a liveness property: wherever the premise holds, the goal holds then or later",
    "constraint": "a state constraint",
}

KIPS: Final = {
    "KIP-98": "Exactly once delivery and transactional messaging",
    "KIP-101": "Alter the replication protocol to use leader epochs rather than high watermarks for truncation",
    "KIP-106": "Unclean leader election is off by default",
    "KIP-107": "Records before an offset can be deleted by an administrator",
    "KIP-113": "Replicas move between the log directories of a broker",
    "KIP-207": "Offsets of ListOffsets grow monotonically, even while the leader changes",
    "KIP-227": "Incremental fetch requests",
    "KIP-279": "Fix log divergence between leader and follower after fast leader fail-over",
    "KIP-320": "Allow fetchers to detect and handle log truncation",
    "KIP-360": "A more reliable idempotent and transactional producer",
    "KIP-380": "Detect outdated control requests and bounced brokers by broker generations",
    "KIP-392": "Consumers may fetch from the closest replica",
    "KIP-405": "Tiered storage: segments are copied to a remote store",
    "KIP-455": "An administrative API for the reassignment of replicas",
    "KIP-460": "An administrative API for the election of leaders",
    "KIP-461": "A fetcher goes on with its other partitions when one fails",
    "KIP-497": "An inter-broker API to alter the ISR",
    "KIP-500": "Replace ZooKeeper with a self-managed metadata quorum",
    "KIP-595": "A Raft protocol for the metadata quorum",
    "KIP-630": "Snapshots of the metadata log",
    "KIP-631": "The quorum-based Kafka controller",
    "KIP-704": "Send a hint to the partition leader to recover the partition",
    "KIP-841": "Fenced replicas are not allowed to join the ISR in KRaft",
    "KIP-848": "The next generation of the consumer rebalance protocol",
    "KIP-853": "Changes of the members of the KRaft controller",
    "KIP-854": "A configuration of its own for the expiry of producer ids",
    "KIP-858": "Failures of log directories in KRaft (JBOD)",
    "KIP-890": "The servers' defence against hanging transactions",
    "KIP-903": "Replicas with a stale broker epoch are not allowed to join the ISR",
    "KIP-932": "Queues for Kafka: share groups",
    "KIP-950": "Tiered storage is disabled for a topic",
    "KIP-966": "Eligible leader replicas",
    "KIP-996": "Pre-vote",
    "KIP-1150": "Diskless topics",
    "KIP-1163": "Diskless topics: how they are written, read and deleted",
    "KIP-1164": "Diskless topics: their coordinator",
    "KIP-1228": "The transaction version in requests that write markers",
    "KIP-1235": "Two in-sync replicas by default for __remote_log_metadata",
}
"""What the KIPs that the specifications name are about."""


@dataclass(frozen=True)
class Explanation:
    """A meaning of a word: its heading, what there is to say, a paragraph a line, and commands that show more."""

    heading: str
    said: tuple[str, ...]
    commands: tuple[str, ...] = ()


def explanations(word: str) -> list[Explanation]:
    """Every meaning of a word, or what a description leads to.

    Raises UsageError, with the nearest known word, if it has no meaning and leads nowhere.
    """
    kinds = (
        *(_exit_codes, _bugs, _releases_called, _generations, _references, _protocols, _members, _rules_called),
        _settings,
    )
    named = [one for kind in kinds for one in kind(word)]
    asked = [] if named else list(_asked(word))
    situated = [Explanation(one.title, one.said, one.commands) for one in situations(word)]
    found = [*asked, *situated, *named] or list(_rules_of_audits(word))
    if found:
        return found if named or situated else [*found, *_described(word)]
    if described := list(_described(word)):
        return described
    if is_reference(word.upper()):
        raise UsageError(
            f"{word.upper()} is not known here: no entry of the catalogue, no protocol and no rule names it. "
            "'epochal catalogue --list' has the tickets and KIPs that are."
        )
    if word.strip().isdecimal():
        known = ", ".join(str(code.value) for code in sorted(ExitCode))
        raise UsageError(f"{word!r} is not an exit code of epochal. The codes are {known}.")
    near = nearest(word, of_the_same_number(word, _known()))
    told = f"Did you mean {near}?" if near else "'epochal list' and 'epochal show PROTOCOL' have the words there are."
    raise UsageError(
        f"{word!r} is no exit code, property, action, lemma, setting, bound, protocol, release, known bug, KIP or "
        f"ticket that is known here. {told}"
    )


def _folded(name: str) -> str:
    """A name as it is compared: `--min-isr`, `min.isr`, `MinIsr` and `min_isr` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _exit_codes(word: str) -> Iterator[Explanation]:
    for one in ExitCode:
        if word.strip() == str(one.value):
            yield Explanation(f"{one.value}: {one.title}", (one.meaning, one.advice))


def _bugs(word: str) -> Iterator[Explanation]:
    """A known bug by its number, as reports call it: `N1`, or `S9` in every family that shows it."""
    for bug in CATALOGUE:
        if word.lower() in (bug.id.lower(), bug.id.lower().split()[0]) and references_in(bug.id) != (bug.id,):
            told = [bug.story] if bug.story else []
            said = (f"{bug.title}. {bug.seen_in()}.", *told, f"What it teaches: {bug.lesson}")
            yield Explanation(f"{bug.name}: a known bug", said, (f"epochal catalogue {shlex.quote(bug.id)}",))
    for other in NOT_MODELLED:
        if word.lower() == other.id.lower() and references_in(other.id) != (other.id,):
            yield Explanation(f"{other.name}: a known bug", (f"{other.title}. In no model: {other.reason}.",))


def _releases_called(word: str) -> Iterator[Explanation]:
    """A version of Kafka: its protocol, and the commands that say what it has open."""
    shipped = known_as(word) in VERSIONS
    protocol = f"kraft --kafka {known_as(word)}" if shipped else older(word)
    if protocol is not None:
        asked = (f"epochal guarantees --kafka {known_as(word)}",) if shipped else ()
        known = [bug.name for bug in CATALOGUE if bug.was_in(word)]
        entries = counted(len(known), "entry", "entries")
        said = f"Its protocol is {protocol}. {entries} of the catalogue: {', '.join(known)}."
        commands = (f"epochal catalogue --list {word}", *asked, f"epochal show {protocol}")
        yield Explanation(f"Kafka {word}: a release", (said,), commands)


def _generations(word: str) -> Iterator[Explanation]:
    """`G8`: the rules that Kafka had since some KIP, as reports and commands call them."""
    name = word.strip().upper()
    if name in CLASSIC:
        said = f"Kafka before KRaft: the protocol {CLASSIC[name]}."
        yield Explanation(f"{name}: a generation of the protocol", (said,), (f"epochal show {CLASSIC[name]}",))
    elif name in GENERATIONS:
        releases = [version for version in RELEASES if generation_of(version) == name]
        which = f"Kafka {', '.join(releases)} as designed" if releases else "Kafka before KRaft, under its controller"
        said = f"The rules of {which}: without the holes that were found in them later."
        commands = (f"epochal show kraft --kafka {name}", f"epochal guarantees --kafka {name}")
        yield Explanation(f"{name}: a generation of the protocol", (said,), commands)


def _rules_of_audits(word: str) -> Iterator[Explanation]:
    """What `epochal audit` calls a finding: `acked-lost`."""
    if (name := word.strip().lower()) in AUDIT_RULES:
        said = (f"{AUDIT_RULES[name]}.", "The report says of what it is true, why, and what mends it.")
        yield Explanation(f"{name}: a rule of audits", said, ("epochal audit --help",))


def _protocols(word: str) -> Iterator[Explanation]:
    if is_registered(word.lower()):
        kind = registered(word.lower())
        paragraphs = [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]
        yield Explanation(f"{kind.name}: a protocol", tuple(paragraphs), (f"epochal show {kind.name}",))


def _kinds() -> Iterator[tuple[str, type[Protocol]]]:
    for name in REGISTRY:
        yield name, registered(name)


@cache
def _every_member() -> tuple[tuple[str, Kind, Member], ...]:
    """The marked methods of all protocols."""
    return tuple((name, mark, member) for name, kind in _kinds() for mark in KINDS for member in kind.members(mark))


@cache
def _every_rule() -> tuple[tuple[str, Rule], ...]:
    """The rules of all protocols."""
    return tuple((name, rule) for name, kind in _kinds() for rule in rules_of(kind))


def _asked(question: str) -> Iterator[Explanation]:
    """The command that decides a question with settings in it: `is acks=all with min.insync.replicas=1 safe`."""
    if said := asked_settings(question):
        told = "The guarantees of these settings take a search of every state for each fault; usual ones are decided."
        yield Explanation("A question about settings", (told,), (shlex.join(["epochal", "guarantees", *said]),))


def _described(description: str) -> Iterator[Explanation]:
    """What is told in the words of a description, which is the name of nothing."""
    for kind, found in itertools.groupby(led_to(description), lambda led: led.kind):
        said = tuple(f"{led.text}  [{led.command}]" for led in found)
        yield Explanation(f"{kind} that are worded so", said)


def _members(word: str) -> Iterator[Explanation]:
    """The marked methods of this name; those that say the same are told once, with the protocols that have them."""
    found: dict[tuple[str, Kind, str], tuple[Member, list[str]]] = {}
    for name, mark, member in _every_member():
        if _folded(member.name) == _folded(word):
            found.setdefault((member.name, mark, member.description), (member, []))[1].append(name)
    for (name, mark, description), (member, protocols) in found.items():
        origin = f"In {', '.join(protocols)}  [{member.where}]"
        yield Explanation(f"{name}: {KINDS[mark]}", (description, origin), (f"epochal show {protocols[0]}",))


def _rules_called(word: str) -> Iterator[Explanation]:
    """The rules of this name that steps and properties call, with their parameters; those that say the same once."""
    found: dict[tuple[str, str], tuple[Rule, list[str]]] = {}
    for protocol, rule in _every_rule():
        if _folded(rule.name) == _folded(word):
            found.setdefault((rule.called, rule.description), (rule, []))[1].append(protocol)
    for (called, description), (rule, protocols) in found.items():
        origin = f"In {', '.join(protocols)}  [{rule.where}]. A method of this name takes its place in a variant."
        heading = f"{called}: a rule that steps and properties call"
        yield Explanation(heading, (description, origin), (f"epochal show {protocols[0]}",))


def _settings(word: str) -> Iterator[Explanation]:
    """Bounds and words of protocols by their option, or as Kafka calls them; then the rules of the modern protocol."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, kind in _kinds():
        for bound in kind.bounds_type().declared().values():
            if _folded(bound.name) == _folded(word):
                why = f" ({bound.why})" if bound.why else ""
                limits = f"{bound.help}; {bound.least} to {bound.most}{why}."
                found.setdefault((option(bound.name), "a bound", limits), []).append(name)
        for said in settings_of(kind).values():
            if _folded(word) in (_folded(said.name), _folded(said.help.split()[0])):
                text = " ".join((f"{said.help}; default {said.default}.", *_releases(said.name)))
                found.setdefault((option(said.name), "a setting", text), []).append(name)
    for (name, what, text), protocols in found.items():
        yield Explanation(
            f"{name}: {what} of {', '.join(protocols)}", (text,), (f"epochal check {protocols[0]} --help",)
        )
    if not found:
        for name, told in rules().items():
            if _folded(name) == _folded(word):
                yield Explanation(f"{name}: a rule of kraft", (told, *_releases(name)))


def _releases(rule: str) -> tuple[str, ...]:
    """Which releases have a rule, as a sentence."""
    told = in_releases(rule) if rule in Settings.__dataclass_fields__ else ""
    return (f"Kafka {told}.",) if told else ()


def rules() -> dict[str, str]:
    """What each rule of the modern protocol says, by the field of its settings: the text below the field."""
    (record,) = (
        node
        for node in ast.parse(inspect.getsource(kraft_settings)).body
        if isinstance(node, ast.ClassDef) and node.name == Settings.__name__
    )
    told: dict[str, str] = {}
    for field, text in zip(record.body, record.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            told[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return told


def _references(word: str) -> Iterator[Explanation]:
    """A KIP or a ticket: what it is about, the entries of the catalogue, the protocols and the rules that name it."""
    name = word.upper()
    if not is_reference(name):
        return
    entries = [one for one in CATALOGUE if name in one.references()]
    named = [rule for rule, text in rules().items() if name in references_in(text)]
    said = [" ".join((f"rule {rule} of kraft: {rules()[rule]}", *_releases(rule))) for rule in named]
    said += [f"{one.name}: {one.title}. {one.seen_in()}." for one in entries]
    said += [
        f"{one.name}: {one.title}. In no model: {one.reason}."
        for one in NOT_MODELLED
        if name in references_in(one.source)
    ]
    told: dict[str, None] = {}
    commands: dict[str, None] = {f"epochal catalogue {name}": None} if entries else {}
    for protocol, kind in _kinds():
        if name in references_in(inspect.getdoc(kind) or ""):
            commands[f"epochal show {protocol}"] = None
    for _, _, member in _every_member():
        if name in references_in(member.description):
            told[f"{member.name}: {member.sentence}  [{member.where}]"] = None
    if said or told or commands or name in KIPS:
        about = f": {KIPS[name]}" if name in KIPS else ": a ticket of Kafka" if name.startswith("KAFKA") else ""
        yield Explanation(f"{name}{about}", (*said, *told), tuple(commands))


def _known() -> list[str]:
    """Every word with a meaning, for the advice about one that has none."""
    names: dict[str, None] = dict.fromkeys([*REGISTRY, *KIPS])
    names.update(dict.fromkeys(name for one in CATALOGUE for name in one.references()))
    for _, kind in _kinds():
        names.update(dict.fromkeys(member.name for mark in KINDS for member in kind.members(mark)))
        names.update(dict.fromkeys(rule.name for rule in rules_of(kind)))
        names.update(dict.fromkeys(kind.bounds_type().declared()))
        names.update(dict.fromkeys(settings_of(kind)))
    names.update(dict.fromkeys((*rules(), *AUDIT_RULES)))
    return list(names)
