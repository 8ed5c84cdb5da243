"""A shortest run that breaks one promise: a search that ends at the first one, where it is known that there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.checker.confirm import found_traces, replay_all, with_facts
from epochal.checker.engines import search_of
from epochal.checker.search.result import Options
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.loading import instantiate

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace

    from .cases import Case
    from .guarantees import GuaranteeOptions


def run_that_breaks(
    case: Case, property_id: str, wish: GuaranteeOptions, progress: Callable[[Progress], None] | None
) -> Trace | None:
    """A shortest run of a case that breaks a property, replayed in both readings.

    The same run that a search of every state finds: both go through the states in the order of their depth, and both
    tell the least of the shortest. None if there is none within the bounds, or the search was ended before it.

    Raises EpochalError if a rule cannot be evaluated.
    """
    options = Options(
        (property_id,),
        budget=wish.budget,
        begun=wish.begun,
        progress=progress,
        workers=wish.workers,
        symmetry=True,
    )
    protocol = instantiate(case.kind, case.bounds)
    result = with_facts(search_of("native")(protocol, options), case.reference)
    if result.error is not None:
        raise EpochalError(
            f"{case.reference}: {result.error.where}: {result.error.message}", exit_code=ExitCode.EVALUATION_FAILED
        )
    traces = tuple(found_traces(result, witnesses=False))
    replay_all(protocol, traces, result.model)
    return next(iter(traces), None)
