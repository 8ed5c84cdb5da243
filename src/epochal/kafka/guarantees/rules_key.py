"""What a decided answer is known by without compiling anything: the rules as they are written, settings and bounds.

Two protocols with the same key have the same code in everything that makes a step or a result, word for word but for
sentences, comments and order of files; so the answer of one is that of the other.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.spec.kraft import configuration, generations, rules, settings
from epochal.spec.kraft.settings import Settings

if TYPE_CHECKING:
    from epochal.spec.kraft.kraft import Kraft


FAMILY = "epochal.spec.kraft."
ALREADY_IN_THE_KEY = frozenset(module.__name__ for module in (configuration, generations, rules, settings))
"""Modules that only say what settings there are and which a version has: the values are in the key."""

JUDGEMENTS = frozenset({"invariant", "action_property", "reachable", "leads_to", "lemma", "view"})
"""Marks of what takes no part in a step."""

SENTENCES = frozenset({"help", "why"})
"""Arguments of bounds that no rule reads."""

SHOWN = frozenset({"says", "sends"})
"""Arguments of marks that no guarantee reads."""


def rules_key(kind: type[Kraft], bounds: Mapping[str, int], asked: Sequence[str], fairness: bool = False) -> str:
    """The key of the questions `asked` about a protocol within bounds. Other questions have another key.

    With `fairness` so has a protocol of which another step is fair, or stopped by a bound alone: guarantees are asked.
    It is of the files: whoever believes what is known by it asks first whether their code runs (`as_in_files`).
    """
    rules = frozenset(asked)
    parts = [part for base in kind.__mro__ if (part := _own_rules(base, rules, fairness))]
    shared = [[name, _outside_of_classes(name, fairness)] for name in modules_with_rules(kind, asked)]
    changed = _changed(_effective(kind.settings, bounds["replication_factor"]))
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
    from epochal.spec.language import Protocol

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
