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
from typing import TYPE_CHECKING, Any, Final

from ...base.installed import tool_version
from ...base.machine import without_collection
from ..explain import claim, protocol_name, protocol_option
from ..run import Run
from .document import Card, Report, is_down

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


# -- addresses --------------------------------------------------------------------------------------------------------
# Where tickets and proposals of Kafka are on the web.
#
# A proposal's page has its title in its address, and is renamed now and then. Here are those to which Kafka's own
# documentation links, and those for which several other projects give the same address; for all others a link leads to
# the wiki's search.

REFERENCE: Final = r"\b(?:KAFKA|KIP)-\d+\b"

_TICKET: Final = "https://issues.apache.org/jira/browse/{}"
_WIKI: Final = "https://cwiki.apache.org/confluence/display/KAFKA/{}{}"
_SEARCH: Final = "https://cwiki.apache.org/confluence/dosearchsite.action?queryString={}"

_TITLES: Final = {
    # of Kafka's documentation and its site
    "KIP-98": "+-+Exactly+Once+Delivery+and+Transactional+Messaging",
    "KIP-101": "+-+Alter+Replication+Protocol+to+use+Leader+Epoch+rather+than+High+Watermark+for+Truncation",
    "KIP-107": "%3A+Add+purgeDataBefore()+API+in+AdminClient",
    "KIP-207": "%3A+Offsets+returned+by+ListOffsetsResponse+should+be+monotonically+increasing+even+during+a+partition"
    "+leader+change",
    "KIP-227": "%3A+Introduce+Incremental+FetchRequests+to+Increase+Partition+Scalability",
    "KIP-279": "%3A+Fix+log+divergence+between+leader+and+follower+after+fast+leader+fail+over",
    "KIP-455": "%3A+Create+an+Administrative+API+for+Replica+Reassignment",
    "KIP-595": "%3A+A+Raft+Protocol+for+the+Metadata+Quorum",
    "KIP-848": "%3A+The+Next+Generation+of+the+Consumer+Rebalance+Protocol",
    "KIP-858": "%3A+Handle+JBOD+broker+disk+failure+in+KRaft",
    "KIP-890": "%3A+Transactions+Server-Side+Defense",
    "KIP-903": "%3A+Replicas+with+stale+broker+epoch+should+not+be+allowed+to+join+the+ISR",
    # of several other projects, among them clients, operators and TLA+ specifications
    "KIP-320": "%3A+Allow+fetchers+to+detect+and+handle+log+truncation",
    "KIP-380": "%3A+Detect+outdated+control+requests+and+bounced+brokers+using+broker+generation",
    "KIP-497": "%3A+Add+inter-broker+API+to+alter+ISR",
    "KIP-630": "%3A+Kafka+Raft+Snapshot",
    "KIP-853": "%3A+KRaft+Controller+Membership+Changes",
    "KIP-966": "%3A+Eligible+Leader+Replicas",
    "KIP-996": "%3A+Pre-Vote",
}


def address(name: str) -> str:
    """Where a ticket or a proposal is, such as KAFKA-18991 or KIP-320."""
    if name.startswith("KAFKA"):
        return _TICKET.format(name)
    return _WIKI.format(name, _TITLES[name]) if name in _TITLES else _SEARCH.format(name)


SIGNS = {"true": "✓", "false": "✗", "reached": "●", "": "·", "fails": "!"}

KINDS = {
    "action_property": "of steps",
    "leads_to": "liveness",
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
                replay=f"epochal replay {shlex.quote(file)}{protocol_option(protocol_name(trace))}" if file else "",
                policy=policy,
                style=Markup(style),
                script=Markup(code),
                version=tool_version(),
            )
        )


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
    if is_down(card):
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
