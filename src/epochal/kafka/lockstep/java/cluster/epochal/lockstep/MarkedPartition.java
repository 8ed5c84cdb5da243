package epochal.lockstep;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;

/**
 * The leader of a partition that a transaction has written to, as far as it knows a producer: whether it takes a marker,
 * and what that ends, is decided by Kafka's own ProducerAppendInfo. It has no log, and never fails.
 */
final class MarkedPartition {
    /** A marker was taken, or why not; `ended` are the transactions that it has decided, by their numbers. */
    record Answer(String error, Set<Integer> ended) {}

    private final TopicPartition partition;
    private final long producerId;
    private final Set<Integer> open = new TreeSet<>();
    private ProducerStateEntry entry;
    private long end;
    private short written = -1;
    private int sequence;

    MarkedPartition(TopicPartition partition, long producerId) throws Exception {
        this.partition = partition;
        this.producerId = producerId;
        entry = (ProducerStateEntry) ofEntry("empty", long.class).invoke(null, producerId);
    }

    /** A method of the entry that is public up to 4.3 only. */
    private static Method ofEntry(String name, Class<?> parameter) throws Exception {
        Method found = ProducerStateEntry.class.getDeclaredMethod(name, parameter);
        found.setAccessible(true);
        return found;
    }

    private ProducerAppendInfo append(AppendOrigin origin) throws Exception {
        return (ProducerAppendInfo) Wiring.constructPartly(
                ProducerAppendInfo.class, partition, producerId, entry, origin);
    }

    /** A record of a transaction, by its number, with the next sequence number of the producer epoch. */
    String write(short epoch, int transaction) throws Exception {
        sequence = written == epoch ? sequence : 0;
        written = epoch;
        ProducerAppendInfo appended = append(AppendOrigin.CLIENT);
        try {
            appended.appendDataBatch(epoch, sequence, sequence, end, new LogOffsetMetadata(end), end, true);
        } catch (ApiException refused) {
            return Errors.forException(refused).name();
        }
        taken(appended);
        sequence++;
        open.add(transaction);
        return "NONE";
    }

    Answer mark(TransactionResult result, short epoch, int coordinatorEpoch, short version) throws Exception {
        ControlRecordType kind = ControlRecordType.valueOf(result.name());
        ProducerAppendInfo appended = append(AppendOrigin.COORDINATOR);
        Optional<?> completed;
        try {
            completed = (Optional<?>) Wiring.call(
                    appended,
                    "appendEndTxnMarker",
                    new EndTransactionMarker(kind, coordinatorEpoch),
                    epoch,
                    end,
                    end,
                    version);
        } catch (ApiException refused) {
            return new Answer(Errors.forException(refused).name(), Set.of());
        }
        taken(appended);
        Set<Integer> ended = completed.isPresent() ? Set.copyOf(open) : Set.of();
        open.removeAll(ended);
        return new Answer("NONE", ended);
    }

    /** As ProducerStateManager.update does it. */
    private void taken(ProducerAppendInfo appended) throws Exception {
        ofEntry("update", ProducerStateEntry.class).invoke(entry, appended.toEntry());
        end++;
    }

    /** What it knows of the producer, as JSON: epoch, epoch of the last marker's coordinator, what is open. */
    String told() {
        if (entry.currentTxnFirstOffset().isPresent() == open.isEmpty()) {
            throw new IllegalStateException("open is " + open + ", and Kafka has " + entry);
        }
        return "{\"epoch\":" + entry.producerEpoch() + ",\"coordinatorEpoch\":" + entry.coordinatorEpoch()
                + ",\"open\":" + open + "}";
    }
}
