package epochal.lockstep;

import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.storage.internals.log.AppendOrigin;

/**
 * Coordinators of a transaction, whose log is the partition. What one does that takes office is Kafka's own: it reads
 * its log, and hands markers over. A decision is appended as Kafka's coordinator does it, and handed over when it is
 * replicated. The partitions of the transaction are here, and never fail.
 */
final class TransactionLogs implements Commands {
    private static final short ACKS_ALL = -1;

    private final Running running;
    private final List<String> acknowledged;
    /** Which marker each partition of the transaction has. */
    private final Map<String, TransactionResult> markers = new TreeMap<>();

    TransactionLogs(Running running, List<String> acknowledged) {
        this.running = running;
        this.acknowledged = acknowledged;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("decide", this::decide, "carry_out", this::carryOut);
    }

    /** {@code decide:LEADER:VALUE:RESULT}: the coordinator of a leader appends a decision, and waits. */
    private String decide(String[] words) throws Exception {
        BrokerProcess leader = running.named(words[1]);
        TransactionResult decision = TransactionResult.valueOf(words[3]);
        int term = leader.partition().getLeaderEpoch();
        return leader.append(
                Decisions.of(decision, words[2], leader.clock().milliseconds()),
                ACKS_ALL,
                AppendOrigin.COORDINATOR,
                () -> {
                    acknowledged.add(words[2]);
                    if (leader.partition().isLeader() && leader.partition().getLeaderEpoch() == term) {
                        leader.coordination().isReplicated(decision);
                    }
                });
    }

    /** {@code carry_out:LEADER:PARTITION:RESULT}: a marker reaches a partition, if the coordinator hands such ones over. */
    private String carryOut(String[] words) {
        TransactionResult given = running.named(words[1]).coordination().carriesOut();
        if (given != TransactionResult.valueOf(words[3])) {
            return "NO_MARKER";
        }
        markers.putIfAbsent(words[2], given);
        return "NONE";
    }

    @Override
    public void tell(BrokerProcess process, StringJoiner said) {
        if (process.coordination() != null && process.coordination().office() == null) {
            process.coordination().load();
            TransactionResult given = process.coordination().carriesOut();
            said.add("\"carriesOut\":" + (given == null ? "null" : "\"" + given + "\""));
        }
    }

    @Override
    public void tell(StringJoiner said) {
        StringJoiner told = new StringJoiner(",", "{", "}");
        markers.forEach((partition, marker) -> told.add("\"" + partition + "\":\"" + marker + "\""));
        said.add("\"markers\":" + told);
    }
}
