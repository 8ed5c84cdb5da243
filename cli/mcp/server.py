"""The server: it speaks the Model Context Protocol on stdin and stdout, and has a process answer each call.

Nothing of a user runs in this process. A call that is cancelled, takes too long or says too much ends with its process,
and all processes that this one has started.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

import epochal
from epochal.checker.base.installed import tool_version
from epochal.checker.base.machine import processors
from epochal.exit_codes import ExitCode
from epochal.report.page import shown_text, tell

from .tools import TOOLS
from .worker import LATE, Question, Spoken

MOST_TEXT: Final = 50_000
"""How many characters of a report are in an answer, and how many bytes of a document; the rest is in a file."""

MOST_KEPT: Final = 1 << 28
"""How many bytes of answers are kept in files; the oldest go first."""

MOST_SAID: Final = 1 << 26
"""How many bytes a process may say altogether."""

LAST_RESORT: Final = 10.0
"""Seconds after which a call ends that has not ended itself, after its budget."""

LINES_KEPT: Final = 5
"""How many lines of what a process said on stderr are told if it gave no answer."""

INSTRUCTIONS: Final = """\
Epochal checks specifications of protocols, Kafka's replication above all, by exploring every state. Begin with show
(no arguments: all protocols; with one: its bounds, rules and properties) and explain. check finds a shortest
counterexample, counterexample tells one; raise one bound at a time. A verdict holds within its bounds only: say them.
An exit code says how a call ended (explain 12). {files} A call may take {seconds:g} s and {memory:,} MiB.\
"""

OUTPUT: Final = {
    "type": "object",
    "properties": {
        "exit_code": {"type": "integer", "description": "As of the command line: 0 holds, 12 violated, 30 open."},
        "meaning": {"type": "string", "description": "What the exit code means."},
        "headline": {"type": "string", "description": "The answer in a line."},
        "document": {
            "type": ["object", "null"],
            "description": "The answer as data, as `epochal schema COMMAND` describes it; of counterexample a trace in "
            "ITF. Null if there is none, or if it is long: then it is in a file.",
        },
        "files": {"type": "array", "items": {"type": "string"}, "description": "Where the rest of a long answer is."},
    },
    "required": ["exit_code", "meaning", "headline", "document", "files"],
}
"""The schema of what a tool answers."""


@dataclass(frozen=True)
class ServerLimits:
    """What calls may read, run and use: folders, seconds, bytes, and how many run at once."""

    readable: tuple[Path, ...]
    runnable: tuple[Path, ...]
    seconds: float
    memory: int
    at_once: int = field(default_factory=lambda: max(2, processors()))

    @property
    def instructions(self) -> str:
        """What an agent should know before its first call."""
        may = ((self.readable, "read by conform and audit"), (self.runnable, "run as specifications"))
        files = " ".join(
            f"Files below {', '.join(map(str, folders))} are {what}." if folders else f"No files are {what}."
            for folders, what in may
        )
        return INSTRUCTIONS.format(files=files, seconds=self.seconds, memory=self.memory >> 20)


def listed(name: str) -> ListedTool:
    """A tool as a client sees it."""
    kind = TOOLS[name]
    _, definitions = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    schema = {key: value for key, value in definitions[kind.__name__].items() if key not in ("title", "description")}
    told = " ".join((kind.__doc__ or "").split())
    hints = ToolAnnotations(read_only_hint=True, open_world_hint=False, idempotent_hint=True)
    return ListedTool(name=name, description=told, input_schema=schema, output_schema=OUTPUT, annotations=hints)


class Calls:
    """Answers calls, so many at once; the others wait."""

    def __init__(self, limits: ServerLimits, folder: Path) -> None:
        self.limits, self.folder = limits, folder
        self._room, self._number = anyio.Semaphore(limits.at_once), 0
        self._files = deque[tuple[Path, int]]()

    async def list_tools(self, _: Any, __: PaginatedRequestParams | None) -> ListToolsResult:
        """All tools."""
        return ListToolsResult(tools=[listed(name) for name in TOOLS])

    async def call(self, context: ServerRequestContext[Any], asked: CallToolRequestParams) -> CallToolResult:
        """Answer a call. Cancelled, it ends its process."""
        if asked.name not in TOOLS:
            return self._told(ended(ExitCode.USAGE, f"there is no tool {shown_text(asked.name)[:40]!r}"))
        limits, arguments = self.limits, asked.arguments or {}
        try:
            msgspec.convert(arguments, TOOLS[asked.name])
        except msgspec.ValidationError as error:
            return self._told(ended(ExitCode.USAGE, shown_text(str(error))))
        readable, runnable = ([*map(str, folders)] for folders in (limits.readable, limits.runnable))
        question = Question(asked.name, arguments, readable, runnable, limits.seconds, limits.memory)
        async with self._room:
            with anyio.move_on_after(self.limits.seconds + LATE + LAST_RESORT):
                return self._told(await self._answer(question, context))
        late = f"the call was ended: it took no notice of the {self.limits.seconds:g} s that a call may take"
        return self._told(ended(ExitCode.INCONCLUSIVE, late))

    async def _answer(self, question: Question, context: ServerRequestContext[Any]) -> Spoken:
        said = deque[str](maxlen=LINES_KEPT)
        async with started() as process, anyio.create_task_group() as beside:
            assert process.stdin is not None and process.stdout is not None and process.stderr is not None
            beside.start_soon(_listen, process.stderr, said)
            await process.stdin.send(msgspec.json.encode(question) + b"\n")
            lines = BufferedByteReceiveStream(process.stdout)
            left = MOST_SAID
            try:
                while True:
                    line = await lines.receive_until(b"\n", left)
                    left = max(1, left - len(line))
                    spoken = msgspec.json.decode(line, type=Spoken)
                    if spoken.exit_code is not None:
                        beside.cancel_scope.cancel()
                        return spoken
                    await context.session.report_progress(spoken.seconds, question.seconds, spoken.message)
            except anyio.DelimiterNotFound:
                spoken = ended(ExitCode.ENGINE_FAILURE, f"the answer has more than {MOST_SAID >> 20} MiB")
            except msgspec.DecodeError:
                spoken = ended(ExitCode.INTERNAL_ERROR, "the process of the call said what nobody can read")
            except (anyio.IncompleteRead, anyio.EndOfStream):
                spoken = ended(ExitCode.ENGINE_FAILURE, await _without_answer(process), *said)
            beside.cancel_scope.cancel()
            return spoken
        raise AssertionError("one of the ways above returns")

    def _told(self, spoken: Spoken) -> CallToolResult:
        """The answer as the protocol has it: cut, with the rest in files."""
        self._number += 1
        code = next((one for one in ExitCode if one == spoken.exit_code), ExitCode.INTERNAL_ERROR)
        files, text, document = list[str](), spoken.message, spoken.document
        if len(text) > MOST_TEXT:
            files.append(self._kept("txt", text))
            text = (
                f"{text[:MOST_TEXT]}\n... {len(text) - MOST_TEXT:,} more characters: the whole report is in {files[-1]}"
            )
        whole = json.dumps(document)
        if len(whole) > MOST_TEXT:
            files.append(self._kept("json", whole))
            document = None
        found = {
            "exit_code": int(code),
            "meaning": code.meaning,
            "headline": spoken.headline[:1_000],
            "document": document,
            "files": files,
        }
        said = [TextContent(text=f"{text}\n\nexit code {int(code)}: {code.title}")]
        return CallToolResult(content=[*said], structured_content=found, is_error=spoken.failed)

    def _kept(self, suffix: str, text: str) -> str:
        path = self.folder / f"answer-{self._number}.{suffix}"
        data = text.encode()
        path.write_bytes(data)
        self._files.append((path, len(data)))
        while len(self._files) > 2 and sum(size for _, size in self._files) > MOST_KEPT:  # an answer has two at most
            self._files.popleft()[0].unlink(missing_ok=True)
        return str(path)


def ended(code: ExitCode, message: str, *lines: str) -> Spoken:
    """The end of a call that has no answer."""
    return Spoken(0.0, "\n  ".join((message, *lines)), code, True, message)


@asynccontextmanager
async def started() -> AsyncIterator[Process]:
    """A process that answers a call, and ends at the latest with this, together with all that it has started."""
    words = [sys.executable, "-P", "-m", "epochal.cli.mcp.worker"]
    environment = {**os.environ, "PYTHONPATH": str(Path(epochal.__file__).resolve().parents[1])}
    process = await anyio.open_process(words, stderr=subprocess.PIPE, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its group is there until all of it has ended
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _listen(stream: ByteReceiveStream, said: deque[str]) -> None:
    """Pass on what a process says on stderr, a line of ours for each of its, without control characters."""
    lines = BufferedByteReceiveStream(stream)
    while True:
        try:
            line = await lines.receive_until(b"\n", 10_000)
        except (anyio.DelimiterNotFound, anyio.IncompleteRead):
            line = lines.buffer[:10_000]
            if not line:
                return
            await lines.receive_exactly(len(line))
        except anyio.EndOfStream:
            return
        text = shown_text(line.decode(errors="backslashreplace").rstrip("\n"))
        said.append(text)
        tell(text)


async def _without_answer(process: Process) -> str:
    """Why a process ended that gave no answer."""
    code = await process.wait()
    if code == -signal.SIGKILL:
        return "the process of the call was killed: perhaps memory ran out"
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return f"the process of the call ended {how} before it had an answer. A specification may end it (os._exit)"


def _removed_by(number: signal.Signals, folder: str) -> None:
    """On a signal, end as it ends a process, but remove a folder before. The processes of calls end with this one."""

    def end(*_: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        shutil.rmtree(folder, ignore_errors=True)
        os.kill(os.getpid(), number)

    signal.signal(number, end)


async def serve(limits: ServerLimits) -> None:
    """Answer who is at the other end of stdin and stdout until they leave."""
    with tempfile.TemporaryDirectory(prefix="epochal-mcp-") as folder:
        for number in (signal.SIGTERM, signal.SIGHUP):
            _removed_by(number, folder)
        calls = Calls(limits, Path(folder))
        server = Server[Any](
            "epochal",
            version=tool_version(),
            instructions=limits.instructions,
            on_list_tools=calls.list_tools,
            on_call_tool=calls.call,
        )
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())


def run(limits: ServerLimits) -> None:
    """The same, as a plain function."""
    anyio.run(serve, limits)
