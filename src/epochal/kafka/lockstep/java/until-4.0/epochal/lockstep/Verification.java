package epochal.lockstep;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import kafka.server.AddPartitionsToTxnManager;
import kafka.server.KafkaConfig;
import kafka.server.MetadataCache;
import kafka.server.TransactionSupportedOperation;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import scala.Function1;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** The way to the coordinator: it is asked at once, and knows whether the transaction is going on. */
final class Verification extends AddPartitionsToTxnManager {
    private final BooleanSupplier ongoing;

    Verification(KafkaConfig config, Object cache, Time clock, BooleanSupplier ongoing) {
        super(config, (NetworkClient) null, (MetadataCache) cache, id -> 0, clock);
        this.ongoing = ongoing;
    }

    /** What a produce request supports: with transactions of version 2 that partitions are added by it. */
    static Object operation(boolean epochs) throws ReflectiveOperationException {
        String name = epochs ? "addPartition" : "genericErrorSupported";
        for (String one : new String[] {name, "genericError"}) {
            try {
                return Class.forName("kafka.server." + one + "$")
                        .getField("MODULE$")
                        .get(null);
            } catch (ClassNotFoundException other) {
                continue;
            }
        }
        throw new ClassNotFoundException("kafka.server." + name);
    }

    /** In 4.0. */
    public void addOrVerifyTransaction(
            String id,
            long producer,
            short epoch,
            Seq<TopicPartition> partitions,
            Function1<scala.collection.immutable.Map<TopicPartition, Errors>, BoxedUnit> callback,
            TransactionSupportedOperation operation) {
        answer(partitions, callback);
    }

    /** In 3.9. */
    public void verifyTransaction(
            String id,
            long producer,
            short epoch,
            Seq<TopicPartition> partitions,
            Function1<scala.collection.immutable.Map<TopicPartition, Errors>, BoxedUnit> callback,
            TransactionSupportedOperation operation) {
        answer(partitions, callback);
    }

    private void answer(
            Seq<TopicPartition> partitions,
            Function1<scala.collection.immutable.Map<TopicPartition, Errors>, BoxedUnit> callback) {
        Map<TopicPartition, Errors> refused = new HashMap<>();
        if (!ongoing.getAsBoolean()) {
            CollectionConverters.asJava(partitions).forEach(one -> refused.put(one, Errors.INVALID_TXN_STATE));
        }
        callback.apply(scala.collection.immutable.Map.from(CollectionConverters.asScala(refused)));
    }

    /** Nothing runs by itself: the publisher of metadata would start its thread. */
    @Override
    public void start() {}

    /** No thread was started, and nothing is connected. */
    @Override
    public void shutdown() {}
}
