"""What a command does where two semantics disagree: it says so, keeps the run, and gives no verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from epochal.checker.gate.disagreement_report import disagreement_document, kept, message
from epochal.checker.trace.output_folder import OutputFolder
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


def tell_disagreement(error: Exception, subject: Subject, params: Mapping[str, Any]) -> None:
    """What a command about a protocol has raised: a disagreement becomes its report, also in --out, and an error.

    Anything else is left alone.
    """
    from epochal.checker.crosscheck.disagreement import SemanticsDisagree

    if not isinstance(error, SemanticsDisagree):
        return
    found, reference = error.disagreement.alone, subject.reference
    out = params.get("out")
    path, problem = kept(found, reference, out)
    document = disagreement_document(found, subject, path)
    if out is not None:
        OutputFolder(out).write_document("result.json", document)
    if params.get("output_format") == "json":
        click.echo(json.dumps(document, indent=1))
    text = message(found, reference, path, problem)
    raise EpochalError(text, exit_code=ExitCode.READINGS_DISAGREE) from error
