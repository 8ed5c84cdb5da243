package epochal.lockstep;

import kafka.coordinator.transaction.TransactionCoordinator;
import scala.Function0;
import scala.Option;

/**
 * Kafka's coordinator, as whoever publishes metadata sees it. That a broker resigns is told to it a step later than
 * the change itself, by which its ReplicaManager leads no longer: in Kafka the changes of all other partitions lie
 * between the two.
 */
final class HeldOffice extends TransactionCoordinator {
    private TransactionCoordinator kafka;
    private Runnable resigns;
    private int elected;

    /** Never run. */
    private HeldOffice() {
        super(null, null, null, null, null, null, null);
    }

    static HeldOffice of(TransactionCoordinator kafka) throws Exception {
        HeldOffice made = Wiring.allocated(HeldOffice.class);
        made.kafka = kafka;
        return made;
    }

    @Override
    public void startup(Function0<Object> partitions, boolean expires) {
        kafka.startup(partitions, expires);
    }

    @Override
    public void onElection(int partition, int coordinatorEpoch) {
        resign();
        elected = coordinatorEpoch;
        kafka.onElection(partition, coordinatorEpoch);
    }

    @Override
    public void onResignation(int partition, Option<Object> coordinatorEpoch) {
        resigns = () -> kafka.onResignation(partition, coordinatorEpoch);
    }

    /** The coordinator epoch for which it was elected last. */
    int elected() {
        return elected;
    }

    /** What Kafka does after the changes of all partitions; whether there was anything to do. */
    boolean resign() {
        Runnable next = resigns;
        resigns = null;
        if (next != null) {
            next.run();
        }
        return next != null;
    }
}
