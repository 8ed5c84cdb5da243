"""What the model of a release does with the run of a known hole of the quorum."""

from __future__ import annotations

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Trace
from epochal.spec.quorum.state import QuorumState
from epochal.spec.quorum.switches import QuorumLostDisk

from ..directed import holds_at_the_end
from .compared import model_leaves, shape_of
from .models import released


def left_by_model(trace: Trace, version: str) -> int | None:
    """The step at which the release's own model leaves a run, or None if it takes all of it, to the same violation.

    A lost disk is no rule of Kafka: whoever asks for one has one.
    """
    protocol = trace.protocol
    assert isinstance(protocol, QuorumState)  # a run that is played
    kind = type(protocol) if isinstance(protocol, QuorumLostDisk) else released(type(protocol), version)
    bounds = protocol.bounds.as_dict()
    model = kind(None, **{name: bounds[name] for name in kind.bounds_type().declared()})
    semantics, shape = PythonSemantics(model), shape_of(protocol)
    (codes,) = model.initial_states()
    before = codes
    for number, step in enumerate(trace.steps, start=1):
        leaves = model_leaves(protocol.at(step.codes), shape)
        wanted = step.instance.action.name, tuple(map(str, step.instance.arguments))
        found = [
            after
            for instance, after in semantics.successors(codes)
            if (instance.action.name, tuple(map(str, instance.arguments))) == wanted
            and model_leaves(model.at(after), shape) == leaves
        ]
        if not found:
            return number
        before, codes = codes, found[0]
    violated = holds_at_the_end(trace, model.at(before), model.at(codes)) is False
    return None if violated else len(trace.steps)
