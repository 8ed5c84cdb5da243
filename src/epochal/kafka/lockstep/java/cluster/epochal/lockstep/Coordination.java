package epochal.lockstep;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.function.LongSupplier;
import kafka.coordinator.transaction.TransactionCoordinator;
import kafka.coordinator.transaction.TransactionStateManager;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.transaction.ProducerIdManager;
import org.apache.kafka.coordinator.transaction.TransactionConfig;
import org.apache.kafka.server.util.Scheduler;
import scala.Function0;
import scala.util.Success;

/**
 * The transaction coordinator of a broker: Kafka's own, and its TransactionStateManager, which reads the partition when
 * the broker takes office. They hear of that from Kafka's BrokerMetadataPublisher.
 */
final class Coordination {
    /** What is to be done soon or a little later, or again and again: each is done once when somebody says so. */
    private static final class Tasks implements Scheduler {
        private List<Runnable> due = new ArrayList<>();
        private final Map<String, Runnable> periodic = new HashMap<>();

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
            } else {
                periodic.put(name, task);
            }
            return null;
        }

        void runOnce(String name) {
            Runnable task = periodic.get(name);
            if (task == null) {
                throw new IllegalStateException("Kafka does nothing periodically that is called " + name);
            }
            task.run();
        }

        void runEachOnce() {
            List<Runnable> now = due;
            due = new ArrayList<>();
            now.forEach(Runnable::run);
        }
    }

    private static final String ABORTS = "transaction-abort";

    private final Tasks tasks = new Tasks();
    private final RecordedMarkers markers;
    private final Object states;
    private final TransactionCoordinator coordinator;
    private final HeldOffice office;

    /** With `ids` producers are given some, loads are steps of their own, and so is a resignation. */
    Coordination(
            KafkaConfig config,
            ReplicaManager replicas,
            Object cache,
            Time clock,
            Metrics metrics,
            LongSupplier ids)
            throws Exception {
        Object usual = Wiring.construct(TransactionConfig.class);
        Object settings = ids == null ? usual : readingOneBatch(usual);
        states = Wiring.construct(
                TransactionStateManager.class, config.nodeId(), tasks, replicas, cache, settings, clock, metrics);
        markers = Wiring.allocated(RecordedMarkers.class);
        Object generator = ids == null ? null : generator(ids);
        Function0<Object> generators = () -> generator;
        coordinator = (TransactionCoordinator) Wiring.constructPartly(
                TransactionCoordinator.class, settings, tasks, generators, states, markers, clock, new LogContext());
        office = ids == null ? null : HeldOffice.of(coordinator);
    }

    /** The same settings with the smallest `transaction.state.log.load.buffer.size`: each read brings one batch. */
    private static Object readingOneBatch(Object settings) throws Exception {
        List<Object> values = new ArrayList<>();
        for (Field field : settings.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                boolean buffer = field.getName().equals("transactionLogLoadBufferSize");
                field.setAccessible(true);
                values.add(buffer ? (Object) 1 : field.get(settings));
            }
        }
        return Wiring.constructPartly(settings.getClass(), values.toArray());
    }

    private static Object generator(LongSupplier ids) {
        return Proxy.newProxyInstance(
                Coordination.class.getClassLoader(), new Class<?>[] {ProducerIdManager.class}, (proxy, method, none) ->
                        method.getReturnType() == long.class ? (Object) ids.getAsLong() : new Success<>(ids.getAsLong()));
    }

    TransactionCoordinator kafka() {
        return coordinator;
    }

    /** Who hears of elections and resignations. */
    TransactionCoordinator heard() {
        return office == null ? coordinator : office;
    }

    /** As far as its loads and resignations are steps; null if they are not. */
    HeldOffice office() {
        return office;
    }

    /** Its TransactionStateManager. */
    Object states() {
        return states;
    }

    RecordedMarkers markers() {
        return markers;
    }

    /** Have the coordinator read its partition, if it has taken office. */
    void load() {
        tasks.runEachOnce();
    }

    /** Have the coordinator look for transactions that have taken too long, and abort them. */
    void abortWhatTookTooLong() {
        tasks.runOnce(ABORTS);
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
