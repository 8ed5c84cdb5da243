"""`epochal sweep`: many questions of a file, answered side by side, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, printed


@click.command(
    "sweep",
    cls=EpochalCommand,
    examples=(
        "epochal sweep examples/sweep.toml --out swept",
        "epochal sweep examples/sweep.toml --out swept --to parquet --workers 2",
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@options("out to engine master workers budget", of="sweep")
@printed
def command(file: Path, output: Output, **asked: Any) -> int:
    """Run the questions of FILE, one task for each combination of its choices, and write a table of answers.

    FILE is TOML or JSON with tables [[task]]: check = 'kip-320', or prove, mutate, simulate, guarantees, catalogue;
    with bounds, settings and options. A list is a choice: bounds = { max-epoch = [1, 2] } makes two tasks. Each task is
    one native search, one proof or one batch of random runs, on one core.

    Each answer is stored at once, under the content of its question. Another run does the missing tasks, also after
    Ctrl-C or --budget. The table results has a row for each task and property, and the same bytes wherever the tasks
    ran; the table measures has the time and memory of each task. Exit code 0: every task is answered, whatever the
    answers; 30: some are not; 151: FILE has a mistake; 153: a process was lost; otherwise the code of a refused task.
    """
    from epochal.sweeps.sweep import TELLING, sweep

    return output.show(output.ask(sweep, file, telling=TELLING, **asked))
