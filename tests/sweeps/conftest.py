"""Sweeps in the process of the test."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from epochal.checker.workers.pool import one_by_one
from epochal.sweeps import sweep as module
from epochal.sweeps.task import Sweeper


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run in this process, one after the other, which saves starting others."""

    def engine(premises: Any, questions: Any) -> Any:
        return one_by_one(Sweeper, premises, questions)

    monkeypatch.setattr(module, "apart", lambda *_: nullcontext(engine))
