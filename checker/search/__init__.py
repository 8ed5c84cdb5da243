"""Searches: exhaustive breadth-first in either semantics, and random simulation."""
