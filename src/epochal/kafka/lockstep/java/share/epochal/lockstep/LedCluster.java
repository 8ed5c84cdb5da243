package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.controller.PartitionState;

/** The topic partition on two brokers, and who led it in which epoch. All that is produced is committed at once. */
final class LedCluster implements AutoCloseable {
    private static final String FIELDS = "begin|2|0|1|1|0,1|0|0|0|0,1||-1|0|||0,1|";
    private static final int ROUNDS = 12;

    /** A broker that leads, and the leader epoch that Kafka gave it. */
    private record Term(int broker, int epoch) {}

    private final Cluster cluster;
    private final TopicIdPartition partition;
    private final List<Term> terms = new ArrayList<>();
    private int produced;

    /** `isSecond`: the partition is the second one of its topic. */
    LedCluster(boolean isSecond) throws Throwable {
        cluster = new Cluster((FIELDS + (isSecond ? "|second-partition" : "")).split("\\|", -1));
        TopicPartition of = new TopicPartition(PartitionState.TOPIC, isSecond ? 1 : 0);
        partition = new TopicIdPartition(PartitionState.TOPIC_ID, of);
        settle();
        terms.add(new Term(0, leader(0).partition().getLeaderEpoch()));
    }

    private BrokerProcess leader(int broker) {
        return cluster.running(broker);
    }

    TopicIdPartition partition() {
        return partition;
    }

    int terms() {
        return terms.size();
    }

    private Term now() {
        return terms.get(terms.size() - 1);
    }

    BrokerProcess leader() {
        return process(terms.size() - 1);
    }

    /** The broker that led in a term, as it runs now. */
    BrokerProcess process(int term) {
        return cluster.running(terms.get(term).broker());
    }

    int leaderEpoch(int term) {
        return terms.get(term).epoch();
    }

    void produce() throws Throwable {
        cluster.take("produce:" + now().broker() + ":" + produced++ + ":-1");
        settle();
    }

    String delete(String offset) throws Throwable {
        cluster.take("delete:" + now().broker() + ":" + offset);
        settle();
        Object log = leader().partition().localLogOrException();
        return Wiring.call(log, "logStartOffset").equals(Long.parseLong(offset)) ? "NONE" : "NOT_DELETED";
    }

    String elect() throws Throwable {
        int next = 1 - now().broker();
        String answer = cluster.take("elect:" + next);
        settle();
        terms.add(new Term(next, leader(next).partition().getLeaderEpoch()));
        return answer;
    }

    /**
     * The other broker crashes, and its disk has lost what comes behind an offset. It starts again, and before it fetches
     * the leader is fenced, so that it is elected.
     */
    String electUnclean(String end) throws Throwable {
        int former = now().broker();
        int next = 1 - former;
        cluster.take("crash:" + next + ":" + end);
        cluster.take("controller:fence:" + next);
        cluster.take("controller:restart:" + next + ":unclean");
        cluster.take("start:" + next);
        cluster.take("controller:unfence:" + next);
        hear();
        cluster.take("controller:fence:" + former);
        hear();
        if (!leader(next).partition().isLeader()) {
            cluster.take("controller:elect:unclean");
            hear();
        }
        cluster.take("controller:unfence:" + former);
        settle();
        terms.add(new Term(next, leader(next).partition().getLeaderEpoch()));
        return leader(next).partition().isLeader() ? "NONE" : "NOT_ELECTED";
    }

    private void hear() throws Throwable {
        for (int broker = 0; broker < cluster.brokers(); broker++) {
            BrokerProcess process = cluster.running(broker);
            process.metadata().hear();
            process.metadata().replay(process.metadata().pending());
        }
    }

    /** All brokers hear of everything, and fetch until there is nothing that is not replicated. */
    private void settle() throws Throwable {
        for (int round = 0; round < ROUNDS; round++) {
            hear();
            for (int broker = 0; broker < cluster.brokers(); broker++) {
                BrokerProcess process = cluster.running(broker);
                process.replicas().tryCompleteActions();
                Object leader = process.partition().leaderReplicaIdOpt().getOrElse(() -> -1);
                if (!process.partition().isLeader() && (Integer) leader >= 0) {
                    process.fetchOnce((Integer) leader);
                    cluster.running((Integer) leader).replicas().tryCompleteActions();
                }
                if (cluster.take("judge:" + broker).equals("NONE")) {
                    cluster.take("tell:" + broker);
                }
            }
        }
    }

    /** Where the log of the leader starts, how far it is committed, and how long it is; its leader epoch by terms. */
    String told() throws Throwable {
        Object log = leader().partition().localLogOrException();
        return "{\"start\":" + Wiring.call(log, "logStartOffset") + ",\"highWatermark\":"
                + Wiring.call(log, "highWatermark") + ",\"end\":" + Wiring.call(log, "logEndOffset") + ",\"leads\":"
                + leader().partition().isLeader() + ",\"epochs\":"
                + terms.stream().map(Term::epoch).toList() + "}";
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
