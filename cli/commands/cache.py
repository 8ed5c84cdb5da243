"""`epochal cache`: the results that are kept on this machine."""

from __future__ import annotations

import sys

import click

from ..app.command import EpochalCommand, EpochalGroup


@click.command("show", cls=EpochalCommand, examples=("epochal cache show",))
def show() -> None:
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
    from epochal.checker.gate import cache
    from epochal.report.page import open_page

    count, size = cache.clear()
    open_page(sys.stdout).line(f"{cache.folder()}: {counted(count, 'file')} removed, {sized(size)}")


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


@click.group("cache", cls=EpochalGroup, examples=("epochal cache show", "epochal cache clear", "epochal cache java"))
def command() -> None:
    """Show or clear the results cached on this machine."""


command.add_command(show)
command.add_command(clear)
command.add_command(java)
