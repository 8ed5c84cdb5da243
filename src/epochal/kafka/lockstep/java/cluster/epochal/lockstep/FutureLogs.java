package epochal.lockstep;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import kafka.server.FailedPartitions;
import kafka.server.LocalLeaderEndPoint;
import kafka.server.ReplicaAlterLogDirsManager;
import kafka.server.ReplicaAlterLogDirsThread;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.common.DirectoryEventHandler;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.server.quota.ReplicationQuotaManager;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** What fills the future log of a replica that moves to another directory: Kafka's thread, never started, run by rounds. */
final class FutureLogs extends ReplicaAlterLogDirsManager {
    private final BrokerProcess process;
    private final ReplicationQuotaManager quota;
    private final BrokerTopicStats statistics;
    private final DirectoryEventHandler assignments;
    private ReplicaAlterLogDirsThread thread;
    private Read read;
    private boolean onlyReads;

    /** What the current log has answered, and to which request; the thread has not gone on with it. */
    private record Read(Map<?, ?> asked, Object answer) {}

    FutureLogs(
            BrokerProcess process,
            ReplicationQuotaManager quota,
            BrokerTopicStats statistics,
            DirectoryEventHandler assignments) {
        super(process.config(), process.replicas(), quota, statistics, assignments);
        this.process = process;
        this.quota = quota;
        this.statistics = statistics;
        this.assignments = assignments;
    }

    @Override
    public ReplicaAlterLogDirsThread createFetcherThread(int id, BrokerEndPoint source) {
        LeaderEndPoint current = new LocalLeaderEndPoint(source, process.config(), process.replicas(), quota);
        thread = new CopyingThread(readingAhead(current), failedPartitions());
        return thread;
    }

    /**
     * The current log as the thread asks it, which may have read the next answer before. An answer to another request is
     * one that Kafka drops, because offset or leader epoch have changed: it asks anew.
     */
    private LeaderEndPoint readingAhead(LeaderEndPoint current) {
        Class<?>[] kind = {LeaderEndPoint.class};
        return (LeaderEndPoint)
                Proxy.newProxyInstance(FutureLogs.class.getClassLoader(), kind, (proxy, method, arguments) -> {
                    try {
                        if (!method.getName().equals("fetch")) {
                            return method.invoke(current, arguments);
                        }
                        Map<?, ?> asked = ((FetchRequest.Builder) arguments[0]).fetchData();
                        Read known = read != null && read.asked().equals(asked)
                                ? read
                                : new Read(asked, method.invoke(current, arguments));
                        read = onlyReads ? known : null;
                        return onlyReads ? nothingLike(known.answer()) : known.answer();
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** The same, if it has read ahead: Kafka drops an answer of another leader epoch. */
    String readAgain() {
        return read == null ? "NONE" : readAhead();
    }

    private static Object nothingLike(Object answer) {
        return answer instanceof Map ? Map.of() : scala.collection.immutable.Map$.MODULE$.empty();
    }

    /** The thread asks the current log, unless it has the answer already, and does not go on with what it is told. */
    String readAhead() {
        onlyReads = true;
        try {
            return goOn();
        } finally {
            onlyReads = false;
        }
    }


    /** One round of the thread: it copies, asks the controller for the assignment, or puts the future log in its place. */
    String round() {
        read = null;
        return goOn();
    }

    /** The same, with the answer that it has read before. */
    String goOn() {
        if (thread == null) {
            return "NO_FUTURE_LOG";
        }
        thread.doWork();
        return "NONE";
    }

    /** What was cut off the current log is cut off the future one: Kafka's thread does so at the begin of its next round. */
    void truncate() throws Throwable {
        if (thread != null) {
            Class<?> of = ReplicaAlterLogDirsThread.class.getSuperclass();
            Method truncate = of.getDeclaredMethod("maybeTruncate");
            truncate.setAccessible(true);
            truncate.invoke(thread);
        }
    }

    private final class CopyingThread extends ReplicaAlterLogDirsThread {
        CopyingThread(LeaderEndPoint current, FailedPartitions failed) {
            super("future-log", current, failed, process.replicas(), quota, statistics, 0, assignments);
        }

        @Override
        public void start() {}
    }
}
