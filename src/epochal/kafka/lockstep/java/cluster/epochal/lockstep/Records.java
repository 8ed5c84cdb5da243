package epochal.lockstep;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.server.storage.log.FetchIsolation;

/** The records of a log, as it is read from disk. */
final class Records {
    private static final int MAX_BYTES = 1 << 20;

    private Records() {}

    /** Value and leader epoch of each record: `[0,4]`. What a control record is called is told by its timestamp. */
    static List<String> of(Object log, LongFunction<String> markers) throws Exception {
        List<String> found = new ArrayList<>();
        long start = (Long) Wiring.call(log, "logStartOffset");
        if ((Long) Wiring.call(log, "logEndOffset") > start) {
            Object read = Wiring.call(log, "read", start, MAX_BYTES, FetchIsolation.LOG_END, true);
            Object records = read.getClass().getField("records").get(read);
            found.addAll(in(records, markers));
        }
        return found;
    }

    /** The same of records that were read already. */
    static List<String> in(Object records, LongFunction<String> markers) throws Exception {
        List<String> found = new ArrayList<>();
        for (Object batch : (Iterable<?>) Wiring.call(records, "batches")) {
            for (Object record : (Iterable<?>) batch) {
                Record one = (Record) record;
                boolean isMarker = ((RecordBatch) batch).isControlBatch();
                String decision = isMarker ? null : Decisions.named(one);
                String value = isMarker ? markers.apply(one.timestamp()) : decision == null ? text(one.value()) : decision;
                found.add("[" + value + "," + ((RecordBatch) batch).partitionLeaderEpoch() + "]");
            }
        }
        return found;
    }

    private static String text(ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
