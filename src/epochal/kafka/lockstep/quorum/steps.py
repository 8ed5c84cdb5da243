"""How each step of `spec/quorum` is put to Kafka's voters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from epochal.checker.trace.trace import Step
from epochal.spec.language import ActionInstance
from epochal.spec.quorum.reconfiguration import VoterSets
from epochal.spec.quorum.state import QuorumState, Role

Arguments = Mapping[str, Any]
Places = Mapping[Any, int]
"""The id of a voter in Kafka, or the number of a broker, by the specification's identifier."""

Line = Callable[[QuorumState, Arguments, Places], str]


def _timer(whose: str) -> Line:
    """The timer of whatever role a voter has expires: that alone makes it leave the role by itself."""
    return lambda state, arguments, places: f"timeout:{places[arguments[whose]]}"


def _asks(who: str, whom: str, request: str, answered: bool = True) -> Line:
    """A request of one voter arrives at another one, and the answer arrives, or is lost."""
    word = "ask" if answered else "ask_unanswered"
    return lambda state, arguments, places: f"{word}:{places[arguments[who]]}:{places[arguments[whom]]}:{request}"


def _simply(word: str, *whom: str) -> Line:
    return lambda state, arguments, places: ":".join((word, *(str(places[arguments[one]]) for one in whom)))


def _begins(state: QuorumState, arguments: Arguments, places: Places) -> str:
    """A leader tells that it leads. Who is no voter of its is not told, and asks.

    Who asks for pre-votes and knows the leader stays where it is when it is told again (maybeTransition). Its timer
    takes it to where the specification has it by either.
    """
    leader, voter = arguments["leader"], arguments["voter"]
    own = state.voters[voter]
    if isinstance(state, VoterSets) and voter not in state.voters_of(leader):
        return f"learn:{places[voter]}:{places[leader]}"
    if own.role == Role.PROSPECTIVE and own.leader == leader and own.epoch == state.voters[leader].epoch:
        return f"timeout:{places[voter]}"
    return f"begin_quorum_epoch:{places[leader]}:{places[voter]}"


def _observes(state: QuorumState, arguments: Arguments, places: Places) -> str:
    """A broker fetches behind what it has applied."""
    observer, leader = arguments["observer"], arguments["leader"]
    return f"observe:{places[leader]}:{places[observer]}:{len(state.applied[observer])}"


def _elects(state: Any, arguments: Arguments, places: Places) -> str:
    """An election as one step: who is absent hears nothing of it."""
    candidate, absent = arguments["candidate"], arguments.get("absent")
    majority = (other for other in state.voters if other in state.voters_of(candidate) and other != absent)
    return f"elect:{places[candidate]}:{','.join(str(places[other]) for other in majority)}"


def _makes_snapshot(state: QuorumState, arguments: Arguments, places: Places) -> str:
    return f"make_snapshot:{places[arguments['voter']]}:{arguments['offset']}"


def refused_votes(state: QuorumState, places: Places) -> Iterator[str]:
    """Votes that a candidate asks for in vain, and nobody learns of an epoch or a leader by it: nothing may change."""
    voters = state.voters
    for candidate in voters:
        if voters[candidate].role != Role.CANDIDATE or state.last_epoch(candidate) >= voters[candidate].epoch:
            continue
        for voter in voters:
            own = voters[voter]
            if voter == candidate or own.epoch != voters[candidate].epoch or own.leader is not None:
                continue
            if own.voted_for not in (None, candidate) or (own.voted_for is None and _is_ahead(state, voter, candidate)):
                yield f"ask:{places[candidate]}:{places[voter]}:VOTE"


def _is_ahead(state: QuorumState, voter: Any, candidate: Any) -> bool:
    """Whether a voter's log is better than the candidate's, said without the rule of the specification."""
    own, other = ((state.last_epoch(one), state.end(one)) for one in (voter, candidate))
    return own > other


MAPPED: Mapping[str, Line] = {
    "election_timeout": _timer("voter"),
    "lose_pre_vote": _timer("voter"),
    "leave_resigned": _timer("voter"),
    "resign": _timer("leader"),
    "pre_vote": _asks("prospective", "voter", "VOTE"),
    "vote": _asks("candidate", "voter", "VOTE"),
    "vote_unheard": _asks("candidate", "voter", "VOTE", answered=False),
    "begin_quorum_epoch": _begins,
    "learn_epoch": _simply("learn", "voter", "other"),
    "append": _simply("append", "leader"),
    "fetch": _asks("follower", "leader", "FETCH"),
    "fetch_unanswered": _asks("follower", "leader", "FETCH", answered=False),
    "truncate": _asks("follower", "leader", "FETCH"),
    "observer_applies": _observes,
    "restart": _simply("restart", "voter"),
    "lose_disk": _simply("lose_disk", "voter"),
    "elect": _elects,
    "elect_by_all": _elects,
    "make_snapshot": _makes_snapshot,
    "delete_before_snapshot": _simply("delete_before_snapshot", "voter"),
    "fetch_snapshot": _simply("fetch_snapshot", "follower", "leader"),
    "remove_voter": _simply("remove_voter", "leader", "voter"),
}
"""The line of each step of the specification that Kafka can be told to take."""

AT_ONCE = "resign_when_removed"
"""The step that Kafka takes together with the one before it: who has removed itself resigns when that is committed."""


def not_comparable(taken: Sequence[Step], before: QuorumState, instance: ActionInstance) -> str:
    """Why Kafka does more in a step than the specification, or something else; "" if it does the same.

    The specification has no segments. A log that begins at a snapshot that was fetched begins with a new one.
    """
    if instance.action.name != "restart":
        return ""
    (voter,) = instance.arguments
    if isinstance(before, VoterSets) and set(before.last_voters(voter)) == {voter}:
        return "a restart of the only voter, which leads again at once"
    begun = ((one.instance.action.name, one.instance.arguments[0]) for one in reversed(taken))
    last = next((name for name, whose in begun if whose == voter and name in _BEGINNINGS), "")
    deleted = last == "delete_before_snapshot"
    return "a restart after records were deleted, which are found again in a segment with others" if deleted else ""


_BEGINNINGS = ("delete_before_snapshot", "fetch_snapshot")
"""What moves the start of a log; the first argument is whose."""
