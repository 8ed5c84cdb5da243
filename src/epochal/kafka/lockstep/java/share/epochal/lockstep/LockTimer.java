package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

/** The timer of acquisition locks. No time goes on: that a lock expires is a step. */
final class LockTimer implements Timer {
    private final List<TimerTask> tasks = new ArrayList<>();

    @Override
    public void add(TimerTask task) {
        new TimerTaskEntry(task, task.delayMs);
        tasks.add(task);
    }

    @Override
    public boolean advanceClock(long milliseconds) {
        throw new UnsupportedOperationException("no time goes on here");
    }

    @Override
    public int size() {
        return tasks.size();
    }

    @Override
    public void close() {}

    /** The lock of the record at an offset, which was acquired alone, expires. False if there is none. */
    boolean expire(long offset) throws Exception {
        tasks.removeIf(TimerTask::isCancelled);
        for (TimerTask task : List.copyOf(tasks)) {
            if (Wiring.getPrivate(task, task.getClass(), "firstOffset").equals(offset)) {
                tasks.remove(task);
                task.run();
                return true;
            }
        }
        return false;
    }
}
