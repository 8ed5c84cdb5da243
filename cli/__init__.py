"""The command line: commands, and what they share. Nothing here knows how a search works."""

import os

if __name__ == "cli":
    raise ImportError("import epochal.cli: cli is only the folder's name")

# In a checkout this is a link: a file has one path everywhere, in reports, breakpoints and keys.
__path__ = [os.path.realpath(folder) for folder in __path__]
