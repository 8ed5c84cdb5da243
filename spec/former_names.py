"""Specifications that were written for `spec`, as the package `epochal.spec` was called before, can still be loaded.

`import spec.language` finds the user's own package of that name if there is one: a folder called `spec` is common.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

FORMER, PRESENT = "spec", "epochal.spec"
OWN = Path(__file__).resolve().parents[1]
"""In a checkout a folder that has `spec`, which is no package of a user's."""


class _Present(Loader):
    """Loads a module by its former name: it is the present one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module under its present name, whose own description of itself stays."""
        found = importlib.import_module(self._name)
        self._described = found.__spec__
        return found

    def exec_module(self, module: ModuleType) -> None:
        """It is there already. What the import system has noted in it is taken back."""
        module.__spec__ = self._described


class FormerNames:
    """Finds modules below `spec` that no folder of the user's has."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See importlib.abc.MetaPathFinder."""
        if name == FORMER:
            elsewhere = [folder for folder in sys.path if Path(folder).resolve() != OWN]
            found = PathFinder.find_spec(name, elsewhere)
            if found is not None and found.loader is not None:
                return found
        elif not name.startswith(f"{FORMER}.") or not _is_present(sys.modules.get(FORMER)):
            return None
        present = PRESENT + name.removeprefix(FORMER)
        try:
            importlib.import_module(present)
        except ModuleNotFoundError as error:
            if error.name == present:
                return None
            raise
        return ModuleSpec(name, _Present(present))


def _is_present(module: ModuleType | None) -> bool:
    return module is not None and module is sys.modules.get(PRESENT)


@contextlib.contextmanager
def former_names() -> Iterator[None]:
    """While this lasts, `import spec.language` means `epochal.spec.language`, unless the user has such a package."""
    sys.meta_path.insert(0, FormerNames)
    try:
        yield
    finally:
        sys.meta_path.remove(FormerNames)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == FORMER and module is sys.modules.get(PRESENT + name.removeprefix(FORMER)):
                del sys.modules[name]
