"""What is always true of change records, requests and failures: the lemmas that know nothing of logs."""

from __future__ import annotations

from ..language import lemma
from .commit_words import CommitWords
from .state import UNKNOWN, Status


class MetadataLemmas(CommitWords):
    """Who leads, who is in the ISR, what is on its way, and how often something may still go wrong."""

    # -- change records -------------------------------------------------------------------------------------------

    @lemma
    def epochs_along_the_metadata(self) -> bool:
        """Leader epochs never decrease from one change record to the next, and name one leader each."""
        return all(
            self.metadata[later].leader_epoch >= self.metadata[earlier].leader_epoch
            and (
                self.metadata[later].leader_epoch != self.metadata[earlier].leader_epoch
                or self.metadata[later].leader == self.metadata[earlier].leader
            )
            for earlier in self.metadata
            if self.is_kept(earlier)
            for later in self.metadata
            if later < earlier
        )

    @lemma
    def leader_is_in_its_isr(self) -> bool:
        """The controller's leader is in the ISR beside it, and a broker that leads is in the ISR that it acts on."""
        now = self.metadata[0]
        return (now.leader is None or now.leader in now.isr) and all(
            r in self.view(r).isr for r in self.brokers if self.presumes_leadership(r)
        )

    @lemma
    def future_leader_is_in_its_isr(self) -> bool:
        """So is a broker that will lead when it replays a change record."""
        return all(
            r in self.metadata[age].isr for r in self.brokers for age in self.metadata if self.will_lead_at(r, age)
        )

    @lemma
    def only_leaders_remember_followers(self) -> bool:
        """A broker that is down is behind nothing; one that does not lead proposes nothing and knows no follower."""
        return all(
            (self.is_running(r) or self.brokers[r].behind == 0)
            and (
                self.presumes_leadership(r)
                or (
                    len(self.brokers[r].proposed) == 0
                    and self.brokers[r].epoch_start == 0
                    and all(self.brokers[r].followers[f] == UNKNOWN for f in self.brokers)
                )
            )
            for r in self.brokers
        )

    # -- ISR and ELR ----------------------------------------------------------------------------------------------

    @lemma
    def isr_is_active(self) -> bool:
        """No member of the ISR is fenced."""
        return all(self.is_active(r) for r in self.metadata[0].isr)

    @lemma
    def elr_is_beside_the_isr(self) -> bool:
        """ISR and ELR have no replica in common, and the ELR is empty while the ISR is large enough."""
        now = self.metadata[0]
        return now.isr.isdisjoint(self.recovery.elr) and (len(now.isr) < self.min_isr() or len(self.recovery.elr) == 0)

    @lemma
    def somebody_can_be_elected(self) -> bool:
        """ISR and ELR have at least min.insync.replicas members, less one for each that came back from a crash.

        This is the one lemma that counts replicas, and all that ELR is about. As long as fewer crashes have happened
        than min.insync.replicas says, somebody is in ISR or ELR, so that the last known leader, whose log nobody looks
        at, is never elected.
        """
        came_back = self.used.crashes + self.used.lossy_crashes - len(self.down_after_a_crash())
        return len(self.metadata[0].isr | self.recovery.elr) + came_back >= self.min_isr()

    # -- the request ----------------------------------------------------------------------------------------------

    @lemma
    def request_is_of_the_present(self) -> bool:
        """A request on its way comes from the leader of the present epoch, which is in the ISR that it asks for.

        Unless it has started anew since, that broker still waits for the answer. With min.insync.replicas=1 the ISR is
        never empty because of this.
        """
        return self.request.leader is None or (
            self.request.leader == self.metadata[0].leader
            and self.request.leader_epoch == self.metadata[0].leader_epoch
            and self.request.leader in self.request.isr
            and all(
                self.brokers[r].proposed == self.request.isr
                for r in self.brokers
                if self.request.leader == r
                and self.request.broker_epoch == self.registrations[r].broker_epoch
                and self.is_running(r)
            )
        )

    @lemma
    def request_adds_one_at_most(self) -> bool:
        """A request asks for members of the present ISR, and perhaps for the one that it says is to join."""
        return self.request.leader is None or all(
            r in self.metadata[0].isr or self.request.joining == r for r in self.request.isr
        )

    @lemma
    def request_leader_is_up_to_date(self) -> bool:
        """The leader whose request would be accepted has replayed every change record."""
        return all(
            self.brokers[r].behind == 0
            for r in self.brokers
            if self.can_be_accepted() and self.request.leader == r and self.is_running(r)
        )

    @lemma
    def request_names_known_incarnations(self) -> bool:
        """No request names a broker epoch that has not been given yet."""
        return all(
            (self.request.leader != r or self.request.broker_epoch <= self.registrations[r].broker_epoch)
            and (self.request.joining != r or self.request.joining_epoch <= self.registrations[r].broker_epoch)
            for r in self.brokers
        )

    # -- failures -------------------------------------------------------------------------------------------------

    @lemma
    def crashes_are_counted(self) -> bool:
        """No more brokers are down after a crash than crashes were counted, and one that shut down is fenced."""
        return len(self.down_after_a_crash()) <= self.used.crashes + self.used.lossy_crashes and all(
            self.brokers[r].status != Status.SHUT_DOWN or not self.is_active(r) for r in self.brokers
        )

    @lemma
    def lost_data_may_not_be_elected(self) -> bool:
        """A broker that has lost data and not caught up is still down after its crash, or may not be elected."""
        return all(
            r not in self.lost_data
            or self.brokers[r].status == Status.CRASHED
            or (not self.may_be_elected(r) and self.metadata[0].leader != r)
            for r in self.brokers
        )

    @lemma
    def lost_data_will_not_lead(self) -> bool:
        """No change record that such a broker has yet to replay makes it leader."""
        return all(
            r not in self.lost_data or not self.will_lead_at(r, age) for r in self.brokers for age in self.metadata
        )
