"""Reading a Python file as it is now, whatever Python has kept of it.

Python keeps what it has compiled beside a file, and takes that for the file as long as size and second of the last
change are the same. A specification that was changed within that second would be judged as it was before.
"""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from types import CodeType

from .source_text import seen_text


class FreshSource(SourceFileLoader):
    """Loads a module from its source alone: no compiled file is read, and none is written."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module. Raises OSError, SyntaxError or ValueError where there is none."""
        path = self.get_filename(fullname)
        content = self.get_data(path)
        code: CodeType = self.source_to_code(content, path)
        seen_text(path, content)
        return code
