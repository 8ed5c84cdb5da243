package epochal.lockstep;

import org.apache.kafka.server.common.TransactionVersion;

/** The transaction version (KIP-890) that a new cluster of a release has. */
final class TransactionVersions {
    private TransactionVersions() {}

    static short latest() {
        return latest;
    }

    private static final short latest = found();

    /** Up to 3.9 the class has no such constant, and a new cluster has no version: TV_0. */
    private static short found() {
        for (java.lang.reflect.Field field : TransactionVersion.class.getFields()) {
            if (field.getName().equals("LATEST_PRODUCTION")) {
                try {
                    return ((TransactionVersion) field.get(null)).featureLevel();
                } catch (IllegalAccessException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        }
        return 0;
    }
}
