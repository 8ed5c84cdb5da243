"""A hook of MkDocs: the folder counterexamples/ is part of the site, so that its stories can be read as pages."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

FOLDER = Path(__file__).resolve().parents[2] / "counterexamples"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the stories, their index and the traces that it links to. Only the index has a place in the navigation."""
    for path in sorted(FOLDER.iterdir()):
        index = path.name == "README.md"
        level = InclusionLevel.INCLUDED if index else InclusionLevel.NOT_IN_NAV
        place = f"{FOLDER.name}/{path.name}"
        files.append(File.generated(config, place, abs_src_path=str(path), inclusion=level))
    return files
