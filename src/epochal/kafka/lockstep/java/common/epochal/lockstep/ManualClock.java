package epochal.lockstep;

import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** A clock that stands still until it is moved. */
public final class ManualClock implements Time {
    private static final long NANOSECONDS = 1_000_000;

    private volatile long now = 1_000 * NANOSECONDS;

    @Override
    public long milliseconds() {
        return now / NANOSECONDS;
    }

    @Override
    public long nanoseconds() {
        return now;
    }

    /** Moves the clock; nobody waits. */
    @Override
    public void sleep(long milliseconds) {
        now += milliseconds * NANOSECONDS;
    }

    @Override
    public void waitObject(Object of, Supplier<Boolean> condition, long deadline) {
        throw new UnsupportedOperationException("nothing in one thread can be waited for");
    }
}
