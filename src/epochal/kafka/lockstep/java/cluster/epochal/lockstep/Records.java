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
        boolean isTiered = (Boolean) Wiring.call(log, "remoteLogEnabled");
        long start = (Long) Wiring.call(log, isTiered ? "localLogStartOffset" : "logStartOffset");
        long end = (Long) Wiring.call(log, "logEndOffset");
        while (start < end) { // what is read is of one segment
            Object read = Wiring.call(log, "read", start, MAX_BYTES, FetchIsolation.LOG_END, true);
            Object records = read.getClass().getField("records").get(read);
            found.addAll(in(records, markers));
            start = end(records, start);
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

    /** The offset behind records, some of which begin at an offset. */
    private static long end(Object records, long start) throws Exception {
        long end = start;
        for (Object batch : (Iterable<?>) Wiring.call(records, "batches")) {
            end = ((RecordBatch) batch).nextOffset();
        }
        if (end == start) {
            throw new IllegalStateException("a log that goes on behind offset " + start + " has no record there");
        }
        return end;
    }

    private static String text(ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
