"""A model that never ends, and a base that holds nothing, in the gate: told, and the other models are judged."""

from __future__ import annotations

from tests.checker.gate.conftest import KIP_279, Repository

FOR_EVER = """

    def __init__(self, bounds):
        while True:
            pass
"""


def test_a_model_that_cannot_be_made_in_time(kip_320: Repository) -> None:
    """The budget of the run ends it. What is known of the other is still reported."""
    kip_320.write("endless.py", KIP_279 + FOR_EVER)
    with (kip_320.path / "epochal.toml").open("a", encoding="utf-8") as file:
        file.write('[model.endless]\nprotocol = "endless.py:Mine"\n')
    document = kip_320.gate("--budget", "8s", expect=30)
    found = {model["name"]: model for model in document["models"]}
    assert found["mine"]["verdict"] == "unchanged"
    assert found["endless"]["verdict"] == "inconclusive"
    message = found["endless"]["findings"][0]["message"]
    assert message.startswith("not checked: the time budget of ")
    assert message.endswith(" s is spent while loading and compiling endless")


def test_a_base_that_never_ends(kip_320: Repository) -> None:
    """It is no baseline then, which the report says."""
    sound = (kip_320.path / "mine.py").read_text(encoding="utf-8")
    kip_320.write("mine.py", sound + FOR_EVER)
    kip_320.commit("a version that never ends")
    kip_320.write("mine.py", sound)
    document = kip_320.gate("--base", "HEAD", "--budget", "10s", expect=0)
    notes = " ".join(document["models"][0]["notes"])
    assert "is not the baseline of this model: the time budget of " in notes
    assert "is spent while loading and compiling the baseline" in notes


def test_a_base_without_files(kip_320: Repository) -> None:
    """Such as what HEAD^{/text} may mean: a commit whose tree is empty."""
    kip_320.git("checkout", "-q", "--orphan", "empty")
    kip_320.git("rm", "-rfq", "--cached", ".")
    kip_320.git("commit", "-q", "--allow-empty", "-m", "nothing at all")
    done = kip_320.epochal("gate", "--base", "HEAD^{/nothing}")
    assert done.returncode == 2
    assert "--base HEAD^{/nothing}: this commit has no files, or git packs them in a way" in done.stderr
    assert "Name a commit that holds the specification" in done.stderr and "Traceback" not in done.stderr
