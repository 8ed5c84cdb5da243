"""Play a counterexample of the model on a release of Kafka, and say whether the brokers followed and what was lost.

`python -m tests.brokers.reproduce S25 --kafka 4.3.x --to DIR` writes `DIR/reproduced-s25-4.3.1.tar.xz`, which `epochal
conform` reads. Exit code 0: the brokers lost a record, or tore a transaction, where the model does, or kept all where
it keeps them; 1: they did otherwise, or the story could not be brought about.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.brokers.cluster import Cluster
from tests.brokers.evidence import write_json
from tests.brokers.process import NotReady
from tests.brokers.record import EVIDENCE, about_cluster, archived, at_tier, keep
from tests.brokers.releases import PINNED, Release, ReleaseMissing, release
from tests.brokers.reproduction import Outcome, Reproduction, Story, StoryEnds, markers_in, values_in
from tests.brokers.reproductions import REPRODUCTIONS
from tests.brokers.transactions import transactions_in


def reproduce(reproduction: Reproduction, kafka: Release, to: Path, tier: int = 0) -> tuple[Outcome, Path]:
    """Play a counterexample and pack its evidence into a folder: the outcome, and the archive."""
    features = {**reproduction.shape.features, **reproduction.features(kafka)}
    shape = at_tier(dataclasses.replace(reproduction.shape, features=features), tier)
    with tempfile.TemporaryDirectory(prefix="epochal-evidence-") as scratch, Cluster(kafka, shape) as cluster:
        folder = Path(scratch)
        story = Story(cluster, folder, reproduction.topic)
        try:
            reproduction.play(story)
            ended = True
        except StoryEnds:
            ended = False  # the last step told says why
        finally:
            story.close_clients()
        story.end()
        about = about_cluster(reproduction.name, reproduction.tells, cluster, tier)
        keep(cluster, folder, reproduction.play, about)
        outcome = outcome_of(story, folder, ended, reproduction, kafka)
        told = [dataclasses.asdict(step) for step in outcome.told]
        reproduced = {"id": reproduction.id, "story": told, "verdict": outcome.verdict, "foretold": outcome.foretold}
        reproduced |= {"lost": outcome.lost, "copies": dict(outcome.copies)}
        if outcome.transactions:
            dumps = {node: markers_in(text) for node, text in dumps_in(folder, cluster).items()}
            parts = sorted({part for of in dumps.values() for part in of})
            markers = {part: {node: of[part] for node, of in dumps.items() if part in of} for part in parts}
            reproduced |= {"variant": reproduction.variant, "markers": markers}
            reproduced |= {"transactions": [dataclasses.asdict(one) for one in outcome.transactions]}
        about |= {"reproduces": reproduced}
        write_json(folder / "about.json", about)
        return outcome, archived(folder, to, about)


def dumps_in(folder: Path, cluster: Cluster) -> Mapping[int, str]:
    """Kafka's own dumps of the segments of each broker."""
    dumps = {node: folder / "dumps" / f"node-{node}-data.txt" for node in cluster.brokers}
    return {node: path.read_text("utf-8") for node, path in dumps.items() if path.exists()}


def outcome_of(story: Story, folder: Path, ended: bool, reproduction: Reproduction, kafka: Release) -> Outcome:
    """What the clients were told and read, held against the segments of the brokers."""
    foretold = reproduction.loses(kafka, reproduction.has_elr(kafka))
    history = story.history.read()
    acknowledged = [line["value"] for line in history if line["what"] == "acknowledged"]
    read = {line["value"] for line in history if line["what"] == "read"}
    kept = {node: values_in(dump, reproduction.data) for node, dump in dumps_in(folder, story.cluster).items()}
    copies = {value: tuple(node for node, values in kept.items() if value in values) for value in acknowledged}
    gone = (value for value in acknowledged if ended and value not in read)
    lost = tuple(value for value in gone if value not in reproduction.accepted)
    transactions = transactions_in(story.transactions.read())
    return Outcome(tuple(story.told), ended, foretold, lost, copies, transactions, reproduction.harm)


def report(outcome: Outcome) -> str:
    """The story and its end, to read."""
    lines = []
    for number, step in enumerate(outcome.told, 1):
        seen = f": {step.seen}" if step.seen else ""
        lines.append(f"  {number}. {step.says} - {'followed' if step.followed else 'NOT FOLLOWED'}{seen}")
    for value, nodes in outcome.copies.items():
        where = f"in the segments of {', '.join(map(str, nodes))}" if nodes else "in no segment"
        lines.append(f"  {value} was acknowledged, and is {'lost, and ' if value in outcome.lost else ''}{where}")
    lines += [f"  {one}" for one in outcome.transactions]
    lines.append(f"  verdict: {outcome.verdict} (the model: {outcome.harm if outcome.foretold else 'kept'})")
    return "\n".join(lines)


def main() -> None:
    """Play counterexamples of the model on Apache Kafka, and say whether the brokers followed."""
    parser = argparse.ArgumentParser(prog="python -m tests.brokers.reproduce", description=main.__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID", help=f"all, or of {', '.join(REPRODUCTIONS)}")
    parser.add_argument("--kafka", default="newest", help=f"a release: 4.1.x, oldest, newest, of {', '.join(PINNED)}")
    parser.add_argument("--to", type=Path, default=EVIDENCE, help="the folder of the archives (tests/evidence)")
    parser.add_argument("--tier", type=int, choices=(0, 1, 2), default=0, help="how much brokers log, as of `record`")
    arguments = parser.parse_args()
    ids = list(REPRODUCTIONS) if arguments.ids == ["all"] else arguments.ids
    if unknown := [name for name in ids if name not in REPRODUCTIONS]:
        parser.error(f"nobody has written how {unknown[0]} is played: {', '.join(REPRODUCTIONS)} are known")
    as_foretold = True
    try:
        kafka = release(arguments.kafka)
        for name in ids:
            print(f"{name} on Kafka {kafka.version}: {REPRODUCTIONS[name].tells}", flush=True)
            outcome, archive = reproduce(REPRODUCTIONS[name], kafka, arguments.to, arguments.tier)
            print(f"{report(outcome)}\n  evidence: {archive}, {archive.stat().st_size:,} bytes", flush=True)
            as_foretold &= outcome.as_foretold
    except (ReleaseMissing, NotReady) as error:
        sys.exit(str(error))
    sys.exit(0 if as_foretold else 1)


if __name__ == "__main__":
    main()
