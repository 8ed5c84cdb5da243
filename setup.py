"""Links the folders `spec`, `checker` and `cli` into the package before setuptools looks for its modules.

They are folders of the project's own, and packages below `epochal`. The links are made here and are not in git: a
checkout need not support symbolic links. On Windows, where a symbolic link takes a privilege, they are directory
junctions. In a source distribution the folders are there already.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
LINKED = ("spec", "checker", "cli")


def link(name: str) -> None:
    """Make `src/epochal/NAME` mean the folder NAME. What an earlier checkout left there as a file is replaced."""
    place = ROOT / "src" / "epochal" / name
    if place.is_dir() or not (ROOT / name).is_dir():
        return
    place.unlink(missing_ok=True)
    if sys.platform == "win32":
        import _winapi

        _winapi.CreateJunction(str(ROOT / name), str(place))
    else:
        place.symlink_to(Path("..", "..", name))


for folder in LINKED:
    link(folder)
setup()
