"""Writing the lock file, and adding a model to the configuration."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from epochal.errors import ConfigurationError, EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import as_options, small_bounds
from epochal.spec.loading import instantiate

from ..base.files import one_after_the_other, write_together, writing
from ..base.numbers import counted
from ..difference.compare import (
    ALL_SECONDS,
    MOST_STATES,
    larger_bounds,
    shown_at_larger_bounds,
    unreached,
    where_available,
)
from ..difference.difference import Rules, Unreached, decode_rules, rules_of
from ..search.result import Options
from ..trace.output_folder import slug
from . import cache
from .configuration import Configuration, ModelSettings, chosen_models, configuration_in, loaded, read_configuration
from .model_search import ModelSearch
from .record import NAME, Lock, Locked, LockError, Record, lock_text, read_lock, write_lock
from .verdict import NOT_AT_HAND, Expectations, GateFinding, judge

# -- bounds -----------------------------------------------------------------------------------------------------------
# The bounds of a model: which it takes if nobody says any, and which would do where those that were said do not.


MOST_REFUSED = 3
"""How many bounds are tried that reach it and are refused for something else."""


def bounds_of(protocol: Protocol, said: bool) -> dict[str, int]:
    """The bounds that a model is recorded with. If nobody has `said` any, those at which everything happens."""
    return {**protocol.bounds.as_dict(), **({} if said else small_bounds(type(protocol)))}


@dataclass(frozen=True)
class Reaching:
    """Bounds at which something is reached, as options, and why a model is `refused` there all the same, if it is."""

    bounds: str
    refused: Sequence[GateFinding] = field(default=())


def bounds_that_reach(
    protocol: Protocol,
    names: Sequence[str],
    refused: Callable[[Protocol], Sequence[GateFinding]],
    budget: float | None,
    begun: float,
) -> Reaching | None:
    """Bounds at which all these properties are reached, by short searches; None if none was found.

    They are such that a model is recorded there, which `refused` checks; else the first that reach it, with what else
    is wrong there. `budget` is in seconds since `begun`, for the whole command.
    """
    from ..search.native import check

    kind, own = type(protocol), time.monotonic()
    first, tried = None, 0
    for bounds in _candidates(protocol):
        passed = time.monotonic() - own
        if tried == MOST_REFUSED or passed > ALL_SECONDS or (budget is not None and time.monotonic() - begun > budget):
            break
        with where_available():
            larger = instantiate(kind, bounds)
            found = check(larger, Options(tuple(names), max_states=MOST_STATES, budget=budget, begun=begun))
            if found.interrupted:
                break
            if found.error is None and all(one.verdict == "holds" for one in found.properties):
                reaching = Reaching(" ".join(as_options(bounds)), refused(larger))
                if not reaching.refused:
                    return reaching
                first, tried = first or reaching, tried + 1
    return first


def _candidates(protocol: Protocol) -> Iterator[dict[str, int]]:
    present = protocol.bounds.as_dict()
    small = {**present, **small_bounds(type(protocol))}
    if small != present:
        yield small
    yield from larger_bounds(present, type(protocol).bounds_type().declared())


# -- unreached --------------------------------------------------------------------------------------------------------
# Whether the rules of a model mean something else than those of its baseline where no search has come.


RulesOfBase = Callable[[dict[str, int]], dict[str, Any] | None]
"""The rules of the baseline within other bounds, as plain data; None if they cannot be had."""


def unreached_rules(
    ours: Callable[[], Rules],
    record: Record,
    base: Record,
    old: dict[str, Any] | None,
    at: RulesOfBase | None,
    options: Options,
    narrowed: bool = False,
) -> Unreached | None:
    """How the rules of a model differ from those of the baseline, although its reachable steps do not; None if they do
    not either. Of one that is `narrowed`, whose steps are fewer, it is what its rules allow elsewhere and did not.

    `ours` gives the rules of the model. `old` are the baseline's, and `at` gives them within larger bounds, which are
    searched then.
    """
    if record.specification == base.specification or record.same_part(base, "rules"):
        return None
    if old is None:
        return Unreached(other=NOT_AT_HAND)
    rules = ours()
    found = unreached(decode_rules(old, rules.protocol), rules, gained=narrowed)
    if found is None or at is None:
        return found
    kind = type(rules.protocol)

    def both(bounds: dict[str, int]) -> tuple[Rules, Rules] | None:
        from ..compile.compiler import compile_protocol

        theirs = at(bounds)
        if theirs is None:
            return None
        larger = instantiate(kind, bounds)
        return decode_rules(theirs, larger), rules_of(compile_protocol(larger, only=()))

    return shown_at_larger_bounds(found, record.bounds, kind.bounds_type().declared(), both, options)


ADVICE = {
    ExitCode.VIOLATED: "If that is a known bug, declare it: expect-violated = {about}",
    ExitCode.LIVENESS_VIOLATED: "If that is a known bug, declare it: expect-violated = {about}",
    ExitCode.VACUOUS: "If that cannot happen at these bounds, declare it: expect-never = {about}",
    ExitCode.INCONCLUSIVE: "Raise --budget, or use smaller bounds",
}

WAITING = f"another run is writing {NAME}: waiting until it has"

ADVICE_OF_THE_DISK = "Nothing was changed. Make room on the disk, or see that you may write there, and run it again."


def update_lock(
    folder: Path,
    names: Sequence[str],
    reason: str | None,
    engine: str,
    budget: float | None,
    told: Callable[[str], None],
) -> list[str]:
    """Record the models named, or all; what was done, a line each. Raises EpochalError, and then writes nothing.

    The reason is stored where behaviour changed, and for models that are named; the others keep theirs.
    """
    with one_after_the_other(folder, lambda: told(WAITING)):
        lock, lines = _updated(read_configuration(folder), folder / NAME, names, reason, engine, budget, told)
        with writing(folder / NAME, ADVICE_OF_THE_DISK):
            write_lock(folder / NAME, lock)
    return lines


def _updated(
    configuration: Configuration,
    path: Path,
    names: Sequence[str],
    reason: str | None,
    engine: str,
    budget: float | None,
    told: Callable[[str], None],
) -> tuple[Lock, list[str]]:
    """The lock file as it is to be, and what was done."""
    chosen = chosen_models(configuration, names, "release")
    lock, begun = _present_lock(path, reason), time.monotonic()
    models = {name: one for name, one in lock.models.items() if names or name in configuration.models}
    lines = [f"{name}: no longer configured, removed" for name in lock.models if name not in models]
    for settings in chosen:
        told(f"checking {settings.name}")
        question, record = _accepted(configuration, settings, engine, budget, begun)
        before = lock.models.get(settings.name)
        elsewhere = before is not None and _differs_elsewhere(question, record, before.record)
        lines.append(f"{settings.name}: {_said(record, before, reason, elsewhere)}")
        same = before is not None and not elsewhere and _same(before.record, record)
        kept = before.reason if before is not None and same and (settings.name not in names or not reason) else reason
        models[settings.name] = Locked(record, settings.expect_violated, kept or "")
    return Lock(models), [*lines, f"{NAME}: {counted(len(models), 'model')}. Commit it with the change."]


def add_model(
    folder: Path, settings: ModelSettings, engine: str, budget: float | None, told: Callable[[str], None]
) -> list[str]:
    """Add a model to the configuration and record it; what was done. Raises EpochalError, and then writes nothing."""
    with one_after_the_other(folder, lambda: told(WAITING)):
        return _added(folder, settings, engine, budget, told)


def _added(
    folder: Path, settings: ModelSettings, engine: str, budget: float | None, told: Callable[[str], None]
) -> list[str]:
    configuration = read_configuration(folder)
    name = settings.name or slug(settings.reference.rpartition(":")[2] or settings.reference)
    settings = replace(settings, name=name)
    if name in configuration.models:
        raise UsageError(f"there is a model called {name!r} already.\n  Call this one otherwise: --name NAME")
    file = "epochal.toml" if configuration.file in ("", "epochal.toml") else "pyproject.toml"
    models = {**configuration.models, name: settings}
    wanted = replace(configuration, file=configuration.file or file, models=models)
    path = folder / file
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    head = "" if file == "epochal.toml" else "tool.epochal."
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    text = before + gap + _table(settings, head)
    _refuse_other_content(file, text, models)
    lock, lines = _updated(wanted, folder / NAME, [name], None, engine, budget, told)
    with writing(path, ADVICE_OF_THE_DISK):
        write_together({path: text, folder / NAME: lock_text(lock)})
    return [f"{file}: added the model {name}", *lines]


def _refuse_other_content(file: str, text: str, models: Mapping[str, ModelSettings]) -> None:
    """Raise ConfigurationError unless a file of this text has exactly these models."""
    advice = (
        f"Nothing was changed. In {file} write settings as tables with headers, not in braces; or call it otherwise."
    )
    try:
        found = configuration_in(file, text).models
    except ConfigurationError as error:
        raise ConfigurationError(
            f"with the model {file} could not be read any more: {error.message}", advice
        ) from error
    if found != models:
        raise ConfigurationError(f"with the model {file} would not say what is meant", advice)


def _table(settings: ModelSettings, head: str) -> str:
    """The TOML table of a model. Texts are written as JSON, which TOML's basic strings include."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", settings.name)
    lines = [f"[{head}model.{settings.name if plain else json.dumps(settings.name)}]"]
    lines.append(f"protocol = {json.dumps(settings.protocol)}")
    if settings.configuration:
        said = ", ".join(f"{n.replace('_', '-')} = {json.dumps(said)}" for n, said in settings.configuration.items())
        lines.append(f"configuration = {{ {said} }}")
    if settings.bounds:
        bounds = ", ".join(f"{name.replace('_', '-')} = {value}" for name, value in settings.bounds.items())
        lines.append(f"bounds = {{ {bounds} }}")
    for key, names in (("expect-violated", settings.expect_violated), ("expect-never", settings.expect_never)):
        if names:
            lines.append(f"{key} = {json.dumps(list(names))}")
    if settings.profile != "pr":
        lines.append(f"profile = {json.dumps(settings.profile)}")
    return "\n".join(lines) + "\n"


def _present_lock(path: Path, reason: str | None) -> Lock:
    """The lock file to be updated. One that is damaged is made anew if there is a reason to store."""
    try:
        return read_lock(path) or Lock()
    except LockError as error:
        newer = "newer version" in error.message
        if reason is None or newer:
            raise
        return Lock()


def _accepted(
    configuration: Configuration, settings: ModelSettings, engine: str, budget: float | None, begun: float
) -> tuple[ModelSearch, Record]:
    """A model, and its record, which may be approved. Fails with the code of what may not."""
    question = ModelSearch(loaded(settings, configuration.file), settings.reference)
    record = question.kept() or question.searched(engine, budget, None, begun)
    question.keep_rules()
    findings = _refusing(settings, question, record)
    if findings:
        unreached = [one.about for one in findings if one.about in record.unreached()]

        def refused(protocol: Protocol) -> Sequence[GateFinding]:
            asked = ModelSearch(protocol, settings.reference)
            found = asked.kept() or asked.searched(engine, budget, None, begun, max_states=MOST_STATES)
            return _refusing(settings, asked, found)

        would_do = bounds_that_reach(question.protocol, unreached, refused, budget, begun) if unreached else None
        raise _refused(settings.name, findings, would_do)
    return question, record


def _refusing(settings: ModelSettings, question: ModelSearch, record: Record) -> list[GateFinding]:
    """Why a model may not be recorded: all findings of the most severe code; none if it may."""
    expected = Expectations(settings.expect_violated, settings.expect_never)
    judgement = judge(record, question.protocol, question.facts.dead_actions, None, None, expected, None)
    return [finding for finding in judgement.findings if judgement.code and finding.code == judgement.code]


def _differs_elsewhere(question: ModelSearch, record: Record, before: Record) -> bool:
    """Whether the rules mean something else than what is recorded, though only where nothing was reached."""
    if not record.same_behaviour(before):
        return False
    rules = cache.find_rules(before.specification)
    return unreached_rules(lambda: question.rules, record, before, rules, None, Options()) is not None


def _refused(name: str, findings: Sequence[GateFinding], would_do: Reaching | None) -> EpochalError:
    """Why a model cannot be recorded: all findings of the most severe code, and what to do about them.

    `would_do` are bounds at which what is not reached here is.
    """
    lines = [_line(finding) for finding in findings]
    if would_do is not None and not would_do.refused:
        lines.append(f"These bounds reach it, and the model is recorded there: {would_do.bounds}")
    elif would_do is not None:
        lines.append(f"These bounds reach it, and something else is refused there: {would_do.bounds}")
        lines += [f"  {_line(finding)}" for finding in would_do.refused]
    code, about = ExitCode.of(findings[0].code), [finding.about for finding in findings if finding.about]
    if all(finding.advice for finding in findings):
        return EpochalError(
            f"{name}: " + "\n  ".join([*lines, *dict.fromkeys(f"{one.advice}." for one in findings)]), exit_code=code
        )
    advice = ADVICE.get(code, "Run epochal check on it").format(about=about)
    if code == ExitCode.VACUOUS and not about:  # of a property: only actions can be expected never to happen
        advice = "Correct what the message names, or leave it out: a property that says nothing is not recorded"
    return EpochalError(f"{name}: " + "\n  ".join([*lines, f"{advice}."]), exit_code=code)


def _line(finding: GateFinding) -> str:
    return f"{finding.where}: {finding.message}" if finding.where else finding.message


def _same(before: Record, now: Record) -> bool:
    """Whether two records need no reason to replace each other: same behaviour, and no property is gone or other."""
    same = before.specification == now.specification or before.same_behaviour(now)
    digests = {name: one.digest for name, one in now.properties.items()}
    return same and all(digests.get(name) == one.digest for name, one in before.properties.items())


def _said(record: Record, before: Locked | None, reason: str | None, elsewhere: bool) -> str:
    """What happens to a model's entry, whose rules may mean something else `elsewhere`, where nothing was reached.

    Fails with exit code 2 if a reason is needed and missing.
    """
    states = counted(record.distinct_states, "state")
    if before is None:
        return f"recorded, {states}"
    if _same(before.record, record) and not elsewhere:
        return f"unchanged, {states}" if before.record.text == record.text else f"behaviour preserved, {states}"
    same_steps = before.record.same_behaviour(record)
    if not reason:
        what = "what is asked of" if same_steps else "the behaviour of"
        what = "what the rules say of states that are not reached in" if elsewhere else what
        raise UsageError(
            f"{what} {record.protocol} differs from what is recorded, so a reason is required.\n"
            "  See what changed: epochal gate. Then: epochal gate approve --reason '...'"
        )
    if elsewhere:
        return f"the same behaviour with other rules for what is not reached, {states}"
    if same_steps:
        return f"the same behaviour with other properties, {states}"
    return f"changed, {counted(before.record.distinct_states, 'state')} before, {states} now"
