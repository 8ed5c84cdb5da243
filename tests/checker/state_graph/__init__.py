"""Whole state spaces as graphs."""
