package epochal.lockstep;

import java.lang.reflect.Field;
import org.apache.kafka.server.quota.QuotaFactory;

/** Quotas, which are not in force here. */
final class Quotas {
    private static final Object UNBOUNDED = findUnbounded();

    private Quotas() {}

    static Object unbounded() {
        return UNBOUNDED;
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
