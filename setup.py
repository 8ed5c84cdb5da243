"""Links the folders `spec`, `checker` and `cli` into the package before setuptools looks for its modules.

They are folders of the project's own, and packages below `epochal`. The links are made here and are not in git: a
checkout need not support symbolic links. On Windows, where a symbolic link takes a privilege, they are directory
junctions. In a source distribution the folders are there already.

A source distribution is the same bytes whoever builds it, with SOURCE_DATE_EPOCH set. A wheel that is built from it is,
too.
"""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.sdist import sdist

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


class SourceDistribution(sdist):  # type: ignore[misc]  # setuptools has no types
    """A source distribution whose bytes say nothing of the machine: no owner, no times, no order of a folder."""

    def make_archive(self, base_name: str, format: str, *args: object, **kwargs: object) -> str:
        """Make the archive, and write it again in order."""
        path = Path(super().make_archive(base_name, format, *args, **kwargs))
        moment = os.environ.get("SOURCE_DATE_EPOCH")
        if format == "gztar" and moment is not None:
            again(path, int(moment))
        return str(path)


def again(path: Path, moment: int) -> None:
    """Write an archive again, all files of one time and of nobody, by name."""
    made = path.with_suffix(".again")
    with (
        tarfile.open(path) as old,
        made.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=moment) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = moment, 0, 0, "", ""
            member.mode, member.pax_headers = 0o755 if member.isdir() else 0o644, {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    made.replace(path)


for folder in LINKED:
    link(folder)
setup(cmdclass={"sdist": SourceDistribution})
