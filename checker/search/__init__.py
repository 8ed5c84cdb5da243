"""Searches: exhaustive breadth-first in either reading, and random simulation."""
