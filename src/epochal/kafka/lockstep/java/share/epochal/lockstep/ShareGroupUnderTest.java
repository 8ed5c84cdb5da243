package epochal.lockstep;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.server.share.SharePartitionKey;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.share.persister.ReadShareGroupStateResult;
import org.apache.kafka.server.share.persister.WriteShareGroupStateParameters;

/**
 * One share group of one partition: the leaders of the partition, the share coordinator, and the group coordinator.
 *
 * Leader epochs are counted as the specification does, from 0 on by elections, and state epochs by how many smaller ones
 * there were.
 */
final class ShareGroupUnderTest implements AutoCloseable {
    private static final String GROUP = "g";
    private static final byte ACCEPT = 1;
    private static final byte RELEASE = 2;

    /** An answer to ReadShareGroupState that is on its way. */
    private record Reading(CompletableFuture<ReadShareGroupStateResult> answer, ReadShareGroupStateResponseData data) {}

    private final LedCluster cluster;
    private final TopicIdPartition partition;
    private final int deliveries;
    private final Metrics metrics = new Metrics();
    private final ShareSettings settings;
    private final StateLog log;
    private final GroupUnderTest group;
    private final QueuedWrites writes = new QueuedWrites();
    private final Map<Integer, LedPartition> led = new TreeMap<>();
    private final Map<Integer, Reading> reading = new HashMap<>();
    private final TreeSet<Integer> stateEpochs = new TreeSet<>();
    private final TreeSet<Long> told = new TreeSet<>();
    private OfficeOfWrites office;
    private String awaits = "nobody";
    private String answer;

    /** The fields of the line: how often a record is delivered at most, where a group begins, whether the topic grows. */
    ShareGroupUnderTest(String[] line) throws Throwable {
        deliveries = Integer.parseInt(line[1]);
        boolean grows = line[3].equals("1");
        cluster = new LedCluster(grows);
        partition = cluster.partition();
        BrokerProcess any = cluster.leader();
        settings = new ShareSettings(any.config(), GROUP, deliveries, line[2]);
        Object image = settings.image(partition, grows ? 2 : 1);
        SharePartitionKey key = SharePartitionKey.getInstance(GROUP, partition.topicId(), partition.partition());
        log = new StateLog(any.config(), metrics, any.clock(), image, key);
        office = new OfficeOfWrites(partition.topicPartition());
        group = ShareSettings.initializesState()
                ? new GroupUnderTest(
                        any.config(),
                        settings.groups(),
                        metrics,
                        any.clock(),
                        GROUP,
                        partition.topic(),
                        partition.topicId(),
                        settings.image(partition, 1),
                        this::initialize,
                        this::delete)
                : null;
        if (group != null) {
            group.join();
            if (grows) {
                group.grow(image);
                group.heartbeat();
            }
        }
        log.replicate();
        if (group != null && !answer.equals("NONE")) {
            throw new IllegalStateException("the state is not initialized: " + answer);
        }
    }

    private void initialize(Object parameters) throws Throwable {
        var request = Requests.initialize(parameters);
        var data = request.topics().get(0).partitions().get(0);
        if (data.partition() == partition.partition()) {
            stateEpochs.add(data.stateEpoch());
        }
        answer = Requests.errorOf(log.asked("initializeState", request)).name();
        log.replicate();
    }

    private void delete(Object parameters) throws Throwable {
        answer = Requests.errorOf(log.asked("deleteState", Requests.delete(parameters))).name();
        log.replicate();
    }

    /** Take one command; what Kafka says of it. */
    String take(String command) throws Throwable {
        String[] words = command.split(":", -1);
        answer = "NONE";
        told.clear();
        switch (words[0]) {
            case "produce" -> cluster.produce();
            case "delete_records" -> answer = cluster.delete(words[1]);
            case "elect" -> answer = cluster.elect();
            case "elect_unclean" -> answer = cluster.electUnclean(words[1]);
            case "read" -> read(Integer.parseInt(words[1]));
            case "hear_state" -> hearState(Integer.parseInt(words[1]));
            case "acquire" -> answer = at(cluster.terms() - 1).acquire(words[1]) ? "NONE" : "NO_RECORD";
            case "acknowledge" -> acknowledge(words, ACCEPT);
            case "release" -> acknowledge(words, RELEASE);
            case "time_out" -> timeOut(words);
            case "find_log_start" -> at(cluster.terms() - 1).findLogStart();
            case "forget" -> forget(Integer.parseInt(words[1]));
            case "take_write" -> takeWrite(writes.at(words[1]));
            case "hear_success" -> hear(writes.at(words[1]));
            case "send_again" -> writes.at(words[1]).response = null;
            case "lose_write" -> writes.free(writes.at(words[1]));
            case "give_up" -> giveUp(writes.at(words[1]), words[2].equals("1"));
            case "replicate" -> log.replicate();
            case "fail_over" -> failOver(words[1].equals("1"));
            case "alter" -> alter(Long.parseLong(words[1]), words[2].equals("1"));
            case "make_anew" -> makeAnew();
            default -> throw new IllegalArgumentException("no command is called " + words[0]);
        }
        return answer;
    }

    private LedPartition at(int term) {
        LedPartition found = led.get(term);
        if (found == null) {
            throw new IllegalStateException("the leader of epoch " + term + " has no share partition");
        }
        return found;
    }

    // -- a leader -------------------------------------------------------------------------------------------------

    private void read(int term) throws Throwable {
        LedPartition[] sender = new LedPartition[1];
        Persister persister = persister(term, sender);
        BrokerProcess process = cluster.process(term);
        LedPartition made = new LedPartition(
                process,
                partition,
                GROUP,
                cluster.leaderEpoch(term),
                deliveries,
                persister,
                settings.partsOf(process.replicas()));
        sender[0] = made;
        led.put(term, made);
        made.initialize();
        answer = Requests.errorOf(reading.get(term).data()).name();
        if (!answer.equals("NONE")) {
            hearState(term);
        }
    }

    /** The persister of one leader: a read is put to the share coordinator at once, a write waits in its slot. */
    private Persister persister(int term, LedPartition[] sender) {
        return (Persister) Proxy.newProxyInstance(
                Persister.class.getClassLoader(), new Class<?>[] {Persister.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "readState":
                            CompletableFuture<ReadShareGroupStateResult> heard = new CompletableFuture<>();
                            reading.put(term, new Reading(heard, (ReadShareGroupStateResponseData)
                                    log.asked("readStateAndMaybeUpdateLeaderEpoch", Requests.read(arguments[0]))));
                            return heard;
                        case "writeState":
                            String waits = sender[0].isActive() ? awaits : "start";
                            return writes.add((WriteShareGroupStateParameters) arguments[0], sender[0], waits);
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    private void hearState(int term) throws Throwable {
        Reading heard = reading.remove(term);
        heard.answer().complete(ReadShareGroupStateResult.from(heard.data()));
        if (at(term).phase().equals("FAILED")) {
            forget(term);
            answer = "FAILED";
        }
    }

    /** SharePartitionManager forgets a share partition; who waits for an answer hears none. */
    private void forget(int term) throws Throwable {
        LedPartition gone = at(term);
        gone.fence();
        led.remove(term);
        reading.remove(term);
        for (QueuedWrites.Write one : writes.underWay()) {
            if (one.sender == gone) {
                writes.abandon(one);
            }
        }
    }

    private void acknowledge(String[] words, byte type) throws Throwable {
        long offset = Long.parseLong(words[3]);
        int before = writes.underWay().size();
        awaits = "member";
        at(Integer.parseInt(words[2])).acknowledge(words[1], offset, type, () -> told.add(offset));
        answer = writes.underWay().size() == before ? "NOTHING_WRITTEN" : "NONE";
    }

    private void timeOut(String[] words) throws Throwable {
        awaits = "timeout";
        answer = at(Integer.parseInt(words[1])).expire(Long.parseLong(words[2])) ? "NONE" : "NO_LOCK";
    }

    // -- writes ---------------------------------------------------------------------------------------------------

    /** A refusal reaches the sender at once; whoever waits for a member then gives the share partition up. */
    private void takeWrite(QueuedWrites.Write write) throws Throwable {
        write.response = (WriteShareGroupStateResponseData) log.asked("writeState", write.request);
        answer = Requests.errorOf(write.response).name();
        if (!answer.equals("NONE")) {
            hear(write);
        }
    }

    private void hear(QueuedWrites.Write write) throws Throwable {
        String waited = write.awaits;
        String error = Requests.errorOf(write.response).name();
        writes.answer(write);
        if (!error.equals("NONE") && (waited.equals("member") || waited.equals("start"))) {
            forgetSender(write);
        }
        answer = error;
    }

    private void forgetSender(QueuedWrites.Write write) throws Throwable {
        for (Map.Entry<Integer, LedPartition> one : List.copyOf(led.entrySet())) {
            if (one.getValue() == write.sender) {
                forget(one.getKey());
            }
        }
    }

    /** Before the sender gives up, the lock of the record may expire whose state it writes. */
    private void giveUp(QueuedWrites.Write write, boolean isExpired) throws Throwable {
        String waited = write.awaits;
        if (isExpired && !write.sender.expire(write.data().stateBatches().get(0).firstOffset())) {
            answer = "NO_LOCK";
            return;
        }
        writes.giveUp(write);
        if (waited.equals("start")) {
            forgetSender(write);
        }
    }

    /** Whether writes that were taken and are not answered are asked again is decided by the old coordinator's listener. */
    private void failOver(boolean isPruned) throws Throwable {
        log.failOver(isPruned);
        for (int term : List.copyOf(reading.keySet())) {
            forget(term);
        }
        boolean isTold = office.hearsOfSuccessor();
        office = new OfficeOfWrites(partition.topicPartition());
        for (QueuedWrites.Write one : writes.underWay()) {
            if (!isTold) {
                one.response = null;
            }
        }
    }

    // -- the group ------------------------------------------------------------------------------------------------

    /** The members leave before. Perhaps none joins: whoever fetches later was expelled, and its broker does not know. */
    private void alter(long start, boolean joins) throws Throwable {
        group.leave();
        group.alter(partition.partition(), start);
        if (joins) {
            group.join();
        }
    }

    private void makeAnew() throws Throwable {
        group.leave();
        group.delete();
        stateEpochs.clear();
        group.join();
    }

    // -- what is told ---------------------------------------------------------------------------------------------

    String state() throws Throwable {
        StringJoiner partitions = new StringJoiner(",", "{", "}");
        for (Map.Entry<Integer, LedPartition> one : led.entrySet()) {
            partitions.add("\"" + one.getKey() + "\":" + one.getValue().told());
        }
        StringJoiner said = new StringJoiner(",", "{", "}");
        said.add("\"topic\":" + cluster.told());
        said.add("\"partitions\":" + partitions);
        said.add("\"persisted\":" + log.persisted());
        said.add("\"replicated\":" + log.replicated());
        said.add("\"isReplicated\":" + log.isReplicated());
        said.add("\"writes\":" + writes.told());
        said.add("\"told\":" + told);
        said.add("\"stateEpochs\":" + stateEpochs);
        return said.toString();
    }

    @Override
    public void close() throws Exception {
        cluster.close();
        metrics.close();
    }
}
