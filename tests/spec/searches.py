"""What tests of specifications share: complete searches, both engines, and what was found."""

from __future__ import annotations

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.trace.trace import Trace
from epochal.spec.language import Protocol
from epochal.spec.registry import registered

EVERYTHING = Options(all_violations=True)

Sizes = tuple[int, ...] | dict[str, int]
"""Bounds in the order of their declaration, or by name; those that are not given are the defaults."""


def named(protocol: str, sizes: Sizes = ()) -> Protocol:
    """A registered protocol within bounds."""
    kind = registered(protocol)
    bounds = kind.bounds_type()
    return kind(bounds(**sizes) if isinstance(sizes, dict) else bounds(*sizes))


def judged(protocol: Protocol, symmetry: bool = False) -> CheckResult:
    """A complete search."""
    result = breadth_first.check(protocol, Options(all_violations=True, symmetry=symmetry))
    assert result.exhaustive
    return result


def violated(result: CheckResult) -> dict[str, int | None]:
    """The violated properties and the lengths of their traces; witnesses that small bounds exclude do not count."""
    return {
        p.member.name: p.length
        for p in result.properties
        if p.verdict == "violated" and p.member.mark.kind != "reachable"
    }


def witnesses(result: CheckResult) -> dict[str, int | None]:
    """What is reachable, and the lengths of the shortest runs to it."""
    return {p.member.name: p.length for p in result.properties if p.member.mark.kind == "reachable"}


def shortest_run(protocol: Protocol, property_id: str) -> Trace:
    """The shortest run to what breaks a property, or to what must be reachable."""
    trace = breadth_first.check(protocol, Options(properties=(property_id,))).properties[0].trace
    assert trace is not None
    return trace


def assert_both_engines_agree(protocol: Protocol) -> None:
    """Machine code and Python find the same states, steps and runs."""
    native, python = judged(protocol), reference_engine.check(protocol, EVERYTHING)
    assert native.distinct_states == python.distinct_states
    assert (native.state_digest, native.step_digest) == (python.state_digest, python.step_digest)
    assert [(p.member.name, p.verdict, p.length) for p in native.properties] == [
        (p.member.name, p.verdict, p.length) for p in python.properties
    ]
