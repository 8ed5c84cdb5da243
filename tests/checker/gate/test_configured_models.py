"""Which models the gate looks at: how they are configured, what is left out, and mistakes in the configuration."""

from __future__ import annotations

import pytest

from tests.checker.gate.conftest import KIP_320, SMALL, UNFENCED, Repository


def test_a_broken_specification_is_told_and_the_others_are_checked(kip_320: Repository) -> None:
    kip_320.write("second.py", "class Mine(\n")
    with (kip_320.path / "epochal.toml").open("a") as file:
        file.write('[model.second]\nprotocol = "second.py:Mine"\n')
    document = kip_320.gate(expect=150)
    assert [model["verdict"] for model in document["models"]] == ["unchanged", "not loaded"]
    assert document["models"][1]["findings"][0]["source"] == {"file": "second.py", "line": 1}


def test_a_model_that_is_no_longer_configured(kip_320: Repository) -> None:
    text = (kip_320.path / "epochal.toml").read_text(encoding="utf-8")
    kip_320.write("epochal.toml", text.replace("[model.mine]", "[model.other]"))
    document = kip_320.gate(expect=20)
    assert {m["name"]: m["verdict"] for m in document["models"]} == {"other": "new", "mine": "changed"}


def test_a_profile_includes_those_before_it(kip_320: Repository) -> None:
    """What belongs to a later profile is not checked, and its entry in the lock file is not called forgotten."""
    bounds = ", ".join(f"{name} = {value}" for name, value in SMALL.items())
    with (kip_320.path / "epochal.toml").open("a") as file:
        for name in ("release", "nightly"):
            file.write(f'[model.{name}]\nprotocol = "mine.py:Mine"\nbounds = {{ {bounds} }}\nprofile = "{name}"\n')
    kip_320.baseline()

    def checked(*arguments: str) -> list[str]:
        return [model["name"] for model in kip_320.gate(*arguments, expect=0)["models"]]

    assert checked() == ["mine"]
    assert checked("--profile", "nightly") == ["mine", "nightly"]
    assert checked("--profile", "release") == ["mine", "release", "nightly"]
    assert checked("release") == ["release"]


def test_a_refactoring_fails_on_request(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320.replace("require(follower != leader)", "require(leader != follower)"))
    kip_320.gate(expect=0)
    (model,) = kip_320.gate("--fail-on", "refactored", expect=20)["models"]
    assert (model["verdict"], model["findings"][0]["exit_code"]) == ("refactored", 20)


def test_only_changed_models_are_looked_at(kip_320: Repository) -> None:
    document = kip_320.gate("--only-changed", "--base", "HEAD", expect=0)
    assert (document["models"], document["skipped"]) == ([], ["mine"])
    assert kip_320.gate("--only-changed", expect=0)["skipped"] == ["mine"]
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate("--only-changed", expect=20)["skipped"] == []


def test_code_that_changed_without_its_model(kip_320: Repository) -> None:
    kip_320.write("core/Partition.scala", "class Partition\n")
    kip_320.write("core/Log.scala", "class Log\n")
    with (kip_320.path / "epochal.toml").open("a") as file:
        file.write('[[code_links]]\nfiles = ["core/**/Partition.scala"]\nactions = ["become_follower"]\n')
    kip_320.commit()
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == []
    kip_320.write("core/Log.scala", "class Log { }\n")
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == []
    kip_320.write("core/Partition.scala", "class Partition { }\n")
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == [
        "core/Partition.scala changed, but what models it did not: become_follower"
    ]
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate("--base", "HEAD", expect=20)["code_links"] == []
    kip_320.git("checkout", "-q", "core")
    assert kip_320.gate("--base", "HEAD", expect=20)["code_links"] == [
        "become_follower changed, but the code it models did not: core/**/Partition.scala"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[model.mine]\nprotocl = "x"\n', "model.mine: unknown key 'protocl'. Did you mean protocol?"),
        ("[model.mine]\n", "model.mine: protocol must name a protocol"),
        (
            '[model.mine]\nprotocol = "kip-320"\nbounds = { replica = 3 }\n',
            "has no bound 'replica'. Did you mean replicas?",
        ),
        ('[model.mine]\nprotocol = "kip-320"\nbounds = 3\n', "bounds must be a table of whole numbers"),
        (
            '[model.mine]\nprotocol = "kip-320"\nbounds = { log-size = 1, log_size = 2 }\n',
            "bounds has both 'log-size' and 'log_size'",
        ),
        ('[model.mine]\nprotocol = "kip-320"\nprofile = "weekly"\n', "profile must be one of pr, nightly, release"),
        ('[model.mine]\nprotocol = "kip-320"\nexpect-violated = ["weak"]\n', "Did you mean weak_isr?"),
        ('[model.mine]\nprotocol = "kip-320"\nrefinement = "yes"\n', "refinement must be true or false"),
        ("[[code_links]]\nactions = []\n", "code_links[0]: files must list at least one file"),
        ("model = 3\n", "model must be a table of models"),
        ("", "no model is configured"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(repository: Repository, text: str, message: str) -> None:
    repository.write("epochal.toml", text)
    done = repository.epochal("baseline", "update")
    assert done.returncode == 151
    assert message in done.stderr


def test_two_commands_set_the_gate_up(repository: Repository) -> None:
    repository.write("models/mine.py", KIP_320)
    added = repository.epochal("baseline", "add", "models/mine.py:Mine", "--log-size", "1", "--max-epoch", "1")
    assert added.returncode == 0, added.stderr
    assert "epochal.toml: added the model mine" in added.stdout
    assert repository.epochal("gate").returncode == 0
    again = repository.epochal("baseline", "add", "models/mine.py:Mine")
    assert again.returncode == 2 and "--name NAME" in again.stderr
    refused = repository.epochal("baseline", "add", "kip-101", "--max-epoch", "1")
    assert refused.returncode == 12
    assert "expect-violated = ['strong_isr']" in refused.stderr
    both = repository.epochal("baseline", "add", "truncate-to-hw", "--max-epoch", "1", "--log-size", "1")
    assert both.returncode == 12
    assert "expect-violated = ['weak_isr', 'strong_isr']." in both.stderr
    assert "kip-101" not in (repository.path / "epochal.toml").read_text(encoding="utf-8")
    known = repository.epochal("baseline", "add", "kip-101", "--max-epoch", "1", "--expect-violated", "strong_isr")
    assert known.returncode == 0, known.stderr
    assert repository.epochal("gate").returncode == 0
    shown = repository.epochal("baseline", "show").stdout
    assert "violated: strong_isr" in shown


def test_a_pyproject_with_a_section_of_its_own_is_used(repository: Repository) -> None:
    repository.write("mine.py", KIP_320)
    repository.write("pyproject.toml", '[tool.epochal]\nbudget = "5m"')
    added = repository.epochal("baseline", "add", "mine.py:Mine", "--max-epoch", "1", "--records", "1", "--name", "a b")
    assert added.returncode == 0, added.stderr
    assert '[tool.epochal.model."a b"]' in (repository.path / "pyproject.toml").read_text(encoding="utf-8")
    assert repository.epochal("gate").returncode == 0
