"""`python -m docs.generator`: write the pages that are made from the code."""

from __future__ import annotations

from .classics import PAGE, with_classics
from .evidence import HOME, REPRODUCED, with_evidence, with_found
from .pages import DOCS, PAGES
from .rooms import ARCHITECTURE, with_rooms
from .trusted import TRUST, with_trusted


def main() -> None:
    """Write every page that is not as it should be, and say which."""
    made_of = {DOCS / name: made() for name, made in PAGES.items()}
    parts = {ARCHITECTURE: with_rooms, REPRODUCED: with_evidence, TRUST: with_trusted, PAGE: with_classics}
    parts |= {HOME: with_found}
    made_of |= {target: made(target.read_text(encoding="utf-8")) for target, made in parts.items()}
    for target, text in made_of.items():
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote {target}")


if __name__ == "__main__":
    main()
