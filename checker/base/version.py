"""The version of this tool, as it stands in every artifact."""

from __future__ import annotations

from pathlib import Path

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
