"""How specifications are checked: compiled, explored, replayed. Nothing here knows Kafka."""

import os

if __name__ == "checker":
    raise ImportError("import epochal.checker: checker is only the folder's name")

# In a checkout this is a link: a file has one path everywhere, in reports, breakpoints and keys.
__path__ = [os.path.realpath(folder) for folder in __path__]
