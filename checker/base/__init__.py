"""This machine: files, cache, memory, time."""
