package epochal.lockstep;

import java.lang.reflect.Method;
import kafka.server.FailedPartitions;
import kafka.server.LocalLeaderEndPoint;
import kafka.server.ReplicaAlterLogDirsManager;
import kafka.server.ReplicaAlterLogDirsThread;
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
        thread = new CopyingThread(current, failedPartitions());
        return thread;
    }

    /** One round of the thread: it copies, asks the controller for the assignment, or puts the future log in its place. */
    String round() {
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
