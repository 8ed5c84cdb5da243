package epochal.lockstep;

import com.yammer.metrics.core.Meter;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ReplicaNotAvailableException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.log.remote.storage.RemoteLogManager;
import scala.Option;

/**
 * The RemoteLogManager of a broker: Kafka's own, with the tasks that it makes when the broker leads or follows. Its
 * threads do not run them: each run of a task is a command.
 */
final class Tiering {
    /** Takes tasks, and runs none. */
    private static final class NoThreads extends ScheduledThreadPoolExecutor {
        NoThreads() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            return ManualScheduler.DONE;
        }
    }

    private final RemoteLogManager kafka;
    private final TopicIdPartition partition;
    private final Function<TopicPartition, Object> logs;
    private final Object statistics;

    Tiering(
            KafkaConfig config,
            TopicIdPartition partition,
            Function<TopicPartition, Object> logs,
            Object statistics,
            Time clock,
            Metrics metrics)
            throws Throwable {
        this.partition = partition;
        this.logs = logs;
        this.statistics = statistics;
        Function<TopicPartition, Object> log = of -> Optional.ofNullable(logs.apply(of));
        BiConsumer<TopicPartition, Long> starts = (of, offset) -> {
            try {
                Object found = logs.apply(of);
                if (found != null) {
                    Wiring.call(found, "updateLogStartOffsetFromRemoteTier", offset);
                }
            } catch (RuntimeException thrown) {
                throw thrown;
            } catch (Exception thrown) {
                throw new IllegalStateException(thrown);
            }
        };
        Object directories = Wiring.call(config, "logDirs");
        String first = (String) Wiring.asJava(directories).iterator().next();
        kafka = (RemoteLogManager) Wiring.construct(
                RemoteLogManager.class,
                Wiring.call(config, "remoteLogManagerConfig"),
                config.nodeId(),
                first,
                "cluster",
                clock,
                log,
                starts,
                statistics,
                metrics,
                Optional.empty());
        for (String pool : new String[] {"rlmCopyThreadPool", "rlmExpirationThreadPool", "followerThreadPool"}) {
            Object named = Wiring.getPrivate(kafka, RemoteLogManager.class, pool);
            String field = "scheduledThreadPool";
            ((ScheduledThreadPoolExecutor) Wiring.getPrivate(named, named.getClass(), field)).shutdownNow();
            Wiring.setPrivate(named, named.getClass(), field, new NoThreads());
        }
        if (Reflected.has(RemoteLogManager.class, "startup", 0)) { // up to 4.0
            Reflected.call(kafka, "startup");
        }
    }

    /** What a broker with a remote tier is told of it. */
    static void configure(Properties settings, RemoteTier tier) {
        settings.put("remote.log.storage.system.enable", "true");
        settings.put("remote.log.storage.manager.class.name", RemoteTierStore.class.getName());
        settings.put("remote.log.metadata.manager.class.name", RemoteTierMetadata.class.getName());
        settings.put("remote.log.metadata.manager.listener.name", "PLAINTEXT");
        settings.put("rsm.config." + RemoteTier.ID, tier.id());
        settings.put("rlmm.config." + RemoteTier.ID, tier.id());
    }

    /** As ReplicaManager takes it. */
    Option<?> kafka() {
        return Option.apply(kafka);
    }

    /**
     * One run of the task of a leader or a follower: "leaderCopy", "leaderExpiration", "follower"; whether it has one.
     *
     * Kafka's {@code run} would log what its {@code execute} throws, and the next run tries again; here nothing may be
     * thrown, but that no further segment is to be uploaded. A copy task counts and logs its errors itself.
     */
    boolean runs(String whose) throws Throwable {
        Map<?, ?> tasks = (Map<?, ?>) Wiring.getPrivate(kafka, RemoteLogManager.class, whose + "RLMTasks");
        Object found = tasks.get(partition);
        if (found == null) {
            return false;
        }
        long failed = failedCopies();
        try {
            Object task = Wiring.getPrivate(found, found.getClass(), "rlmTask");
            Reflected.call(task, "execute", logs.apply(partition.topicPartition()));
        } catch (ReplicaNotAvailableException refused) {
            // RemoteTierMetadata lets a step upload so many segments and no more
        }
        if (failedCopies() != failed) {
            throw new IllegalStateException("the task could not copy a segment: see what Kafka has logged of it");
        }
        return true;
    }

    /** A leader has no copy task any more: TopicConfigHandler.maybeUpdateRemoteLogComponents. */
    void stopsCopying(Object led) throws Throwable {
        Reflected.call(kafka, "stopLeaderCopyRLMTasks", Set.of(led));
    }

    private long failedCopies() throws Throwable {
        Object ofAllTopics = Reflected.call(statistics, "allTopicsStats");
        return ((Meter) Reflected.call(ofAllTopics, "failedRemoteCopyRequestRate")).count();
    }

    void close() throws Exception {
        Wiring.call(kafka, "close");
    }
}
