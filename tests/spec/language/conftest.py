"""The fixture of the language's tests."""

from __future__ import annotations

from tests.spec.language.snippets import loader

__all__ = ["loader"]
