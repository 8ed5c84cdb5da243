"""`epochal sweep`: many questions of a file, answered side by side, as a table."""

from __future__ import annotations

from pathlib import Path

import click

from ..app.command import EpochalCommand, OwnOption
from ..app.options import Output, budget_option, printed, workers_option


@click.command(
    "sweep",
    cls=EpochalCommand,
    examples=(
        "epochal sweep examples/sweep.toml --out swept",
        "epochal sweep examples/sweep.toml --out swept --to parquet --workers 2",
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option(
    "--out",
    "folder",
    required=True,
    metavar="DIR|URI",
    help="The folder of the answers: a file for each task that is done, and the tables. A URI that pyarrow.fs knows "
    "will do, too.",
)
@click.option(
    "--to",
    type=click.Choice(("json", "parquet")),
    default="json",
    show_default=True,
    help="The format of the tables: JSON lines, or Parquet, which needs pyarrow.",
)
@click.option(
    "--engine",
    cls=OwnOption,
    type=click.Choice(("local", "spark")),
    default="local",
    help="Run tasks in processes of this machine (local), or on the executors of a Spark cluster.",
)
@click.option("--master", metavar="URL", help="With --engine spark: the Spark master, such as spark://host:7077.")
@workers_option
@budget_option
@printed
def command(
    file: Path,
    folder: str,
    to: str,
    engine: str,
    master: str | None,
    workers: int | None,
    budget: float | None,
    output: Output,
) -> int:
    """Run the questions of FILE, one task for each combination of its choices, and write a table of answers.

    FILE is TOML or JSON with tables [[task]]: check = 'kip-320', or prove, mutate, simulate, guarantees, catalogue;
    with bounds, settings and options. A list is a choice: bounds = { max-epoch = [1, 2] } makes two tasks. Each task is
    one native search, one proof or one batch of random runs, on one core.

    Each answer is stored at once, under the content of its question. Another run does the missing tasks, also after
    Ctrl-C or --budget. The table results has a row for each task and property, and the same bytes wherever the tasks
    ran; the table measures has the time and memory of each task. Exit code 0: every task is answered, whatever the
    answers; 30: some are not; 151: FILE has a mistake; 153: a process was lost; otherwise the code of a refused task.
    """
    from epochal.api.result import partial_result
    from epochal.report.sweeps import SweepTelling
    from epochal.sweeps.sweep import sweep

    with output.reporting(SweepTelling()) as report:
        result = partial_result(
            sweep,
            file,
            out=folder,
            to=to,
            engine=engine,
            master=master,
            workers=workers,
            budget=budget,
            progress=report,
        )
    return output.show(result)
