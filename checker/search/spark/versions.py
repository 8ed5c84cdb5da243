"""The versions that a driver and its executors must have in common, compared once in every process of an executor.

Orders travel between them as objects of Python, and code as that of a machine. Where versions differ these may mean
something else, or nothing. Of this package the code itself is compared: what is sent to executors has no version.
"""

from __future__ import annotations

import hashlib
import platform
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from ...version import TOOL, tool_version
from .errors import ClusterError


class Version(NamedTuple):
    """What has which version: in words, and as it is compared."""

    name: str
    said: str
    compared: str


Versions = tuple[Version, ...]


@lru_cache(maxsize=1)
def versions() -> Versions:
    """Those of this process, as they were when it was first asked."""
    import llvmlite

    python = ".".join(platform.python_version_tuple()[:2])
    code = _code()
    return (
        Version("Python", python, python),
        Version(TOOL, f"{tool_version()} (code {code[:8]})", code),
        Version("llvmlite", llvmlite.__version__, llvmlite.__version__),
    )


def _code() -> str:
    """A digest of the sources of this folder, wherever it was imported from."""
    digest = hashlib.blake2b(digest_size=16)
    found = {file.name: file for file in files(__package__).iterdir() if file.name.endswith(".py")}
    for name, file in sorted(found.items()):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=1)
def require_same(wanted: Versions) -> None:
    """Raise ClusterError unless this process has the versions of the driver. It says so in one line: Spark hands no
    more on.
    """
    here = {one.name: one for one in versions()}
    differing = [(here[one.name], one) for one in wanted if here[one.name].compared != one.compared]
    if differing:
        told = ", ".join(f"{ours.name} {ours.said} where the driver has {theirs.said}" for ours, theirs in differing)
        raise ClusterError(
            f"an executor on {platform.node()} has {told}. Install the driver's versions on every worker, or send an "
            "environment along (docs/spark.md, On a cluster)"
        )
