package epochal.lockstep;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.server.storage.log.FetchIsolation;

/** The records of a log, as it is read from disk. */
final class Records {
    private static final int MAX_BYTES = 1 << 20;

    private Records() {}

    /** Value and leader epoch of each record: `[0,4]`. */
    static List<String> of(Object log) throws Exception {
        List<String> found = new ArrayList<>();
        long start = (Long) Wiring.call(log, "logStartOffset");
        if ((Long) Wiring.call(log, "logEndOffset") > start) {
            Object read = Wiring.call(log, "read", start, MAX_BYTES, FetchIsolation.LOG_END, true);
            Object records = read.getClass().getField("records").get(read);
            found.addAll(in(records));
        }
        return found;
    }

    /** The same of records that were read already. */
    static List<String> in(Object records) throws Exception {
        List<String> found = new ArrayList<>();
        for (Object batch : (Iterable<?>) Wiring.call(records, "batches")) {
            for (Object record : (Iterable<?>) batch) {
                ByteBuffer value = ((Record) record).value();
                byte[] bytes = new byte[value.remaining()];
                value.duplicate().get(bytes);
                int epoch = ((RecordBatch) batch).partitionLeaderEpoch();
                found.add("[" + new String(bytes, StandardCharsets.UTF_8) + "," + epoch + "]");
            }
        }
        return found;
    }
}
