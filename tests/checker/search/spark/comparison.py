"""Holding a distributed search against the native one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.language import Protocol


def facts(result: CheckResult) -> dict[str, Any]:
    """Everything that must not depend on the engine."""
    return {
        "cut": result.cut,
        "exit code": result.exit_code,
        "states": result.distinct_states,
        "steps": result.transitions,
        "depth": result.depth,
        "state digest": result.state_digest,
        "step digest": result.step_digest,
        "dead ends": result.terminal_states,
        "left": result.left_constraint,
        "steps of actions": [(a.name, a.steps) for a in result.actions],
        "new states of actions": [(a.name, a.new_states) for a in result.actions],
        "traces": [(p.trace.initial, p.trace.steps) if p.trace else None for p in result.properties],
        "properties": [(p.member.name, p.verdict, p.length) for p in result.properties],
        "error": _told(result),
    }


def _told(result: CheckResult) -> object:
    """The rule that could not be evaluated, in words, with its run."""
    error = result.error
    if error is None:
        return None
    return error.message, error.where, error.rule, error.trace.initial, error.trace.steps


@lru_cache(maxsize=64)
def _native(protocol: Protocol, options: Options) -> dict[str, Any]:
    """What the native engine finds, which the tests of a protocol are all held against."""
    return facts(breadth_first.check(protocol, options))


def same_as_native(result: CheckResult, protocol: Protocol, options: Options) -> None:
    """Assert that the native engine finds the same."""
    assert facts(result) == _native(protocol, options)
