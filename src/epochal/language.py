"""The words a specification is written in: `from epochal.language import Protocol, action, require`."""

from epochal.spec.language import *  # noqa: F403
from epochal.spec.language import __all__ as __all__
