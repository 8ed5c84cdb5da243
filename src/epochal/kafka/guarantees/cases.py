"""What `epochal guarantees` asks, case by case, and what is known of a case before anything is searched."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import TypedDict, cast

from epochal.checker.gate import cache
from epochal.checker.identity.specification import as_in_files, reached
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Trace
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft import configuration, generations, rules, settings
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings, with_steps
from epochal.spec.kraft.guarantees import EVER_ACKNOWLEDGED, QUESTIONS, WRITES, Fault
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.kraft.settings import Settings
from epochal.spec.language import Protocol, SettingValue
from epochal.spec.language.configurable import reference_to, with_configuration
from epochal.spec.registry import is_registered, registered

FAMILY = "epochal.spec.kraft."
"""What the names of modules begin with whose rules decide."""

ALREADY_IN_THE_KEY = frozenset(module.__name__ for module in (configuration, generations, rules, settings))
"""Modules that only say what settings there are and which a version has: the values are in the key."""

JUDGEMENTS = frozenset({"invariant", "action_property", "reachable", "leads_to", "lemma", "view"})
"""Marks of what takes no part in a step."""

SENTENCES = frozenset({"help", "why"})
"""Arguments of bounds that no rule reads."""

SHOWN = frozenset({"says", "sends"})
"""Arguments of marks that no guarantee reads."""

AT_HAND = 1024
"""So many keys are at hand: an audit asks of many topics what differs in little."""


def rules_key(kind: type[Kraft], bounds: Mapping[str, int], asked: Sequence[str], fairness: bool = False) -> str:
    """The key of the questions `asked` about a protocol within bounds. Other questions have another key.

    With `fairness` so has a protocol of which another step is fair, or stopped by a bound alone: guarantees are asked.
    It is of the files: whoever believes what is known by it asks first whether their code runs (`as_in_files`).
    """
    return _key_of(kind, kind.settings, bounds, asked, fairness)


def _key_of(
    kind: type[Kraft], settings: Settings, bounds: Mapping[str, int], asked: Sequence[str], fairness: bool = False
) -> str:
    """The key of a protocol with the steps of `kind` under these settings."""
    rules = frozenset(asked)
    parts = [part for base in kind.__mro__ if (part := _own_rules(base, rules, fairness))]
    shared = [[name, _outside_of_classes(name, fairness)] for name in modules_with_rules(kind, asked)]
    changed = _changed(_effective(settings, bounds["replication_factor"]))
    return digest_of([parts, shared, changed, dict(sorted(bounds.items())), sorted(asked)])


def modules_with_rules(kind: type[Kraft], asked: Sequence[str]) -> list[str]:
    """The modules whose text is in the key of a protocol: those of the classes that make it."""
    return sorted({base.__module__ for base in kind.__mro__ if _own_rules(base, frozenset(asked))})


def digest_of(content: object) -> str:
    """A digest of plain data."""
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=12).hexdigest()


def _effective(settings: Settings, replicas: int) -> Settings:
    """No more replicas are ever waited for than there are."""
    return replace(settings, min_insync_replicas=min(settings.min_insync_replicas, replicas))


def _changed(of: Settings) -> dict[str, object]:
    """The settings that are not as designed. One that is new has the same value in every older answer."""
    designed = Settings()
    said = {one.name: getattr(of, one.name) for one in fields(Settings)}
    changed = {name: value for name, value in said.items() if value != getattr(designed, name)}
    return {name: value.name if isinstance(value, Enum) else value for name, value in sorted(changed.items())}


@functools.cache
def _own_rules(base: type, asked: frozenset[str], fairness: bool = False) -> str:
    """A digest of what a class of the family adds to the rules; "" of one that is made of settings, or only checks."""
    if not base.__module__.startswith(FAMILY) or base.__module__ in ALREADY_IN_THE_KEY:
        return ""
    found = _classes(base.__module__).get(base.__qualname__)
    texts = [] if found is None else [text for node in found.body for text in _text(node, asked, fairness)]
    return digest_of(texts) if texts else ""


@functools.cache
def _outside_of_classes(module: str, fairness: bool = False) -> str:
    """A digest of the module's constants, functions and types, whose methods a rule may call; not of its known bugs."""
    protocols = {one for one in _classes(module) if _is_protocol(module, one)}
    nodes = (node for node in _tree(module).body if not isinstance(node, ast.Import | ast.ImportFrom))
    nodes = (node for node in nodes if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BUGS"))
    kept = (node for node in nodes if not (isinstance(node, ast.ClassDef) and node.name in protocols))
    return digest_of([text for node in kept for text in _text(node, frozenset(), fairness)])


def _is_protocol(module: str, name: str) -> bool:
    found = getattr(sys.modules[module], name, None)
    return inspect.isclass(found) and issubclass(found, Protocol)


@functools.cache
def _tree(module: str) -> ast.Module:
    file = sys.modules[module].__file__
    assert file is not None
    return ast.parse(Path(file).read_bytes())


@functools.cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(module).body if isinstance(node, ast.ClassDef)}


def _text(node: ast.AST, asked: frozenset[str], fairness: bool = False) -> Iterator[str]:
    """A statement without what is for people; nothing of a docstring, or of a result that is not asked for.

    It is written out again as Python, which every version of Python does alike; how a tree is dumped differs.
    """
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.FunctionDef) and node.name not in asked and JUDGEMENTS & _marks(node):
        return
    rules = (_ForPromises() if fairness else _ForRules()).visit(ast.parse(ast.unparse(node)))
    yield ast.unparse(ast.fix_missing_locations(rules))


def _marks(node: ast.FunctionDef) -> set[str]:
    """The names of a function's decorators."""
    called = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return {one.id for one in called if isinstance(one, ast.Name)}


class _ForRules(ast.NodeTransformer):
    """Takes away what is for people, or for guarantees alone: docstrings, the arguments of marks, how values are shown.

    A search of states and steps reads `bounded` as `require`.
    """

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("require", node.ctx) if node.id == "bounded" else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.keywords = [one for one in node.keywords if one.arg != "text"]
        return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST | None:
        return None if node.arg in SENTENCES else self.generic_visit(node)


class _ForPromises(_ForRules):
    """Keeps what is for guarantees: which steps are fair, to whom, and which guards are bounds."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call):
                mark.keywords = [one for one in mark.keywords if one.arg not in SHOWN]
        return self.generic_visit(node)


# -- behind -----------------------------------------------------------------------------------------------------------
# What is behind a run that loses something: the known bugs each of which, closed alone, stops it.
#
# The steps of the run are taken again by the same protocol with one rule put in place. If a step is refused then, or
# the property holds at the end, the run needs that the rule is missing. That says nothing of longer runs.


def behind(trace: Trace) -> tuple[str, ...]:
    """The ids of the known bugs without which this run of a Kafka would not do harm, in the order of the catalogue."""
    kind = cast("type[Kraft]", type(trace.protocol))
    return tuple(bug.id for bug in open_holes(kind.settings) if _stops(bug, kind, trace))


def holes_key(kind: type[Kraft], bounds: Mapping[str, int], asked: Sequence[str]) -> str:
    """What `behind` reads beside a run: which known bugs are open, and the rules with each of them closed.

    An answer that was kept under another key may name bugs that are not behind its run, or miss some that are.
    """
    of, within = kind.settings, tuple(sorted(bounds.items()))
    return digest_of([[bug.id, _key_under(kind, closed(bug, of), within, tuple(asked))] for bug in open_holes(of)])


@functools.lru_cache(AT_HAND)
def _key_under(
    kind: type[Kraft], settings: Settings, bounds: tuple[tuple[str, int], ...], asked: tuple[str, ...]
) -> str:
    """What the key of `with_settings(kind, settings)` is: a class of settings has no rules of its own."""
    return _key_of(with_steps(kind, settings), settings, dict(bounds), asked)


def closed(bug: KraftBug, settings: Settings) -> Settings:
    """Settings with the rule of a bug in place. Eligible leader replicas come with the strict high watermark."""
    with_rule = replace(settings, **{name: getattr(bug.sound, name) for name in bug.rule})
    return replace(with_rule, strict_hw=True) if with_rule.elr else with_rule


def _stops(bug: KraftBug, kind: type[Kraft], trace: Trace) -> bool:
    """Whether the run is refused, or ends well, with the rule of the bug in place."""
    protocol = with_settings(kind, closed(bug, kind.settings))(trace.protocol.bounds)
    reading = PythonSemantics(protocol)
    instances = {instance.label: instance for instance in protocol.instances}
    codes = trace.initial
    for step in trace.steps:
        after = reading.taken(codes, instances[step.instance.label])
        if after is None:
            return True
        codes = after
    member = next(one for one in protocol.members("invariant") if one.name == trace.property_id)
    return not reading.violates(member, codes)


# -- usual answers ----------------------------------------------------------------------------------------------------
# Answers that are decided already and come with the package: the usual settings, each by a search of every state.
#
# `usual_answers.json` has one entry for each protocol within bounds, by the key of its rules (`rules_key`): an answer
# of other rules is not found, and searched for. With each stands the digest of the compiled program that was searched:
# its steps and the properties that are asked about. The file is made by `epochal.kafka.guarantees.decide_usual`.


class Answer(TypedDict):
    """What one search decided. `verdicts` has, by property, the verdict and the states of a shortest violation.

    `behind` are, by violated property, the known bugs each of which, closed alone, stops that run; `holes` is the key
    of the known bugs that were looked at for it (`holes_key`). `specification` is the digest of the compiled program
    (`program_digest`), "" if it was not asked for.
    """

    verdicts: dict[str, tuple[str, int | None]]
    behind: dict[str, list[str]]
    holes: str
    states: int
    depth: int
    cut: str
    specification: str


FILE = "usual_answers.json"


def find_usual(key: str, holes: str) -> Answer | None:
    """The answer that came with the package; None if there is none for these rules, settings and bounds.

    Nor is there one if other bugs were known when it was decided, or if other rules run in this process than those of
    the files, by which it is found.
    """
    found = _answers().get(key) if as_in_files(FAMILY) else None
    return found if found is not None and found["holes"] == holes else None


def not_searched(asked: Iterable[str]) -> Answer:
    """What is known of properties without a search: nothing."""
    return {
        "verdicts": dict.fromkeys(asked, ("unknown", None)),
        "behind": {},
        "holes": "",
        "states": 0,
        "depth": 0,
        "cut": "not searched",
        "specification": "",
    }


@functools.cache
def _answers() -> dict[str, Answer]:
    found: dict[str, Answer] = json.loads(files("epochal.kafka.guarantees").joinpath(FILE).read_bytes())["answers"]
    return found


ABOUT = "guarantees and what is behind"
ASKED = (*QUESTIONS.values(), *WRITES)
"""The properties that one search decides."""
OF_OTHERS = (*ASKED, EVER_ACKNOWLEDGED)
"""Those of a protocol that is not Epochal's own."""


@dataclass(frozen=True)
class Asked:
    """Whose guarantees are asked about: kraft, or a class that derives from it, and its name without settings."""

    kind: type[ConfigurableKraft]
    name: str

    @property
    def is_registered(self) -> bool:
        """Whether it is the protocol of Epochal that has this name."""
        return is_registered(self.name) and registered(self.name) is self.kind

    def configured(self, settings: Mapping[str, SettingValue]) -> type[ConfigurableKraft]:
        """The protocol of these settings."""
        return cast("type[ConfigurableKraft]", with_configuration(self.kind, settings))

    def reference(self, settings: Mapping[str, SettingValue]) -> str:
        """How the protocol of these settings is called."""
        return reference_to(self.name, self.configured(settings))


@dataclass(frozen=True)
class Case:
    """What one search decides: a protocol with the witnesses of writes, a fault, and the bounds with its budget."""

    asked: Asked
    kind: type[ConfigurableKraft]
    fault: Fault
    bounds: dict[str, int]
    closed: tuple[str, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that its search decides."""
        return ASKED if self.asked.is_registered else OF_OTHERS

    @property
    def reference(self) -> str:
        """How the command line names the protocol; nothing there says which bugs are closed."""
        return reference_to(self.asked.name, self.kind)


def is_undecided(case: Case) -> bool:
    """Whether a case of a registered protocol has to be searched, as far as that can be told without compiling it."""
    return kept_answer(case) is None


def kept_answer(case: Case) -> Answer | None:
    """What comes with the package, or this machine has kept, about a case of a registered protocol."""
    holes = holes_key(case.kind, case.bounds, ASKED)
    usual = find_usual(rules_key(case.kind, case.bounds, ASKED), holes)
    if usual is not None:
        return usual
    return found_by_text(source_of(case), holes)


def keep(case: Case, answer: Answer) -> None:
    """Keep the answer to a case that another process has searched, if its search has seen every state."""
    if not answer["cut"]:
        keep_by_text(source_of(case), answer)


def found_by_text(source: list[str] | None, holes: str) -> Answer | None:
    """The kept answer about a registered protocol that stands so in this process; None if there is none."""
    found = None if source is None else cache.find_answer(ABOUT, source, holes, ASKED, part="answers by text")
    return cast("Answer | None", found)


def keep_by_text(source: list[str] | None, answer: Answer) -> None:
    """Keep the answer about a registered protocol, as it stands in this process."""
    if source is not None:
        cache.keep_answer(dict(answer), ABOUT, source, answer["holes"], ASKED, part="answers by text")


def found_by_meaning(digest: str, protocol: Protocol, holes: str) -> Answer | None:
    """The kept answer about any protocol that was compiled to this digest; None if there is none.

    What is behind a run is found by taking it again with other settings, so code counts that these settings hide.
    """
    code = reached(protocol)
    return None if code is None else cast("Answer | None", cache.find_answer(ABOUT, digest, code, holes, ASKED))


def keep_by_meaning(protocol: Protocol, answer: Answer) -> None:
    """Keep the answer about any protocol by what it was compiled to, and by its code."""
    code = reached(protocol)
    if code is not None:
        cache.keep_answer(dict(answer), ABOUT, answer["specification"], code, answer["holes"], ASKED)


def source_of(case: Case) -> list[str] | None:
    """What a registered protocol is known by without compiling it; of any other class nobody knows what has made it.

    While the rules that run are those of the files, which are part of the engine, its name and settings tell it.
    """
    if not (case.asked.is_registered and as_in_files(FAMILY)):
        return None
    return [case.reference, *case.closed, repr(case.kind.settings), repr(sorted(case.bounds.items()))]
