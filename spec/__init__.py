"""Specifications of Kafka's replication protocol, and the language they are written in."""

import os

if __name__ == "spec":
    raise ImportError("import epochal.spec, or epochal.language: spec is only the folder's name")

# In a checkout this is a link: a file has one path everywhere, in reports, breakpoints and keys.
__path__ = [os.path.realpath(folder) for folder in __path__]
