package epochal.lockstep;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.controller.ControllerRequests;
import org.apache.kafka.controller.ControllerUnderTest;
import org.apache.kafka.controller.PartitionState;

/** A cluster with one partition in one thread: the controller, and for each broker its disk and perhaps a process. */
final class Cluster implements AutoCloseable {
    private static final TopicIdPartition PARTITION =
        new TopicIdPartition(PartitionState.TOPIC_ID, new TopicPartition(PartitionState.TOPIC, 0));

    private final Path folder;
    private final ManualClock clock = new ManualClock();
    private final ControllerUnderTest controller;
    private final ControllerRequests requests;
    private final Network network;
    private final Disk[] disks;
    private final Proposals[] proposals;
    private final BrokerProcess[] processes;
    private final List<String> acknowledged = new ArrayList<>();
    private final Producers producers = new Producers(word -> running(Integer.parseInt(word)), acknowledged);
    private final Transactions transactions = new Transactions(word -> running(Integer.parseInt(word)), producers);
    private final List<Commands> mechanisms = List.of(producers, transactions);
    private final Map<String, Commands.Handler> handlers = new HashMap<>();

    /** The state of the controller is that of a line, as layer 1 takes it; every log is empty. */
    Cluster(String[] line) throws Throwable {
        PartitionState state = new PartitionState(line, 1);
        int brokers = state.brokers;
        mechanisms.forEach(one -> handlers.putAll(one.handlers()));
        folder = Files.createTempDirectory("lockstep");
        controller = new ControllerUnderTest(state.elrIsOn);
        state.putInto(controller);
        requests = new ControllerRequests(controller, brokers);
        disks = new Disk[brokers];
        proposals = new Proposals[brokers];
        processes = new BrokerProcess[brokers];
        network = new Network(broker -> processes[broker], PARTITION.topicId(), PARTITION.topic());
        for (int broker = 0; broker < brokers; broker++) {
            disks[broker] = new Disk(folder);
            proposals[broker] = new Proposals(broker, PARTITION.topicId());
            start(broker);
        }
    }

    private void start(int broker) throws Exception {
        LongSupplier epoch = () -> requests.epochOf(broker);
        processes[broker] = new BrokerProcess(
            broker, disks[broker], PARTITION, clock, network, proposals[broker], controller.log, epoch);
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
            case "wait":
                clock.sleep(Long.parseLong(words[1]));
                for (BrokerProcess process : processes) {
                    if (process != null) {
                        process.runWhatIsDue();
                    }
                }
                return "NONE";
            case "start":
                start(Integer.parseInt(words[1]));
                return "NONE";
            case "judge":
                return proposals[Integer.parseInt(words[1])].judge(requests::alterPartition);
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
                return process.fetchOnce(Integer.parseInt(words[2]));
            case "replay":
                process.metadata().replay(Integer.parseInt(words[2]));
                return "NONE";
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

    private void ended(int broker) {
        processes[broker] = null;
        proposals[broker].processEnded();
    }

    private BrokerProcess running(int broker) {
        if (processes[broker] == null) {
            throw new IllegalStateException("broker " + broker + " is down");
        }
        return processes[broker];
    }

    /** The state of controller and brokers as JSON, after all that runs has heard of what was written. */
    String state() throws Exception {
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
        said.add("\"controller\":\"" + PartitionState.told(controller, disks.length) + "\"");
        said.add("\"brokers\":" + brokers);
        said.add("\"proposed\":" + proposed());
        said.add("\"acknowledged\":" + acknowledged);
        return said.toString();
    }

    private List<List<Integer>> proposed() throws Exception {
        List<List<Integer>> found = new ArrayList<>();
        for (Proposals one : proposals) {
            found.add(one.proposed());
        }
        return found;
    }

    private String state(BrokerProcess process) throws Exception {
        Partition partition = process.partition();
        StringJoiner said = new StringJoiner(",", "{", "}");
        said.add("\"leads\":" + partition.isLeader());
        said.add("\"leader\":" + partition.leaderReplicaIdOpt().getOrElse(() -> -1));
        said.add("\"leaderEpoch\":" + partition.getLeaderEpoch());
        said.add("\"highWatermark\":" + partition.localLogOrException().highWatermark());
        said.add("\"log\":" + process.log(transactions::named));
        said.add("\"pending\":" + process.metadata().pending());
        if (partition.isLeader()) {
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

    private static Collection<?> sorted(Object brokers) {
        return new TreeSet<>(Wiring.asJava(brokers));
    }

    @Override
    public void close() throws Exception {
        for (BrokerProcess process : processes) {
            if (process != null) {
                process.close();
            }
        }
        Disk.removeTree(folder);
    }
}
