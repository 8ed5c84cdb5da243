package epochal.lockstep;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.server.quota.QuotaFactory;

/** Quotas, which are not in force here. Their threads live as long as the JVM, so that every process has the same ones. */
final class Quotas {
    private static final Object UNBOUNDED = findUnbounded();
    private static final Map<Integer, Object> OF_BROKERS = new HashMap<>();

    private Quotas() {}

    static Object unbounded() {
        return UNBOUNDED;
    }

    /** The quota managers of a broker, whichever process of it asks, and in whichever cluster. */
    static Object of(int broker, KafkaConfig config) throws Exception {
        Object known = OF_BROKERS.get(broker);
        if (known == null) {
            known = Wiring.callStatic(
                    QuotaFactory.class,
                    "instantiate",
                    config,
                    new Metrics(),
                    new ManualClock(),
                    "broker-" + broker,
                    "broker");
            OF_BROKERS.put(broker, known);
        }
        return known;
    }

    private static Object findUnbounded() {
        try {
            for (Field field : QuotaFactory.class.getFields()) {
                if (field.getName().equals("UNBOUNDED_QUOTA")) {
                    return field.get(null);
                }
            }
            return Class.forName("kafka.server.QuotaFactory$UnboundedQuota$")
                    .getField("MODULE$")
                    .get(null);
        } catch (ReflectiveOperationException unknown) {
            throw new IllegalStateException("this Kafka has no unbounded quota", unknown);
        }
    }
}
