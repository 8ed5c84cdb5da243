"""A base is judged as it is today: what its commit reads besides its files is what stands there now."""

from __future__ import annotations

import json

from tests.checker.gate.conftest import Repository
from tests.checker.identity.ways import RULES


def test_an_environment_that_has_changed_since(repository: Repository) -> None:
    repository.write("p.py", "import os\nSTOP = int(os.environ['STOP'])\n" + RULES)
    repository.write("epochal.toml", '[model.m]\nprotocol = "p.py:P"\n')
    repository.commit()

    def judged(stop: str) -> tuple[int, int]:
        done = repository.epochal("gate", "--base", "HEAD", "--format", "json", STOP=stop)
        (model,) = json.loads(done.stdout)["models"]
        return done.returncode, model["record"]["distinct_states"]

    assert [judged(stop) for stop in ("3", "2", "3")] == [(0, 4), (0, 3), (0, 4)]
