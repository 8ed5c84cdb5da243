"""What a command does where two semantics disagree: it says so, keeps the run, and gives no verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from epochal.checker.gate.disagreement_report import kept, message, named
from epochal.checker.trace.output_folder import OutputFolder
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


def tell_disagreement(error: Exception, subject: Subject, params: Mapping[str, Any]) -> None:
    """What a command about a protocol has raised: a disagreement becomes its report, also in --out, and an error.

    Anything else is left alone.
    """
    from epochal.checker.crosscheck.cross_check import SemanticsDisagree

    if not isinstance(error, SemanticsDisagree):
        return
    from epochal.checker.documents import document
    from epochal.report.documents import search

    found, reference = error.disagreement.alone, subject.reference
    out = params.get("out")
    path, problem = kept(found, reference, out)
    trace = None if found.trace is None else named(found.trace, reference)
    told = document(search.Disagreement, found, trace=trace, file=path)
    whole = document(search.Disagree, subject, disagreement=told, exit_code=ExitCode.READINGS_DISAGREE)
    if out is not None:
        OutputFolder(out).write_document("result.json", whole)
    if params.get("output_format") == "json":
        click.echo(json.dumps(whole, indent=1))
    text = message(found, reference, path, problem)
    raise EpochalError(text, exit_code=ExitCode.READINGS_DISAGREE) from error
