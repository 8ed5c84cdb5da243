package epochal.lockstep;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledFuture;
import org.apache.kafka.server.util.Scheduler;

/**
 * A scheduler without threads. What Kafka wants done soon is done when time goes on. Periodic work is left out, because
 * each part of it that the specification knows is a step of its own (`shrink`, `stop`), and so are files that are
 * deleted after a minute.
 */
public final class ManualScheduler implements Scheduler {
    /** What somebody who waits for a task is given: nobody does. */
    static final ScheduledFuture<?> DONE = (ScheduledFuture<?>) Proxy.newProxyInstance(
            ManualScheduler.class.getClassLoader(), new Class<?>[] {ScheduledFuture.class}, ManualScheduler::nothing);

    private final Deque<Runnable> due = new ArrayDeque<>();

    @Override
    public void startup() {}

    @Override
    public void shutdown() {}

    @Override
    public void resizeThreadPool(int size) {}

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
        if (delayMs <= 0 && periodMs < 0) {
            due.add(task);
        }
        return DONE;
    }

    private static Object nothing(Object proxy, Method method, Object[] arguments) {
        Class<?> returned = method.getReturnType();
        if (returned == boolean.class) {
            return true;
        }
        return returned == long.class ? (Object) 0L : returned == int.class ? (Object) 0 : null;
    }

    /** Do what is due. An exception of a task is one of Kafka, and ends the step. */
    public void runWhatIsDue() {
        while (!due.isEmpty()) {
            due.remove().run();
        }
    }

    /** A process that dies does nothing any more. */
    public void forget() {
        due.clear();
    }
}
