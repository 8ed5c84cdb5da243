package epochal.lockstep;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kafka.server.ConfigHandler;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import kafka.server.TopicConfigHandler;
import kafka.server.metadata.BrokerMetadataPublisher;
import kafka.server.metadata.DynamicConfigPublisher;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.config.ConfigType;
import org.apache.kafka.server.fault.FaultHandler;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Who acts on a new image of the metadata: Kafka's own BrokerMetadataPublisher, with what starts logs and replicas, in
 * its order. What it tells besides (coordinators, users,
 * quotas, authorizers) is idle here, because nothing of it is about replication.
 */
final class Publishing {
    private static final String NOT_HERE = "Error starting TransactionCoordinator";

    private final BrokerMetadataPublisher publisher;

    /** `more` are parts that only some clusters have. */
    Publishing(
            KafkaConfig config, Object cache, Object logs, ReplicaManager replicas, Object quotas, List<Object> more)
            throws Exception {
        FaultHandler faults = Publishing::fault;
        ConfigHandler ofTopics =
                (ConfigHandler) Wiring.construct(TopicConfigHandler.class, replicas, config, quotas, Option.empty());
        Object topics = ConfigType.class.getField("TOPIC").get(null); // a name up to 4.1
        Object handlers =
                scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(Map.of(topics, ofTopics)));
        Object settings = Wiring.construct(DynamicConfigPublisher.class, config, faults, handlers, "broker");
        List<Object> parts =
                new ArrayList<>(List.of(config, cache, logs, replicas, settings, faults, faults, Option.empty()));
        parts.addAll(more);
        for (Class<?> part :
                Wiring.widestConstructor(BrokerMetadataPublisher.class).getParameterTypes()) {
            if (part.getSimpleName().endsWith("Publisher") && part != DynamicConfigPublisher.class) {
                parts.add(withIdleParts(
                        part,
                        List.of(config, config.nodeId(), faults, "broker", quotas, Option.empty(), Optional.empty())));
            }
        }
        publisher = (BrokerMetadataPublisher) withIdleParts(BrokerMetadataPublisher.class, parts);
    }

    private static Object withIdleParts(Class<?> kind, List<Object> given) throws Exception {
        List<Object> parts = new ArrayList<>(given);
        for (Class<?> part : Wiring.widestConstructor(kind).getParameterTypes()) {
            if (part.getSimpleName().equals("ClientQuotaMetadataManager")) { // up to 4.1
                parts.add(Wiring.constructPartly(part, given.toArray()));
            } else if (part.isInterface() && given.stream().noneMatch(part::isInstance)) {
                parts.add(Proxy.newProxyInstance(
                        Publishing.class.getClassLoader(), new Class<?>[] {part}, (proxy, method, arguments) -> null));
            }
        }
        return Wiring.constructPartly(kind, parts.toArray());
    }

    void publish(MetadataDelta delta, MetadataImage image) {
        publisher.onMetadataUpdate(delta, image, null);
    }

    /** What goes wrong in Kafka ends the step, unless it is the start of a coordinator that is not there. */
    private static RuntimeException fault(String message, Throwable cause) {
        if (NOT_HERE.equals(message)) {
            return new IllegalStateException(message, cause);
        }
        throw new IllegalStateException(message + ": " + cause, cause);
    }
}
