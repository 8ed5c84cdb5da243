package epochal.lockstep;

import kafka.log.UnifiedLog;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import scala.Option;

/**
 * The log of a leader for one answer: it stands still when the high watermark was read, and gives its place back. What
 * else is read for the answer is read of the log itself. Or for one load: something is done whenever its end is asked for. Up to 4.0 it is Scala's.
 */
final class GatedLog extends UnifiedLog {
    private UnifiedLog log;
    private Runnable whenRead;
    private Runnable whenEndIsRead;

    /** Never run: a second log on the same files must not be opened. */
    private GatedLog() {
        super(0, null, null, 0, null, null, null, false, false, null);
    }

    /** In place of this log; `whenRead` is run once, when the high watermark was read. */
    static GatedLog of(Object log, Runnable whenRead) throws Exception {
        GatedLog made = Wiring.allocated(GatedLog.class);
        made.log = (UnifiedLog) log;
        made.whenRead = whenRead;
        made.whenEndIsRead = () -> {};
        return made;
    }

    /** In place of this log; `whenEndIsRead` is run each time that its end is asked for. */
    static GatedLog ofEnd(Object log, Runnable whenEndIsRead) throws Exception {
        GatedLog made = of(log, () -> {});
        made.whenEndIsRead = whenEndIsRead;
        return made;
    }

    @Override
    public long highWatermark() {
        long read = log.highWatermark();
        whenRead.run();
        return read;
    }

    @Override
    public long logStartOffset() {
        return log.logStartOffset();
    }

    @Override
    public long logEndOffset() {
        whenEndIsRead.run();
        return log.logEndOffset();
    }

    @Override
    public long lastStableOffset() {
        return log.lastStableOffset();
    }

    @Override
    public Option<Object> latestEpoch() {
        return log.latestEpoch();
    }

    @Override
    public Option<OffsetAndEpoch> endOffsetForEpoch(int epoch) {
        return log.endOffsetForEpoch(epoch);
    }

    @Override
    public FetchDataInfo read(long start, int most, FetchIsolation isolation, boolean atLeastOne) {
        return log.read(start, most, isolation, atLeastOne);
    }
}
