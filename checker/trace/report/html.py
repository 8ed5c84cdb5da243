"""A report as one HTML file: no request leaves it, and a text in it is never anything but text.

Style and script lie inside, and the policy of the page allows these two by their digests and nothing else. Without its
script everything can still be read; that is also what a notebook shows.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from ...host.measure import without_collection
from ...version import tool_version
from ..explain import claim, protocol_name, protocol_option
from ..run import Run
from .addresses import REFERENCE, address
from .document import Report
from .pictures import Card

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

SIGNS = {"true": "✓", "false": "✗", "reached": "●", "": "·", "fails": "!"}

KINDS = {
    "action_property": "of steps",
    "leads_to": "promise",
    "invariant": "",
    "reachable": "situation",
    "lemma": "lemma",
}


def to_html(trace: Run, file: str = "", all_fields: bool = False, script: bool = True) -> str:
    """The report of a trace. `file` is where it is as ITF, for the command that replays it.

    Views tell it, or with `all_fields` every field.

    Raises LanguageError for a view that fails.
    """
    style, code = page_file("report.css"), page_file("report.js") if script else ""
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(code)}'; base-uri 'none'"
    from markupsafe import Markup

    with without_collection():  # in a process with very many objects that would take most of the time
        return (
            environment()
            .get_template("report.html.j2")
            .render(
                report=Report(trace, all_fields),
                replay=_replay(trace, file),
                policy=policy,
                style=Markup(style),
                script=Markup(code),
                version=tool_version(),
            )
        )


def _replay(trace: Run, file: str) -> str:
    """The command that shows the trace again, if it is in a file."""
    return f"epochal replay {shlex.quote(file)}{protocol_option(protocol_name(trace))}" if file else ""


def framed(trace: Run) -> str:
    """The report without its script, in a frame that runs none: for a notebook."""
    from markupsafe import Markup

    frame = '<iframe title="{}" sandbox srcdoc="{}" width="100%" height="640"></iframe>'
    return str(Markup(frame).format(f"{protocol_name(trace)}: {claim(trace)}", to_html(trace, script=False)))


@cache
def environment(*packages: str) -> Environment:
    """What pages are made with: the templates of this package, and of others that show more."""
    from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined

    folders = (__package__ or "", *packages)
    made = Environment(
        autoescape=True,
        loader=ChoiceLoader([FunctionLoader(partial(template, folder)) for folder in folders]),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    made.filters |= {
        "sign": SIGNS.__getitem__,
        "kind": KINDS.__getitem__,
        "initials": lambda words: "".join(word[0].upper() for word in words.split()),
        "linked": _linked,
        "role": _role,
        "message": lambda text: text.rpartition(": ")[2],
    }
    return made


@cache
def page_file(name: str, package: str = __package__ or "") -> str:
    """A template, style or script by its name, from the folder `page` of a package."""
    return (resources.files(package) / "page" / name).read_text(encoding="utf-8")


def template(package: str, name: str) -> str | None:
    """A template of a package; None if it has none of that name."""
    try:
        return page_file(name, package)
    except FileNotFoundError:
        return None


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _printable(value: Any) -> Any:
    """A text without what no reader sees and a terminal obeys."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(one if one.isprintable() or one == "\n" else "?" for one in value)


def _role(card: Card) -> str:
    """What a card is drawn as: who leads, who is down."""
    first = card.words[0] if card.words else ""
    if re.match(r"(crashed|shut down|fenced|(is )?down|stopped)\b", first):
        return "down"
    return "leads" if first.startswith("leads") else "is"


def _linked(text: str) -> Markup:
    """A text in which tickets and proposals are links."""
    from markupsafe import Markup, escape

    parts, done = [], 0
    for found in re.finditer(REFERENCE, text):
        parts += [escape(_printable(text[done : found.start()]))]
        parts += [Markup('<a href="{}" rel="noreferrer">{}</a>').format(address(found[0]), found[0])]
        done = found.end()
    return Markup("").join([*parts, escape(_printable(text[done:]))])
