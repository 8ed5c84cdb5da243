"""`epochal explain`: exit codes, and every word of the specifications, in sentences."""

from __future__ import annotations

import sys

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand


@click.command(
    "explain",
    cls=EpochalCommand,
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
def command(words: tuple[str, ...]) -> None:
    """Explain a word or a description; without WORD, list the exit codes.

    WORD is an exit code, a property, an action, a lemma, a rule, a bound, a setting, a protocol, a KIP or a Kafka
    ticket; or an operator's words: a fault, an error of a client, a question with settings; or a description, for which
    explain lists the nearest entries.
    """
    from epochal.report.page import open_page

    page = open_page(sys.stdout)
    if not words:
        rows = [(str(e.value), e.title, e.meaning) for e in sorted(ExitCode)]
        page.table(rows, header=("CODE", "NAME", "MEANING"), right=(0,))
        return
    from epochal.kafka.explain import explanations

    for number, one in enumerate(explanations(" ".join(words))):
        if number:
            page.line()
        page.line(one.heading, "title")
        page.lines(one.said, indent=2)
        for text in one.commands:
            page.verbatim(text, "faint")
