package org.apache.kafka.controller;

import epochal.lockstep.ManualClock;
import epochal.lockstep.Reflected;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.VersionRange;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Kafka's managers of the controller, put together as its QuorumController does, and their records.
 *
 * What a manager decides it returns as records. They are replayed at once, as the active controller does; there is no
 * quorum, no queue of events, and no clock of its own. This package is Kafka's because the builders are visible in it
 * alone.
 */
public class ControllerUnderTest {
    public static final long SESSION_MS = 9_000;

    static final String ELR_FEATURE = "eligible.leader.replicas.version";

    static final KafkaConfigSchema SCHEMA = KafkaRaftServer.configSchema();
    private static final Map<String, Optional<Method>> REPLAYS = new ConcurrentHashMap<>();

    public final ManualClock clock;
    public final FeatureControlManager features;
    public final ClusterControlManager cluster;
    public final ConfigurationControlManager configuration;
    public final ReplicationControlManager replication;

    /** What was written, as brokers read it: each batch is what one request has caused. */
    public final List<List<ApiMessage>> log = new ArrayList<>();

    private long offset = 1_000;

    public ControllerUnderTest(boolean elr) throws Throwable {
        clock = new ManualClock();
        SnapshotRegistry snapshots = new SnapshotRegistry(new LogContext());
        features = (FeatureControlManager) new Reflected.Builder(FeatureControlManager.Builder.class)
                .set("SnapshotRegistry", snapshots)
                .set("QuorumFeatures", new QuorumFeatures(0, supportedFeatures(), List.of(0)))
                .setIfThere("MetadataVersion", MetadataVersion.latestProduction()) // until 4.0
                .build();
        cluster = cluster(snapshots);
        configuration = (ConfigurationControlManager) new Reflected.Builder(ConfigurationControlManager.Builder.class)
                .set("SnapshotRegistry", snapshots)
                .set("KafkaConfigSchema", SCHEMA)
                .set("StaticConfig", new HashMap<String, Object>())
                .setIfThere("FeatureControl", features) // since 4.0
                .build();
        replication = (ReplicationControlManager) new Reflected.Builder(ReplicationControlManager.Builder.class)
                .set("SnapshotRegistry", snapshots)
                .set("MaxElectionsPerImbalance", Integer.MAX_VALUE)
                .set("ConfigurationControl", configuration)
                .set("ClusterControl", cluster)
                .set("CreateTopicPolicy", Optional.empty())
                .set("FeatureControl", features)
                .build();
        for (ApiMessage level : levels(elr)) {
            write(List.of(level));
        }
    }

    /** Managers that somebody else has put together. */
    ControllerUnderTest(
            ManualClock clock,
            FeatureControlManager features,
            ClusterControlManager cluster,
            ConfigurationControlManager configuration,
            ReplicationControlManager replication) {
        this.clock = clock;
        this.features = features;
        this.cluster = cluster;
        this.configuration = configuration;
        this.replication = replication;
    }

    /** The records with which a metadata log begins. */
    static List<ApiMessage> levels(boolean elr) {
        List<ApiMessage> records = new ArrayList<>();
        records.add(level(
                MetadataVersion.FEATURE_NAME, MetadataVersion.latestProduction().featureLevel()));
        if (knowsElr()) {
            records.add(level(ELR_FEATURE, (short) (elr ? 1 : 0)));
        } else if (elr) {
            throw new IllegalArgumentException("this Kafka has no eligible leader replicas");
        }
        return records;
    }

    // -- what is asked of a controller --------------------------------------------------------------------------------
    // Here each manager is called at once.

    /** The registrations of a state are known: brokers are waited for from now on. */
    void knowsBrokers() {
        cluster.activate();
    }

    /** All of a state is known. */
    void takesOffice() throws Throwable {}

    /** What a broker is answered to its heartbeat. */
    BrokerHeartbeatReply heartbeat(BrokerHeartbeatRequestData request) throws Throwable {
        int broker = request.brokerId();
        long registeredAt = cluster.registerBrokerRecordOffset(broker).getAsLong();
        BrokerHeartbeatReply reply = apply(replication.processBrokerHeartbeat(request, registeredAt));
        if (reply.inControlledShutdown()) { // as QuorumController does when it knows the offset of the batch
            waitsToShutDown(broker);
        }
        return reply;
    }

    /** Time passes until the controller will look in less than a session for those that have ended. */
    void waitsBeforeItLooks() {
        clock.sleep(SESSION_MS - 1);
    }

    /** Looks for sessions that have ended, until there are no more of so many brokers. */
    void looksForEndedSessions(int brokers) throws Throwable {
        clock.sleep(SESSION_MS / 2);
        for (int look = 0; look <= brokers; look++) { // each look ends one session
            apply((ControllerResult<?>) Reflected.call(replication, "maybeFenceOneStaleBroker"));
        }
    }

    void register(BrokerRegistrationRequestData request) throws Throwable {
        FinalizedControllerFeatures finalized = features.finalizedFeatures(Long.MAX_VALUE);
        boolean toldOfUnclean = Reflected.has(ClusterControlManager.class, "registerBroker", 4); // since 4.0
        Object registered = toldOfUnclean
                ? Reflected.call(cluster, "registerBroker", request, nextOffset(), finalized, true)
                : Reflected.call(cluster, "registerBroker", request, nextOffset(), finalized);
        apply((ControllerResult<?>) registered);
    }

    void unregister(int broker) throws Throwable {
        apply(replication.unregisterBroker(broker));
    }

    AlterPartitionResponseData alterPartition(ControllerRequestContext context, AlterPartitionRequestData request)
            throws Throwable {
        return apply(replication.alterPartition(context, request));
    }

    ElectLeadersResponseData electLeaders(ControllerRequestContext context, ElectLeadersRequestData request)
            throws Throwable {
        return apply(replication.electLeaders(request));
    }

    AlterPartitionReassignmentsResponseData reassign(
            ControllerRequestContext context, AlterPartitionReassignmentsRequestData request) throws Throwable {
        return apply(replication.alterPartitionReassignments(request));
    }

    AssignReplicasToDirsResponseData assign(ControllerRequestContext context, AssignReplicasToDirsRequestData request)
            throws Throwable {
        return apply(replication.handleAssignReplicasToDirs(request));
    }

    /** Changes one setting. */
    ApiError alterConfigs(
            ControllerRequestContext context,
            Map<ConfigResource, Map<String, Map.Entry<AlterConfigOp.OpType, String>>> changes)
            throws Throwable {
        boolean validates = Reflected.has(ConfigurationControlManager.class, "incrementalAlterConfigs", 3); // since 4.3
        Object changed = validates
                ? Reflected.call(configuration, "incrementalAlterConfigs", changes, false, false)
                : Reflected.call(configuration, "incrementalAlterConfigs", changes, false);
        Map<?, ?> answers = (Map<?, ?>) apply((ControllerResult<?>) changed);
        return (ApiError) answers.values().iterator().next();
    }

    /** Changes the level of a feature. */
    Errors setLevel(ControllerRequestContext context, String feature, short level, FeatureUpdate.UpgradeType type)
            throws Throwable {
        Map<String, Short> levels = Map.of(feature, level);
        Map<String, FeatureUpdate.UpgradeType> types = Map.of(feature, type);
        boolean toldEpoch = Reflected.has(ConfigurationControlManager.class, "updateFeatures", 4); // since 4.1
        Object changed = toldEpoch
                ? Reflected.call(configuration, "updateFeatures", levels, types, false, 0)
                : Reflected.call(configuration, "updateFeatures", levels, types, false);
        return ((ApiError) apply((ControllerResult<?>) changed)).error();
    }

    /** Another controller that has replayed the same records. */
    public static ControllerUnderTest replayed(boolean elr, List<List<ApiMessage>> log) throws Throwable {
        ControllerUnderTest made = new ControllerUnderTest(elr);
        for (List<ApiMessage> batch : log.subList(made.log.size(), log.size())) {
            made.write(batch);
        }
        return made;
    }

    /** A controller that leads the metadata quorum after others, or the first one, which knows nothing yet. */
    static ControllerUnderTest after(boolean elr, List<List<ApiMessage>> log) throws Throwable {
        if (log.isEmpty()) {
            return new ControllerUnderTest(elr);
        }
        ControllerUnderTest made = replayed(elr, log);
        made.cluster.activate();
        return made;
    }

    /** Nothing is left of it. */
    void close() throws Throwable {}

    /** A broker in controlled shutdown has to wait until the others have replayed everything up to now. */
    void waitsToShutDown(int broker) {
        cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(broker, nextOffset());
    }

    /** Whether this release has eligible leader replicas (KIP-966): since 4.0. */
    static boolean knowsElr() {
        return Reflected.has(FeatureControlManager.class, "isElrFeatureEnabled", 0);
    }

    static Map<String, VersionRange> supportedFeatures() throws Throwable {
        boolean renamed = Reflected.has(QuorumFeatures.class, "defaultSupportedFeatureMap", 1); // since 4.0
        String name = renamed ? "defaultSupportedFeatureMap" : "defaultFeatureMap";
        @SuppressWarnings("unchecked")
        Map<String, VersionRange> found =
                (Map<String, VersionRange>) Reflected.callStatic(QuorumFeatures.class, name, true);
        return found;
    }

    /** The manager of brokers. It tells that of partitions who has shut down, which is made after it. */
    private ClusterControlManager cluster(SnapshotRegistry snapshots) throws Throwable {
        boolean since40 = Reflected.has(ClusterControlManager.Builder.class, "setBrokerShutdownHandler", 1);
        String handler = since40 ? "BrokerShutdownHandler" : "BrokerUncleanShutdownHandler";
        Class<?> kind = Class.forName(ClusterControlManager.class.getName() + "$" + handler);
        Object told = Proxy.newProxyInstance(
                kind.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, method, arguments) ->
                        Reflected.call(this.replication, "handle" + handler.replace("Handler", ""), arguments));
        return (ClusterControlManager) new Reflected.Builder(ClusterControlManager.Builder.class)
                .set("Time", clock)
                .set("ClusterId", "cluster")
                .set("SnapshotRegistry", snapshots)
                .set("SessionTimeoutNs", SESSION_MS * 1_000_000)
                .set("ReplicaPlacer", new StripedReplicaPlacer(new Random(0)))
                .set("FeatureControlManager", features)
                .set(handler, told)
                .setIfThere("InterBrokerListenerName", "PLAINTEXT") // until 4.1
                .build();
    }

    private static FeatureLevelRecord level(String name, short level) {
        return new FeatureLevelRecord().setName(name).setFeatureLevel(level);
    }

    /** Writes records and replays each, as if somebody had decided them. */
    public void write(List<? extends ApiMessage> records) throws Throwable {
        log.add(List.copyOf(records));
        for (ApiMessage record : records) {
            replay(record);
        }
    }

    /** Writes what a manager has decided; its answer. */
    public <T> T apply(ControllerResult<T> decided) throws Throwable {
        if (!decided.records().isEmpty()) {
            List<ApiMessage> records = new ArrayList<>();
            for (ApiMessageAndVersion record : decided.records()) {
                records.add(record.message());
            }
            write(records);
        }
        return decided.response();
    }

    /** The offset of the next record. */
    long nextOffset() {
        return offset;
    }

    /** Every kind of record is replayed by one of the managers; that of a registration is told the record's offset. */
    private void replay(ApiMessage record) throws Throwable {
        long at = offset++;
        for (Object manager : new Object[] {replication, cluster, configuration, features}) {
            Optional<Method> replay = REPLAYS.computeIfAbsent(
                    manager.getClass().getName() + " " + record.getClass().getName(), key -> replayOf(manager, record));
            if (replay.isPresent()) {
                boolean toldOffset = replay.get().getParameterCount() == 2;
                try {
                    replay.get().invoke(manager, toldOffset ? new Object[] {record, at} : new Object[] {record});
                } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
                return;
            }
        }
        throw new IllegalStateException(
                "no manager of the controller replays " + record.getClass().getSimpleName());
    }

    private static Optional<Method> replayOf(Object manager, ApiMessage record) {
        for (Method method : manager.getClass().getDeclaredMethods()) {
            if (method.getName().equals("replay") && method.getParameterTypes()[0] == record.getClass()) {
                method.setAccessible(true);
                return Optional.of(method);
            }
        }
        return Optional.empty();
    }
}
