"""The fixture of the language's tests."""

from __future__ import annotations

from tests.language.snippets import loader

__all__ = ["loader"]
