"""Nothing runs that the user did not name: every place that can run code by a name is known, and data names none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.checker.search.checkpoint import digest_of
from epochal.cli.main import main
from tests.house.test_architecture import FOLDERS, ROOT, source, sources

MAY_RUN = {
    "src/epochal/__init__.py": "the public names and their modules stand in it",
    "spec/loading.py": "imports the file that its caller was given; the callers are listed below",
    "spec/former_names.py": "the modules of epochal.spec, by the name that they had before",
    "checker/solver/prove.py": "--houdini: the command line names the file or the module",
    "checker/trace/formats.py": "the formats and their functions stand in it",
    "checker/gate/base_worker.py": "--base: the registry of the commit that the command line names",
    "cli/app/command.py": "the commands of this package",
    "spec/kraft/options/needed.py": "the modules of its own folder",
    "spec/registry.py": "the names of the registry and their modules stand in it",
    "spec/language/source_text.py": "compiles a function that is loaded already, to compare; runs nothing",
    "checker/compile/source/rewrite.py": "compiles a rule of a specification that is loaded already",
    "checker/trace/why.py": "evaluates parts of a property of a specification that is loaded already",
    "checker/mutation/mutants.py": "compiles the same without one of its guards",
    "checker/search/spark/session.py": "finds where the packages of this project are, to send them to the executors",
    "cli/explorer/pages.py": "what the person at the explorer types, who has its token; not with --read-only",
    "checker/unbounded/oracle.py": "pickled here, read in a process that this one has started, and back",
    "checker/workers/on_spark.py": "pickled on the driver, read on the executors: within Spark, which runs code anyway",
}
"""What runs code by a name or from bytes, and who says which."""

MAY_LOAD = {
    "spec/loading.py": (
        "the caller of epochal.load; --property FILE:NAME on the command line; it passes on what it was given"
    ),
    "cli/app/command.py": "PROTOCOL on the command line",
    "cli/commands/explore.py": "--protocol and --beside on the command line",
    "cli/mcp/tools.py": "the arguments of a tool; the process of a call imports files of the folders of --run alone",
    "src/epochal/api/conform.py": "the caller of epochal.conform; --protocol on the command line",
    "src/epochal/kafka/lockstep/models.py": "the caller of lockstep_runs; --protocol on the command line",
    "src/epochal/api/lockstep.py": "the caller of lockstep_runs; --protocol on the command line",
    "src/epochal/api/lockstep_controller.py": "the caller of lockstep_controller; --protocol on the command line",
    "cli/commands/compare.py": "the two protocols on the command line",
    "checker/solver/bounded.py": "--start FILE:NAME; --from a trace: registered, or of the file of PROTOCOL",
    "checker/trace/itf_reader.py": "--protocol on the command line",
    "src/epochal/sweeps/sweep.py": "the file of a sweep, which the user names",
    "src/epochal/sweeps/task.py": "the same, in the process of a task",
    "checker/tables/kept_run.py": "--protocol of 'epochal export'; the callers of epochal.export and epochal.spark",
    "checker/gate/configuration.py": "the models of epochal.toml or pyproject.toml in the working directory",
    "checker/gate/base_worker.py": "the same models, as of the commit that --base names",
    "checker/solver/prove.py": "--houdini on the command line",
}
"""Who asks for a protocol or a function by a reference, which may be a file, and where the reference is from."""

IMPORTING = {"__import__", "import_module", "spec_from_file_location", "run_path", "run_module"}
RUNNING = {"exec", "eval", "compile"} | IMPORTING
LOADING = {"load_protocol", "load_function", "imported_file", "kind_and_bounds"}
READING = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "runpy", "code"}


def called(path: Path) -> set[str]:
    """What a file calls, as a plain function or of a module, and which modules among READING it imports."""
    asked = source(path)
    imports = {one for _, _, module, names in asked.imports for one in (names if module is None else (module,))}
    return set(asked.functions & (RUNNING | LOADING)) | set(asked.methods & IMPORTING) | (imports & READING)


@pytest.mark.xdist_group("house")
@pytest.mark.parametrize(("names", "listed"), [(RUNNING | READING, MAY_RUN), (LOADING, MAY_LOAD)], ids=["run", "load"])
def test_every_place_is_known(names: set[str], listed: dict[str, str]) -> None:
    found = {path.relative_to(ROOT).as_posix() for kind in FOLDERS for path in sources(kind) if called(path) & names}
    assert found == set(listed)


# -- data that names code -----------------------------------------------------------------------------------------

EVIL = "evil.py:P"


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mark that evil.py leaves in the working folder when it is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "evil.py").write_text("open('PWNED', 'w')\nfrom epochal.spec.classic.kip_320 import Kip320 as P\n")
    return tmp_path / "PWNED"


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    done = CliRunner().invoke(main, list(arguments))
    return done.exit_code, done.output


def test_the_file_leaves_its_mark_when_it_is_named(evil: Path) -> None:
    run("show", EVIL)
    assert evil.exists()


def test_a_checkpoint_names_no_code(evil: Path) -> None:
    small = ("check", "kip-279", "--max-epoch", "1")
    assert run(*small, "--max-states", "1000", "--checkpoint", "kept")[0] == 30
    manifest = Path("kept/manifest.json")
    document = json.loads(manifest.read_text())
    assert document["protocol"] == "kip-279"
    forged = {**document, "protocol": EVIL}
    manifest.write_text(json.dumps({**forged, "digest": digest_of(forged)}))
    code, said = run(*small, "--resume", "kept")
    assert code == 2 and not evil.exists()
    assert f"belongs to another search, with protocol {EVIL} instead of kip-279" in said
    code, said = run("export", "kept", "--out", "tables")
    assert code == 2 and not evil.exists()
    assert f"the search is of {EVIL}, no registered protocol" in said


def test_a_list_of_survivors_names_no_code(evil: Path) -> None:
    Path("list.toml").write_text(f'protocol = "{EVIL}"\nbounds = {{ replicas = 3 }}\n')
    code, said = run("mutate", "kip-320", "--survivors", "list.toml")
    assert code == 2 and not evil.exists()
    assert f"list.toml is about '{EVIL}' at --replicas 3, not about 'kip-320'" in said


def test_a_lock_file_names_no_code(evil: Path) -> None:
    shutil.copy(ROOT / "epochal.lock.json", "epochal.lock.json")
    lock = json.loads(Path("epochal.lock.json").read_text())
    lock["models"] = {"kip-279": {**lock["models"]["kip-279"], "protocol": EVIL}, "evil": lock["models"]["kip-279"]}
    Path("epochal.lock.json").write_text(json.dumps(lock))
    bounds = ", ".join(f"{name} = {value}" for name, value in lock["models"]["kip-279"]["bounds"].items())
    Path("epochal.toml").write_text(f'[model.kip-279]\nprotocol = "kip-279"\nbounds = {{ {bounds} }}\n')
    for command in (("gate",), ("baseline", "show"), ("baseline", "update", "--reason", "r")):
        code, said = run(*command)
        assert "Traceback" not in said and code != 1
        assert not evil.exists()


def test_a_run_on_spark_names_no_code(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.search.result import Options
    from epochal.checker.search.spark import driver
    from epochal.checker.search.spark.log import Manifest, write_manifest
    from epochal.checker.search.spark.master import ResumeRefused
    from epochal.checker.search.spark.storage import Storage
    from epochal.spec.registry import registered

    monkeypatch.setattr(driver, "check_installation", lambda: None)
    question = {"protocol": EVIL, "bounds": {}, "properties": [], "all_violations": False}
    write_manifest(Storage("kept"), Manifest("run", question, EVIL, 1, 0))
    with pytest.raises(ResumeRefused, match="another question") as refused:
        driver.check(registered("kip-279")(), Options(), driver.Cluster("local[2]", "kept", resume=True))
    assert f"protocol: {EVIL} there, kip-279 asked for." in str(refused.value)
    assert not evil.exists()
