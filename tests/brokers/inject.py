"""Random faults under random work, from a seed: what brokers leave is for `epochal conform` to judge.

`python -m tests.brokers.inject --seed 7 --minutes 2 --kafka 4.3.x --to DIR` writes `DIR/injected-7-4.3.1.tar.xz`. The
same seed gives the same plan, which is in about.json; what brokers make of it differs from run to run.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.brokers.checkpoints import lines_of
from tests.brokers.cluster import Cluster
from tests.brokers.evidence import METADATA, write_json
from tests.brokers.history import Journal
from tests.brokers.injection import BROKERS, CONTROLLER, SHAPE, Injection
from tests.brokers.plan import Planner
from tests.brokers.process import NotReady
from tests.brokers.record import about_cluster, archived, at_tier
from tests.brokers.releases import PINNED, Release, ReleaseMissing, release
from tests.brokers.scenario import TOPIC
from tests.brokers.tools import Tools
from tests.brokers.workload import Workload

CHECKPOINTS = (
    *("replication-offset-checkpoint", "recovery-point-offset-checkpoint", "log-start-offset-checkpoint"),
    f"{TOPIC}-0/leader-epoch-checkpoint",
)


@dataclass(frozen=True)
class Injected:
    """What became of a run: records by what clients were told, and those that were acknowledged and are lost."""

    archive: Path
    steps: int
    not_done: int
    acknowledged: Mapping[str, int]
    lost: Mapping[str, tuple[str, ...]]
    lossy: tuple[str, ...]
    healed: bool

    def told(self) -> str:
        """The figures, to read."""
        lines = [f"  {self.steps} steps, of which {self.not_done} could not be done as they met others"]
        for acks, count in self.acknowledged.items():
            lost = self.lost[acks]
            said = (
                f"{len(lost)} lost ({', '.join(lost[:8])}{', ...' if len(lost) > 8 else ''})" if lost else "none lost"
            )
            lines.append(f"  acks={acks}: {count} acknowledged, {said}")
        if self.lost["all"]:
            lines.append(
                f"  what may lose acks=all: {', '.join(self.lossy) or 'NOTHING: this wants to be looked into'}"
            )
        lines.append(f"  at the end {'all replicas are in sync' if self.healed else 'NOT all replicas are in sync'}")
        return "\n".join(lines)


def inject(seed: int, minutes: float, kafka: Release, to: Path, tier: int = 0, clean: bool = False) -> Injected:
    """Run a plan on a cluster at work and pack what it leaves into a folder."""
    plan = Planner(seed, 60 * minutes, BROKERS, CONTROLLER, clean).make()
    with (
        tempfile.TemporaryDirectory(prefix="epochal-evidence-") as scratch,
        Cluster(kafka, at_tier(SHAPE, tier)) as cluster,
    ):
        folder = Path(scratch)
        injection = Injection(cluster, folder)
        injection.create(*range(1, BROKERS + 1), min_insync_replicas="2")
        injection.create_beside("beside", range(BROKERS, 0, -1))
        with Workload(cluster.bootstrap, injection.history, TOPIC):
            injection.play(plan)
        healed = injection.heal()
        try:
            read = set(injection.read().values())
        except NotReady as error:
            injection.steps.write("not done", step="read", why=str(error))
            read, healed = set(), False
        injection.end()
        about = about_cluster(
            f"injected-{seed}{'-clean' if clean else ''}", "random faults under random work", cluster, tier
        )
        about |= {"seed": seed, "minutes": minutes, "clean": clean, "plan": [step.to_dict() for step in plan]}
        outcome = _outcome(injection, read, healed)
        about |= {"lost": outcome["lost"], "healed": healed}
        _collect(cluster, folder, about)
        return Injected(archived(folder, to, about), lossy=lossy(folder), **outcome)


def lossy(folder: Path) -> tuple[str, ...]:
    """What a run had that may lose a record of which an ISR of `min.insync.replicas` was told, and how often.

    A leader that was elected uncleanly, or as the last known one, is recovering at first (KIP-704).
    """
    dump = (folder / "dumps" / f"node-{CONTROLLER}-metadata.txt").read_text(encoding="utf-8")
    topic = re.search(rf'"name":"{TOPIC}","topicId":"([^"]+)"', dump)
    assert topic is not None  # it was created
    recovering = sum('"leaderRecoveryState":1' in line and topic[1] in line for line in dump.splitlines())
    tails = sum(step.get("batches", 0) > 0 for step in Journal(folder / "steps.jsonl").read())
    found = {"elections outside the ISR": recovering, "tails that were lost": tails}
    return tuple(f"{what}: {count}" for what, count in found.items() if count)


def _outcome(injection: Injection, read: set[str], healed: bool) -> dict[str, Any]:
    """What clients were told, held against what a consumer reads at the end; nothing is lost if it cannot."""
    acknowledged: dict[str, list[str]] = {"all": [], "1": []}
    for line in injection.history.read():
        if line["what"] == "acknowledged":
            acknowledged[line["client"].rpartition("-")[2]].append(line["value"])
    steps = [line["what"] for line in injection.steps.read()]
    return {
        "steps": len(steps),
        "not_done": steps.count("not done"),
        "acknowledged": {acks: len(values) for acks, values in acknowledged.items()},
        "lost": {
            acks: tuple(value for value in values if read and value not in read)
            for acks, values in acknowledged.items()
        },
        "healed": healed,
    }


def _collect(cluster: Cluster, folder: Path, about: dict[str, Any]) -> None:
    """Copy what a judge needs, and a reader: few files, for a run of minutes leaves many."""
    segments: list[Path] = []
    checkpoints: dict[str, dict[str, list[list[str]]]] = {}
    for number, node in cluster.nodes.items():
        here = folder / f"node-{number}"
        wanted: list[Path] = []
        if number in cluster.controllers:
            segments = sorted((node.folder / "metadata" / METADATA).glob("*.log"))
            wanted = [node.configuration, *segments]
        if number in cluster.brokers:
            wanted += [node.folder / "logs" / name for name in ("server.log", "state-change.log")]
            wanted += sorted((node.data / f"{TOPIC}-0").glob("*.log"))
            paths = [node.data / name for name in CHECKPOINTS]
            checkpoints[str(number)] = {path.name: lines_of(path) for path in paths if path.exists()}
        for path in wanted:
            target = here / path.relative_to(node.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    write_json(folder / "about.json", {**about, "checkpoints": checkpoints})
    dump = Tools(cluster.release, cluster.bootstrap).dump_metadata(segments)
    (folder / "dumps").mkdir()
    (folder / "dumps" / f"node-{CONTROLLER}-metadata.txt").write_text(dump, encoding="utf-8")


def main() -> None:
    """Run random faults against Apache Kafka at work, and keep what the brokers leave."""
    parser = argparse.ArgumentParser(prog="python -m tests.brokers.inject", description=main.__doc__)
    parser.add_argument("--seed", type=int, required=True, help="what the plan of faults is made of")
    parser.add_argument("--minutes", type=float, default=2.0, help="for how long (2)")
    parser.add_argument("--kafka", default="newest", help=f"a release: 4.1.x, oldest, newest, of {', '.join(PINNED)}")
    parser.add_argument("--to", type=Path, required=True, help="the folder of the archive")
    parser.add_argument("--tier", type=int, choices=(0, 1, 2), default=0, help="how much brokers log, as of `record`")
    parser.add_argument(
        "--clean", action="store_true", help="nothing that may lose acks=all: no lost tail, no election outside the ISR"
    )
    arguments = parser.parse_args()
    try:
        kafka = release(arguments.kafka)
        print(f"seed {arguments.seed} on Kafka {kafka.version}, {arguments.minutes:g} minutes", flush=True)
        injected = inject(arguments.seed, arguments.minutes, kafka, arguments.to, arguments.tier, arguments.clean)
    except (ReleaseMissing, NotReady) as error:
        sys.exit(str(error))
    print(f"{injected.told()}\n  evidence: {injected.archive}, {injected.archive.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    main()
