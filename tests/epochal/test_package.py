"""The wheel: it has one name, `epochal`, and leaves a user's own `spec`, `checker` and `cli` alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from epochal.errors import not_installed
from epochal.sentences import Given
from tests.release import LINTED, Missed, agreed, version, wrong_in

ROOT = Path(__file__).resolve().parents[2]

OWN = '''"""A module of the user's project."""

LIMIT = 2
'''
SPECIFICATION = """\
from typing import Annotated

from epochal.language import Integers, Protocol, action, invariant, require
from spec.limits import LIMIT


class Counter(Protocol):
    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < LIMIT)
        self.value += 1

    @invariant
    def small(self) -> bool:
        return self.value <= LIMIT
"""
TEST = """\
import checker
import cli
import spec
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from spec.counter import Counter


def test_the_counter_stays_small():
    assert (checker.LIMIT, cli.LIMIT, spec.LIMIT) == (2, 2, 2)
    result = check(Counter(), Options())
    assert (result.exit_code, result.distinct_states) == (0, 3)
"""

BUILT_FROM = ("src/", "spec/", "checker/", "cli/", "pyproject", "setup.py", "README", "LICENSE", "NOTICE")
"""What the names of files begin with that the package is built from."""

pytestmark = pytest.mark.xdist_group("wheel")
"""It is made once."""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `git clone` makes of this checkout as it is now: a folder called `epochal`."""
    folder = tmp_path_factory.mktemp("beside") / "epochal"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, tracked)):
        if name.startswith(
            ("src/", "spec/", "checker/", "cli/", "pyproject", "setup.py", "README", "LICENSE", "NOTICE")
        ):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def built(hook: str, source: Path, folder: Path) -> Path:
    """What one of the hooks of setuptools builds: `build_wheel`, `build_editable` or `build_sdist` (PEP 517, 660)."""
    program = f"import sys; from setuptools.build_meta import {hook}; {hook}(sys.argv[1])"
    command = [sys.executable, "-c", program, str(folder)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    (made,) = folder.glob("*.whl" if hook != "build_sdist" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built("build_wheel", clone, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel, outside the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with folders of its own that are called as those of this project."""
    for package in ("spec", "checker", "cli", "tests"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(OWN)
    (tmp_path / "spec" / "limits.py").write_text(OWN)
    (tmp_path / "spec" / "counter.py").write_text(SPECIFICATION)
    (tmp_path / "tests" / "test_counter.py").write_text(TEST)
    return tmp_path


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the installed wheel in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_its_only_name_is_epochal(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops - {name for name in tops if name.endswith(".dist-info")} == {"epochal"}
    for name in (
        "spec/classic/kip_320.py",
        "checker/native/kernel/kernel.py",
        "cli/main.py",
        "py.typed",
        "language.py",
    ):
        assert f"epochal/{name}" in names


def test_nothing_else_is_in_it(wheel: Path, tmp_path: Path) -> None:
    """Modules, shipped data, the licence and the notice: no tests, evidence, dumps or pages of the site."""
    assert wrong_in(wheel) == []
    spoilt = tmp_path / wheel.name
    spoilt.write_bytes(wheel.read_bytes())
    with zipfile.ZipFile(spoilt, "a") as archive:
        for name in ("epochal/tests/test_it.py", "epochal/kafka/dump.json", "tests/x.py", "epochal/a.pyc"):
            archive.writestr(name, "")
    found = ("epochal/tests/test_it.py", "epochal/kafka/dump.json", "tests/x.py", "epochal/a.pyc")
    assert wrong_in(spoilt) == [f"{name} is in it" for name in found]


MUST = ("licenses/LICENSE", "licenses/NOTICE", "entry_points.txt", "opa.rego.j2", "kraft-tolerated.certificate.json")


def test_what_must_be_in_it_is_missed(wheel: Path, tmp_path: Path) -> None:
    cut = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(cut, "w") as archive:
        for name in whole.namelist():
            if not name.endswith(MUST):
                archive.writestr(name, whole.read(name))
    missed = wrong_in(cut)
    assert len(missed) == len(MUST) and all(one.endswith(" is not in it") for one in missed)
    assert all(any(one.removesuffix(" is not in it").endswith(name) for one in missed) for name in MUST)


def test_a_release_is_of_the_tag_that_was_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit may have several tags, and `git describe` names one of them."""
    monkeypatch.setenv("GITHUB_REF_TYPE", "tag")
    monkeypatch.setenv("GITHUB_REF_NAME", f"v{version()}")
    assert agreed().startswith(version())
    monkeypatch.setenv("GITHUB_REF_NAME", f"v{version()}-rc1")
    with pytest.raises(Missed, match=f"the tag is v{version()}-rc1"):
        agreed()
    monkeypatch.setenv("GITHUB_REF_TYPE", "branch")
    assert agreed().startswith(version())


def test_only_a_pushed_tag_is_published() -> None:
    """All jobs that may write wait for one that asks for it; and each artifact that is taken was put there by name."""
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    jobs = release["jobs"]
    asks = {
        name for name, job in jobs.items() if job.get("if") == "github.event_name == 'push' && github.ref_type == 'tag'"
    }
    writing = [name for name, job in jobs.items() if "write" in job.get("permissions", {}).values()]
    assert writing
    for name in writing:
        while name not in asks:
            name = jobs[name]["needs"]
    (tags,) = release[True]["push"]["tags"]  # YAML reads `on` so
    for tag, matches in (("v1.0.0", True), ("v1.0.0-rc1", False), ("vendor", False), ("v1.0", False)):
        assert bool(re.fullmatch(tags.replace(".", r"\."), tag)) is matches
    steps = [step for job in jobs.values() for step in job["steps"]]
    put, taken = (
        [step["with"].get("name") for step in steps if step.get("uses", "").startswith(f"actions/{which}-artifact@")]
        for which in ("upload", "download")
    )
    assert taken and set(taken) == set(put)


def test_all_that_runs_on_github_is_linted() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    runs = [ROOT / name for name in listed.splitlines() if re.search(r"(^|/)action\.ya?ml$|^\.github/.*\.yml$", name)]
    assert len(runs) > 4
    assert [path for path in runs if not any(path.is_relative_to(one) for one in LINTED)] == []


def test_no_link_is_in_git() -> None:
    """A checkout need not support links (`core.symlinks=false`, which is usual on Windows)."""
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line for line in listed.splitlines() if line.startswith("120000")] == []


def test_a_wheel_of_the_source_distribution_has_the_same_files(
    clone: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built("build_sdist", clone, tmp_path_factory.mktemp("sdist"))) as archive:
        names = archive.getnames()
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    again = built("build_wheel", source, tmp_path_factory.mktemp("again"))
    assert {name.split("/")[1] for name in names if "/" in name}.isdisjoint(
        {"tests", "docs", "audit", "counterexamples"}
    )
    contents = [zipfile.ZipFile(one).namelist() for one in (wheel, again)]
    assert sorted(contents[0]) == sorted(contents[1])
    ours = {f"epochal/{path.relative_to(top)}" for top in (ROOT, ROOT / "src/epochal") for path in _modules(top)}
    assert ours <= set(contents[0])


def _modules(top: Path) -> list[Path]:
    """The modules below one of the two folders that hold the packages."""
    if top == ROOT:
        return [path for name in ("spec", "checker", "cli") for path in (top / name).rglob("*.py")]
    return list(top.rglob("*.py"))


SCRIPT = """\
import sys, importlib.util
import epochal, epochal.spec, epochal.checker.base.installed
found = epochal.check(epochal.load("kip-101", replicas=2))
print(found.exit_code, type(found).__module__, epochal.EpochalError is sys.modules["epochal.errors"].EpochalError)
print([name for name in ("epochal", "spec", "cli", "tests", "docs") if importlib.util.find_spec(f"epochal.{name}")])
"""


@pytest.mark.parametrize("form", ["build_editable", "build_wheel"])
@pytest.mark.parametrize("starts", ["script", "notebook"])
def test_beside_a_clone(
    clone: Path, wheel: Path, form: str, starts: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Beside a clone called `epochal`, `import epochal` is the package and not that folder, and each class is there
    once. The folder of a script comes first on the path; a kernel of a notebook and `python -c` have the present one.
    """
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    (site,) = environment.glob("lib/*/site-packages")
    with zipfile.ZipFile(wheel if form == "build_wheel" else built(form, clone, tmp_path_factory.mktemp(form))) as made:
        made.extractall(site)
    (site / "packages.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    script = clone.parent / "script.py"
    script.write_text(SCRIPT)
    words = [str(script)] if starts == "script" else ["-c", SCRIPT]
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, *words], cwd=clone.parent, env=plain, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["12 epochal.api.check True", "['spec', 'cli']"], done.stderr
    told = subprocess.run(
        [python, "-c", "import epochal.spec.loading as one; print(one.__file__)"],
        cwd=clone.parent,
        env=plain,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    where = clone if form == "build_editable" else site / "epochal"
    assert told.strip() == str(where / "spec" / "loading.py"), "a file has one path"


def test_a_project_with_the_same_folders(installed: Path, project: Path) -> None:
    """Its tests and its specifications find its own packages; so does the command line."""
    done = run(installed, project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(project))
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    done = run(installed, project, "-m", "epochal", "check", "spec/counter.py:Counter")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 distinct" in done.stdout


def test_places_are_those_of_the_folders(installed: Path, project: Path) -> None:
    done = run(installed, project, "-P", "-m", "epochal", "check", "kip-101", "--replicas", "2")
    assert done.returncode == 12, done.stderr
    assert "[spec/classic/follower.py:" in done.stdout
    told = run(installed, project, "-P", "-c", "import epochal.spec; print(epochal.spec.__file__)").stdout
    assert told.strip() == str(installed / "epochal" / "spec" / "__init__.py")


def test_a_folder_of_the_checkout_is_no_package() -> None:
    done = subprocess.run([sys.executable, "-c", "import spec"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: import epochal.spec, or epochal.language: spec is only the folder's name" in done.stderr


def test_specifications_written_for_the_former_name_are_loaded(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import spec.language as language\nfrom spec.classic.kip_320 import Kip320\n"
        "from spec.language import Protocol\n"
        "class Mine(Kip320): pass\nassert issubclass(Mine, Protocol) and language.Protocol is Protocol\n"
    )
    done = run(installed, tmp_path, "-m", "epochal", "show", "mine.py:Mine")
    assert done.returncode == 0, done.stderr
    (tmp_path / "mine.py").write_text("import spec.no_such_thing\n")
    done = run(installed, tmp_path, "-m", "epochal", "show", "mine.py:Mine")
    assert done.returncode == 150 and "No module named 'spec.no_such_thing'" in done.stderr


def test_what_is_not_installed_is_told_in_one_wording() -> None:
    """`not_installed` writes it; `doctor` has a table of its own."""
    sources = [path for folder in ("checker", "cli", "src", "spec") for path in (ROOT / folder).rglob("*.py")]
    found = {path.name for path in sources if "pip install 'epochal[" in path.read_text(encoding="utf-8")}
    assert found == {"errors.py", "doctor.py"}
    told = str(not_installed("--watch", "watchfiles", "watch", (", or use ", Given("engine", "local"))))
    assert told == (
        "--watch needs watchfiles, which is not installed\n"
        "  Install it: pip install 'epochal[watch]', or use engine='local'."
    )
