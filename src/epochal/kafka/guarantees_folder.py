"""The runs that `epochal guarantees --out` writes: each as ITF, and as a story."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from epochal.checker.host.files import write_atomically, writing
from epochal.checker.trace.markdown import markdown
from epochal.checker.trace.output_folder import OutputFolder, slug
from epochal.kafka.guarantee_tables import Table


def write_runs(folder: OutputFolder, tables: Sequence[Table]) -> list[str]:
    """Write every counterexample; the paths of the ITF files, in the order of the tables."""
    written = []
    for table in tables:
        for one in table.decided:
            for trace in one.traces:
                path = folder.write_trace(slug(table.column.reference), f"{one.fault.id}-{trace.property_id}", trace)
                story = Path(str(path).removesuffix(".itf.json") + ".md")
                with writing(story):
                    write_atomically(story, markdown(trace, str(path)))
                written.append(str(path))
    return written
