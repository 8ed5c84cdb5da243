package org.apache.kafka.controller;

import epochal.lockstep.ManualClock;
import epochal.lockstep.Reflected;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
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
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.queue.KafkaEventQueue;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.fault.FaultHandler;

/**
 * Kafka's QuorumController: its event queue with the thread of it, its purgatory, and what it does when it takes office.
 *
 * It is not active while it is told of a state, and replays the records as those of another controller. Then it leads
 * the metadata quorum, which is {@link FakeQuorum}. One request is made after the other: the thread is waited for. Its
 * own look for ended sessions is due when the clock says so.
 */
final class QueuedController extends ControllerUnderTest {
    /** So long after it took office it looks for ended sessions: later than a broker registers again. */
    private static final long LOOKS_AFTER_MS = 4 * SESSION_MS;

    private static final int NODE = 0;
    private static final long PATIENCE_S = 60;

    private final QuorumController quorumController;
    private final FakeQuorum quorum;
    private final Faults faults;

    /** What Kafka takes for a fault is told of as an exception of the step. */
    private static final class Faults implements FaultHandler {
        private volatile Throwable first;

        @Override
        public RuntimeException handleFault(String failureMessage, Throwable cause) {
            RuntimeException fault = new IllegalStateException(failureMessage, cause);
            if (first == null) {
                first = cause == null ? fault : cause;
            }
            return fault;
        }

        void check() throws Throwable {
            if (first != null) {
                throw first;
            }
        }
    }

    private QueuedController(QuorumController made, FakeQuorum quorum, Faults faults, ManualClock clock)
            throws Throwable {
        super(
                clock,
                (FeatureControlManager) part(made, "featureControl"),
                (ClusterControlManager) part(made, "clusterControl"),
                (ConfigurationControlManager) part(made, "configurationControl"),
                (ReplicationControlManager) part(made, "replicationControl"));
        this.quorumController = made;
        this.quorum = quorum;
        this.faults = faults;
    }

    /** A controller that knows nothing but the levels of features, or one that takes office after others. */
    static ControllerUnderTest after(boolean elr, List<List<ApiMessage>> before) throws Throwable {
        ManualClock clock = new ManualClock();
        FakeQuorum quorum = new FakeQuorum(NODE);
        Faults faults = new Faults();
        QuorumController controller = new QuorumController.Builder(NODE, "cluster")
                .setTime(clock)
                .setRaftClient(quorum.client())
                .setQuorumFeatures(new QuorumFeatures(NODE, supportedFeatures(), List.of(NODE)))
                .setConfigSchema(SCHEMA)
                .setReplicaPlacer(new StripedReplicaPlacer(new Random(0)))
                .setSessionTimeoutNs(TimeUnit.MILLISECONDS.toNanos(SESSION_MS))
                .setFenceStaleBrokerIntervalNs(TimeUnit.MILLISECONDS.toNanos(LOOKS_AFTER_MS))
                .setLeaderImbalanceCheckIntervalNs(OptionalLong.empty())
                .setMaxIdleIntervalNs(OptionalLong.empty())
                .setCreateTopicPolicy(Optional.empty())
                .setAlterConfigPolicy(Optional.empty())
                .setBootstrapMetadata(BootstrapMetadata.fromVersion(MetadataVersion.latestProduction(), "lockstep"))
                .setFatalFaultHandler(faults)
                .setNonFatalFaultHandler(faults)
                .build();
        QueuedController made = new QueuedController(controller, quorum, faults, clock);
        if (before.isEmpty()) {
            made.write(levels(elr));
        } else {
            made.loads(before);
            made.takesOffice();
        }
        return made;
    }

    /** Half of the batches are in a snapshot that it loads, the others behind it in the log. */
    private void loads(List<List<ApiMessage>> batches) throws Throwable {
        int inSnapshot = batches.size() / 2;
        List<ApiMessage> snapshot = new ArrayList<>();
        for (List<ApiMessage> batch : batches.subList(0, inSnapshot)) {
            snapshot.addAll(batch);
            log.add(batch);
        }
        quorum.loadSnapshot(snapshot);
        for (List<ApiMessage> batch : batches.subList(inSnapshot, batches.size())) {
            write(batch);
        }
    }

    private static Object part(QuorumController of, String name) throws Throwable {
        Field field = QuorumController.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    @Override
    public void write(List<? extends ApiMessage> records) throws Throwable {
        log.add(List.copyOf(records));
        quorum.commit(records);
        settle();
    }

    @Override
    long nextOffset() {
        return quorum.endOffset();
    }

    @Override
    void knowsBrokers() {}

    @Override
    void takesOffice() throws Throwable {
        quorum.elect();
        settle();
        quorum.keepsLog(log);
    }

    /** Everything that is due has been done. */
    private void settle() throws Throwable {
        ((KafkaEventQueue) part(quorumController, "queue")).wakeup();
        for (int round = 0; round < 2; round++) { // what was committed by the first is handled in the second
            CompletableFuture<Void> reached = new CompletableFuture<>();
            quorumController.appendControlEvent("lockstep", () -> reached.complete(null));
            reached.get(PATIENCE_S, TimeUnit.SECONDS);
        }
        faults.check();
    }

    private <T> T answered(CompletableFuture<T> future) throws Throwable {
        try {
            return future.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            faults.check();
            throw failed.getCause();
        } finally {
            settle();
        }
    }

    // -- what is asked of it ------------------------------------------------------------------------------------------

    @Override
    BrokerHeartbeatReply heartbeat(BrokerHeartbeatRequestData request) throws Throwable {
        return answered(quorumController.processBrokerHeartbeat(ControllerRequests.context(), request));
    }

    @Override
    void waitsBeforeItLooks() {
        clock.sleep(LOOKS_AFTER_MS - SESSION_MS / 2);
    }

    @Override
    void looksForEndedSessions(int brokers) throws Throwable {
        clock.sleep(SESSION_MS / 2);
        for (int look = 0; look <= brokers; look++) { // after each that has ended one it looks again at once
            settle();
        }
    }

    @Override
    void register(BrokerRegistrationRequestData request) throws Throwable {
        request.features() // a level that the quorum finalizes and not the controller, whom brokers tell of it all the same
                .add(new BrokerRegistrationRequestData.Feature()
                        .setName(KRaftVersion.FEATURE_NAME)
                        .setMinSupportedVersion((short) 0)
                        .setMaxSupportedVersion(KRaftVersion.LATEST_PRODUCTION.featureLevel()));
        answered(quorumController.registerBroker(ControllerRequests.context(), request));
    }

    @Override
    void unregister(int broker) throws Throwable {
        answered(quorumController.unregisterBroker(ControllerRequests.context(), broker));
    }

    @Override
    AlterPartitionResponseData alterPartition(ControllerRequestContext context, AlterPartitionRequestData request)
            throws Throwable {
        return answered(quorumController.alterPartition(context, request));
    }

    @Override
    ElectLeadersResponseData electLeaders(ControllerRequestContext context, ElectLeadersRequestData request)
            throws Throwable {
        return answered(quorumController.electLeaders(context, request));
    }

    @Override
    AlterPartitionReassignmentsResponseData reassign(
            ControllerRequestContext context, AlterPartitionReassignmentsRequestData request) throws Throwable {
        return answered(quorumController.alterPartitionReassignments(context, request));
    }

    @Override
    AssignReplicasToDirsResponseData assign(ControllerRequestContext context, AssignReplicasToDirsRequestData request)
            throws Throwable {
        return answered(quorumController.assignReplicasToDirs(context, request));
    }

    @Override
    @SuppressWarnings("unchecked")
    ApiError alterConfigs(
            ControllerRequestContext context,
            Map<ConfigResource, Map<String, Map.Entry<AlterConfigOp.OpType, String>>> changes)
            throws Throwable {
        boolean toldForwarded = Reflected.has(QuorumController.class, "incrementalAlterConfigs", 4); // since 4.3
        Object future = toldForwarded
                ? Reflected.call(quorumController, "incrementalAlterConfigs", context, changes, false, false)
                : Reflected.call(quorumController, "incrementalAlterConfigs", context, changes, false);
        return answered((CompletableFuture<Map<ConfigResource, ApiError>>) future)
                .values()
                .iterator()
                .next();
    }

    @Override
    Errors setLevel(ControllerRequestContext context, String feature, short level, FeatureUpdate.UpgradeType type)
            throws Throwable {
        UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
        request.featureUpdates()
                .add(new UpdateFeaturesRequestData.FeatureUpdateKey()
                        .setFeature(feature)
                        .setMaxVersionLevel(level)
                        .setUpgradeType(type.code()));
        return Errors.forCode(answered(quorumController.updateFeatures(context, request)).errorCode());
    }

    @Override
    public <T> T apply(ControllerResult<T> decided) {
        throw new UnsupportedOperationException("QuorumController writes what it has decided itself");
    }

    @Override
    void close() throws Throwable {
        quorumController.close();
    }
}
