package epochal.lockstep;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRequestHandler;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.quota.ReplicationQuotaManager;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import scala.Function0;
import scala.Function1;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * One process of a broker, as BrokerServer puts it together: ReplicaManager, LogManager, metadata cache and fetcher
 * threads, on a disk that outlives it. No thread of it does anything by itself.
 */
final class BrokerProcess {
    private static final long PRODUCE_TIMEOUT_MS = 1_000_000_000L;

    private final int id;
    private final Disk disk;
    private final TopicIdPartition topicPartition;
    private final ManualClock clock;
    private final LongSupplier brokerEpoch;
    private final ManualScheduler scheduler = new ManualScheduler();
    private final Metrics metrics = new Metrics();
    private final KafkaConfig config;
    private final Object cache;
    private final Object logs;
    private final ReplicaManager replicas;
    private final Fetchers fetchers;
    private final Assignments assignments = new Assignments();
    private final FutureLogs futureLogs;
    private final boolean shutDownCleanly;
    private final ReplayedMetadata metadata;
    private final Coordination coordination;
    private final Tiering tiering;
    /** Whether the coordinator knows of the transaction that a request is about. */
    private boolean ongoing;

    BrokerProcess(
            int id,
            Disk disk,
            TopicIdPartition topicPartition,
            ManualClock clock,
            Network network,
            Proposals proposals,
            List<List<ApiMessage>> log,
            LongSupplier brokerEpoch,
            Set<String> waits,
            RemoteTier tier,
            LongSupplier producerIds)
            throws Throwable {
        this.id = id;
        this.disk = disk;
        this.topicPartition = topicPartition;
        this.clock = clock;
        this.brokerEpoch = brokerEpoch;
        Properties settings = settings();
        if (tier != null) {
            Tiering.configure(settings, tier);
        }
        config = KafkaConfig.fromProps(settings);
        Supplier<KRaftVersion> version = () -> KRaftVersion.KRAFT_VERSION_1;
        cache = Wiring.construct(KRaftMetadataCache.class, id, version);
        Object statistics = Wiring.construct(BrokerTopicStats.class, true);
        LogDirFailureChannel failures = new LogDirFailureChannel(2);
        logs = Wiring.callStatic(
                LogManager.class,
                "apply",
                config,
                scala.collection.immutable.Nil$.MODULE$,
                Set.of(),
                cache,
                scheduler,
                clock,
                statistics,
                failures,
                true);
        shutDownCleanly = ((OptionalLong) Wiring.call(logs, "readBrokerEpochFromCleanShutdownFiles")).isPresent();
        Object quotas = Quotas.of(id, config);
        Function0<Object> epoch = brokerEpoch::getAsLong;
        tiering = tier == null ? null : new Tiering(config, topicPartition, this::current, statistics, clock, metrics);
        replicas = (ReplicaManager) Wiring.construct(
                ReplicaManager.class,
                config,
                metrics,
                clock,
                scheduler,
                logs,
                tier == null ? Option.empty() : tiering.kafka(),
                quotas,
                cache,
                failures,
                proposals.manager(brokerEpoch),
                statistics,
                epoch,
                assignments.handler());
        KafkaRequestHandler.setBypassThreadCheck(true);
        Verification verification = new Verification(config, cache, clock, () -> ongoing);
        Wiring.setPrivate(replicas, ReplicaManager.class, "addPartitionsToTxnManager", Option.apply(verification));
        fetchers = new Fetchers(this, network, (ReplicationQuotaManager) Wiring.call(quotas, "follower"));
        Wiring.setPrivate(replicas, ReplicaManager.class, "replicaFetcherManager", fetchers);
        futureLogs = new FutureLogs(
                this,
                (ReplicationQuotaManager) Wiring.call(quotas, "alterLogDirs"),
                (BrokerTopicStats) statistics,
                assignments.handler());
        Wiring.setPrivate(replicas, ReplicaManager.class, "replicaAlterLogDirsManager", futureLogs);
        boolean coordinates = topicPartition.topic().equals(Topic.TRANSACTION_STATE_TOPIC_NAME);
        coordination = coordinates ? new Coordination(config, replicas, cache, clock, metrics, producerIds) : null;
        List<Object> coordinator = coordinates ? List.of(coordination.heard()) : List.of();
        Publishing publishing = new Publishing(config, cache, logs, replicas, quotas, coordinator);
        metadata = new ReplayedMetadata(id, topicPartition, log, publishing::publish, waits);
        metadata.replayAll();
    }

    /** A fetch brings one batch at most, as in the specification; what else is set keeps time out of the protocol. */
    private Properties settings() {
        Properties settings = new Properties();
        settings.put("process.roles", "broker");
        settings.put("node.id", String.valueOf(id));
        settings.put("controller.quorum.voters", "1000@localhost:1");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listeners", "PLAINTEXT://localhost:" + (9092 + id));
        settings.put("log.dirs", disk.configured());
        settings.put("log.cleaner.enable", "false");
        settings.put("log.index.size.max.bytes", "4096"); // each file has that size at first, and a crash copies it
        settings.put("replica.fetch.max.bytes", "1");
        settings.put("message.max.bytes", "2000000");
        settings.put("replica.fetch.wait.max.ms", "0");
        settings.put("replica.fetch.backoff.ms", "0");
        settings.put("replica.lag.time.max.ms", "30000");
        return settings;
    }

    KafkaConfig config() {
        return config;
    }

    Metrics metrics() {
        return metrics;
    }

    Time clock() {
        return clock;
    }

    ReplicaManager replicas() {
        return replicas;
    }

    /** Its transaction coordinator; null if the partition is none of {@code __transaction_state}. */
    Coordination coordination() {
        return coordination;
    }

    /** Its RemoteLogManager; null in a cluster without a remote tier. */
    Tiering tiering() {
        return tiering;
    }

    ReplayedMetadata metadata() {
        return metadata;
    }

    long brokerEpoch() {
        return brokerEpoch.getAsLong();
    }

    Partition partition() {
        Option<Partition> found = replicas.onlinePartition(topicPartition.topicPartition());
        if (found.isEmpty()) {
            throw new IllegalStateException("broker " + id + " has no replica of " + topicPartition.topicPartition());
        }
        return found.get();
    }

    int id() {
        return id;
    }

    Assignments assignments() {
        return assignments;
    }

    FutureLogs futureLogs() {
        return futureLogs;
    }

    /** Whether all directories that are configured had the marker of a clean shutdown when it started. */
    boolean wasShutDownCleanly() {
        return shutDownCleanly;
    }

    /** An operator moves the replica (AlterReplicaLogDirs). */
    String moveToSecondDirectory() throws Exception {
        Object wanted = CollectionConverters.asScala(
                Map.of(topicPartition.topicPartition(), disk.directory(2).toString()));
        Object answers = Wiring.call(replicas, "alterReplicaLogDirs", wanted);
        return CollectionConverters.asJava((scala.collection.Map<?, ?>) answers)
                .values()
                .iterator()
                .next()
                .toString();
    }

    /** Whether it hosts a replica: not after the partition was moved elsewhere. */
    boolean hasReplica() {
        return replicas.onlinePartition(topicPartition.topicPartition()).isDefined();
    }

    /** The log of a replica in the current or the future directory; null if there is none. */
    Object log(boolean future) throws Exception {
        Object found = Wiring.call(logs, "getLog", topicPartition.topicPartition(), future);
        return found instanceof Option<?> option
                ? (option.isEmpty() ? null : option.get())
                : ((Optional<?>) found).orElse(null);
    }

    private Object current(TopicPartition of) {
        try {
            return log(false);
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    Fetchers fetchers() {
        return fetchers;
    }

    String fetchOnce(int leader) {
        return fetchers.fetchOnce(leader);
    }

    void runWhatIsDue() {
        scheduler.runWhatIsDue();
    }

    /** A producer sends one record without a key. */
    String produce(String value, short acks, Consumer<String> told) throws Exception {
        return produce(value, null, acks, told);
    }

    /** The same with a key. */
    String produce(String value, byte[] key, short acks, Consumer<String> told) throws Exception {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, record(value, key));
        return append(records, acks, AppendOrigin.CLIENT, () -> told.accept(value));
    }

    /** A record with a value, written now. */
    SimpleRecord record(String value) {
        return record(value, null);
    }

    private SimpleRecord record(String value, byte[] key) {
        return new SimpleRecord(clock.milliseconds(), key, value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A request to append. The error, or PENDING as long as there is no answer; `succeeded` is run if that is success.
     * `more` are parts of the call that only some releases take.
     */
    String append(MemoryRecords records, short acks, AppendOrigin origin, Runnable succeeded, Object... more)
            throws Exception {
        Answer answer = new Answer(succeeded);
        boolean isInternal = Topic.isInternal(topicPartition.topic());
        List<Object> parts =
                new ArrayList<>(List.of(PRODUCE_TIMEOUT_MS, acks, isInternal, origin, entries(records), answer));
        parts.addAll(List.of(more));
        Wiring.call(replicas, "appendRecords", parts.toArray());
        replicas.tryCompleteActions();
        return answer.said;
    }

    /** The same of a producer with a transactional id: a leader that knows of no transaction asks the coordinator. */
    String appendInTransaction(
            MemoryRecords records, short acks, String id, boolean epochs, boolean isOngoing, Runnable succeeded)
            throws Exception {
        Answer answer = new Answer(succeeded);
        ongoing = isOngoing;
        Wiring.call(
                replicas,
                "handleProduceAppend",
                PRODUCE_TIMEOUT_MS,
                acks,
                false,
                id,
                entries(records),
                answer,
                Verification.operation(epochs));
        replicas.tryCompleteActions();
        return answer.said;
    }

    /** What is said to who sent a request, once it is said. */
    private static final class Answer implements Function1<Object, BoxedUnit> {
        private final Runnable succeeded;
        private String said = "PENDING";

        Answer(Runnable succeeded) {
            this.succeeded = succeeded;
        }

        @Override
        public BoxedUnit apply(Object responses) {
            Map<?, ?> byPartition = responses instanceof Map<?, ?> already
                    ? already
                    : CollectionConverters.asJava((scala.collection.Map<?, ?>) responses);
            for (Object response : byPartition.values()) {
                said = ((ProduceResponse.PartitionResponse) response).error.name();
            }
            if (said.equals("NONE")) {
                succeeded.run();
            }
            return BoxedUnit.UNIT;
        }
    }

    private Object entries(MemoryRecords records) {
        Object key = takesTopicIds() ? topicPartition : topicPartition.topicPartition();
        return CollectionConverters.asScala(Map.of(key, records));
    }

    /** Since 4.1 records are appended to a partition of a topic with its id. */
    private static boolean takesTopicIds() {
        String parameters =
                Wiring.widest(ReplicaManager.class, "appendRecords", false).toGenericString();
        return parameters.contains(TopicIdPartition.class.getName());
    }

    /** The records of the future log; null if there is none. */
    List<String> futureLog() throws Exception {
        Object found = log(true);
        return found == null ? null : Records.of(found, Long::toString);
    }

    /** Where the future log begins; 0 if there is none. */
    long futureLogStart() throws Exception {
        Object found = log(true);
        return found == null ? 0 : (Long) Wiring.call(found, "logStartOffset");
    }

    List<String> log(LongFunction<String> markers) throws Exception {
        return Records.of(partition().localLogOrException(), markers);
    }

    /** A clean shutdown: high watermarks and logs are written, and the marker is left. */
    void shutDown() throws Exception {
        replicas.checkpointHighWatermarks();
        close();
    }

    /** The process dies; its log is on disk up to offset `kept`, all of it if that is negative. */
    void crash(int kept) throws Exception {
        scheduler.forget();
        replicas.checkpointHighWatermarks();
        Wiring.call(logs, "checkpointLogStartOffsets");
        if (hasReplica()) {
            Wiring.call(partition().localLogOrException(), "flush", false);
        }
        disk.copyForNextProcess();
        if (kept >= 0) {
            disk.keepUpTo(topicPartition.topicPartition().toString(), kept);
        }
        close();
    }

    /** The threads that Kafka starts itself (quotas, purgatories) end. Its files are of no concern any more. */
    void close() throws Exception {
        replicas.shutdown(false);
        if (tiering != null) {
            tiering.close();
        }
        Wiring.call(logs, "shutdown", brokerEpoch.getAsLong());
        metrics.close();
    }
}
