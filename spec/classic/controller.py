"""What the controller may do: elect any in-sync replica, and drop any replica from the ISR, at any time."""

from __future__ import annotations

from ..language import Set, action, require
from .state import ClassicState, Replica


class Controller(ClassicState):
    """The two steps of the controller. They stand for crashes, lost sessions and preferred elections alike."""

    @action(by="controller", to="replica", sends="LeaderAndIsr", says="The controller elects {replica}")
    def elect_leader(self, replica: Replica) -> None:
        """Clean election, the default since KIP-106: the controller makes a member of the ISR leader.

        The leader epoch grows. It announces the result in a LeaderAndIsr request, which each replica acts on in its own
        time.
        """
        require(replica in self.quorum.isr)
        require(self.quorum.leader != replica)
        self.send(replica, self.quorum.isr)

    @action(by="controller", to="replica", sends="LeaderAndIsr", says="The controller drops {replica} from the ISR")
    def controller_shrinks_isr(self, replica: Replica) -> None:
        """KafkaController.onBrokerFailure: when a broker's session is lost the controller takes it out of the ISR.

        A leader that goes leaves the partition without one; the last member of the ISR stays in it.
        """
        if self.quorum.leader == replica and self.quorum.isr == Set({replica}):
            self.send(None, self.quorum.isr)
        elif self.quorum.leader == replica:
            self.send(None, self.quorum.isr - {replica})
        else:
            require(replica in self.quorum.isr)
            self.send(self.quorum.leader, self.quorum.isr - {replica})
