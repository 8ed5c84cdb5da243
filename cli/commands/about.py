"""`epochal explain`, `schema`, `doctor` and `cache`: words, documents, this machine, and what is kept on it."""

from __future__ import annotations

import json
import sys

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand, EpochalGroup
from ..app.options import options


@click.command(
    "explain",
    cls=EpochalCommand,
    context_settings={"ignore_unknown_options": True},  # kill -9, leader epoch -1
    examples=(
        "epochal explain 12",
        "epochal explain strong_isr",
        "epochal explain KIP-320",
        "epochal explain KAFKA-18106",
        "epochal explain min.insync.replicas",
        'epochal explain "one broker loses its disk"',
        "epochal explain rolling restart",
        "epochal explain NotEnoughReplicasException",
        'epochal explain "is acks=all with min.insync.replicas=1 safe"',
        "epochal explain",
    ),
)
@click.argument("words", nargs=-1, metavar="[WORD...]")
@options("output_format")
def explain(words: tuple[str, ...], output_format: str) -> None:
    """Explain a word or a description; without WORD, list the exit codes.

    WORD is an exit code, a property, an action, a lemma, a rule, a bound, a setting, a protocol, a KIP or a Kafka
    ticket; or an operator's words: a fault, an error of a client, a question with settings; or a description, for which
    explain lists the nearest entries.
    """
    from epochal.kafka.explain import Explanation, explanations
    from epochal.report.meanings import meanings_document, render_meanings
    from epochal.report.page import open_page

    page = open_page(sys.stdout)
    if output_format == "json":
        codes = [Explanation(f"{code.value}: {code.title}", (code.meaning, code.advice)) for code in sorted(ExitCode)]
        found = explanations(" ".join(words)) if words else codes
        click.echo(json.dumps(meanings_document(found), indent=1))
    elif words:
        render_meanings(page, explanations(" ".join(words)))
    else:
        rows = [(str(e.value), e.title, e.meaning) for e in sorted(ExitCode)]
        page.table(rows, header=("CODE", "NAME", "MEANING"), right=(0,))


@click.command("schema", cls=EpochalCommand, examples=("epochal schema check", "epochal schema"))
@click.argument("command_name", required=False, metavar="[COMMAND]")
def schema(command_name: str | None) -> None:
    """Print the JSON schema of the --format json output of COMMAND; without COMMAND, of all commands.

    The schemas follow JSON Schema, draft 2020-12. New versions add keys; they rename none.
    """
    from epochal.report.schema import COMMANDS, schema_of

    if command_name is not None:
        click.echo(json.dumps(schema_of(command_name), indent=1))
    else:
        click.echo(json.dumps({name: schema_of(name) for name in COMMANDS}, indent=1))


@click.command("doctor", cls=EpochalCommand, examples=("epochal doctor",))
def doctor() -> int:
    """Check Python, the compiler, processors, memory and the folders that Epochal writes to.

    What `epochal lockstep` needs, a JDK and the jars of a Kafka, is listed; without them everything else works.

    Exit code 153: a requirement is missing; the report says how to install it.
    """
    from epochal.checker.doctor import examined
    from epochal.kafka.lockstep import needed
    from epochal.report.page import open_page

    findings = [*examined(), *needed.examined()]
    page = open_page(sys.stdout)
    page.table([(("ok", "good") if f.ok else ("PROBLEM", "bad"), f.subject, f.found) for f in findings])
    for finding in findings:
        if not finding.ok:
            page.line()
            page.line(f"{finding.subject}: {finding.advice}", "warn")
    return ExitCode.HOLDS if all(f.ok for f in findings) else ExitCode.ENGINE_FAILURE


@click.command("show", cls=EpochalCommand, examples=("epochal cache show",))
def show_cache() -> None:
    """List the cached results. Their keys are contents of specifications, not names or branches."""
    from epochal.checker.base.numbers import counted, sized
    from epochal.checker.gate.cache import entries, folder
    from epochal.report.page import open_page

    page = open_page(sys.stdout)
    found = list(entries())
    total = sized(sum(one.size for one in found))
    page.line(f"{folder()}: {counted(len(found), 'result')}, {total}")
    if found:
        rows = []
        for one in found:
            bounds = ", ".join(f"{name} {value}" for name, value in one.record.bounds.items())
            violated = ", ".join(one.record.violated()) or "-"
            states = f"{one.record.distinct_states:,}"
            rows.append((one.record.specification[:12], one.record.protocol, states, violated, bounds))
        page.table(rows, header=("DIGEST", "PROTOCOL", "STATES", "VIOLATED", "BOUNDS"), right=(2,))


@click.command("clear", cls=EpochalCommand, examples=("epochal cache clear",))
def clear() -> None:
    """Remove the cached results. Epochal can compute all of them again."""
    from epochal.checker.base.numbers import counted, sized
    from epochal.checker.gate import cache as results
    from epochal.report.page import open_page

    count, size = results.clear()
    open_page(sys.stdout).line(f"{results.folder()}: {counted(count, 'file')} removed, {sized(size)}")


@click.command("java", cls=EpochalCommand, examples=("epochal cache java",))
def java() -> None:
    """Make a class-data archive, which halves the start of Spark on this machine. Making the archive takes half a
    minute and 120 MB. Another version of Java or PySpark needs another archive."""
    from epochal.checker.base.numbers import sized
    from epochal.checker.search.spark.session import keep_classes
    from epochal.report.page import open_page

    kept = keep_classes(lambda text: click.echo(f"epochal: {text}", err=True))
    open_page(sys.stdout).line(
        f"{kept}: {sized(kept.stat().st_size)}; Spark starts with it on this machine from now on"
    )


@click.group(
    "cache",
    cls=EpochalGroup,
    commands=[show_cache, clear, java],
    examples=("epochal cache show", "epochal cache clear", "epochal cache java"),
)
def cache() -> None:
    """Show or clear the results cached on this machine."""
