package org.apache.kafka.controller;

import static epochal.lockstep.Words.flag;
import static epochal.lockstep.Words.number;
import static epochal.lockstep.Words.numbers;

import epochal.lockstep.Reflected;
import epochal.lockstep.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Requests as brokers, operators and the controller's own timers make them, each by its name in a line.
 *
 * The answer to each is the name of Kafka's error, or NONE.
 */
public final class ControllerRequests {
    private static final String DONE = "NONE";
    private static final String NOT_YET = "NOT_YET";

    private final ControllerUnderTest controller;
    private final int brokers;
    private final int index;
    private final String topic;
    private final Map<Integer, List<Uuid>> directories = new HashMap<>();
    private final Set<Integer> registeredAsClean = new TreeSet<>();
    private int incarnations;

    public ControllerRequests(ControllerUnderTest controller, int brokers) {
        this(controller, brokers, 0, PartitionState.TOPIC);
    }

    /** Requests about the partition of this number of a topic. */
    public ControllerRequests(ControllerUnderTest controller, int brokers, int index, String topic) {
        this.controller = controller;
        this.brokers = brokers;
        this.index = index;
        this.topic = topic;
    }

    /**
     * Takes a step such as {@code restart:2:unclean}. One about another partition begins with its number and a slash; a
     * plus sign joins two that are one request.
     */
    public String take(String step) throws Throwable {
        int slash = step.indexOf('/');
        if (slash > 0 && index == 0 && !step.contains("+")) {
            int other = number(step.substring(0, slash));
            return new ControllerRequests(controller, brokers, other, topic).take(step.substring(slash + 1));
        }
        if (step.contains("+")) {
            return takeTogether(step.split("\\+"));
        }
        String[] words = step.split(":", -1);
        try {
            return take(words[0], words);
        } catch (ApiException refused) {
            return refused.getClass().getSimpleName();
        }
    }

    private String take(String action, String[] words) throws Throwable {
        switch (action) {
            case "nothing":
                return DONE;
            case "fence":
                heartbeat(number(words[1]), true, false, List.of());
                return DONE;
            case "unfence":
                heartbeat(number(words[1]), false, false, List.of());
                return DONE;
            case "expire":
                return expireSession(number(words[1]));
            case "take_office":
                return DONE;
            case "leave":
                return leave(number(words[1]), words.length > 2);
            case "shut_down":
                return shutDown(number(words[1]));
            case "restart":
                return register(number(words[1]), words[2].equals("clean"));
            case "unregister":
                controller.unregister(number(words[1]));
                return DONE;
            case "alter":
                return alterPartition(words);
            case "elect":
                return electLeaders(type(words), List.of(index));
            case "balance":
                controller.apply(controller.replication.maybeBalancePartitionLeaders());
                return DONE;
            case "reassign":
                return reassign(words[1].equals("-") ? null : numbers(words[1]));
            case "directory":
                return assignToDirectory(number(words[1]), number(words[2]));
            case "lose_directory":
                int broker = number(words[1]);
                Uuid lost = PartitionState.directory(broker, number(words[2]));
                heartbeat(broker, !controller.cluster.isUnfenced(broker), false, List.of(lost));
                return DONE;
            case "min_isr":
                return setMinIsr(ConfigResource.Type.TOPIC, topic, words[1]);
            case "default_min_isr":
                return setMinIsr(ConfigResource.Type.BROKER, "", words[1]);
            case "elr":
                return setElr(flag(words[1]));
            default:
                throw new IllegalArgumentException("no step " + action);
        }
    }

    // -- brokers ------------------------------------------------------------------------------------------------------

    /** The broker epoch of the present registration. */
    public long epochOf(int broker) {
        return controller.cluster.brokerRegistrations().get(broker).epoch();
    }

    /** Whether the controller knows for what a broker waits that wants to shut down. */
    private boolean waits(int broker) {
        return controller
                .cluster
                .heartbeatManager()
                .controlledShutdownOffset(broker)
                .isPresent();
    }

    /** A heartbeat that has arrived: its broker is alive, whatever becomes of it. */
    private BrokerHeartbeatRequestData tracked(int broker, boolean fence, boolean shutDown, List<Uuid> lost)
            throws Throwable {
        if (Reflected.has(ClusterControlManager.class, "trackBrokerHeartbeat", 2)) { // since 4.0
            Reflected.call(controller.cluster, "trackBrokerHeartbeat", broker, epochOf(broker));
        }
        return new BrokerHeartbeatRequestData()
                .setBrokerId(broker)
                .setBrokerEpoch(epochOf(broker))
                .setWantFence(fence)
                .setWantShutDown(shutDown)
                .setOfflineLogDirs(lost)
                .setCurrentMetadataOffset(controller.nextOffset());
    }

    private BrokerHeartbeatReply heartbeat(int broker, boolean fence, boolean shutDown, List<Uuid> lost)
            throws Throwable {
        return controller.heartbeat(tracked(broker, fence, shutDown, lost));
    }

    /** One heartbeat of a broker that wants to shut down; the others may have replayed everything before. */
    private String leave(int broker, boolean othersCaughtUp) throws Throwable {
        for (int other = 0; other < brokers && othersCaughtUp; other++) {
            if (other != broker && controller.cluster.isUnfenced(other) && !waits(other)) {
                heartbeat(other, false, false, List.of());
            }
        }
        return heartbeat(broker, false, true, List.of()).shouldShutDown() ? DONE : NOT_YET;
    }

    /** The session of one broker ends, and the controller looks for such sessions until there are no more. */
    private String expireSession(int broker) throws Throwable {
        controller.waitsBeforeItLooks();
        for (int other = 0; other < brokers; other++) {
            if (other != broker && waits(other)) {
                controller.replication.processExpiredBrokerHeartbeat(tracked(other, false, false, List.of()));
            } else if (other != broker) {
                heartbeat(other, !controller.cluster.isUnfenced(other), false, List.of()); // and stays what it is
            }
        }
        controller.looksForEndedSessions(brokers);
        return DONE;
    }

    /** A broker asks to shut down until it may: the others have replayed the changes by then. */
    private String shutDown(int broker) throws Throwable {
        for (int heartbeats = 0; heartbeats < 4; heartbeats++) {
            for (int other = 0; other < brokers && heartbeats > 0; other++) {
                if (other != broker && controller.cluster.isActive(other)) {
                    heartbeat(other, false, false, List.of());
                }
            }
            if (heartbeat(broker, false, true, List.of()).shouldShutDown()) {
                return DONE;
            }
        }
        return NOT_YET;
    }

    /** A new process of a broker registers; whether it knows the epoch of the one before, which was shut down then. */
    private String register(int broker, boolean clean) throws Throwable {
        controller.clock.sleep(2 * ControllerUnderTest.SESSION_MS); // nobody has looked for its session yet
        BrokerRegistrationRequestData request = new BrokerRegistrationRequestData()
                .setBrokerId(broker)
                .setClusterId("cluster")
                .setIncarnationId(new Uuid(600 + ++incarnations, broker))
                .setLogDirs(directories.getOrDefault(
                        broker,
                        controller.cluster.brokerRegistrations().get(broker).directories()));
        if (clean) {
            registeredAsClean.add(broker);
        } else {
            registeredAsClean.remove(broker);
        }
        if (Reflected.has(BrokerRegistrationRequestData.class, "setPreviousBrokerEpoch", 1)) { // since 3.8
            Reflected.call(request, "setPreviousBrokerEpoch", clean ? epochOf(broker) : -1L);
        }
        request.listeners()
                .add(new BrokerRegistrationRequestData.Listener()
                        .setName("PLAINTEXT")
                        .setHost("localhost")
                        .setPort(9_092 + broker)
                        .setSecurityProtocol((short) 0));
        FinalizedControllerFeatures finalized = controller.features.finalizedFeatures(Long.MAX_VALUE);
        Set<String> names = new TreeSet<>(finalized.featureNames());
        names.add(MetadataVersion.FEATURE_NAME);
        for (String name : names) {
            request.features()
                    .add(new BrokerRegistrationRequestData.Feature()
                            .setName(name)
                            .setMinSupportedVersion((short) 0)
                            .setMaxSupportedVersion(Short.MAX_VALUE));
        }
        controller.register(request);
        return DONE;
    }

    // -- partitions ---------------------------------------------------------------------------------------------------

    private PartitionRegistration partition() {
        return controller.replication.getPartition(PartitionState.TOPIC_ID, index);
    }

    static ControllerRequestContext context() {
        RequestHeaderData header = new RequestHeaderData().setRequestApiVersion((short) 3);
        return new ControllerRequestContext(header, KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    /** Answers AlterPartition as a broker sent it. */
    public AlterPartitionResponseData alterPartition(AlterPartitionRequestData request) throws Throwable {
        return controller.alterPartition(context(), request);
    }

    /**
     * AlterPartition {@code alter:ISR:WRONG:SENDER:LEADER_EPOCH:PARTITION_EPOCH}: WRONG is a broker whose epoch in it
     * is an old one, SENDER asks in place of the leader, and the epochs are counted from the present ones. What is left
     * out is right.
     */
    private String alterPartition(String[] words) throws Throwable {
        PartitionRegistration now = partition();
        int sender = numberOr(words, 3, now.leader);
        return alterPartitions(sender, List.of(asked(words)));
    }

    /** What is asked for one partition. */
    private AlterPartitionRequestData.PartitionData asked(String[] words) {
        PartitionRegistration now = partition();
        int wrong = numberOr(words, 2, -1);
        AlterPartitionRequestData.PartitionData asked = new AlterPartitionRequestData.PartitionData()
                .setPartitionIndex(index)
                .setLeaderEpoch(now.leaderEpoch + numberOr(words, 4, 0))
                .setPartitionEpoch(now.partitionEpoch + numberOr(words, 5, 0));
        for (int broker : numbers(words[1])) {
            asked.newIsrWithEpochs()
                    .add(new AlterPartitionRequestData.BrokerState()
                            .setBrokerId(broker)
                            .setBrokerEpoch(epochOf(broker) - (broker == wrong ? 1 : 0)));
        }
        return asked;
    }

    private String alterPartitions(int sender, List<AlterPartitionRequestData.PartitionData> asked) throws Throwable {
        AlterPartitionRequestData request =
                new AlterPartitionRequestData().setBrokerId(sender).setBrokerEpoch(epochOf(sender));
        request.topics()
                .add(new AlterPartitionRequestData.TopicData()
                        .setTopicId(PartitionState.TOPIC_ID)
                        .setPartitions(new ArrayList<>(asked)));
        AlterPartitionResponseData answer = alterPartition(request);
        return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode())
                .name();
    }

    private static int numberOr(String[] words, int index, int otherwise) {
        return index < words.length && !words[index].isEmpty() ? number(words[index]) : otherwise;
    }

    /** Several partitions in one request of the leader of the first, or of an operator. */
    private String takeTogether(String[] steps) throws Throwable {
        List<AlterPartitionRequestData.PartitionData> asked = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        String[] words = {};
        for (String step : steps) {
            String[] parts = step.split("/");
            words = parts[1].split(":", -1);
            indexes.add(number(parts[0]));
            if (words[0].equals("alter")) {
                asked.add(new ControllerRequests(controller, brokers, number(parts[0]), topic).asked(words));
            }
        }
        return asked.isEmpty()
                ? electLeaders(type(words), indexes)
                : alterPartitions(partition().leader, asked);
    }

    private static byte type(String[] words) {
        return (byte) (words[1].equals("unclean") ? 1 : 0);
    }

    private String electLeaders(byte type, List<Integer> indexes) throws Throwable {
        ElectLeadersRequestData request = new ElectLeadersRequestData().setElectionType(type);
        request.topicPartitions()
                .add(new ElectLeadersRequestData.TopicPartitions()
                        .setTopic(topic)
                        .setPartitions(indexes));
        return Errors.forCode(controller.electLeaders(context(), request)
                        .replicaElectionResults()
                        .get(0)
                        .partitionResult()
                        .get(0)
                        .errorCode())
                .name();
    }

    /** Has the partition move to these replicas, in this order; null cancels. */
    private String reassign(List<Integer> target) throws Throwable {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new AlterPartitionReassignmentsRequestData.ReassignableTopic()
                        .setName(topic)
                        .setPartitions(new ArrayList<>(
                                List.of(new AlterPartitionReassignmentsRequestData.ReassignablePartition()
                                        .setPartitionIndex(index)
                                        .setReplicas(target)))));
        return Errors.forCode(controller.reassign(context(), request)
                        .responses()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode())
                .name();
    }

    /** Whether the broker's last registration said that it was shut down cleanly before. */
    public boolean registeredAsClean(int broker) {
        return registeredAsClean.contains(broker);
    }

    /** A broker has other log directories from its next registration on. */
    public void registersWith(int broker, List<Integer> numbers) {
        directories.put(
                broker,
                numbers.stream()
                        .map(number -> PartitionState.directory(broker, number))
                        .toList());
    }

    /** The replicas in their order. */
    public List<Integer> replicas() {
        return Replicas.toList(partition().replicas);
    }

    /** Whether for the controller a broker's replica is in its directory of this number. */
    public boolean hasReplicaIn(int broker, int number) {
        PartitionRegistration now = partition();
        return Replicas.contains(now.replicas, broker)
                && now.directory(broker).equals(PartitionState.directory(broker, number));
    }

    private String assignToDirectory(int broker, int number) throws Throwable {
        return assignToDirectory(broker, PartitionState.directory(broker, number));
    }

    /** AssignReplicasToDirs as a broker sends it. */
    public String assignToDirectory(int broker, Uuid directory) throws Throwable {
        AssignReplicasToDirsRequestData request =
                new AssignReplicasToDirsRequestData().setBrokerId(broker).setBrokerEpoch(epochOf(broker));
        request.directories()
                .add(new AssignReplicasToDirsRequestData.DirectoryData()
                        .setId(directory)
                        .setTopics(List.of(new AssignReplicasToDirsRequestData.TopicData()
                                .setTopicId(PartitionState.TOPIC_ID)
                                .setPartitions(List.of(new AssignReplicasToDirsRequestData.PartitionData()
                                        .setPartitionIndex(index))))));
        return Errors.forCode(controller.assign(context(), request)
                        .directories()
                        .get(0)
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode())
                .name();
    }

    // -- settings -----------------------------------------------------------------------------------------------------

    private String setMinIsr(ConfigResource.Type type, String of, String value) throws Throwable {
        Map<ConfigResource, Map<String, Map.Entry<AlterConfigOp.OpType, String>>> changes = Map.of(
                new ConfigResource(type, of),
                Map.of("min.insync.replicas", Map.entry(AlterConfigOp.OpType.SET, value)));
        return controller.alterConfigs(context(), changes).error().name();
    }

    /** The min.insync.replicas of the topic: its own, or the default. */
    public String minIsr() throws Throwable {
        Object found = Reflected.call(controller.configuration, "getTopicConfig", topic, "min.insync.replicas");
        return found instanceof ConfigEntry entry ? entry.value() : (String) found;
    }

    private String setElr(boolean on) throws Throwable {
        FeatureUpdate.UpgradeType type =
                on ? FeatureUpdate.UpgradeType.UPGRADE : FeatureUpdate.UpgradeType.UNSAFE_DOWNGRADE;
        short level = (short) (on ? 1 : 0);
        return controller
                .setLevel(context(), ControllerUnderTest.ELR_FEATURE, level, type)
                .name();
    }

    /** What a line says behind its steps, and what is in force: leaving, forgotten, min.insync.replicas, ELR. */
    String toldMore() throws Throwable {
        List<Integer> leaving = new ArrayList<>();
        List<Integer> forgotten = new ArrayList<>();
        for (int broker = 0; broker < brokers; broker++) {
            BrokerRegistration registration =
                    controller.cluster.brokerRegistrations().get(broker);
            if (registration != null && registration.inControlledShutdown() && !registration.fenced()) {
                BrokerHeartbeatManager heartbeats = controller.cluster.heartbeatManager();
                (heartbeats.controlledShutdownOffset(broker).isPresent() ? leaving : forgotten).add(broker);
            }
        }
        return String.join("|", Words.told(leaving), Words.told(forgotten), minIsr(), Words.told(elrIsOn()));
    }

    private boolean elrIsOn() throws Throwable {
        return ControllerUnderTest.knowsElr() && (boolean) Reflected.call(controller.features, "isElrFeatureEnabled");
    }
}
