"""Pages of the site are looked at in a browser."""

from tests.browser import chromium, visit

__all__ = ["chromium", "visit"]
