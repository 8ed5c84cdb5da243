"""`python -m docs.generator`: write the pages that are made from the code."""

from __future__ import annotations

from .pages import DOCS, PAGES
from .rooms import ARCHITECTURE, with_rooms


def main() -> None:
    """Write every page that is not as it should be, and say which."""
    made_of = {DOCS / name: made() for name, made in PAGES.items()}
    for target, text in {**made_of, ARCHITECTURE: with_rooms(ARCHITECTURE.read_text(encoding="utf-8"))}.items():
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote {target}")


if __name__ == "__main__":
    main()
