package org.apache.kafka.raft;

import epochal.lockstep.ManualClock;
import epochal.lockstep.ManualScheduler;
import epochal.lockstep.Reflected;
import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.raft.internals.StringSerde;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.snapshot.FileRawSnapshotWriter;
import org.apache.kafka.snapshot.RecordsSnapshotWriter;
import org.apache.kafka.snapshot.SnapshotWriter;
import org.apache.kafka.snapshot.Snapshots;

/**
 * One process of a voter: Kafka's KafkaRaftClient on its log and its quorum-state file in a folder of its own.
 *
 * Nothing runs by itself. The clock stands still until it is moved, what is sent stays here, and the queue has what was
 * put into it: {@link #poll} is one iteration of the thread that Kafka would have.
 */
public final class VoterUnderTest {
    static final ListenerName LISTENER = new ListenerName("CONTROLLER");
    static final String CLUSTER_ID = "lockstep-quorum-cluster";

    /** Until a voter gives up waiting for an answer. All timers of the protocol are much longer. */
    static final int REQUEST_TIMEOUT_MS = 20;

    static final int ELECTION_TIMEOUT_MS = 1_000_000;
    static final int FETCH_TIMEOUT_MS = 2_000_000;

    private static final TopicPartition LOG = new TopicPartition("__cluster_metadata", 0);
    private static final SupportedVersionRange KRAFT_VERSIONS = new SupportedVersionRange((short) 0, (short) 1);
    private static final int FIRST_PORT = 9_090;
    private static final int RETRY_MS = 5;
    private static final int BACKOFF_MS = 1_000;
    private static final int BATCH_BYTES = 1 << 20;
    private static final int ONE_BATCH = 1;
    private static final int DELETE_DELAY_MS = 60_000;
    private static final String LOG_CLASS = "org.apache.kafka.raft.internals.KafkaRaftLog";
    private static final String LOG_CLASS_BEFORE = "kafka.raft.KafkaMetadataLog";
    private static final String LOG_CONFIG_BEFORE = "kafka.raft.MetadataLogConfig";

    final int id;
    final File folder;
    final Uuid directory;
    final ManualClock clock;
    final KafkaRaftClient<String> client;
    /** A RaftLog; until 4.2 the interface is called ReplicatedLog. */
    final Object log;
    /** What was sent since somebody looked. */
    final List<Sent> sent = new ArrayList<>();

    /** Whether this process has ever known one. Its log takes where it begins for one after a restart. */
    boolean knowsHighWatermark;

    private final Queue<Object> queue = new ArrayDeque<>();
    private final ManualScheduler background = new ManualScheduler();
    private final Metrics metrics = new Metrics();
    private int correlations;

    /** A request on its way, and where its answer is awaited. */
    record Sent(RaftRequest.Outbound request, CompletableFuture<RaftResponse.Inbound> answer) {
        int to() {
            return request.destination().port() - FIRST_PORT;
        }
    }

    /** With `dynamic` the voters are those that the log names, kraft.version 1; else those of the configuration. */
    VoterUnderTest(int id, int voters, boolean dynamic, File folder, Uuid directory, ManualClock clock, Random random)
            throws Throwable {
        this.id = id;
        this.folder = folder;
        this.directory = directory;
        this.clock = clock;
        KafkaConfig config = config(id, voters, dynamic, folder);
        File partition = partition(folder);
        Files.createDirectories(partition.toPath());
        log = log(config, partition, clock, background);
        client = client(config, dynamic ? List.copyOf(addresses(voters).values()) : List.of(), random);
        Map<Integer, InetSocketAddress> configured = dynamic ? Map.of() : addresses(voters);
        FileQuorumStateStore store =
                new FileQuorumStateStore(new File(partition, FileQuorumStateStore.DEFAULT_FILE_NAME));
        if (Reflected.has(KafkaRaftClient.class, "initialize", 3)) { // until 3.9
            Reflected.call(client, "initialize", configured, store, metrics);
        } else {
            Object others = ignoring(Class.forName("org.apache.kafka.raft.ExternalKRaftMetrics"));
            Reflected.call(client, "initialize", configured, store, metrics, others);
        }
    }

    // -- a process --------------------------------------------------------------------------------------------------

    /** One iteration: timers, what is to be written or sent, then at most one message; and what the log wants done. */
    void poll() {
        client.poll();
        background.runWhatIsDue();
    }

    /** Takes whatever is in the queue, and what a new leader has to write. */
    void settle() {
        do {
            poll();
        } while (!queue.isEmpty());
        poll();
    }

    /** Hands over a request; the answer is there when it was handled. */
    @SuppressWarnings("unchecked")
    CompletableFuture<RaftResponse.Outbound> receive(ApiMessage request, short version, int correlation)
            throws Throwable {
        RaftRequest.Inbound inbound =
                new RaftRequest.Inbound(LISTENER, correlation, version, request, clock.milliseconds());
        Object answer = Reflected.call(client, "handle", inbound);
        return (CompletableFuture<RaftResponse.Outbound>) completion(inbound).orElse(answer);
    }

    /** Hands over an answer. */
    void put(RaftResponse.Inbound answer) {
        add(answer);
    }

    /** The process ends. What it wrote is on disk. */
    void end() throws Throwable {
        client.close();
        ((AutoCloseable) log).close();
        metrics.close();
    }

    // -- what it is made of -----------------------------------------------------------------------------------------

    private KafkaRaftClient<String> client(KafkaConfig config, List<InetSocketAddress> bootstrap, Random random)
            throws Throwable {
        @SuppressWarnings("unchecked")
        Constructor<KafkaRaftClient<String>> widest =
                (Constructor<KafkaRaftClient<String>>) Arrays.stream(KafkaRaftClient.class.getDeclaredConstructors())
                        .max(Comparator.comparingInt(Constructor::getParameterCount))
                        .orElseThrow();
        return widest.newInstance(
                OptionalInt.of(id),
                directory,
                new StringSerde(),
                proxy(NetworkChannel.class, this::onChannel),
                proxy(RaftMessageQueue.class, this::onQueue),
                log,
                MemoryPool.NONE,
                clock,
                proxy(ExpirationService.class, (self, method, arguments) -> new CompletableFuture<>()),
                0, // a fetch is answered at once
                true,
                CLUSTER_ID,
                bootstrap,
                endpoints(id),
                KRAFT_VERSIONS,
                new LogContext("[v" + id + "] "),
                random,
                new QuorumConfig(config));
    }

    private static Object log(KafkaConfig config, File folder, ManualClock clock, Scheduler scheduler)
            throws Throwable {
        if (there(LOG_CONFIG_BEFORE)) { // until 4.0
            Object settings =
                    Reflected.callStatic(Class.forName(LOG_CONFIG_BEFORE), "apply", config, BATCH_BYTES, ONE_BATCH);
            return Reflected.callStatic(
                    Class.forName(LOG_CLASS_BEFORE),
                    "apply",
                    LOG,
                    Uuid.METADATA_TOPIC_ID,
                    folder,
                    clock,
                    scheduler,
                    settings);
        }
        Object settings = Class.forName("org.apache.kafka.raft.MetadataLogConfig")
                .getConstructor(org.apache.kafka.common.config.AbstractConfig.class)
                .newInstance(config);
        boolean scala = there(LOG_CLASS_BEFORE); // until 4.2
        return Reflected.callStatic(
                Class.forName(scala ? LOG_CLASS_BEFORE : LOG_CLASS),
                scala ? "apply" : "createLog",
                LOG,
                Uuid.METADATA_TOPIC_ID,
                folder,
                clock,
                scheduler,
                settings,
                config.nodeId());
    }

    private static KafkaConfig config(int id, int voters, boolean dynamic, File folder) {
        Properties settings = new Properties();
        settings.put("process.roles", "controller");
        settings.put("node.id", String.valueOf(id));
        settings.put(
                "listeners",
                LISTENER.value() + "://" + address(id).getHostString() + ":"
                        + address(id).getPort());
        settings.put("controller.listener.names", LISTENER.value());
        settings.put("log.dirs", folder.getPath());
        settings.put("metadata.max.retention.bytes", "-1");
        settings.put("metadata.max.retention.ms", "-1");
        settings.put("controller.quorum.election.timeout.ms", String.valueOf(ELECTION_TIMEOUT_MS));
        settings.put("controller.quorum.fetch.timeout.ms", String.valueOf(FETCH_TIMEOUT_MS));
        settings.put("controller.quorum.election.backoff.max.ms", String.valueOf(BACKOFF_MS));
        settings.put("controller.quorum.request.timeout.ms", String.valueOf(REQUEST_TIMEOUT_MS));
        settings.put("controller.quorum.retry.backoff.ms", String.valueOf(RETRY_MS));
        settings.put("controller.quorum.append.linger.ms", "0");
        settings.put("internal.metadata.max.fetch.size.in.bytes", String.valueOf(ONE_BATCH)); // until 4.2
        settings.put("controller.quorum.fetch.max.bytes", String.valueOf(ONE_BATCH)); // since 4.3
        settings.put("internal.metadata.delete.delay.millis", String.valueOf(DELETE_DELAY_MS));
        StringBuilder all = new StringBuilder();
        addresses(voters).forEach((voter, at) -> all.append(all.isEmpty() ? "" : ",")
                .append(dynamic ? "" : voter + "@")
                .append(at.getHostString())
                .append(':')
                .append(at.getPort()));
        settings.put(dynamic ? "controller.quorum.bootstrap.servers" : "controller.quorum.voters", all.toString());
        return KafkaConfig.fromProps(settings);
    }

    /** The disk as the storage tool formats it for voters that may change: a snapshot at offset 0 names them. */
    static void format(File folder, Map<Integer, Uuid> voters) throws Throwable {
        Files.createDirectories(partition(folder).toPath());
        Map<Integer, VoterSet.VoterNode> nodes = new TreeMap<>();
        voters.forEach((id, directory) ->
                nodes.put(id, VoterSet.VoterNode.of(ReplicaKey.of(id, directory), endpoints(id), KRAFT_VERSIONS)));
        RecordsSnapshotWriter.Builder builder = new RecordsSnapshotWriter.Builder()
                .setRawSnapshotWriter(
                        FileRawSnapshotWriter.create(partition(folder).toPath(), Snapshots.BOOTSTRAP_SNAPSHOT_ID))
                .setKraftVersion(KRaftVersion.fromFeatureLevel((short) 1))
                .setVoterSet(Optional.of(VoterSet.fromMap(nodes)));
        try (SnapshotWriter<String> writer = builder.build(new StringSerde())) {
            writer.freeze();
        }
    }

    /** What the socket server of any of them answers to ApiVersions, as far as a leader asks for it. */
    static ApiVersionsResponseData versions() {
        ApiVersionsResponseData.SupportedFeatureKeyCollection features =
                new ApiVersionsResponseData.SupportedFeatureKeyCollection();
        features.add(new ApiVersionsResponseData.SupportedFeatureKey()
                .setName(KRaftVersion.FEATURE_NAME)
                .setMinVersion(KRAFT_VERSIONS.min())
                .setMaxVersion(KRAFT_VERSIONS.max()));
        return new ApiVersionsResponseData().setSupportedFeatures(features);
    }

    private static File partition(File folder) {
        return new File(folder, LOG.topic() + "-" + LOG.partition());
    }

    static Endpoints endpoints(int voter) {
        return Endpoints.fromInetSocketAddresses(Map.of(LISTENER, address(voter)));
    }

    private static Map<Integer, InetSocketAddress> addresses(int voters) {
        Map<Integer, InetSocketAddress> found = new TreeMap<>();
        for (int voter = 1; voter <= voters; voter++) {
            found.put(voter, address(voter));
        }
        return found;
    }

    /** This one, as others know it. */
    Node node() {
        return new Node(id, address(id).getHostString(), address(id).getPort());
    }

    private static InetSocketAddress address(int voter) {
        return InetSocketAddress.createUnresolved("localhost", FIRST_PORT + voter);
    }

    // -- in place of the network ------------------------------------------------------------------------------------

    private Object onChannel(Object self, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "newCorrelationId" -> ++correlations;
            case "listenerName" -> LISTENER;
            case "send" -> send((RaftRequest.Outbound) arguments[0]);
            default -> null;
        };
    }

    @SuppressWarnings("unchecked")
    private CompletableFuture<RaftResponse.Inbound> send(RaftRequest.Outbound request) throws Throwable {
        CompletableFuture<RaftResponse.Inbound> answer =
                (CompletableFuture<RaftResponse.Inbound>) completion(request).orElseGet(CompletableFuture::new);
        sent.add(new Sent(request, answer));
        return answer;
    }

    /** Until 4.3 a request has its answer in a field; since 4.4 whoever sends or handles it returns the answer. */
    private static Optional<Object> completion(RaftRequest request) throws IllegalAccessException {
        for (Field field : request.getClass().getDeclaredFields()) {
            if (field.getName().equals("completion")) {
                return Optional.of(field.get(request));
            }
        }
        return Optional.empty();
    }

    private Object onQueue(Object self, Method method, Object[] arguments) {
        boolean entries = method.getReturnType() == Optional.class; // since 4.4
        return switch (method.getName()) {
            case "add" -> add((RaftMessage) arguments[0]);
            case "poll" -> entries ? Optional.ofNullable(queue.poll()) : message(queue.poll());
            case "isEmpty" -> queue.isEmpty();
            default -> null;
        };
    }

    private record Entry(RaftMessage message, CompletableFuture<RaftMessage> future) {}

    private static RaftMessage message(Object entry) {
        return entry == null ? null : ((Entry) entry).message();
    }

    private CompletableFuture<RaftMessage> add(RaftMessage message) {
        Entry entry = new Entry(message, new CompletableFuture<>());
        Optional<Class<?>> since44 =
                Arrays.stream(RaftMessageQueue.class.getDeclaredClasses()).findFirst();
        queue.add(
                since44.isEmpty()
                        ? entry
                        : proxy(
                                since44.get(),
                                (self, method, arguments) ->
                                        method.getName().equals("message") ? entry.message() : entry.future()));
        return entry.future();
    }

    private static <T> T ignoring(Class<T> type) {
        return proxy(type, (self, method, arguments) -> method.getReturnType() == boolean.class ? false : null);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static boolean there(String name) {
        try {
            Class.forName(name);
            return true;
        } catch (ClassNotFoundException missing) {
            return false;
        }
    }
}
