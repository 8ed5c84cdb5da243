package epochal.lockstep;

import kafka.coordinator.transaction.TransactionMarkerChannelManager;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;

/**
 * What a coordinator hands its markers to. Nothing is sent: which partition a marker reaches is a step of its own. No
 * thread is started, and no constructor is run ({@code Wiring.allocated}).
 */
final class RecordedMarkers extends TransactionMarkerChannelManager {
    /** What was handed over last: the markers of a transaction, and what is written when all are acknowledged. */
    record Handed(
            int coordinatorEpoch, TransactionResult result, TransactionMetadata now, TxnTransitMetadata complete) {}

    private TransactionResult given;
    private Handed handed;

    RecordedMarkers() {
        super(null, null, null, null, null);
    }

    /** What the coordinator has decided to carry out in its present term; null as long as that is nothing. */
    TransactionResult given() {
        return given;
    }

    void give(TransactionResult result) {
        given = result;
    }

    /** The same with whom it is about; null if nothing is under way. */
    Handed handed() {
        return handed;
    }

    /** All markers are acknowledged, or a partition has refused one for good. */
    void isOver() {
        given = null;
        handed = null;
    }

    @Override
    public void start() {}

    @Override
    public void addTxnMarkersToSend(
            int coordinatorEpoch, TransactionResult result, TransactionMetadata now, TxnTransitMetadata complete) {
        give(result);
        handed = new Handed(coordinatorEpoch, result, now, complete);
    }

    @Override
    public void removeMarkersForTxnTopicPartition(int partition) {
        isOver();
    }
}
