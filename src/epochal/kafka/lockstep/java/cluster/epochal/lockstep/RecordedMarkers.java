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
    private TransactionResult given;

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

    @Override
    public void start() {}

    @Override
    public void addTxnMarkersToSend(
            int coordinatorEpoch, TransactionResult result, TransactionMetadata now, TxnTransitMetadata complete) {
        give(result);
    }

    @Override
    public void removeMarkersForTxnTopicPartition(int partition) {
        give(null);
    }
}
