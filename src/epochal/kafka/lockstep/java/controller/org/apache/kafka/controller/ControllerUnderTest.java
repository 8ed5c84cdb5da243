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
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.utils.internals.LogContext;
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
public final class ControllerUnderTest {
    public static final long SESSION_MS = 9_000;

    static final String ELR_FEATURE = "eligible.leader.replicas.version";

    private static final KafkaConfigSchema SCHEMA = KafkaRaftServer.configSchema();
    private static final Map<String, Optional<Method>> REPLAYS = new ConcurrentHashMap<>();

    public final ManualClock clock = new ManualClock();
    public final FeatureControlManager features;
    public final ClusterControlManager cluster;
    public final ConfigurationControlManager configuration;
    public final ReplicationControlManager replication;

    /** What was written, as brokers read it: each batch is what one request has caused. */
    public final List<List<ApiMessage>> log = new ArrayList<>();

    private long offset = 1_000;

    public ControllerUnderTest(boolean elr) throws Throwable {
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
        setFeature(
                MetadataVersion.FEATURE_NAME, MetadataVersion.latestProduction().featureLevel());
        if (knowsElr()) {
            setFeature(ELR_FEATURE, (short) (elr ? 1 : 0));
        } else if (elr) {
            throw new IllegalArgumentException("this Kafka has no eligible leader replicas");
        }
    }

    /** Another controller that has replayed the same records. */
    public static ControllerUnderTest replayed(boolean elr, List<List<ApiMessage>> log) throws Throwable {
        ControllerUnderTest made = new ControllerUnderTest(elr);
        for (List<ApiMessage> batch : log.subList(made.log.size(), log.size())) {
            made.write(batch);
        }
        return made;
    }

    /** The same, and it leads the metadata quorum from now on. */
    static ControllerUnderTest inOffice(boolean elr, List<List<ApiMessage>> log) throws Throwable {
        ControllerUnderTest made = replayed(elr, log);
        made.cluster.activate();
        return made;
    }

    /** A broker in controlled shutdown has to wait until the others have replayed everything up to now. */
    void waitsToShutDown(int broker) {
        cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(broker, offset);
    }

    /** Whether this release has eligible leader replicas (KIP-966): since 4.0. */
    static boolean knowsElr() {
        return Reflected.has(FeatureControlManager.class, "isElrFeatureEnabled", 0);
    }

    private static Map<String, VersionRange> supportedFeatures() throws Throwable {
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

    private void setFeature(String name, short level) throws Throwable {
        write(List.of(new FeatureLevelRecord().setName(name).setFeatureLevel(level)));
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
