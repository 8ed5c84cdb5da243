"""A release without publishing it: everything of .github/workflows/release.yml that a machine can do by itself.

    python -m tests.release --out build/release     build, check, install, ask
    python -m tests.release --notes                 the notes of this version, as CHANGELOG.md has them

What is built is what git has of this commit. Each step says what it has found; one that this machine cannot take is
named as skipped, and the others decide.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PACKAGE = re.compile(
    r"""epochal/(
        (?!tests/)([a-z0-9_]+/)*[a-z0-9_]+\.py                                     # modules
      | __init__\.pyi | py\.typed
      | checker/native/kernel/[a-z]+\.(c|h|ll)                           # the search kernels
      | checker/search/spark/log4j2\.properties
      | (checker/trace/report/page|cli/explorer/page|report/pages)/[a-z.0-9]+\.(j2|css|js)
      | kafka/policies/[A-Za-z]+\.(java|yaml|rego)\.j2
      | kafka/guarantees/usual_[a-z]+\.json                              # answers that are decided already
      | kafka/lockstep/jars/([a-zA-Z0-9.-]+\.sha256 | pom\.xml)
      | kafka/lockstep/java/([a-z0-9.-]+/)+[A-Za-z0-9]+\.java
      | spec/(classic|kraft|quorum)/[a-z0-9-]+\.certificate\.json
    )""",
    re.VERBOSE,
)
"""What a wheel may have, besides its metadata. Nothing else: no tests, no evidence, no dumps, no site."""

METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "licenses/LICENSE", "licenses/NOTICE"}

NEEDED = (
    *("epochal/py.typed", "epochal/checker/native/kernel/search.ll", "epochal/report/pages/audit.html.j2"),
    *("epochal/kafka/guarantees/usual_answers.json", "epochal/kafka/guarantees/usual_recoveries.json"),
    *("epochal/spec/classic/kip_320.py", "epochal/spec/classic/kip-320-proof.certificate.json"),
    *("epochal/cli/explorer/page/explorer.js", "epochal/checker/trace/report/page/report.js"),
    *(f"epochal/kafka/policies/{name}.j2" for name in ("EpochalTopicPolicy.java", "kubernetes.yaml", "opa.rego")),
    "epochal/spec/kraft/kraft-tolerated.certificate.json",
)
"""Some of what it must have, besides its metadata."""

LINTED = (ROOT / ".github", ROOT / "action.yml", ROOT / "audit" / "action.yml")
"""What runs on GitHub: here, and in the workflows of others."""

ASKED = (
    ("check", "kip-320", "--max-epoch", "1"),
    ("check", "kip-320"),
    ("guarantees",),
    ("explain", "12"),
    ("doctor",),
)
"""What is asked of the installed wheel, in an empty folder. Each ends with exit code 0."""


class Missed(Exception):
    """A step that has failed."""


def version() -> str:
    """The version of pyproject.toml."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def wrong_in(wheel: Path) -> list[str]:
    """Files of a wheel that are none of its business, and those that it should have."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    about = f"epochal-{version()}.dist-info/"
    needed = [*NEEDED, *(f"{about}{one}" for one in sorted(METADATA))]
    others = [one for one in names if not PACKAGE.fullmatch(one) and one not in needed]
    return [f"{one} is in it" for one in others] + [f"{one} is not in it" for one in needed if one not in names]


def notes() -> str:
    """What CHANGELOG.md says of this version before its details. Raises Missed if it says nothing."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"(?ms)^## {re.escape(version())}\b[^\n]*\n(.*?)(?=^### In detail|^## |\Z)", text)
    if found is None or not found[1].strip():
        raise Missed(f"CHANGELOG.md has nothing of {version()}")
    return found[1].strip() + "\n"


def run(*words: str | Path, folder: Path = ROOT, **variables: str) -> str:
    """What a command prints. Raises Missed if it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | variables
    done = subprocess.run([*map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missed(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def source(folder: Path, mask: int) -> Path:
    """The files of this commit, as a checkout of somebody whose umask is this one would have them."""
    commit = run("git", "rev-parse", "HEAD").strip()
    archive = folder.with_suffix(".tar")
    run("git", "archive", "--format=tar", f"--output={archive}", commit)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    for path in folder.rglob("*"):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        os.utime(path, (mask, mask))
    archive.unlink()
    return folder


def built(folder: Path, out: Path) -> list[Path]:
    """The source distribution of a folder, and the wheel that is made of it."""
    moment = run("git", "log", "-1", "--format=%ct").strip()
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", out, folder)
    run(*command, folder=folder, SOURCE_DATE_EPOCH=moment)
    return sorted(out.iterdir())


def digests(files: Sequence[Path]) -> dict[str, str]:
    """The SHA-256 of each file, by its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def steps(out: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Every step, with what it has found. Raises Missed for one that fails."""
    yield "version", agreed()
    first = built(source(work / "first", 0o022), out)
    again = built(source(work / "again", 0o077), work / "dist")
    if digests(first) != digests(again):
        raise Missed(f"two builds differ: {digests(first)}, {digests(again)}")
    yield "built twice", ", ".join(f"{name} {digest[:12]}" for name, digest in digests(first).items())
    (wheel,) = (path for path in first if path.suffix == ".whl")
    if wrong := wrong_in(wheel):
        raise Missed("the wheel: " + "; ".join(wrong))
    yield "contents", "modules, shipped data and the licence; nothing else"
    run(sys.executable, "-m", "twine", "check", "--strict", *first)
    yield "twine", "the description renders"
    yield "workflows", linted()
    yield "installed", installed(wheel, work)
    yield "image", image(work / "first")


def agreed() -> str:
    """Raise Missed unless every place has the same version."""
    tag = os.environ.get("GITHUB_REF_NAME", "") if os.environ.get("GITHUB_REF_TYPE") == "tag" else ""
    if tag and tag != f"v{version()}":  # a commit may have several
        raise Missed(f"the tag is {tag}, the version {version()}")
    if f"\nversion: {version()}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        raise Missed(f"CITATION.cff has another version than {version()}")
    return f"{version()}, with notes of {len(notes().splitlines())} lines"


def linted() -> str:
    """The workflows and Actions, read by zizmor; workflows by actionlint v1.7.7, too, if it is here."""
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    run(Path(sys.executable).parent / "zizmor", "--offline", "--no-progress", *LINTED)
    if (tool := shutil.which("actionlint")) is None:
        return f"{len(files)} workflows and both Actions by zizmor; no actionlint is here"
    run(tool, "-shellcheck=", *files)
    return f"{len(files)} workflows and both Actions by zizmor, the former by actionlint"


def installed(wheel: Path, work: Path) -> str:
    """Install the wheel in a new environment, and ask it in an empty folder."""
    environment, empty = work / "environment", work / "empty"
    venv.create(environment, with_pip=True)
    run(
        environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c",
        ROOT / "constraints.txt", wheel,
    )  # fmt: skip
    empty.mkdir()
    command, cache = environment / "bin" / "epochal", str(work / "cache")
    told = run(command, "--version", folder=empty, EPOCHAL_CACHE_DIR=cache).strip()
    if told != f"epochal {version()}":
        raise Missed(f"it says that it is {told}")
    for words in ASKED:
        run(command, *words, folder=empty, EPOCHAL_CACHE_DIR=cache)
    if list(empty.iterdir()):
        raise Missed(f"it has written to the working folder: {sorted(path.name for path in empty.iterdir())}")
    return f"{told}: {', '.join(' '.join(words) for words in ASKED)}"


def image(folder: Path) -> str:
    """Build the image and ask it; where no daemon of docker or podman answers, that is skipped."""
    for tool in ("podman", "docker"):
        if shutil.which(tool) and subprocess.run([tool, "info"], capture_output=True, check=False).returncode == 0:
            run(tool, "build", "--file", folder / "Containerfile", "--tag", f"epochal:{version()}", folder)
            return run(tool, "run", "--rm", f"epochal:{version()}", "--version").strip()
    return "skipped: neither podman nor docker runs here"


def main() -> None:
    """Take the steps, or print the notes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release", help="where what is built goes")
    parser.add_argument("--notes", action="store_true", help="print the notes of this version, and build nothing")
    given = parser.parse_args()
    try:
        if given.notes:
            sys.stdout.write(notes())
            return
        shutil.rmtree(given.out, ignore_errors=True)
        given.out.mkdir(parents=True)
        with tempfile.TemporaryDirectory(prefix="epochal-release-") as work:
            for step, found in steps(given.out.resolve(), Path(work)):
                print(f"{step:<12} {found}", flush=True)
    except Missed as missed:
        sys.exit(f"release: {missed}")


if __name__ == "__main__":
    main()
