package epochal.lockstep;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogKey;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;

/**
 * Records of {@code __transaction_state}: the decisions about one transaction, which has written to two partitions. The
 * producer id of each is the number by which the specification calls the record.
 */
final class Decisions {
    private static final short VERSION = 0;
    private static final byte EMPTY = 0;
    private static final byte PREPARE_COMMIT = 2;
    private static final byte PREPARE_ABORT = 3;
    private static final int TIMEOUT_MS = 60_000;
    private static final ByteBuffer KEY = ByteBuffer.wrap(MessageUtil.toVersionPrefixedBytes(
            VERSION, new TransactionLogKey().setTransactionalId("transactional")));

    private Decisions() {}

    static MemoryRecords of(TransactionResult decision, String value, long now) {
        TransactionLogValue written = new TransactionLogValue()
                .setProducerId(Long.parseLong(value))
                .setProducerEpoch((short) 0)
                .setTransactionTimeoutMs(TIMEOUT_MS)
                .setTransactionStatus(decision == TransactionResult.COMMIT ? PREPARE_COMMIT : PREPARE_ABORT)
                .setTransactionPartitions(List.of(new TransactionLogValue.PartitionsSchema()
                        .setTopic("d")
                        .setPartitionIds(List.of(0, 1))))
                .setTransactionLastUpdateTimestampMs(now)
                .setTransactionStartTimestampMs(now);
        return records(written, now);
    }

    /** A producer id and its last epoch, and no transaction. */
    static MemoryRecords begun(long producerId, short epoch, long now) {
        return records(
                new TransactionLogValue()
                        .setProducerId(producerId)
                        .setProducerEpoch(epoch)
                        .setTransactionTimeoutMs(TIMEOUT_MS)
                        .setTransactionStatus(EMPTY)
                        .setTransactionPartitions(null)
                        .setTransactionLastUpdateTimestampMs(now),
                now);
    }

    private static MemoryRecords records(TransactionLogValue written, long now) {
        byte[] bytes = MessageUtil.toVersionPrefixedBytes(VERSION, written);
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(now, KEY.array(), bytes));
    }

    /** How the specification calls a record; null if it is no decision. */
    static String named(Record record) {
        if (!record.hasKey() || !record.key().equals(KEY)) {
            return null;
        }
        ByteBuffer value = record.value().duplicate();
        short version = value.getShort();
        return Long.toString(new TransactionLogValue(new ByteBufferAccessor(value), version).producerId());
    }
}
