"""The list of long tests names tests that exist: one that is renamed does not come back into the suite unseen."""

from __future__ import annotations

import re

from tests.conftest import LONG
from tests.house.test_architecture import ROOT


def test_every_one_exists() -> None:
    for name in LONG:
        path, _, test = name.partition("::")
        function = re.split(r"\[", test)[0]
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name
