package epochal.lockstep;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;

/**
 * A transactional producer and its coordinator: what they send to leaders, under the transaction version that the
 * release ships. What a leader asks the coordinator, and what it makes of requests, is Kafka's own.
 *
 * Batches are numbered so that the leader takes the next one: what was lost before was sent again, for all it knows.
 */
final class Transactions implements Commands {
    private static final long PRODUCER = 2000L;
    private static final String ID = "transactional";
    private static final short ACKS_ALL = -1;
    private static final int COORDINATOR_EPOCH = 0;

    private final Running running;
    private final Producers producers;
    private final boolean epochs = TransactionVersions.latest() >= 2;
    /** What each marker is called, by its timestamp. */
    private final Map<Long, String> markers = new HashMap<>();

    Transactions(Running running, Producers producers) {
        this.running = running;
        this.producers = producers;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("transact", this::transact, "marker", this::marker);
    }

    /** How a marker is called that was written with a timestamp. */
    String named(long timestamp) {
        return markers.get(timestamp);
    }

    /** {@code transact:LEADER:VALUE:TRANSACTION:ONGOING}: a batch of one record; whether the coordinator knows of it. */
    private String transact(String[] words) throws Exception {
        BrokerProcess leader = running.named(words[1]);
        short epoch = (short) (epochs ? Integer.parseInt(words[3]) : 0);
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
                Compression.NONE, PRODUCER, epoch, next(leader, epoch), leader.record(words[2]));
        boolean ongoing = words[4].equals("1");
        return leader.appendInTransaction(records, ACKS_ALL, ID, epochs, ongoing, () -> producers
                .heard(leader)
                .accept(words[2]));
    }

    private static int next(BrokerProcess leader, short epoch) throws Exception {
        ProducerStateEntry known = state(leader).lastEntry(PRODUCER).orElse(null);
        int next = 0;
        if (known != null && known.producerEpoch() == epoch) {
            for (BatchMetadata batch : known.batchMetadata()) {
                next = (Integer) Wiring.part(batch, "lastSeq") + 1;
            }
        }
        return next;
    }

    private static ProducerStateManager state(BrokerProcess process) throws Exception {
        return (ProducerStateManager) Wiring.call(process.partition().localLogOrException(), "producerStateManager");
    }

    /** {@code marker:LEADER:VALUE:TRANSACTION:KIND}: WriteTxnMarkers, as KafkaApis appends it. */
    private String marker(String[] words) throws Exception {
        BrokerProcess leader = running.named(words[1]);
        short epoch = (short) (epochs ? Integer.parseInt(words[3]) + 1 : 0);
        EndTransactionMarker end = new EndTransactionMarker(ControlRecordType.valueOf(words[4]), COORDINATOR_EPOCH);
        long now = leader.clock().milliseconds();
        markers.put(now, words[2]);
        MemoryRecords records = MemoryRecords.withEndTransactionMarker(now, PRODUCER, epoch, end);
        return leader.append(
                records,
                ACKS_ALL,
                AppendOrigin.COORDINATOR,
                () -> producers.heard(leader).accept(words[2]),
                TransactionVersions.latest());
    }

    /** The last stable offset, and the offsets below it that the transaction index has as aborted. */
    @Override
    public void tell(BrokerProcess process, StringJoiner said) throws Exception {
        Object log = process.partition().localLogOrException();
        long stable = (Long) Wiring.call(log, "lastStableOffset");
        Set<Long> aborted = new TreeSet<>();
        for (Object one : Wiring.asJava(Wiring.call(log, "collectAbortedTransactions", 0L, stable))) {
            long marker = (Long) Wiring.call(one, "lastOffset");
            for (long offset = (Long) Wiring.call(one, "firstOffset"); offset < Math.min(marker, stable); offset++) {
                aborted.add(offset);
            }
        }
        said.add("\"lastStableOffset\":" + stable);
        said.add("\"aborted\":" + List.copyOf(aborted));
        said.add("\"ongoing\":"
                + state(process).lastEntry(PRODUCER).stream()
                        .anyMatch(one -> one.currentTxnFirstOffset().isPresent()));
    }
}
