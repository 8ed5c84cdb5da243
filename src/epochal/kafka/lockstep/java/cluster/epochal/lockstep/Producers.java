package epochal.lockstep;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;

/** An idempotent producer: what it sends, and what brokers remember of it (ProducerStateManager). */
final class Producers implements Commands {
    private static final long PRODUCER = 1000L;
    private static final short ACKS_ALL = -1;
    private static final String SNAPSHOT = ".snapshot";

    private final Running running;
    private final List<String> acknowledged;
    /** The values for which a process has sent success, whether the producer has heard of it or not. */
    private final Map<BrokerProcess, Set<String>> answered = new IdentityHashMap<>();
    /** What each batch carries, by its producer epoch and sequence number. */
    private final Map<String, String> values = new HashMap<>();

    Producers(Running running, List<String> acknowledged) {
        this.running = running;
        this.acknowledged = acknowledged;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("send", this::send, "answer", this::answer, "forget", this::forget);
    }

    /** Who hears of success from a process. */
    Consumer<String> heard(BrokerProcess from) {
        return value -> {
            acknowledged.add(value);
            answered.computeIfAbsent(from, process -> new HashSet<>()).add(value);
        };
    }

    /** {@code send:LEADER:VALUE:PRODUCER_EPOCH:SEQUENCE}: a batch of one record, for the first time or again. */
    private String send(String[] words) throws Exception {
        BrokerProcess leader = running.named(words[1]);
        String value = words[2];
        values.put(words[3] + ":" + words[4], value);
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                PRODUCER,
                Short.parseShort(words[3]),
                Integer.parseInt(words[4]),
                leader.record(value));
        return leader.append(
                records, ACKS_ALL, AppendOrigin.CLIENT, () -> heard(leader).accept(value));
    }

    /** The same words: the answer of success that the process has sent, or that it has for the batch if it comes again. */
    private String answer(String[] words) throws Exception {
        boolean late = answered.getOrDefault(running.named(words[1]), Set.of()).contains(words[2]);
        return late ? "NONE" : words.length > 3 ? send(words) : "NO_ANSWER";
    }

    /** {@code forget:BROKER}: so late that every producer has expired for this broker. */
    private String forget(String[] words) throws Exception {
        BrokerProcess process = running.named(words[1]);
        ProducerStateManager state = stateOf(process);
        state.removeExpiredProducers(process.clock().milliseconds()
                + state.producerStateManagerConfig().producerIdExpirationMs());
        return "NONE";
    }

    private static ProducerStateManager stateOf(BrokerProcess process) throws Exception {
        return (ProducerStateManager) Wiring.call(process.partition().localLogOrException(), "producerStateManager");
    }

    /** The values of the batches that are remembered, and the offsets of the snapshots on disk. */
    @Override
    public void tell(BrokerProcess process, StringJoiner said) throws Exception {
        Set<Integer> remembered = new TreeSet<>();
        ProducerStateEntry entry = stateOf(process).lastEntry(PRODUCER).orElse(null);
        if (entry != null) {
            for (BatchMetadata batch : entry.batchMetadata()) {
                remembered.add(
                        Integer.valueOf(values.get(entry.producerEpoch() + ":" + Wiring.part(batch, "lastSeq"))));
            }
        }
        said.add("\"remembered\":" + remembered);
        said.add("\"snapshots\":" + snapshots(process));
    }

    private static List<Long> snapshots(BrokerProcess process) throws Exception {
        List<Long> offsets = new ArrayList<>();
        for (String name : ((File) Wiring.call(process.partition().localLogOrException(), "dir")).list()) {
            if (name.endsWith(SNAPSHOT)) {
                offsets.add(Long.valueOf(name.substring(0, name.length() - SNAPSHOT.length())));
            }
        }
        offsets.sort(null);
        return offsets;
    }
}
