"""Play a scenario on a release of Kafka and keep what the brokers leave.

`python -m tests.brokers.record leader-change --kafka 4.1.x --to DIR` writes `DIR/leader-change-4.1.2.tar.xz`.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.evidence import collect, pack
from tests.brokers.history import now
from tests.brokers.releases import PINNED, Release, ReleaseMissing, release
from tests.brokers.scenario import Scenario, Stage, levels_up_to
from tests.brokers.scenarios import SCENARIOS

EVIDENCE = Path(__file__).resolve().parents[1] / "evidence"


def record(scenario: Scenario, kafka: Release, to: Path, tier: int = 0) -> Path:
    """Play a scenario and pack its evidence into a folder; the archive. What is raised on the way is not caught."""
    shape = at_tier(scenario.shape, tier)
    with tempfile.TemporaryDirectory(prefix="epochal-evidence-") as scratch, Cluster(kafka, shape) as cluster:
        folder = Path(scratch)
        stage = Stage(cluster, folder)
        scenario.play(stage)
        stage.end()
        about = about_cluster(scenario.name, scenario.tells, cluster, tier)
        keep(cluster, folder, scenario.play, about)
        return archived(folder, to, about)


def at_tier(shape: Shape, tier: int) -> Shape:
    """A shape whose nodes log as much as a tier wants."""
    return dataclasses.replace(shape, log_levels={**shape.log_levels, **levels_up_to(tier)})


def about_cluster(name: str, tells: str, cluster: Cluster, tier: int) -> dict[str, Any]:
    """What `about.json` says of a scenario that was played on a cluster."""
    return {
        "scenario": name,
        "tells": tells,
        "kafka": cluster.release.version,
        "recorded": datetime.now(UTC).strftime("%Y-%m-%d"),
        "times": "UTC, of logs and journals alike",
        "tier": tier,
        "nodes": {str(number): node.role.process_roles for number, node in cluster.nodes.items()},
        "settings": dict(cluster.shape.settings),
        **({"own": {str(node): dict(of) for node, of in own.items()}} if (own := cluster.shape.own) else {}),
        "features": dict(cluster.shape.features),
        **({"fixes": list(fixes)} if (fixes := cluster.shape.fixes) else {}),
        "log_levels": dict(cluster.shape.log_levels),
    }


def keep(cluster: Cluster, folder: Path, play: Callable[..., None], about: dict[str, Any]) -> None:
    """Copy what a cluster left into a folder, with the script that was played."""
    script = inspect.getsourcefile(play)
    assert script is not None
    shutil.copyfile(script, folder / "scenario.py")
    collect(cluster, folder, about)


def archived(folder: Path, to: Path, about: dict[str, Any]) -> Path:
    """Pack a folder of evidence; the archive, which is named after what `about.json` says."""
    to.mkdir(parents=True, exist_ok=True)
    tier = f"-tier-{about['tier']}" if about["tier"] else ""
    archive = to / f"{about['scenario']}-{about['kafka']}{tier}.tar.xz"
    pack(folder, archive)
    return archive


def main() -> None:
    """Play scenarios on Apache Kafka and keep what the brokers leave."""
    parser = argparse.ArgumentParser(prog="python -m tests.brokers.record", description=main.__doc__)
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO", help=f"all, or of {', '.join(SCENARIOS)}")
    parser.add_argument("--kafka", default="newest", help=f"a release: 4.1.x, oldest, newest, of {', '.join(PINNED)}")
    parser.add_argument("--to", type=Path, default=EVIDENCE, help="the folder of the archives (tests/evidence)")
    tiers = "0: loggers as released; 1: high watermarks and fetches too; 2: every request too"
    parser.add_argument("--tier", type=int, choices=(0, 1, 2), default=0, help=tiers)
    arguments = parser.parse_args()
    names = list(SCENARIOS) if arguments.scenarios == ["all"] else arguments.scenarios
    if unknown := [name for name in names if name not in SCENARIOS]:
        parser.error(f"no scenario is called {unknown[0]}: {', '.join(SCENARIOS)} are known")
    try:
        kafka = release(arguments.kafka)
        for name in names:
            print(f"{now()} {name} on Kafka {kafka.version}: {SCENARIOS[name].tells}", flush=True)
            archive = record(SCENARIOS[name], kafka, arguments.to, arguments.tier)
            print(f"{now()} {archive}: {archive.stat().st_size:,} bytes", flush=True)
    except ReleaseMissing as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
