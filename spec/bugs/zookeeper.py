"""The known bugs of the ZooKeeper era: controllers that do not know that they are none, and brokers that were away."""

from __future__ import annotations

from .known_bug import KnownBug
from .kraft import BUGS as KRAFT

LESSONS = {bug.id: bug.lesson for bug in KRAFT}
"""What editions of a bug for several families teach is the same."""

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="S14 ZooKeeper",
        title="With ZooKeeper: a former controller confirms an ISR that is not so any more",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        with_rule="zookeeper-alter-isr",
        properties=("leader_counts_the_isr",),
        lesson=LESSONS["S14"],
    ),
    KnownBug(
        id="S14b ZooKeeper",
        title="With ZooKeeper: a former controller confirms that the ISR has grown, and it never grows",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        with_rule="zookeeper-alter-isr",
        properties=("follower_joins_isr",),
        story=(
            "b2, the leader, asks to drop b1 from the ISR, and a second controller does so: the ISR is {b2}, of "
            "version 3. b1 follows and catches up, and b2 asks to add it again. That request reaches the first "
            "controller, which does not know yet that it is none any more. As far as it knows the ISR is {b1, b2}, "
            "of version 2: just what b2 asks for. It compares no versions, and answers with success. So b2 believes "
            "b1 to be in the ISR and asks no more, while the ISR stays {b2} until something else changes the "
            "partition. Since KAFKA-14154 a controller that is asked about a version newer than its own answers "
            "NOT_CONTROLLER, and the leader asks again."
        ),
        lesson=(
            "A confirmation of what was never done stops the one who asks: it believes that nothing is left to ask "
            "for. Safety is not all that a stale answer breaks."
        ),
    ),
    KnownBug(
        id="S33f",
        title="With ZooKeeper: the answer to an ISR change is lost, and asking again is refused for ever",
        tickets=("KAFKA-14144",),
        versions="none; corrected before 3.3 was released",
        without_rule="zookeeper-version-first",
        with_rule="zookeeper-alter-isr",
        properties=("proposal_is_answered", "follower_joins_isr"),
        lesson=(
            "Asking again must be harmless. A request whose effect is there already is answered with success, whatever "
            "version it names."
        ),
    ),
    KnownBug(
        id="KAFKA-12686",
        title="With ZooKeeper: a late answer takes the leader's next request out of its queue, which nobody answers",
        tickets=("KAFKA-12686",),
        versions="2.7 to 2.8",
        without_rule="zookeeper-emptied-place",
        with_rule="zookeeper-late-answers",
        properties=("proposal_is_answered", "follower_joins_isr"),
        bounds={"brokers": 2},
        story=(
            "A leader has asked for another ISR and takes office again before it is answered. That empties the "
            "partition's place in its queue of requests (clearPending), and the next request takes the place, while "
            "the first is still under way. The answer to the first is ignored, for it is of an older leader epoch, but "
            "it removes what stands in the place. The next request is never sent, and the leader waits for its answer "
            "until there is another leader epoch."
        ),
        lesson=(
            "An answer must remove the request that it belongs to, and no other. A place that is emptied early is "
            "taken by somebody else."
        ),
    ),
    KnownBug(
        id="KAFKA-12751",
        title="With ZooKeeper: a leader that asks for the ISR that there is takes no answer, and the ISR never changes",
        tickets=("KAFKA-12751",),
        versions="2.7 to 2.7.1 and 2.8.0",
        without_rule="zookeeper-unchanged-version",
        with_rule="zookeeper-asked-twice",
        properties=("proposal_is_answered",),
        bounds={"brokers": 2},
        lesson=(
            "Success without a change is success. Who waits until something is newer waits for ever where nothing had "
            "to change."
        ),
    ),
    KnownBug(
        id="S19 ZooKeeper",
        title="With ZooKeeper: a broker is back before the controller looks, and old requests reach it",
        tickets=("KIP-380", "KAFKA-7235"),
        versions="before 2.2",
        without_rule="zookeeper-no-broker-epochs",
        with_rule="zookeeper-lost-disk",
        properties=("leader_completeness",),
        lesson=LESSONS["S19"],
    ),
    KnownBug(
        id="",
        title="A former controller elects a leader behind the back of the controller",
        tickets=("KAFKA-6082",),
        versions="0.8 to 2.0",
        without_rule="zookeeper-unfenced-controller",
        properties=("controller_knows_the_leader", "zombies_elect_nobody"),
        lesson=(
            "A controller that was replaced does not know it. Each of its writes must carry its epoch, and be refused "
            "where a newer one has written."
        ),
    ),
    KnownBug(
        id="",
        title="A former controller confirms an ISR that is not so any more, and a committed record is lost",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        properties=("leader_completeness",),
        bounds={"stops": 0, "max_version": 4},
        lesson=LESSONS["S14"],
    ),
    KnownBug(
        id="",
        title="A broker loses its log and is back between two controllers: "
        "the second never knew the incarnation before",
        tickets=("KIP-380; no ticket known",),
        versions="0.8 to 3.9 (ZooKeeper mode)",
        without_rule="zookeeper-lost-disk",
        properties=("leader_completeness",),
        bounds={"controllers": 2},
        lesson=(
            "Incarnations must be compared with what is written, not with what one controller remembers: the next "
            "controller never knew the one before."
        ),
    ),
)
