"""`epochal compare`: which steps a change takes away, and which it adds."""

from __future__ import annotations

from typing import Any

import click

from epochal.errors import UsageError
from epochal.spec.language.configurable import configuration_of, reference_to, split_reference, with_configuration
from epochal.spec.loading import Subject, instantiate, load_protocol

from ..app.command import SETTINGS, ProtocolCommand, begun_at
from ..app.options import Output, options, output, protocol_argument


def second_subject(first: Subject, reference: str) -> Subject:
    """The second protocol, at the bounds of the first and with the settings that options have said of both.

    Those that stand with its own name count before. Raises EpochalError if it has other bounds, or no such setting.
    """
    kind = load_protocol(reference, again=False)
    said = click.get_current_context().meta.get(SETTINGS, {})
    own = configuration_of(kind)
    kind = with_configuration(kind, {name: value for name, value in said.items() if name not in own})
    reference = reference_to(split_reference(reference)[0], kind)
    bounds = first.protocol.bounds.as_dict()
    declared = kind.bounds_type().declared()
    different = [name for name in (*bounds, *declared) if (name in bounds) != (name in declared)]
    if different:
        owner = first.reference if different[0] in bounds else reference
        raise UsageError(
            f"{first.reference} and {reference} have different bounds: only {owner} has {different[0]}.\n"
            "  Only protocols with the same bounds and the same states can be compared."
        )
    return Subject(reference, instantiate(kind, bounds))


def renamed_actions(pairs: tuple[str, ...]) -> dict[str, str]:
    """What --rename OLD=NEW says. Raises EpochalError for an action that is named twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        old, separator, new = pair.partition("=")
        if not separator:
            raise UsageError(f"--rename {pair} has no '='.\n  Write --rename OLD=NEW.")
        if old in found or new in found.values():
            raise UsageError(f"--rename {pair}: one of the two is renamed already.\n  Each has one partner.")
        found[old] = new
    return found


@click.command(
    "compare",
    cls=ProtocolCommand,
    examples=(
        "epochal compare kip-279 kip-320 --max-epoch 1",
        "epochal compare kip-279-proof kip-320-proof --max-epoch 1 --format json",
        "epochal compare kip-320 kip-320-m2 --max-epoch 1 --out found",
        "epochal compare zookeeper-alter-isr zookeeper-version-first --brokers 2 --stops 0 --check-properties",
    ),
)
@protocol_argument
@click.argument("other", metavar="OTHER")
@options("renamed rlimit budget max_states strict check_properties")
@output("Write result.json, and for each difference its example (ITF): a complete run where it can be reached.")
def command(subject: Subject, other: str, renamed: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Show which steps PROTOCOL takes and OTHER does not, and vice versa, action by action.

    Both protocols need the same state variables at the same bounds. Options set the settings of both; quote the
    settings of one with its name: 'kraft --kafka G8'. Each action is compared three times: by Z3 in all typed states,
    by Z3 in all typed states that satisfy the lemmas of both, and by search in the reachable states of the protocol
    that has the step. An example shows the step and the guard that refuses it. Exit code 0: compared; 20: the protocols
    differ from their initial states on, with --fail-on-difference; 30 and 31: open, because of a budget or the solver.
    """
    from epochal.checker.base.installed import require_solver

    require_solver()
    from epochal.api.compare import compare

    beside = second_subject(subject, other)
    chosen = renamed_actions(renamed)
    folder = output.folder()
    result = output.ask(
        compare,
        subject.protocol,
        beside.protocol,
        renamed=chosen,
        references=(subject.reference, beside.reference),
        begun=begun_at(),
        **asked,
    )
    return output.show(result, [] if folder is None else result.write(folder))
