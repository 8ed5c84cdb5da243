"""`epochal mcp`: the real server, as a process, asked by the client of the SDK."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from click.testing import CliRunner
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from epochal.checker.base import permitted
from epochal.cli.main import main
from epochal.cli.mcp.server import Calls, ServerLimits
from epochal.cli.mcp.worker import Spoken
from epochal.report.schema import schema_of

ROOT = Path(__file__).resolve().parents[2]

SPECIFICATION = '''\
"""A specification that talks."""
import os
import sys
from typing import Annotated

from epochal.language import Integers, Protocol, action, invariant, require

print("printed at import")
os.write(1, b"written to the descriptor \\x1b[31m\\n")


class Counter(Protocol):
    """A counter. \\x1b[31mIn red."""

    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < 3)
        self.value += 1

    @invariant
    def small(self) -> bool:
        return self.value < 3


def never_two(self) -> bool:
    return self.value != 2
'''

WAITS = """\
import os, time
from pathlib import Path
from talks import Counter

Path("{mine}").write_text(str(os.getpid()))
while {until}:
    time.sleep(0.02)
"""

PWNED = (
    "from pathlib import Path\nPath({mark!r}).write_text('')\nfrom epochal.spec.classic.kip_320 import Kip320 as P\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with specifications that may run, data that may be read, and what may neither."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log").write_text("")
    (tmp_path / "specs" / "talks.py").write_text(SPECIFICATION)
    (tmp_path / "outside.py").write_text(PWNED.format(mark=str(tmp_path / "PWNED")))
    (tmp_path / "specs" / "link.py").symlink_to(tmp_path / "outside.py")
    (tmp_path / "data" / "linked").mkdir()
    (tmp_path / "data" / "linked" / "hosts").symlink_to("/etc/hosts")
    return tmp_path


@asynccontextmanager
async def served(folder: Path, *words: str) -> AsyncIterator[Client]:
    """A client of a server that was started in a folder."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "epochal", "mcp", "--run", "specs", "--read", "data", *words],
        env={name: os.environ[name] for name in ("EPOCHAL_CACHE_DIR", "HOME") if name in os.environ},
        cwd=folder,
    )
    with (folder / "stderr").open("w") as log:
        async with Client(stdio_client(parameters, errlog=log)) as client:
            yield client


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def every(client: Client, *calls: tuple[str, dict[str, Any]]) -> list[CallToolResult]:
    """The answers of calls that are made at once."""
    found: dict[int, CallToolResult] = {}

    async def one(at: int) -> None:
        found[at] = await client.call_tool(*calls[at])

    async with anyio.create_task_group() as group:
        for at in range(len(calls)):
            group.start_soon(one, at)
    return [found[at] for at in range(len(calls))]


def asked(folder: Path, *calls: tuple[str, dict[str, Any]], words: tuple[str, ...] = ()) -> list[CallToolResult]:
    async def ask() -> list[CallToolResult]:
        async with served(folder, *words) as client:
            return await every(client, *calls)

    return anyio.run(ask)


async def until(true: Callable[[], object]) -> None:
    """Wait until something is true, for half a minute at most."""
    with anyio.fail_after(30):
        while not true():
            await anyio.sleep(0.05)


def alive(process: int) -> bool:
    """Whether a process runs."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_tools_answer_with_text_and_data(folder: Path) -> None:
    async def ask() -> tuple[list[Any], str | None, list[CallToolResult]]:
        async with served(folder) as client:
            tools = (await client.list_tools()).tools
            calls = (
                ("explain", {"words": "strong_isr"}),
                ("show", {"protocol": "kip-320", "bounds": {"replicas": 2}}),
                ("check", {"protocol": "specs/talks.py:Counter"}),
                ("check", {"protocol": "specs/talks.py:Counter", "properties": ["specs/talks.py:never_two"]}),
                ("counterexample", {"of": "specs/talks.py:Counter", "form": "mermaid"}),
                ("catalogue", {"listed": True}),
            )
            return list(tools), client.instructions, await every(client, *calls)

    tools, instructions, found = anyio.run(ask)
    assert [tool.name for tool in tools] == [
        *("check", "show", "explain", "guarantees", "catalogue", "conform", "audit", "counterexample")
    ]
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False and tool.description
    for one in found:
        jsonschema.validate(one.structured_content, tools[0].output_schema)
        assert not one.is_error
    assert f"Files below {folder / 'data'} are read" in str(instructions)
    explained, shown, checked, own, run, listed = found
    assert text(explained).startswith("strong_isr: an invariant")
    assert "Epochal" not in text(shown) and "elect_leader" in text(shown)
    assert shown.structured_content["document"]["bounds"]["replicas"] == 2
    for command, one in (("explain", explained), ("show", shown), ("check", checked)):
        jsonschema.validate(one.structured_content["document"], schema_of(command))
    assert "small is violated" in text(checked) and text(checked).endswith("exit code 12: violated")
    assert checked.structured_content["exit_code"] == own.structured_content["exit_code"] == 12
    assert "never_two is violated" in text(own) and "small" not in text(own).partition("Search")[0]
    assert text(run).startswith("sequenceDiagram") and run.structured_content["document"]["#meta"]["format"] == "ITF"
    assert all("\x1b" not in text(one) for one in found)
    assert "printed at import" in (folder / "stderr").read_text()
    (whole,) = (path for path in listed.structured_content["files"] if path.endswith(".txt"))
    assert whole in text(listed) and len(text(listed)) < 51_000
    assert not Path(whole).exists()  # the server has ended, and what it kept with it


def test_nothing_outside_the_folders_is_run_or_read(folder: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("show", {"protocol": "nowhere.py:P"}),
        ("check", {"protocol": str(folder / "outside.py:P")}),
        ("check", {"protocol": "kip-320", "properties": ["outside.py:P"]}),
        ("guarantees", {"against": "specs/link.py:P", "budget": 1}),
        ("conform", {"paths": ["data/log"], "protocol": "outside.py:P"}),
        ("counterexample", {"of": "specs/../outside.py:P"}),
    ]
    paths = ["/etc/hosts", "data/../outside.py", "data/linked/hosts", "data/linked", "data", "/nowhere"]
    readings: list[tuple[str, dict[str, Any]]] = [("audit", {"paths": [path]}) for path in paths]
    readings += [("audit", {"paths": ["specs"], "policy": "/etc/hosts"}), ("conform", {"paths": ["/etc"]})]
    found = asked(folder, *calls, *readings)
    assert not (folder / "PWNED").exists()
    for one, call in zip(found, [*calls, *readings], strict=True):
        assert one.is_error and one.structured_content["exit_code"] in (2, 150), call
    for one, call in zip(found[len(calls) :], readings, strict=True):
        assert "may not be read here" in text(one), (call, text(one))
    for one in found[: len(calls)]:
        assert ".py may not be run here\n  Only files below" in text(one)


TOPIC = (
    "Topic: {0}\tTopicId: AAAAAAAAAAAAAAAAAAAAAA\tPartitionCount: 1\tReplicationFactor: 1\t"
    "Configs: min.insync.replicas=1\n"
    "\tTopic: {0}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
)


def test_what_is_renamed_while_a_call_waits_is_not_read(folder: Path) -> None:
    """All room is taken; meanwhile the folder that was named becomes a link that leads out."""
    for name, at in (("inside", "data/d"), ("secret", "private")):
        (folder / at).mkdir()
        (folder / at / f"{name}.txt").write_text(TOPIC.format(name))
    at_once = ServerLimits((), (), 1.0, 1).at_once
    for number in range(at_once):
        code = WAITS.format(mine=folder / f"mine{number}", until=f"not Path('{folder / 'go'}').exists()")
        (folder / "specs" / f"waits{number}.py").write_text(code)
    found = list[CallToolResult]()

    async def ask() -> None:
        async with served(folder, "--time", "30s") as client, anyio.create_task_group() as group:

            async def audit() -> None:
                given = {"paths": ["data/d"], "kafka": "4.3", "searches": False}
                found.append(await client.call_tool("audit", given))

            for number in range(at_once):
                group.start_soon(client.call_tool, "show", {"protocol": f"specs/waits{number}.py:Counter"})
            await until(lambda: all((folder / f"mine{number}").exists() for number in range(at_once)))
            group.start_soon(audit)
            await client.list_tools()
            await anyio.sleep(0.5)
            (folder / "data" / "d").rename(folder / "data" / "e")
            (folder / "data" / "d").symlink_to("../private")
            (folder / "go").touch()

    anyio.run(ask)
    assert "data/d may not be read here" in text(found[0]) and "secret" not in text(found[0])


def test_what_is_opened_is_what_was_permitted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a file, and one that becomes a link between the look at it and the opening."""
    monkeypatch.setattr(permitted, "_folders", (folder / "data",))
    (folder / "data" / "d").mkdir()
    (folder / "data" / "d" / "log").write_bytes(b"mine")
    (folder / "data" / "near").symlink_to("d")
    with permitted.open_permitted(folder / "data" / "near" / "log") as stream:
        assert stream.read() == b"mine"
    for name in ("linked/hosts", "../outside.py"):
        with pytest.raises(permitted.NotPermitted, match="may not be read here"):
            permitted.open_permitted(folder / "data" / name)
    look = permitted._place

    def then_renamed(*about: Any) -> Any:
        found = look(*about)
        (folder / "data" / "d").rename(folder / "data" / "e")
        (folder / "data" / "d").symlink_to("../specs")
        return found

    (folder / "specs" / "log").write_bytes(b"not mine")
    monkeypatch.setattr(permitted, "_place", then_renamed)
    with pytest.raises(OSError):
        permitted.open_permitted(folder / "data" / "d" / "log")


def test_what_cannot_be_walked_is_told_in_a_line(folder: Path) -> None:
    (folder / "data" / "linked" / "hosts").unlink()
    (folder / "data" / "circle").mkdir()
    (folder / "data" / "circle" / "loop").symlink_to("loop")
    at = folder / "data" / "deep"
    at.mkdir()
    below = os.open(at, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("a", dir_fd=below)
        above, below = below, os.open("a", os.O_RDONLY, dir_fd=below)
        os.close(above)
    os.close(below)
    (folder / "data" / "many").mkdir()
    for number in range(600):
        (folder / "data" / "many" / str(number)).touch()
    many = [f"data/many/{'./' * number}" for number in range(190)]
    paths = [["data/circle"], ["data/circle/loop"], ["data/deep"], many, ["data/many"] * 201]
    (folder / "data" / "topics.txt").write_text(TOPIC.format("inside"))
    audits: list[tuple[str, dict[str, Any]]] = [("audit", {"paths": one, "searches": False}) for one in paths]
    again = ("audit", {"paths": ["data/topics.txt"] * 150, "searches": False, "kafka": "4.3"})
    (folder / "epochal-audit.lock.json").symlink_to("/etc/hosts")
    loop, loops, deep, often, long, whole = map(text, asked(folder, *audits, again))
    for told, expected in (
        (loop, "the symbolic links of data/circle/loop go in a circle"),
        (loops, "the symbolic links of data/circle/loop go in a circle"),
        (deep, "more than 200 folders lie one in the other below data/deep"),
        (often, "there are more than 100,000 files and folders in what is to be read"),
        (long, "Expected `array` of length <= 200"),
        (whole, "inside"),
    ):
        assert expected in told and str(folder) not in told and "Traceback" not in told, told
    assert "lock file" not in whole


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_files(folder: Path, number: signal.Signals) -> None:
    kept = folder / "kept"
    kept.mkdir()
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hand", "version": "1"}}
    with subprocess.Popen(
        [sys.executable, "-m", "epochal", "mcp"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(kept)},
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        assert [one.name.startswith("epochal-mcp-") for one in kept.iterdir()] == [True]
        server.send_signal(number)
        assert server.wait(20) == -number
    assert not list(kept.iterdir())


def test_kept_answers_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.cli.mcp.server.MOST_KEPT", 250_000)
    kept = folder / "kept"
    kept.mkdir()
    calls = Calls(ServerLimits((), (), 1.0, 1), kept)
    for _ in range(9):
        told = calls._told(Spoken(0.0, "x" * 100_000, 0))
        assert all(Path(name).exists() for name in told.structured_content["files"])
        assert sum(one.stat().st_size for one in kept.iterdir()) <= 250_000


def test_arguments_that_mean_harm_are_told_in_a_line(folder: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"protocol": "kip-320", "bounds": {"replicas": 10**40}}),
        ("check", {"protocol": "kip-320", "bounds": {"self": 1, "reference": "x"}}),
        ("check", {"protocol": "kip-320", "bounds": {"replicas": "\x1b]0;owned\x07"}}),
        ("check", {"protocol": "\x1b[31mred"}),
        ("check", {"protocol": "x" * 1_000_000}),
        ("check", {"protocol": "kip-320", "replicas": 3}),
        ("check", {"protocol": "kip-320", "budget": -1}),
        ("check", {}),
        ("explain", {"words": "\x1b[2Jnothing means this"}),
        ("explain", {"words": ["12"]}),
        ("guarantees", {"bounds": {"crashes": 3}}),
        ("audit", {"paths": []}),
        ("audit", {"paths": ["data\x00/etc"]}),
        ("conform", {"paths": ["data/" + "x" * 5_000]}),
        ("counterexample", {"of": "KIP-966"}),
        ("counterexample", {"of": "S15", "property": "strong_isr"}),
        ("\x1b[31mno tool", {}),
    ]
    for one, call in zip(asked(folder, *calls), calls, strict=True):
        assert one.is_error and one.structured_content["exit_code"] in (2, 150, 153), (call, text(one))
        assert "\x1b" not in text(one) and "internal error" not in text(one) and len(text(one)) < 2_000, call


@pytest.mark.long
def test_what_a_specification_does_to_its_process_is_its_own(folder: Path) -> None:
    """A call that ends its process, never ends, or takes all memory is told; the server goes on."""
    endings = {
        "leaves": "import os\nos._exit(0)\n",
        "exits": "import sys\nsys.exit(3)\n",
        "stays": "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n",
        "eats": "held = []\nwhile True:\n    held.append(b'x' * (1 << 26))\n",
        "forges": "import os\nfor number in range(3, 20):\n    try: os.write(number, b'no json\\n')\n"
        "    except OSError: pass\n",
    }
    for name, code in endings.items():
        (folder / "specs" / f"{name}.py").write_text(code)
    calls: list[tuple[str, dict[str, Any]]] = [("show", {"protocol": f"specs/{name}.py:P"}) for name in endings]
    found = asked(folder, *calls, ("explain", {"words": "12"}), words=("--time", "6s", "--memory", "700M"))
    told = dict(zip(endings, map(text, found), strict=False))
    assert "ended with exit code 0 before it had an answer" in told["leaves"]
    assert "ends the program while it is imported" in told["exits"]
    assert "exit code 30" in told["stays"] or "before it had an answer" in told["stays"]
    assert "the memory budget of 700 MiB is spent while loading specs/eats.py:P" in told["eats"]
    assert all(one.is_error for one in found[:-1]) and not found[-1].is_error


def test_a_call_is_cancelled_and_its_process_ends(folder: Path) -> None:
    mine = folder / "mine"
    (folder / "specs" / "waits.py").write_text(WAITS.format(mine=mine, until="True"))

    async def ask() -> CallToolResult:
        async with served(folder) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "check", {"protocol": "specs/waits.py:Counter"})
                await until(lambda: mine.exists() and mine.read_text())
                group.cancel_scope.cancel()
            await until(lambda: not alive(int(mine.read_text())))
            return await client.call_tool("explain", {"words": "12"})

    assert text(anyio.run(ask)).startswith("12: violated")


@pytest.mark.long
def test_a_call_ends_with_the_client(folder: Path) -> None:
    mine = folder / "mine"
    (folder / "specs" / "waits.py").write_text(WAITS.format(mine=mine, until="True"))

    async def ask() -> None:
        with contextlib.suppress(Exception):
            async with served(folder) as client, anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "check", {"protocol": "specs/waits.py:Counter"})
                await until(lambda: mine.exists() and mine.read_text())
                raise RuntimeError("the client leaves")
        await until(lambda: not alive(int(mine.read_text())))

    anyio.run(ask)


def test_two_calls_at_once(folder: Path) -> None:
    """Each waits for the other."""
    for one, other in (("left", "right"), ("right", "left")):
        code = WAITS.format(mine=folder / one, until=f"not Path('{folder / other}').exists()")
        (folder / "specs" / f"{one}.py").write_text(code)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"protocol": f"specs/{name}.py:Counter"}) for name in ("left", "right")
    ]
    left, right = asked(folder, *calls, words=("--time", "30s"))
    assert "small is violated" in text(left) and "small is violated" in text(right)


def test_stdout_has_nothing_but_messages(folder: Path) -> None:
    """By hand, a line a message: what the specification prints is on stderr."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hand", "version": "1"}}
    call = {"name": "check", "arguments": {"protocol": "specs/talks.py:Counter"}, "_meta": {"progressToken": 1}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    command = [sys.executable, "-m", "epochal", "mcp", "--run", "specs"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        said: list[dict[str, Any]] = []
        while not said or said[-1].get("id") != 2:
            said.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.stdout.read() == ""
        errors = server.stderr.read()
    assert server.returncode == 0
    assert said[-1]["result"]["structuredContent"]["exit_code"] == 12
    assert "written to the descriptor" in errors and "\x1b" not in errors


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "epochal.cli.mcp.server", raising=False)
    done = CliRunner().invoke(main, ["mcp"], prog_name="epochal")
    assert done.exit_code == 153
    assert "the server for agents needs mcp, which is not installed\n  Install it: pip install 'epochal[mcp]'" in (
        done.stderr
    )


@pytest.mark.long
def test_searches_answer_as_the_command_line_does(folder: Path) -> None:
    clusters, evidence = folder / "data" / "healthy", folder / "data" / "evidence.tar.xz"
    (folder / "data" / "linked" / "hosts").unlink()
    subprocess.run(["cp", "-rL", ROOT / "tests/audit/clusters/kafka-4.3.1/healthy", clusters], check=True)
    subprocess.run(["cp", ROOT / "tests/evidence/leader-change-4.3.1.tar.xz", evidence], check=True)
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async def ask() -> list[CallToolResult]:
        async with served(folder, "--time", "5m") as client:
            calls = (
                ("guarantees", {"faults": ["none", "lossy"], "bounds": {"kafka": "3.9"}}),
                ("catalogue", {"keys": ["S25"]}),
                ("conform", {"paths": ["data/evidence.tar.xz"]}),
                ("audit", {"paths": ["data/healthy"], "may": ["stop:3"]}),
                ("counterexample", {"of": "S25"}),
                ("counterexample", {"of": "kip-101", "bounds": {"replicas": 2}, "property": "weak_isr"}),
                ("check", {"protocol": "kraft", "budget": 2}),
            )
            found = await every(client, *calls)
            await client.call_tool("check", {"protocol": "kip-320", "bounds": {"records": 1}}, progress_callback=hear)
            return found

    found = anyio.run(ask)
    kinds = ("guarantees", "catalogue", "conform", "audit")
    for kind, one in zip(kinds, found, strict=False):
        document = one.structured_content["document"]
        if document is not None:
            jsonschema.validate(document, schema_of(kind))
        assert not one.is_error, text(one)
    assert [one.structured_content["exit_code"] for one in found] == [0, 0, 0, 12, 0, 12, 30]
    assert "Initial state" in text(found[4]) and "weak_isr is violated" in text(found[5])
    assert told and told == sorted(told, key=lambda one: one[0])
    assert any("compiling" in str(message) or "states" in str(message) for _, message in told)
