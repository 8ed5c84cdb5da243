package epochal.lockstep;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import kafka.coordinator.group.CoordinatorPartitionWriter;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.deferred.DeferredEventQueue;

/**
 * Coordinators that write to the partition, and wait with Kafka's own queue until the high watermark that Kafka's own
 * listener tells them of has passed what they wrote. One that leads no longer is unloaded later, which no step does.
 */
final class CoordinatorWrites implements Commands {
    /** A coordinator of one term of its broker; `passed` is the high watermark that it has heard of. */
    private static final class Coordinator implements PartitionWriter.Listener {
        private final int leaderEpoch;
        private final DeferredEventQueue waiting = new DeferredEventQueue(new LogContext());
        private long passed;

        Coordinator(int leaderEpoch) {
            this.leaderEpoch = leaderEpoch;
        }

        @Override
        public void onHighWatermarkUpdated(TopicPartition partition, long offset) {
            passed = offset;
        }
    }

    private final Running running;
    private final TopicPartition partition;
    private final List<String> acknowledged;
    private final Map<BrokerProcess, List<Coordinator>> coordinators = new IdentityHashMap<>();
    private final List<String> told = new ArrayList<>();

    CoordinatorWrites(Running running, TopicPartition partition, List<String> acknowledged) {
        this.running = running;
        this.partition = partition;
        this.acknowledged = acknowledged;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("coordinate", this::write, "hear", this::hear);
    }

    /** {@code coordinate:LEADER:VALUE:ACKS}: the coordinator of a leader writes a record, and waits. */
    private String write(String[] words) throws Exception {
        BrokerProcess process = running.named(words[1]);
        Coordinator own = of(process);
        long end = (Long) Wiring.call(process.partition().localLogOrException(), "logEndOffset");
        String answer = process.produce(words[2], Short.parseShort(words[3]), acknowledged::add);
        own.waiting.add(end + 1, failed -> {
            if (failed == null) {
                told.add(words[2]);
            }
        });
        return answer;
    }

    private Coordinator of(BrokerProcess process) {
        List<Coordinator> all = coordinators.computeIfAbsent(process, one -> new ArrayList<>());
        int epoch = process.partition().getLeaderEpoch();
        if (all.isEmpty() || all.get(all.size() - 1).leaderEpoch != epoch) {
            Coordinator next = new Coordinator(epoch);
            new CoordinatorPartitionWriter(process.replicas()).registerListener(partition, next);
            all.add(next);
        }
        return all.get(all.size() - 1);
    }

    /** {@code hear:BROKER}: the coordinators of a broker do what the high watermarks that they heard of allow. */
    private String hear(String[] words) {
        for (Coordinator one : coordinators.getOrDefault(running.named(words[1]), List.of())) {
            one.waiting.completeUpTo(one.passed);
        }
        return "NONE";
    }

    @Override
    public void tell(StringJoiner said) {
        said.add("\"coordinatorsTold\":" + told);
    }
}
