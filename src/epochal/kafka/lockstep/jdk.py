"""The JDK of this machine: that of JAVA_HOME, else the first on the PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from epochal.errors import EngineError

JDK_NEEDED = 17
INSTALL = (
    f"Install a JDK {JDK_NEEDED} or newer (openjdk-{JDK_NEEDED}-jdk-headless on Debian and Ubuntu, "
    f"java-{JDK_NEEDED}-openjdk-devel on Fedora) and set JAVA_HOME if it is not on the PATH."
)


class Jdk(NamedTuple):
    """A JDK: its two programs, and what the compiler says of itself."""

    java: Path
    javac: Path
    version: str


def found_jdk() -> Jdk:
    """The JDK of this machine. Raises EngineError if there is none, or one that is too old."""
    home = os.environ.get("JAVA_HOME")
    java, javac = (str(Path(home, "bin", name)) if home else shutil.which(name) for name in ("java", "javac"))
    if javac is None or not Path(javac).is_file():
        if java is not None and Path(java).is_file():
            raise EngineError(f"{java} has no javac beside it: it is a JRE, and lockstep compiles its harness", INSTALL)
        where = f"JAVA_HOME is {home}, which has none" if home else "there is none on the PATH"
        raise EngineError(f"lockstep needs a JDK, and {where}", INSTALL)
    compiler = Path(javac).resolve()
    try:
        done = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"{javac} does not run: {error}", INSTALL) from error
    version = re.search(r"^javac (\d+)\S*", done.stdout + done.stderr, re.MULTILINE)
    if version is None:
        raise EngineError(f"{javac} -version does not say its version", INSTALL)
    if int(version[1]) < JDK_NEEDED:
        raise EngineError(f"lockstep needs JDK {JDK_NEEDED}, and {javac} is {version[0]}", INSTALL)
    return Jdk(compiler.with_name("java"), compiler, version[0])
