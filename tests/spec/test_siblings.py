"""What a user's file imports by name is what stands beside it, whatever else has that name in the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

import epochal
from epochal.cli.main import main
from epochal.exit_codes import ExitCode
from epochal.spec import siblings
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.language import Protocol
from epochal.spec.loading import load_protocol

SPEC: Final = '''"""A specification of two files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from {module} import STEP

from epochal.spec.language import Bounds, Integers, Protocol, action, bound, invariant, require


@dataclass(frozen=True)
class Most(Bounds):
    most: int = bound(6, least=1, most=9, help="how far it counts")


class Counts(Protocol):
    """It counts in steps."""

    bounds: Most
    count: Annotated[int, Integers(0, Most.most)]

    @action(says="one step further")
    def up(self) -> None:
        require(self.count + STEP <= self.bounds.most)
        self.count += STEP

    @invariant
    def even(self) -> bool:
        """The count is even."""
        return self.count % 2 == 0
'''


STATE: Final = '''from __future__ import annotations

from typing import Annotated

from epochal.spec.language import Integers, Map, Protocol

Key = Annotated[int, Integers(0, {most})]


class Seen(Protocol):
    """What was seen."""

    class Said:
        """Nested."""

    seen: Map[Key, bool]
'''
SEEING: Final = '''from __future__ import annotations

from state_of_counts import Key, Seen

from epochal.spec.language import action, invariant, require


class Sees(Seen):
    """It sees one after another."""

    @action(says="{key} is seen")
    def see(self, key: Key) -> None:
        require(not self.seen[key])
        self.seen[key] = True

    @invariant
    def not_all(self) -> bool:
        """No more than two are seen."""
        return sum(1 for key in self.seen if self.seen[key]) <= 2
'''

MADE: Final = ("rules_of_counts", "package_of_counts", "state_of_counts", "spec")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    path, modules, known = list(sys.path), dict(sys.modules), dict(siblings._siblings)
    yield
    sys.path[:] = path
    siblings._siblings.clear()
    siblings._siblings.update(known)
    for name in sys.modules.keys() - modules.keys():
        if name.partition(".")[0] in MADE:
            del sys.modules[name]


def checkout(folder: Path, step: int, module: str = "rules_of_counts") -> str:
    """A folder with a specification of two files; how its protocol is called."""
    top, _, rest = module.partition(".")
    place = folder / top / f"{rest}.py" if rest else folder / f"{top}.py"
    place.parent.mkdir(parents=True, exist_ok=True)
    if rest:
        (folder / top / "__init__.py").write_text("", encoding="utf-8")
    place.write_text(f"STEP = {step}\n", encoding="utf-8")
    (folder / "spec.py").write_text(SPEC.format(module=module), encoding="utf-8")
    return f"{folder / 'spec.py'}:Counts"


def verdict(reference: str) -> ExitCode:
    return epochal.check(load_protocol(reference)(None), liveness=False).exit_code


def is_violated(kind: type[Protocol]) -> bool:
    return epochal.check(kind(None), liveness=False).exit_code == ExitCode.VIOLATED


@pytest.mark.parametrize("module", ["rules_of_counts", "package_of_counts.rules"])
def test_two_checkouts_have_their_own_files(tmp_path: Path, module: str) -> None:
    old, new = checkout(tmp_path / "old", 2, module), checkout(tmp_path / "new", 3, module)
    for _ in range(2):
        assert verdict(old) == ExitCode.HOLDS
        assert verdict(new) == ExitCode.VIOLATED


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_variables_of_a_class_beside_the_file_are_those_of_its_checkout(tmp_path: Path, order: tuple[int, int]) -> None:
    """Annotations are evaluated late, in the module that the class names."""
    asked = {}
    for most in order:
        folder = tmp_path / f"most-{most}"
        folder.mkdir()
        (folder / "state_of_counts.py").write_text(STATE.format(most=most), encoding="utf-8")
        (folder / "spec.py").write_text(SEEING, encoding="utf-8")
        asked[most] = load_protocol(f"{folder / 'spec.py'}:Sees")
    assert {most: is_violated(asked[most]) for most in order} == {1: False, 2: True}
    again = {most: load_protocol(f"{tmp_path}/most-{most}/spec.py:Sees") for most in order}
    assert {most: is_violated(again[most]) for most in order} == {1: False, 2: True}


def test_two_checkouts_are_compared(tmp_path: Path) -> None:
    """They were said to behave the same, because the second had the rules of the first."""
    result = CliRunner().invoke(main, ["compare", checkout(tmp_path / "old", 2), checkout(tmp_path / "new", 3)])
    assert "their behaviour differs" in result.stdout, result.output


def test_a_module_of_that_name_that_is_loaded_already_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook has imported its own `rules`, and asks about a file elsewhere that has one, too."""
    checkout(tmp_path / "here", 2)
    monkeypatch.syspath_prepend(str(tmp_path / "here"))
    import rules_of_counts  # type: ignore[import-not-found]

    assert verdict(checkout(tmp_path / "there", 3)) == ExitCode.VIOLATED
    assert sys.modules["rules_of_counts"] is rules_of_counts
    assert rules_of_counts.STEP == 2


def test_files_of_a_folder_share_what_is_beside_them(tmp_path: Path) -> None:
    checkout(tmp_path / "old", 2)
    one = load_protocol(checkout(tmp_path / "new", 3))
    (tmp_path / "new" / "more.py").write_text("import rules_of_counts\nfrom spec import Counts\n", encoding="utf-8")
    load_protocol(f"{tmp_path / 'old' / 'spec.py'}:Counts")
    two = load_protocol(f"{tmp_path / 'new' / 'more.py'}:Counts")
    three = load_protocol(f"{tmp_path / 'new' / 'more.py'}:Counts")
    assert two is three
    assert sys.modules[one.__module__].STEP == sys.modules[two.__module__].STEP == 3


def test_the_folder_of_the_file_comes_before_the_one_that_python_runs_in(tmp_path: Path) -> None:
    checkout(tmp_path / "here", 2)
    there = checkout(tmp_path / "there", 3)
    asked = [sys.executable, "-m", "epochal", "check", there, "--progress", "none"]
    found = subprocess.run(asked, cwd=tmp_path / "here", capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == ExitCode.VIOLATED, found.stdout + found.stderr


def test_what_python_brings_is_not_replaced(tmp_path: Path) -> None:
    reference = checkout(tmp_path / "new", 2, "rules_of_counts")
    (tmp_path / "new" / "json.py").write_text("raise AssertionError\n", encoding="utf-8")
    (tmp_path / "new" / "numpy.py").write_text("raise AssertionError\n", encoding="utf-8")
    (tmp_path / "new" / "epochal.py").write_text("raise AssertionError\n", encoding="utf-8")
    (tmp_path / "new" / "rules_of_counts.py").write_text("import json, numpy, epochal\nSTEP = 2\n", encoding="utf-8")
    assert verdict(reference) == ExitCode.HOLDS


def test_what_a_file_only_imports_keeps_its_name_for_everybody_else(tmp_path: Path) -> None:
    """By its file it is called as it was asked for: a name that depends on who asked first would be in every report."""
    package = "from epochal.spec.kraft.configuration import ConfigurableKraft\nclass Mine(ConfigurableKraft): pass\n"
    (tmp_path / "mine.py").write_text(package, encoding="utf-8")
    (tmp_path / "kraft.py").write_text("from epochal.spec.kraft.configuration import ConfigurableKraft as Kraft\n")
    (tmp_path / "beside.py").write_text(SPEC.format(module="steps"), encoding="utf-8")
    (tmp_path / "steps.py").write_text("STEP = 2\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("from beside import Counts\n", encoding="utf-8")
    before = ConfigurableKraft.name
    for _ in range(2):
        for reference in (f"{tmp_path}/{name}" for name in ("mine.py:Mine", "other.py:Counts", "beside.py:Counts")):
            assert load_protocol(reference).name == reference
        load_protocol(f"{tmp_path / 'kraft.py'}:Kraft")
    assert ConfigurableKraft.name == before
    assert ConfigurableKraft.configured({"kafka": "4.3"}).name == "kraft-4.3"
