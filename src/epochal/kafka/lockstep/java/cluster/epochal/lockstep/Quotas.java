package epochal.lockstep;

import java.lang.reflect.Field;

/** Quotas, which are not in force here. */
final class Quotas {
    static final Class<?> FACTORY = Wiring.anyOf("org.apache.kafka.server.quota.QuotaFactory", "kafka.server.QuotaFactory");
    private static final Object UNBOUNDED = findUnbounded();

    private Quotas() {
    }

    static Object unbounded() {
        return UNBOUNDED;
    }

    private static Object findUnbounded() {
        try {
            for (Field field : FACTORY.getFields()) {
                if (field.getName().equals("UNBOUNDED_QUOTA")) {
                    return field.get(null);
                }
            }
            return Class.forName("kafka.server.QuotaFactory$UnboundedQuota$").getField("MODULE$").get(null);
        } catch (ReflectiveOperationException unknown) {
            throw new IllegalStateException("this Kafka has no unbounded quota", unknown);
        }
    }
}
