"""The recipe of CONTRIBUTING.md: a mechanism of Kafka is one file, and a field of the settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

FIELD = '''    truncates_when_told_only: bool = True
    """KAFKA-99999, Kafka 4.4: a replica truncates its log only where its leader says so."""

'''
MECHANISM = '''"""KAFKA-99999: a replica forgets the end of its log, and nobody has told it to."""

from __future__ import annotations

from ...language import action, require
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by, since
from ..settings import Settings
from ..state import Replica


@governed_by(truncates_when_told_only=since("4.4"))
class AbsentMindedReplica(BrokerLifecycle):
    """A replica truncates by itself."""

    @action(by="broker", says="{broker} forgets the end of its log")
    def forget(self, broker: Replica) -> None:
        """UnifiedLog.truncateTo, by accident."""
        require(self.is_running(broker) and not self.settings.truncates_when_told_only)
        require(self.end(broker) > 0)
        self.truncate(broker, self.end(broker) - 1)


BUGS = (
    KraftBug(
        id="KAFKA-99999",
        title="A replica forgets the end of its log",
        tickets=("KAFKA-99999",),
        versions="2.8 to 4.3",
        faulty=Settings(truncates_when_told_only=False),
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 1},
        lesson="Truncate for a reason.",
    ),
)
'''
ASKED = """
from docs.generator.catalogue import catalogue
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.generations import VERSIONS
from epochal.spec.registry import registered

def verdict(name):
    result = check(registered(name)(), Options(properties=("leader_candidate_completeness",), symmetry=True))
    return result.properties[0].verdict

assert [one for one in VERSIONS if VERSIONS[one].truncates_when_told_only] == ["4.4"]
assert "AbsentMindedReplica" in {one.__name__ for one in configured(kafka="4.3").__mro__}
assert "AbsentMindedReplica" not in {one.__name__ for one in configured(kafka="4.4").__mro__}
assert "KAFKA-99999" in {one.id for one in open_holes(VERSIONS["4.3"])}
assert "KAFKA-99999" in {one.id for one in CATALOGUE} and "| `kraft-kafka-99999-fixed` |" in catalogue()
assert (verdict("kraft-kafka-99999"), verdict("kraft-kafka-99999-fixed")) == ("violated", "holds")
"""


def test_a_new_mechanism_is_one_file_and_a_field(tmp_path: Path) -> None:
    """In a copy of the package: the protocols of releases, the catalogue and its page have it without another line."""
    package = tmp_path / "epochal"
    shutil.copytree(
        ROOT / "src/epochal", package, ignore=shutil.ignore_patterns("__pycache__", "spec", "checker", "cli")
    )
    shutil.copytree(ROOT / "spec", package / "spec", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("checker", "cli"):
        (package / name).symlink_to(ROOT / name)
    (package / "spec/kraft/options/absent_minded_replica.py").write_text(MECHANISM, encoding="utf-8")
    settings = package / "spec/kraft/settings.py"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(before.replace("    def __post_init__", f"{FIELD}    def __post_init__", 1), encoding="utf-8")
    told = {**os.environ, "PYTHONPATH": str(tmp_path), "EPOCHAL_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run([sys.executable, "-c", ASKED], cwd=ROOT, env=told, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
