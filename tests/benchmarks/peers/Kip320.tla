------------------------------- MODULE Kip320 -------------------------------
(* KIP-320 in TLA+, for TLC: the protocol of `epochal check kip-320`, step by step and state by state.

   The names are those of spec/classic, and so is what a step requires and does. Differences are those of the language:
   a log begins with 1 in TLA+, so the record at offset o is log[o + 1], and the request of epoch e is requests[e + 1].
   Offsets and epochs are told as in Python. Only become_follower lacks its parameter: the epoch is the leader's.

   TLC takes a step once for each disjunct that is true, also where both lead to the same state. So a guard is told by
   => where Python says `or`, and TLC counts the steps that Epochal counts. *)
EXTENDS Integers, Sequences

CONSTANTS
    Replicas,   \* the set of replicas
    LogSize,    \* the number of offsets in a log
    Records,    \* the number of records produced
    MaxEpoch,   \* the greatest leader epoch
    None        \* no leader

VARIABLES
    nextRecord, \* the id of the record that is produced next
    replica,    \* of each replica its log and its own view of who leads
    quorum,     \* the authoritative leader and ISR
    requests    \* the LeaderAndIsr requests, none of which is ever removed

vars == <<nextRecord, replica, quorum, requests>>

------------------------------------------------------------------------------
(* Words. *)

End(r) == Len(replica[r].log)
HasEntry(r, offset) == offset < End(r)
RecordAt(r, offset) == replica[r].log[offset + 1]
SameRecord(a, b, offset) ==
    HasEntry(a, offset) /\ HasEntry(b, offset) /\ RecordAt(a, offset) = RecordAt(b, offset)

QuorumEpoch == Len(requests) - 1
Request(epoch) == requests[epoch + 1]

PresumesLeadership(r) == replica[r].leader = r
IsTrueLeader(r) ==
    PresumesLeadership(r) /\ quorum.leader = r /\ replica[r].epoch = QuorumEpoch
FollowsEpoch(follower, leader) ==
    /\ PresumesLeadership(leader)
    /\ replica[follower].leader = leader
    /\ replica[follower].epoch = replica[leader].epoch

HwIsCurrent(leader) ==
    LET hw == replica[leader].hw
    IN  hw = End(leader) \/ (HasEntry(leader, hw) /\ RecordAt(leader, hw).epoch = replica[leader].epoch)

Min(a, b) == IF a < b THEN a ELSE b

(* Where two logs last agree: one more than the largest offset with the same record, 0 if there is none. *)
LongestCommonPrefix(a, b) ==
    LET same == {o \in 0 .. Min(End(a), End(b)) - 1 : SameRecord(a, b, o)}
    IN  IF same = {} THEN 0 ELSE 1 + CHOOSE o \in same : \A other \in same : other <= o

------------------------------------------------------------------------------
(* Parts of steps. *)

Send(leader, isr) ==
    /\ Len(requests) <= MaxEpoch
    /\ quorum' = [leader |-> leader, isr |-> isr]
    /\ requests' = Append(requests, [leader |-> leader, isr |-> isr])
    /\ UNCHANGED <<nextRecord, replica>>

(* The state of a replica that adopts leader, ISR and epoch of a request. *)
Taken(state, epoch) ==
    [state EXCEPT !.epoch = epoch, !.leader = Request(epoch).leader, !.isr = Request(epoch).isr]

SetIsr(leader, isr) ==
    /\ IsTrueLeader(leader)
    /\ quorum' = [quorum EXCEPT !.isr = isr]
    /\ replica' = [replica EXCEPT ![leader].isr = isr]
    /\ UNCHANGED <<nextRecord, requests>>

------------------------------------------------------------------------------
(* The controller elects any member of the ISR, and drops any replica from it. *)

ElectLeader(r) ==
    /\ r \in quorum.isr
    /\ quorum.leader # r
    /\ Send(r, quorum.isr)

ControllerShrinksIsr(r) ==
    IF quorum.leader = r
    THEN Send(None, IF quorum.isr = {r} THEN {r} ELSE quorum.isr \ {r})
    ELSE r \in quorum.isr /\ Send(quorum.leader, quorum.isr \ {r})

------------------------------------------------------------------------------
(* A leader takes office, appends, and keeps its ISR and high watermark. *)

BecomeLeader(leader, epoch) ==
    /\ epoch > replica[leader].epoch
    /\ Request(epoch).leader = leader
    /\ replica' = [replica EXCEPT ![leader] = Taken(@, epoch)]
    /\ UNCHANGED <<nextRecord, quorum, requests>>

LeaderWrite(leader) ==
    /\ PresumesLeadership(leader)
    /\ nextRecord < Records
    /\ End(leader) < LogSize
    /\ replica' = [replica EXCEPT ![leader].log = Append(@, [id |-> nextRecord, epoch |-> replica[leader].epoch])]
    /\ nextRecord' = nextRecord + 1
    /\ UNCHANGED <<quorum, requests>>

LeaderShrinksIsr(leader, follower) ==
    /\ follower # leader
    /\ follower \in replica[leader].isr
    /\ FollowsEpoch(follower, leader) => End(follower) < End(leader)
    /\ SetIsr(leader, replica[leader].isr \ {follower})

LeaderExpandsIsr(leader, follower) ==
    /\ follower \notin replica[leader].isr
    /\ FollowsEpoch(follower, leader)
    /\ replica[leader].hw > 0 => HasEntry(follower, replica[leader].hw - 1)
    /\ HwIsCurrent(leader)
    /\ SetIsr(leader, replica[leader].isr \union {follower})

AdvanceHighWatermark(leader) ==
    LET hw == replica[leader].hw
    IN  /\ HasEntry(leader, hw)
        /\ \A f \in replica[leader].isr : FollowsEpoch(f, leader) /\ HasEntry(f, hw)
        /\ replica' = [replica EXCEPT ![leader].hw = hw + 1]
        /\ UNCHANGED <<nextRecord, quorum, requests>>

------------------------------------------------------------------------------
(* A follower reconciles its log with the leader's, then copies what it lacks. *)

BecomeFollower(follower, leader) ==
    LET epoch == replica[leader].epoch
        cut == LongestCommonPrefix(follower, leader)
    IN  /\ follower # leader
        /\ PresumesLeadership(leader)
        /\ epoch > replica[follower].epoch
        /\ Request(epoch).leader = leader
        /\ replica' = [replica EXCEPT
               ![follower] = Taken([@ EXCEPT !.log = SubSeq(@, 1, cut), !.hw = Min(cut, @)], epoch)]
        /\ UNCHANGED <<nextRecord, quorum, requests>>

Fetch(follower, leader) ==
    /\ FollowsEpoch(follower, leader)
    /\ End(follower) < End(leader)
    /\ replica' = [replica EXCEPT
           ![follower].log = Append(@, RecordAt(leader, End(follower))),
           ![follower].hw = Min(replica[leader].hw, End(follower) + 1)]
    /\ UNCHANGED <<nextRecord, quorum, requests>>

------------------------------------------------------------------------------

Init ==
    /\ nextRecord = 0
    /\ replica = [r \in Replicas |-> [log |-> <<>>, hw |-> 0, epoch |-> -1, leader |-> None, isr |-> {}]]
    /\ quorum = [leader |-> None, isr |-> Replicas]
    /\ requests = <<>>

Next ==
    \E r \in Replicas :
        \/ ElectLeader(r)
        \/ ControllerShrinksIsr(r)
        \/ \E epoch \in 0 .. QuorumEpoch : BecomeLeader(r, epoch)
        \/ LeaderWrite(r)
        \/ AdvanceHighWatermark(r)
        \/ \E f \in Replicas :
            \/ LeaderShrinksIsr(r, f)
            \/ LeaderExpandsIsr(r, f)
            \/ BecomeFollower(f, r)
            \/ Fetch(f, r)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* Below a presumed leader's high watermark, every member of an ISR holds the leader's records. *)

AgreeBelow(a, b, offset) == \A o \in 0 .. offset - 1 : SameRecord(a, b, o)
HoldsItsRecords(leader, isr) == \A member \in isr : AgreeBelow(leader, member, replica[leader].hw)

WeakIsr == \A r \in Replicas : PresumesLeadership(r) => HoldsItsRecords(r, replica[r].isr)
StrongIsr == \A r \in Replicas : PresumesLeadership(r) => HoldsItsRecords(r, quorum.isr)
==============================================================================
