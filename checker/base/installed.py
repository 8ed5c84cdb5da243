"""What is installed: the version of this tool, as it stands in every artifact, and whether there is a Z3 for proofs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from epochal.errors import EngineError

TOOL = "epochal"


def tool_version() -> str:
    """The version of the installed distribution; `0+unknown` when run from a source tree that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # thirty milliseconds, which few commands need

    try:
        return version(TOOL)
    except PackageNotFoundError:
        return "0+unknown"


def checked_out() -> str:
    """The commit of the checkout that this runs from: "commit 0123456789, changed since"; "" if it is none.

    Git is asked if it is there; without it nothing is said.
    """
    import subprocess

    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists() or not (root / "src" / "epochal").is_dir():
        return ""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, timeout=5)
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "--short=10", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no")
    return f"commit {commit}{', changed since' if changed else ''}" if commit else ""


# -- z3 solver --------------------------------------------------------------------------------------------------------
# Z3 as far as the command line cares: whether it is there, in a version that proofs were tested with.

OLDEST, NEWER = (5, 4), (6, 0)
"""The versions that are accepted: from the first, and before the second."""


@dataclass(frozen=True)
class SolverFound:
    """What is installed: the version as text, "" if Z3 cannot be loaded, and what is wrong with it ("" if nothing)."""

    version: str
    problem: str


def accepted() -> str:
    """The accepted versions, as pip writes them."""
    return f"z3-solver>={'.'.join(map(str, OLDEST))},<{NEWER[0]}"


def found_solver() -> SolverFound:
    """Load Z3 and let it decide something."""
    try:
        import z3

        version: tuple[int, ...] = tuple(z3.get_version())
        shown = ".".join(map(str, version))
        if not OLDEST <= version[:2] < NEWER:
            return SolverFound(shown, f"is version {shown}, and proofs are tested with {accepted()}")
        context = z3.Context()  # nobody else has a term of it
        solver = z3.SimpleSolver(ctx=context)
        solver.add(z3.BitVec("x", 8, context) == 42)
        works = solver.check() == z3.sat
    except Exception as error:  # a broken installation raises errors of its own kinds
        return SolverFound("", f"cannot be loaded: {error}")
    return SolverFound(shown, "" if works else "gives a wrong answer to the smallest question")


def require_solver() -> None:
    """Raise EngineError if there is no Z3 that can be used."""
    problem = solver_problem()
    if problem:
        raise EngineError(problem)


def solver_problem() -> str:
    """What is wrong with Z3 and what to do about it; "" if nothing."""
    found = found_solver()
    return f"the solver Z3 {found.problem}.\n  Install it: pip install '{accepted()}'." if found.problem else ""
