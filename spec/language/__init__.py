"""The words a specification is written in.

A specification is a class derived from `Protocol`; its annotated attributes are the state, its methods marked with
`action` the steps, and those marked with `invariant`, `action_property` and `reachable` what is checked; `lemma` marks
what a proof leans on, and `view` how people read a state.
"""

from epochal.sentences import Given

from .annotations import Bookkeeping, Capacity, Ghost, Identifiers, Integers
from .bounds import Bounds, bound
from .configurable import Configurable, Setting, SettingValue
from .errors import (
    BoundsError,
    Disabled,
    EvaluationError,
    LanguageError,
    LoadError,
    OutOfBounds,
    SourceLine,
    SpecificationError,
)
from .marks import (
    ALL,
    action,
    action_property,
    bounded,
    constraint,
    ends,
    invariant,
    leads_to,
    lemma,
    reachable,
    require,
    view,
)
from .members import ActionInstance, Member, Parameter, Variable
from .protocol import Protocol
from .seen import attempt, seen_as
from .values import Identifier, Log, Map, Set, Struct
from .views import shown

__all__ = [
    "ALL",
    "ActionInstance",
    "Bookkeeping",
    "Bounds",
    "BoundsError",
    "Capacity",
    "Configurable",
    "Disabled",
    "EvaluationError",
    "Ghost",
    "Given",
    "Identifier",
    "Identifiers",
    "Integers",
    "LanguageError",
    "LoadError",
    "Log",
    "Map",
    "Member",
    "OutOfBounds",
    "Parameter",
    "Protocol",
    "Set",
    "Setting",
    "SettingValue",
    "SourceLine",
    "SpecificationError",
    "Struct",
    "Variable",
    "action",
    "action_property",
    "attempt",
    "bound",
    "bounded",
    "constraint",
    "ends",
    "invariant",
    "leads_to",
    "lemma",
    "reachable",
    "require",
    "seen_as",
    "shown",
    "view",
]
