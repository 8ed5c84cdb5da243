package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import kafka.coordinator.transaction.TransactionCoordinator;
import kafka.coordinator.transaction.TransactionStateManager;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.transaction.TransactionConfig;
import org.apache.kafka.server.util.Scheduler;
import scala.Function0;

/**
 * The transaction coordinator of a broker: Kafka's own, and its TransactionStateManager, which reads the partition when
 * the broker takes office. They hear of that from Kafka's BrokerMetadataPublisher.
 */
final class Coordination {
    /** What is to be done soon or a little later: each is done once when somebody says so. Periodic work is left out. */
    private static final class Tasks implements Scheduler {
        private List<Runnable> due = new ArrayList<>();

        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public void resizeThreadPool(int size) {}

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            if (periodMs < 0) {
                due.add(task);
            }
            return null;
        }

        void runEachOnce() {
            List<Runnable> now = due;
            due = new ArrayList<>();
            now.forEach(Runnable::run);
        }
    }

    private final Tasks tasks = new Tasks();
    private final RecordedMarkers markers;
    private final TransactionCoordinator coordinator;

    Coordination(KafkaConfig config, ReplicaManager replicas, Object cache, Time clock, Metrics metrics)
            throws Exception {
        Object settings = Wiring.construct(TransactionConfig.class);
        Object states = Wiring.construct(
                TransactionStateManager.class, config.nodeId(), tasks, replicas, cache, settings, clock, metrics);
        markers = Wiring.allocated(RecordedMarkers.class);
        Function0<Object> noIds = () -> null;
        coordinator = (TransactionCoordinator) Wiring.constructPartly(
                TransactionCoordinator.class, settings, tasks, noIds, states, markers, clock, new LogContext());
    }

    TransactionCoordinator kafka() {
        return coordinator;
    }

    /** Have the coordinator read its partition, if it has taken office. */
    void load() {
        tasks.runEachOnce();
    }

    /** What it carries out: COMMIT or ABORT; null if nothing. */
    TransactionResult carriesOut() {
        return markers.given();
    }

    /** A decision that this coordinator has appended is replicated, so that it is carried out. */
    void isReplicated(TransactionResult decision) {
        markers.give(decision);
    }
}
