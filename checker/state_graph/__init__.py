"""Whole state spaces that are small enough to be looked at, as graphs."""
