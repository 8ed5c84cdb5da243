"""The explorer as a web application: pages of runs, forms that lead to other runs, and searches under way.

It keeps nothing of a run: an address is a whole run. It answers who has its token alone, and no other origin: what runs
here may read files and evaluate Python.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import secrets
import socket
import traceback
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.report.html import page_file, to_html
from epochal.checker.trace.trace import Trace
from epochal.errors import EngineError, EpochalError, UsageError
from epochal.spec.language.configurable import joined

from .jobs import Job, Jobs, question
from .pages import Pages, refuse_no_expression
from .walk import Address, Shelf, Walk, address_of, read_address, walk

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
STATIC: Final = {"report.css": "text/css", "explorer.css": "text/css", "explorer.js": "text/javascript"}
LARGEST_FORM: Final = 1 << 20
"""Bytes of a form."""

TOLD_EVERY: Final = 0.25
"""Seconds between two lines about a search."""

BROKEN: Final = (
    "this page cannot be made: that is a mistake of Epochal, or of a specification of your own",
    "What went wrong stands where the explorer was started. Go back, and take another way.",
)

Answer = Callable[[Request], Awaitable[Response]]


@dataclass
class Explorer:
    """The application. `token` opens it, `address` is where it listens (`127.0.0.1:8737`), `first` its first page."""

    shelf: Shelf
    token: str
    address: str
    read_only: bool = False
    first: str = "/"

    def __post_init__(self) -> None:
        self.pages = Pages(self.shelf, self.read_only)
        self.jobs: Jobs | None = None if self.read_only else Jobs()

    @property
    def cookie(self) -> str:
        """The name of the cookie that has the token: one for each port, because cookies do not know of ports."""
        return f"epochal-{self.address.rpartition(':')[2]}"

    def application(self) -> Starlette:
        """What a server runs."""
        told, made = self._told, self._made
        routes = [
            Route("/", made(lambda _: self.pages.start())),
            Route("/run", made(lambda request: self.pages.run(self._walk(request)))),
            Route("/run.itf.json", made(self._itf)),
            Route("/run.html", made(lambda request: _page_to_send(self._walk(request).trace))),
            Route("/ask", made(self._questions)),
            Route("/asking", told(self._asking), methods=["POST"]),
            Route("/beside", told(self._beside), methods=["POST"]),
            Route("/bounds", told(self._bounds), methods=["POST"]),
            Route("/guarantees", made(lambda _: self.pages.guarantees())),
            Route("/catalogue", made(lambda _: self.pages.catalogue())),
            Route("/jobs", told(self._new_job), methods=["POST"]),
            Route("/job/{number:int}", made(lambda request: self.pages.job(self._known(request)))),
            Route("/job/{number:int}/events", told(self._events)),
            Route("/job/{number:int}/stop", told(self._stop), methods=["POST"]),
            Route("/job/{number:int}/run/{name}", made(lambda request: _to(self._address_of_found(request)))),
            Route("/job/{number:int}/page/{name}", made(lambda request: _page_to_send(self._found(request)))),
            Route("/static/{name}", told(self._static)),
            Route("/{rest:path}", told(self._nowhere)),
        ]

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            if self.jobs is not None:
                await run_in_threadpool(self.jobs.close)

        return Starlette(routes=routes, lifespan=lifespan)

    # -- who may ask ----------------------------------------------------------------------------------------------

    def _told(self, answer: Answer) -> Answer:
        """Answer who may ask, say what is wrong as a page, and allow a page nothing but itself."""

        async def answered(request: Request) -> Response:
            refused = self._refused(request)
            if refused is not None:
                response = refused
            else:
                try:
                    response = await answer(request)
                except EpochalError as wrong:
                    response = HTMLResponse(self.pages.wrong(wrong), 400)
                except Exception:  # whatever it is, the explorer goes on, and says where to look
                    traceback.print_exc()
                    response = HTMLResponse(self.pages.wrong(UsageError(*BROKEN)), 500)
            if "content-security-policy" not in response.headers:
                response.headers["content-security-policy"] = POLICY
            response.headers["x-content-type-options"] = "nosniff"
            response.headers["referrer-policy"] = "same-origin"
            response.headers["cache-control"] = "no-store"
            return response

        return answered

    def _made(self, make: Callable[[Request], str | Response]) -> Answer:
        """Answer with what is made, a page or what is sent; the server stays free meanwhile."""

        async def answer(request: Request) -> Response:
            found = await run_in_threadpool(make, request)
            return HTMLResponse(found) if isinstance(found, str) else found

        return self._told(answer)

    def _refused(self, request: Request) -> Response | None:
        """The refusal of a request from elsewhere, or without the token; None for one that may be answered."""
        port = self.address.rpartition(":")[2]
        if request.headers.get("host") not in (self.address, f"localhost:{port}"):
            return PlainTextResponse(f"This explorer answers at http://{self.address} alone.", 403)
        origin = request.headers.get("origin")
        if origin is not None and origin not in (f"http://{self.address}", f"http://localhost:{port}"):
            return PlainTextResponse("This explorer answers its own pages alone.", 403)
        said = request.query_params.get("token")
        if said is not None and secrets.compare_digest(said.encode(), self.token.encode()):
            response = RedirectResponse(self.first, 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
            return response
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return PlainTextResponse("Another page leads here. Type the address, or paste it.", 403)
        if not secrets.compare_digest(request.cookies.get(self.cookie, "").encode(), self.token.encode()):
            return PlainTextResponse(
                "This explorer has a token. Open the address that 'epochal explore' has printed, with its token.", 403
            )
        return None

    # -- pages ----------------------------------------------------------------------------------------------------

    async def _nowhere(self, _: Request) -> Response:
        return HTMLResponse(self.pages.wrong(UsageError("there is no such page", "Begin again.")), 404)

    def _itf(self, request: Request) -> Response:
        text = dumps(self._walk(request).trace)
        return Response(text, media_type="application/json", headers=_as_file("run.itf.json"))

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return await self._nowhere(request)
        package = "epochal.checker.trace.report" if name == "report.css" else "epochal.cli.explorer"
        return Response(page_file(name, package), media_type=STATIC[name])

    # -- forms ----------------------------------------------------------------------------------------------------

    async def _asking(self, request: Request) -> Response:
        form = await _form(request)
        address = read_address(form.get("from", ""))
        if self.read_only:
            raise UsageError("this explorer is read-only: it evaluates no expressions", "Start it without --read-only.")
        expression = form.get("ask", "").strip()
        refuse_no_expression(expression)
        self.pages.allowed.add(expression)
        return _to(address.asking(expression), part="#properties")

    async def _beside(self, request: Request) -> Response:
        form = await _form(request)
        return _to(read_address(form.get("from", "")).beside_of(form.get("beside", "")))

    async def _bounds(self, request: Request) -> Response:
        form = await _form(request)
        address = await run_in_threadpool(lambda: self._within(form))
        return _to(address, "/ask" if form.get("then") == "ask" else "/run")

    async def _new_job(self, request: Request) -> Response:
        form = await _form(request)
        jobs = self._searching()
        number, folder = jobs.new_folder()
        try:
            asked = await run_in_threadpool(lambda: question(self.shelf, form, folder))
        except BaseException:
            jobs.cancel(number)
            raise
        jobs.start(number, asked)
        return RedirectResponse(f"/job/{number}", 303)

    # -- searches -------------------------------------------------------------------------------------------------

    async def _stop(self, request: Request) -> Response:
        job = self._known(request)
        self._searching().stop(job)
        return RedirectResponse(f"/job/{job.number}", 303)

    async def _events(self, request: Request) -> Response:
        return StreamingResponse(_told_of(self._known(request)), media_type="text/event-stream")

    # -- what is behind -------------------------------------------------------------------------------------------

    def _walk(self, request: Request) -> Walk:
        address = read_address(str(request.url.query))
        return walk(self.shelf.open(address.protocol, address.bounds), address)

    def _questions(self, request: Request) -> str:
        address = read_address(str(request.url.query))
        opened = self.shelf.open(address.protocol, address.bounds)
        return self.pages.ask(opened, address, [] if self.jobs is None else list(self.jobs.known.values()))

    def _within(self, form: dict[str, str]) -> Address:
        """The protocol of a form within other bounds, and with other settings, from its first state."""
        before = read_address(form.get("from", ""))
        name = before.protocol.partition(" ")[0]
        bounds, settings = dict[str, int](), dict[str, Any]()
        for field, text in form.items():
            kind, _, what = field.partition("-")
            if kind == "bound":
                bounds[what] = _whole(what, text)
            elif kind == "setting" and text:
                settings[what] = text == "true" if text in ("true", "false") else text
        opened = self.shelf.open(joined(name, settings), sorted(bounds.items()))
        return Address(opened.reference, opened.own_bounds)

    def _searching(self) -> Jobs:
        if self.jobs is None:
            raise UsageError("this explorer is read-only: it searches nothing", "Start it without --read-only.")
        return self.jobs

    def _known(self, request: Request) -> Job:
        return self._searching().job(request.path_params["number"])

    def _found(self, request: Request) -> Trace:
        """A run that a search has found, by its file or its cell."""
        job, name = self._known(request), request.path_params["name"]
        file = job.folder / "out" / name
        text = file.read_text(encoding="utf-8") if name in job.traces else _cell(job, name)
        return decode(text, self.shelf.kind)

    def _address_of_found(self, request: Request) -> Address:
        trace = self._found(request)
        bounds = sorted(trace.protocol.bounds.as_dict().items())
        return address_of(trace, self.shelf.open(str(trace.facts["protocol"]), bounds))


def _cell(job: Job, name: str) -> str:
    """The run behind a cell of a proof."""
    document, number = job.document, name.removeprefix("cell-")
    cells: list[dict[str, Any]] = [] if document is None else document.get("matrix", [])
    if number.isascii() and number.isdecimal() and int(number) < len(cells) and cells[int(number)].get("trace"):
        return json.dumps(cells[int(number)]["trace"])
    raise UsageError("the search has no such run", "Go back to its page.")


async def _told_of(job: Job) -> AsyncIterator[str]:
    """What a search tells, as server-sent events, until it has ended."""
    while job.status in ("waiting", "running"):
        last = job.said[-1] if job.said else {}
        said: dict[str, object] = {name: last[name] for name in ("states", "queue")} if "queue" in last else {}
        said["line"] = job.line()
        yield f"data: {json.dumps(said)}\n\n"
        await asyncio.sleep(TOLD_EVERY)
    yield f"data: {json.dumps({'ended': True})}\n\n"


def _page_to_send(trace: Trace) -> Response:
    """The report of a run, as a file of its own with its own policy."""
    return HTMLResponse(
        to_html(trace), headers={**_as_file("run.html"), "content-security-policy": "default-src 'none'"}
    )


def _as_file(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


async def _form(request: Request) -> dict[str, str]:
    """What a form says. Raises UsageError for one that is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise UsageError("the form is too large", "Begin again with a shorter run.")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UsageError(f"{name} is a number, not {text[:40]!r}")
    return int(text)


def _to(address: Address, page: str = "/run", part: str = "") -> Response:
    return RedirectResponse(f"{page}?{address.query()}{part}", 303)


# -- serving ----------------------------------------------------------------------------------------------------------
# Starts the explorer on this machine: finds a port, says where it is, and opens the browser.

HOST = "127.0.0.1"
USUAL_PORT = 8737


def serve(
    shelf: Shelf,
    path: str = "/",
    port: int | None = None,
    read_only: bool = False,
    browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C. `path` is the page that is opened first, `tell` hears where it is.

    Without a port the usual one is taken, or any free one. Raises UsageError for a port that is in use.
    """
    listening = _listening(port)
    with listening:
        address = f"{HOST}:{listening.getsockname()[1]}"
        explorer = Explorer(shelf, secrets.token_urlsafe(16), address, read_only, path)
        url = f"http://{address}/?token={explorer.token}"
        tell(f"exploring at {url}")
        if browser and not _opened(url):
            tell("no browser was found: open that address yourself")
        tell("Ctrl-C ends it")
        configuration = uvicorn.Config(
            explorer.application(), log_level="critical", access_log=False, timeout_graceful_shutdown=2
        )
        with contextlib.suppress(KeyboardInterrupt):  # which is how it is ended
            uvicorn.Server(configuration).run(sockets=[listening])


def _listening(port: int | None) -> socket.socket:
    """A socket on this machine's own address."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, wanted))
            made.listen(64)
        except OSError as wrong:
            made.close()
            if port is None and wanted:
                continue
            if wrong.errno in (errno.EADDRINUSE, errno.EACCES):
                why = "is in use" if wrong.errno == errno.EADDRINUSE else "may not be used by you"
                raise UsageError(f"port {wanted} {why}", "Give another --port, or none.") from wrong
            raise EngineError(f"nothing can listen on {HOST}: {wrong.strerror}") from wrong
        return made
    raise EngineError(f"no port of {HOST} is free", "End what listens there, or give a --port.")


def _opened(url: str) -> bool:
    """Whether a browser could be asked to open an address."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
