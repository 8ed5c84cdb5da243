package epochal.lockstep;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager;

/** The way to the coordinator: it is asked at once, and knows whether the transaction is going on. */
final class Verification extends AddPartitionsToTxnManager {
    private final BooleanSupplier ongoing;

    Verification(KafkaConfig config, Object cache, Time clock, BooleanSupplier ongoing) {
        super(config, (NetworkClient) null, (MetadataCache) cache, (Function<String, Integer>) id -> 0, clock);
        this.ongoing = ongoing;
    }

    /** What a produce request supports: with transactions of version 2 that partitions are added by it. */
    static Object operation(boolean epochs) {
        return epochs
                ? TransactionSupportedOperation.ADD_PARTITION
                : TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED;
    }

    @Override
    public void addOrVerifyTransaction(
            String id,
            long producer,
            short epoch,
            Collection<TopicPartition> partitions,
            AppendCallback callback,
            TransactionSupportedOperation operation) {
        Map<TopicPartition, Errors> refused = new HashMap<>();
        if (!ongoing.getAsBoolean()) {
            partitions.forEach(one -> refused.put(one, Errors.INVALID_TXN_STATE));
        }
        callback.complete(refused);
    }

    /** Nothing runs by itself: the publisher of metadata would start its thread. */
    @Override
    public void start() {}

    /** No thread was started, and nothing is connected. */
    @Override
    public void shutdown() {}
}
