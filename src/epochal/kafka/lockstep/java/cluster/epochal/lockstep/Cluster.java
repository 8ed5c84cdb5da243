package epochal.lockstep;

import com.yammer.metrics.core.MetricsRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.controller.ControllerRequests;
import org.apache.kafka.controller.ControllerUnderTest;
import org.apache.kafka.controller.PartitionState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/** A cluster with one partition in one thread: the controller, and for each broker its disk and perhaps a process. */
final class Cluster implements AutoCloseable {
    private static final String SECOND_PARTITION = "second-partition";
    private static final String TRANSACTION_LOG = "transaction-log";
    private static final String TRANSACTIONAL_ID = "transactional-id";
    private static final String TRANSACTION_VERSION_2 = "transaction-version-2";
    private static final String TIERED_STORAGE = "tiered-storage";
    private static final int MODES = 1 + PartitionState.FIELDS;

    private final TopicIdPartition partition;
    private final List<Integer> order;
    private final Set<String> modes;

    private final Path folder;
    private final ManualClock clock = new ManualClock();
    private final ControllerUnderTest controller;
    private final ControllerRequests requests;
    private final Network network;
    private final RemoteTier tier;
    private final Disk[] disks;
    private final Proposals[] proposals;
    private final BrokerProcess[] processes;
    private final List<String> acknowledged = new ArrayList<>();
    private final Producers producers = new Producers(word -> running(Integer.parseInt(word)), acknowledged);
    private final Transactions transactions = new Transactions(word -> running(Integer.parseInt(word)), producers);
    private final AtomicLong producerIds = new AtomicLong();
    private final List<Commands> mechanisms;
    private final Map<String, Commands.Handler> handlers = new HashMap<>();

    /**
     * The state of the controller is that of a line, as layer 1 takes it; every log is empty. Behind it may stand modes:
     * what brokers do not hear at once, and whether the partition is the second one of its topic, or one of
     * {@code __transaction_state}.
     */
    Cluster(String[] line) throws Throwable {
        modes = line.length > MODES && !line[MODES].isEmpty() ? Set.of(line[MODES].split(",")) : Set.of();
        boolean coordinates = modes.contains(TRANSACTION_LOG) || modes.contains(TRANSACTIONAL_ID);
        String topic = coordinates ? Topic.TRANSACTION_STATE_TOPIC_NAME : PartitionState.TOPIC;
        PartitionState state = new PartitionState(line, 1, modes.contains(SECOND_PARTITION) ? 1 : 0, topic);
        order = state.replicas;
        partition = new TopicIdPartition(PartitionState.TOPIC_ID, new TopicPartition(topic, state.index));
        int brokers = state.brokers;
        folder = Files.createTempDirectory("lockstep");
        controller = new ControllerUnderTest(state.elrIsOn);
        state.putInto(controller);
        if (modes.contains(TRANSACTION_VERSION_2)) { // for brokers alone: no controller looks at it
            controller.log.add(List.of(new FeatureLevelRecord()
                    .setName(TransactionVersion.FEATURE_NAME)
                    .setFeatureLevel((short) 2)));
        }
        tier = modes.contains(TIERED_STORAGE) ? new RemoteTier(partition) : null;
        if (tier != null) {
            controller.write(List.of(
                    state.setting("remote.storage.enable", "true"),
                    state.setting("retention.ms", "-1")));
        }
        requests = new ControllerRequests(controller, brokers, state.index, topic);
        disks = new Disk[brokers];
        proposals = new Proposals[brokers];
        processes = new BrokerProcess[brokers];
        network = new Network(broker -> processes[broker], partition.topicId(), partition.topic());
        Commands.Running running = word -> running(Integer.parseInt(word));
        mechanisms = List.of(
                new LateFetches(running, network),
                new LogStarts(running, partition.topicPartition()),
                new LatestOffsets(running),
                new OldController(controller.log, proposals, state.elrIsOn),
                new Retention(running, processes, controller, acknowledged),
                new Tiers(running, tier),
                new CoordinatorWrites(running, partition.topicPartition(), acknowledged),
                new TransactionLogs(running, acknowledged),
                new TransactionalIds(this, partition.topicPartition(), modes.contains(TRANSACTIONAL_ID)),
                producers,
                transactions,
                new Reassignments(this),
                new LogDirectories(this));
        mechanisms.forEach(one -> handlers.putAll(one.handlers()));
        for (int broker = 0; broker < brokers; broker++) {
            disks[broker] = new Disk(folder, broker);
            proposals[broker] = new Proposals(broker, partition);
            start(broker);
        }
    }

    private void start(int broker) throws Throwable {
        LongSupplier epoch = () -> requests.epochOf(broker);
        processes[broker] = new BrokerProcess(
                broker,
                disks[broker],
                partition,
                clock,
                network,
                proposals[broker],
                controller.log,
                epoch,
                modes,
                tier,
                modes.contains(TRANSACTIONAL_ID) ? producerIds::getAndIncrement : null);
    }

    /** Start a broker that has registered. One that has lost a directory tells at once in which its replica is now. */
    private String restart(int broker) throws Throwable {
        start(broker);
        BrokerProcess process = processes[broker];
        if (process.wasShutDownCleanly() != requests.registeredAsClean(broker)) {
            String disk = process.wasShutDownCleanly() ? "clean" : "unclean";
            throw new IllegalStateException("broker " + broker + " has not registered as what its disk says: " + disk);
        }
        return disks[broker].directories().contains(1) ? "NONE" : sendAssignment(process);
    }

    /** An operator takes the first directory of a broker that is down away, and out of its configuration. */
    String replaceDirectory(int broker) throws Exception {
        disks[broker].loseFirst();
        requests.registersWith(broker, disks[broker].directories());
        return "NONE";
    }

    /** AssignReplicasToDirs of a process reaches the controller. */
    String sendAssignment(BrokerProcess process) throws Throwable {
        return process.assignments().send(directory -> requests.assignToDirectory(process.id(), directory));
    }

    /** The same, and the process hears of no answer yet. */
    String sendAssignmentOnly(BrokerProcess process) throws Throwable {
        return process.assignments().sendOnly(directory -> requests.assignToDirectory(process.id(), directory));
    }

    /** Take one command; what Kafka says of it. */
    String take(String command) throws Throwable {
        String[] words = command.split(":", -1);
        Commands.Handler handler = handlers.get(words[0]);
        if (handler != null) {
            return handler.take(words);
        }
        switch (words[0]) {
            case "controller":
                return requests.take(command.substring(words[0].length() + 1));
            case "elect":
                return elect(Integer.parseInt(words[1]));
            case "wait":
                clock.sleep(Long.parseLong(words[1]));
                for (BrokerProcess process : processes) {
                    if (process != null) {
                        process.runWhatIsDue();
                    }
                }
                return "NONE";
            case "start":
                return restart(Integer.parseInt(words[1]));
            case "judge":
                return proposals[Integer.parseInt(words[1])].judge(requests::alterPartition);
            case "judge_copy":
                return proposals[Integer.parseInt(words[1])].judgeCopy(requests::alterPartition);
            case "tell":
                return proposals[Integer.parseInt(words[1])].tell();
            default:
                return take(words, running(Integer.parseInt(words[1])));
        }
    }

    private String take(String[] words, BrokerProcess process) throws Throwable {
        switch (words[0]) {
            case "produce":
                return process.produce(words[2], Short.parseShort(words[3]), producers.heard(process));
            case "fetch":
                String fetched = process.fetchOnce(Integer.parseInt(words[2]));
                process.futureLogs().truncate();
                return fetched;
            case "replay":
                process.metadata().replay(Integer.parseInt(words[2]));
                return process.futureLogs().readAgain();
            case "shrink":
                process.partition().maybeShrinkIsr();
                return "NONE";
            case "stop":
                ended(Integer.parseInt(words[1]));
                process.shutDown();
                return "NONE";
            case "crash":
                ended(Integer.parseInt(words[1]));
                process.crash(Integer.parseInt(words[2]));
                return "NONE";
            default:
                throw new IllegalArgumentException("no command is called " + words[0]);
        }
    }

    /**
     * An operator has a replica elected as the preferred one. If it is not, the replicas are put in another order first,
     * by a reassignment that moves nothing; brokers hear of both as of one change.
     */
    private String elect(int broker) throws Throwable {
        List<Integer> replicas = new ArrayList<>(PartitionState.replicas(controller));
        int written = controller.log.size();
        if (replicas.get(0) != broker) {
            replicas.remove((Integer) broker);
            replicas.add(0, broker);
            String answer = requests.take("reassign:" + Words.told(replicas));
            if (!answer.equals("NONE")) {
                return answer;
            }
        }
        String answer = requests.take("elect:preferred");
        if (controller.log.size() > written + 1) {
            List<ApiMessage> both = new ArrayList<>(controller.log.get(written));
            both.addAll(controller.log.remove(written + 1));
            controller.log.set(written, both);
        }
        return answer;
    }

    private void ended(int broker) {
        for (Commands one : mechanisms) {
            one.ends(broker);
        }
        processes[broker] = null;
        proposals[broker].processEnded();
    }

    /** The order of the replicas at first. */
    List<Integer> order() {
        return order;
    }

    ControllerRequests requests() {
        return requests;
    }

    long nextProducerId() {
        return producerIds.getAndIncrement();
    }

    int brokers() {
        return processes.length;
    }

    BrokerProcess running(int broker) {
        if (processes[broker] == null) {
            throw new IllegalStateException("broker " + broker + " is down");
        }
        return processes[broker];
    }

    /** The state of controller and brokers as JSON, after all that runs has heard of what was written. */
    String state() throws Throwable {
        for (BrokerProcess process : processes) {
            if (process != null) {
                process.metadata().hear();
            }
        }
        StringJoiner brokers = new StringJoiner(",", "[", "]");
        for (BrokerProcess process : processes) {
            brokers.add(process == null ? "null" : state(process));
        }
        StringJoiner said = new StringJoiner(",", "{", "}");
        said.add("\"controller\":\"" + PartitionState.told(controller, disks.length, partition.partition()) + "\"");
        said.add("\"minIsr\":" + requests.minIsr());
        said.add("\"brokers\":" + brokers);
        said.add("\"proposed\":" + proposed());
        said.add("\"acknowledged\":" + acknowledged);
        for (Commands one : mechanisms) {
            one.tell(said);
        }
        return said.toString();
    }

    private List<List<Integer>> proposed() throws Exception {
        List<List<Integer>> found = new ArrayList<>();
        for (Proposals one : proposals) {
            found.add(one.proposed());
        }
        return found;
    }

    private String state(BrokerProcess process) throws Throwable {
        if (!process.hasReplica()) {
            return withoutReplica(process);
        }
        Partition partition = process.partition();
        StringJoiner said = new StringJoiner(",", "{", "}");
        said.add("\"replica\":true");
        said.add("\"leads\":" + partition.isLeader());
        said.add("\"leader\":" + partition.leaderReplicaIdOpt().getOrElse(() -> -1));
        said.add("\"leaderEpoch\":" + partition.getLeaderEpoch());
        said.add("\"highWatermark\":" + partition.localLogOrException().highWatermark());
        said.add("\"log\":" + process.log(transactions::named));
        said.add("\"future\":" + process.futureLog());
        said.add("\"futureStart\":" + process.futureLogStart());
        said.add("\"assigned\":" + (process.log(true) != null && requests.hasReplicaIn(process.id(), 2)));
        said.add("\"pending\":" + process.metadata().pending());
        if (partition.isLeader()) {
            said.add("\"minIsr\":" + Reflected.call(partition, "effectiveMinIsr", partition.localLogOrException()));
            said.add("\"epochStart\":" + partition.leaderEpochStartOffsetOpt().getOrElse(() -> -1));
            said.add("\"isr\":" + sorted(partition.partitionState().isr()));
            said.add("\"maximalIsr\":" + sorted(partition.partitionState().maximalIsr()));
            StringJoiner followers = new StringJoiner(",", "{", "}");
            for (Object follower : Wiring.asJava(partition.remoteReplicas())) {
                Object offset = Wiring.call(Wiring.call(follower, "stateSnapshot"), "logEndOffset");
                followers.add("\"" + Wiring.call(follower, "brokerId") + "\":" + offset);
            }
            said.add("\"followers\":" + followers);
        }
        for (Commands one : mechanisms) {
            one.tell(process, said);
        }
        return said.toString();
    }

    /** A broker without a replica knows the leader, as every broker does, and has no log. */
    private static String withoutReplica(BrokerProcess process) throws Exception {
        if (process.log(false) != null) {
            throw new IllegalStateException("a log without a replica");
        }
        PartitionRegistration known = process.metadata().registration();
        return "{\"replica\":false,\"future\":null,\"futureStart\":0,\"assigned\":false,\"leads\":false,\"leader\":" + known.leader
                + ",\"leaderEpoch\":" + known.leaderEpoch
                + ",\"highWatermark\":0,\"logStart\":0,\"log\":[],\"pending\":"
                + process.metadata().pending() + "}";
    }

    private static Collection<?> sorted(Object brokers) {
        return new TreeSet<>(Wiring.asJava(brokers));
    }

    @Override
    public void close() throws Exception {
        for (int broker = 0; broker < processes.length; broker++) {
            BrokerProcess process = processes[broker];
            if (process != null) {
                ended(broker);
                process.close();
            }
        }
        if (tier != null) {
            tier.close();
        }
        forgetMetrics();
        Disk.removeTree(folder);
    }

    /** LogManager leaves a gauge for each log directory in the registry of the JVM, and keeps all it had by that. */
    private static void forgetMetrics() {
        MetricsRegistry registry = KafkaYammerMetrics.defaultRegistry();
        List.copyOf(registry.allMetrics().keySet()).forEach(registry::removeMetric);
    }
}
