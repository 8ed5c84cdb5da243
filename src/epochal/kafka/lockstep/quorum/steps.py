"""How each step of `spec/quorum` is put to Kafka's voters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from epochal.checker.trace.trace import Step
from epochal.spec.language import ActionInstance
from epochal.spec.quorum.reconfiguration import VoterSets
from epochal.spec.quorum.state import QuorumState, Role
from epochal.spec.quorum.voters_in_memory import VotersInMemory

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
    """A leader tells that it leads. Who is no voter of its is not told, and asks: the leader, or another (`_asked`).

    Who asks for pre-votes and knows the leader stays where it is when it is told again (maybeTransition). Its timer
    takes it to where the specification has it by either.
    """
    leader, voter = arguments["leader"], arguments["voter"]
    own = state.voters[voter]
    if isinstance(state, VoterSets) and voter not in state.voters_of(leader):
        return f"learn:{places[voter]}:{places[_asked(state, voter, leader) or leader]}"
    if own.role == Role.PROSPECTIVE and own.leader == leader and own.epoch == state.voters[leader].epoch:
        return f"timeout:{places[voter]}"
    return f"begin_quorum_epoch:{places[leader]}:{places[voter]}"


def _asked(state: Any, voter: Any, leader: Any) -> Any:
    """Whom to ask who leads: somebody else, if the leader is known but not where it is; None if nobody else knows.

    So it is after a restart if the leader is no voter any more. The answer of the leader itself makes Kafka throw.
    """
    own = state.voters[voter]
    if own.role != Role.UNATTACHED or own.leader != leader:
        return leader
    told = (one for one in state.voters if one not in (voter, leader) and state.follows(one, leader))
    return next(told, None)


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


def refused_changes(state: QuorumState, places: Places) -> Iterator[str]:
    """Changes of the voters that are refused, each for one reason: nothing may change.

    Somebody else leads or nobody, no record of the leader's epoch is committed, a change before is not, the voter to be
    added is one, or the voter to be removed is none or the last.
    """
    if not isinstance(state, VoterSets):
        return
    for leader in state.voters:
        counted = state.voters_of(leader)
        may_change = _may_change(state, leader)
        for voter in state.voters:
            if voter in counted or not may_change:
                yield f"add_voter:{places[leader]}:{places[voter]}"
            if voter not in counted or set(counted) == {voter} or not may_change:
                yield f"remove_voter:{places[leader]}:{places[voter]}"


def _may_change(state: Any, leader: Any) -> bool:
    """Whether a leader may change the voters, said without the rule of the specification.

    Kafka looks for a change that is not committed in its memory, where one may be missing that stands in its log.
    """
    own = state.voters[leader]
    begins = next((offset for offset, one in enumerate(own.log) if one.epoch == own.epoch), len(own.log))
    changes = [offset for offset in range(own.hw, len(own.log)) if state.is_change(leader, offset)]
    return own.role == Role.LEADER and own.hw > begins and not changes


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
    "add_voter": _simply("add_voter", "leader", "voter"),
    "remove_voter": _simply("remove_voter", "leader", "voter"),
}
"""The line of each step of the specification that Kafka can be told to take."""

NOT_CAUGHT_UP = "not caught up"
"""What the harness says of a voter that Kafka does not add for that reason alone (LeaderState.isReplicaCaughtUp)."""

DELAYED = "a voter is added that has not caught up in the last hour, which Kafka puts off"
"""Why an addition of a voter is not compared: the specification says nothing of what only delays."""

AT_ONCE = "resign_when_removed"
"""The step that Kafka takes together with the one before it: who has removed itself resigns when that is committed."""


def not_comparable(taken: Sequence[Step], before: QuorumState, instance: ActionInstance) -> str:
    """Why Kafka does more in a step than the specification, or something else; "" if it does the same.

    The specification has no segments. A log that begins at a snapshot that was fetched begins with a new one.
    """
    if instance.action.name in ("elect", "elect_by_all"):
        return _writes_what_it_remembers(before, instance.arguments[0]) or _is_refused(before, *instance.arguments)
    if instance.action.name == "begin_quorum_epoch":
        return _knows_no_address(before, *instance.arguments)
    if instance.action.name != "restart":
        return ""
    (voter,) = instance.arguments
    if isinstance(before, VoterSets) and set(before.last_voters(voter)) == {voter}:
        return "a restart of the only voter, which leads again at once"
    begun = ((one.instance.action.name, one.instance.arguments[0]) for one in reversed(taken))
    last = next((name for name, whose in begun if whose == voter and name in _BEGINNINGS), "")
    deleted = last == "delete_before_snapshot"
    return "a restart after records were deleted, which are found again in a segment with others" if deleted else ""


def _writes_what_it_remembers(before: QuorumState, candidate: Any) -> str:
    """An election whose winner writes voters into its log that its log does not name (Q9).

    A new leader writes the voters that it remembers beside its LeaderChange record if it has read of none in its log,
    and so knows only those of the bootstrap snapshot.
    """
    if not isinstance(before, VotersInMemory) or before.voters_of(candidate) == before.last_voters(candidate):
        return ""
    log = range(before.end(candidate))
    has_read = any(before.has_read(candidate, o) and (o == 0 or before.is_change(candidate, o)) for o in log)
    return "" if has_read else "an election after which Kafka writes the first voters into the log, forgetting changes"


def _is_refused(before: Any, candidate: Any, absent: Any = None) -> str:
    """An election with somebody who does not know yet that it is a voter, and has fetched from the leader.

    Since there are pre-votes Kafka has it refuse them: only a voter's timer ends that it follows.
    """
    if not isinstance(before, VoterSets):
        return ""
    for voter in before.voters_of(candidate):
        own = before.voters[voter]
        follows = own.role == Role.FOLLOWER and own.has_fetched and own.epoch >= before.voters[candidate].epoch
        if voter not in (candidate, absent) and follows and voter not in before.voters_of(voter):
            return "an election with the vote of who does not know that it is a voter: Kafka refuses pre-votes there"
    return ""


def _knows_no_address(before: Any, leader: Any, voter: Any) -> str:
    """Whoever knows that one leads who is no voter any more, and has nobody else to ask where that is."""
    if not isinstance(before, VoterSets) or voter in before.voters_of(leader) or _asked(before, voter, leader):
        return ""
    return "who knows a leader that is no voter any more fetches from it after a restart: Kafka throws"


_BEGINNINGS = ("delete_before_snapshot", "fetch_snapshot")
"""What moves the start of a log; the first argument is whose."""
