"""A specification that means something else where its task runs is not answered for."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from tests.checker.identity.ways import RULES

MINE = """
from pathlib import Path

PLACE = Path({place!r})
STOP = int(PLACE.read_text())
PLACE.write_text(str({after}))
"""


@pytest.mark.parametrize(("after", "code"), [(5, ExitCode.INCONCLUSIVE), (3, ExitCode.HOLDS)])
@pytest.mark.parametrize("apart", [False, True])
def test_it_is_told_and_nothing_is_kept(
    after: int, code: ExitCode, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None
) -> None:
    """The file is read when the sweep begins, and again where the task runs."""
    if apart:
        monkeypatch.undo()
    place, file, out = tmp_path / "stop.txt", tmp_path / "s.toml", tmp_path / "out"
    place.write_text("3")
    (tmp_path / "p.py").write_text(MINE.format(place=str(place), after=after) + RULES)
    file.write_text(f'[[task]]\ncheck = "{tmp_path / "p.py"}:P"\n')
    result = epochal.sweep(file, out=out, workers=1)
    assert result.exit_code == code and len(list((out / "done").iterdir())) == (code == ExitCode.HOLDS)
    if code:
        assert "means something else than when the sweep began" in result.sweep.failed[0][1].message
