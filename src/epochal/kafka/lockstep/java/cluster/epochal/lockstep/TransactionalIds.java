package epochal.lockstep;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import scala.Function1;
import scala.Function3;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;
import scala.util.Either;

/**
 * One transactional id: what producers ask the coordinators for, and what these decide, write to their log and load
 * from it, is Kafka's own. Followers fetch until what was written is replicated. The markers that a coordinator hands
 * over reach partitions when a step says so.
 */
final class TransactionalIds implements Commands {
    private static final String ID = "transactional";
    private static final String DATA = "d";
    private static final int TIMEOUT_MS = 60_000;
    private static final List<String> STATES =
            List.of("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort");
    private static final int MAX_BYTES = 1 << 20;
    private static final int MOST_FETCHES = 8;
    private static final short FIRST_THAT_TELLS = 2;

    private final Cluster cluster;
    private final TopicPartition partition;
    private final boolean isOn;
    /** By partition and producer id. */
    private final Map<String, MarkedPartition> data = new TreeMap<>();
    private final Map<String, Set<Integer>> decided = new TreeMap<>();
    private String answer;

    TransactionalIds(Cluster cluster, TopicPartition partition, boolean isOn) {
        this.cluster = cluster;
        this.partition = partition;
        this.isOn = isOn;
    }

    @Override
    public Map<String, Handler> handlers() {
        Map<String, Handler> all = new TreeMap<>();
        all.put("txn_seed", this::seed);
        all.put("txn_init", this::init);
        all.put("txn_write", this::write);
        all.put("txn_end", this::end);
        all.put("txn_time_out", this::timeOut);
        all.put("txn_marker", words -> mark(words, true));
        all.put("txn_marker_unheard", words -> mark(words, false));
        all.put("txn_complete", this::complete);
        all.put("txn_elect", this::elect);
        all.put("txn_hear", this::hear);
        all.put("txn_load", this::load);
        all.put("txn_load_part", this::loadPart);
        all.put("txn_resign", this::resign);
        return all;
    }

    private BrokerProcess running(String word) {
        return cluster.running(Integer.parseInt(word));
    }

    private Object asked(BrokerProcess process, String request, Object... parts) throws Exception {
        answer = "PENDING";
        Object returned = Wiring.call(process.coordination().kafka(), request, parts);
        replicate();
        return returned;
    }

    private final Function1<Object, BoxedUnit> withError = error -> {
        answer = ((Errors) error).name();
        return BoxedUnit.UNIT;
    };

    /** {@code txn_seed:LEADER:EPOCH}: what the log has from before: a producer id, and how many of its epochs are used up. */
    private String seed(String[] words) throws Exception {
        BrokerProcess leader = running(words[1]);
        answer = "PENDING";
        leader.append(
                Decisions.begun(cluster.nextProducerId(), Short.parseShort(words[2]), leader.clock().milliseconds()),
                (short) -1,
                AppendOrigin.COORDINATOR,
                () -> answer = "NONE");
        replicate();
        return answer;
    }

    /** {@code txn_init:LEADER}: InitProducerId; the error, or the producer id and its epoch. */
    private String init(String[] words) throws Exception {
        Function1<Object, BoxedUnit> withResult = result -> {
            try {
                Errors error = (Errors) Wiring.part(result, "error");
                Object id = Wiring.part(result, "producerId");
                answer = error == Errors.NONE ? id + ":" + Wiring.part(result, "producerEpoch") : error.name();
            } catch (Exception unknown) {
                throw new IllegalStateException(unknown);
            }
            return BoxedUnit.UNIT;
        };
        asked(running(words[1]), "handleInitProducerId", ID, TIMEOUT_MS, false, false, Option.empty(), withResult);
        return answer;
    }

    /**
     * {@code txn_write:LEADER:ID:EPOCH:PARTITION:TRANSACTION:VERSION}: the partition is added to the transaction, and a
     * record is appended there.
     */
    private String write(String[] words) throws Exception {
        Set<TopicPartition> added = Set.of(new TopicPartition(DATA, Integer.parseInt(words[4])));
        long id = Long.parseLong(words[2]);
        short epoch = Short.parseShort(words[3]);
        asked(
                running(words[1]),
                "handleAddPartitionsToTransaction",
                ID,
                id,
                epoch,
                withError, // before the set, which is a function for Scala
                added,
                CollectionConverters.asScala(added),
                version(words[6]));
        return answer.equals("NONE") ? at(words[4], id).write(epoch, Integer.parseInt(words[5])) : answer;
    }

    private static TransactionVersion version(String word) {
        return TransactionVersion.values()[Integer.parseInt(word)];
    }

    private MarkedPartition at(String index, long producerId) throws Exception {
        String key = index + ":" + producerId;
        if (!data.containsKey(key)) {
            data.put(key, new MarkedPartition(new TopicPartition(DATA, Integer.parseInt(index)), producerId));
        }
        return data.get(key);
    }

    /** {@code txn_end:LEADER:ID:EPOCH:RESULT:VERSION}: EndTxn; the error, and the id and epoch that go with success. */
    private String end(String[] words) throws Exception {
        boolean tells = version(words[5]).featureLevel() >= FIRST_THAT_TELLS;
        Function3<Object, Object, Object, BoxedUnit> withNext = (error, id, epoch) -> {
            answer = tells && error == Errors.NONE ? Errors.NONE.name() + ":" + id + ":" + epoch : ((Errors) error).name();
            return BoxedUnit.UNIT;
        };
        asked(
                running(words[1]),
                "handleEndTransaction",
                ID,
                Long.parseLong(words[2]),
                Short.parseShort(words[3]),
                TransactionResult.valueOf(words[4]),
                version(words[5]),
                withError,
                withNext);
        return answer;
    }

    /** {@code txn_time_out:LEADER}: time goes on until a transaction has taken too long, and the coordinator looks. */
    private String timeOut(String[] words) throws Exception {
        BrokerProcess process = running(words[1]);
        process.clock().sleep(TIMEOUT_MS + 1);
        process.coordination().abortWhatTookTooLong();
        replicate();
        return "NONE";
    }

    /** {@code txn_marker:BROKER:PARTITION}: WriteTxnMarkers of what a coordinator has handed over. */
    private String mark(String[] words, boolean isHeard) throws Exception {
        RecordedMarkers markers = running(words[1]).coordination().markers();
        RecordedMarkers.Handed handed = markers.handed();
        TopicPartition marked = new TopicPartition(DATA, Integer.parseInt(words[2]));
        if (handed == null || !Wiring.asJava(Wiring.call(handed.now(), "topicPartitions")).contains(marked)) {
            return "NO_MARKER";
        }
        long id = (Long) Wiring.call(handed.now(), "producerId");
        short epoch = (Short) Wiring.call(handed.now(), "producerEpoch");
        MarkedPartition.Answer said =
                at(words[2], id).mark(handed.result(), epoch, handed.coordinatorEpoch(), version(handed.now()));
        for (int transaction : said.ended()) {
            decided.computeIfAbsent(transaction + ":" + handed.result(), key -> new TreeSet<>()).add(marked.partition());
        }
        if (!said.error().equals("NONE")) {
            markers.isOver();
        } else if (isHeard) {
            Wiring.call(handed.now(), "removePartition", marked);
        }
        return said.error();
    }

    /** Of the transaction's client, as far as a release knows it: before, each has an epoch for all transactions. */
    private static short version(Object metadata) throws Exception {
        boolean isKnown = List.of(metadata.getClass().getMethods()).stream()
                .anyMatch(one -> one.getName().equals("clientTransactionVersion") && one.getParameterCount() == 0);
        if (!isKnown) {
            return 0;
        }
        Object version =
                metadata.getClass().getMethod("clientTransactionVersion").invoke(metadata);
        return version == null ? 0 : ((TransactionVersion) version).featureLevel();
    }

    /** {@code txn_complete:LEADER}: all markers are acknowledged, and the coordinator writes that. */
    private String complete(String[] words) throws Exception {
        Coordination coordination = running(words[1]).coordination();
        RecordedMarkers.Handed handed = coordination.markers().handed();
        if (handed == null || !Wiring.asJava(Wiring.call(handed.now(), "topicPartitions")).isEmpty()) {
            return "NOT_YET";
        }
        coordination.markers().isOver();
        answer = "PENDING";
        Function1<Object, Object> never = error -> false;
        Wiring.call(
                coordination.states(),
                "appendTransactionToLog",
                ID,
                handed.coordinatorEpoch(),
                handed.complete(),
                withError,
                never,
                noCaching(coordination.kafka()));
        replicate();
        return answer;
    }

    /** The RequestLocal of a request that brings none: a default of Kafka's own, whose class has moved. */
    private static Object noCaching(Object coordinator) throws Exception {
        for (Method one : coordinator.getClass().getMethods()) {
            if (one.getName().startsWith("handleEndTransaction$default$")) {
                return one.invoke(coordinator);
            }
        }
        throw new IllegalStateException("handleEndTransaction has no default");
    }

    // -- the log --------------------------------------------------------------------------------------------------

    /** Followers fetch from the leader that they know until it has nothing that is not replicated. */
    private void replicate() throws Exception {
        for (int round = 0; round < MOST_FETCHES; round++) {
            for (int broker = 0; broker < cluster.brokers(); broker++) {
                BrokerProcess process = cluster.running(broker);
                process.replicas().tryCompleteActions();
                Object leader = process.partition().leaderReplicaIdOpt().getOrElse(() -> -1);
                if (!process.partition().isLeader() && (Integer) leader >= 0) {
                    process.fetchOnce((Integer) leader);
                    cluster.running((Integer) leader).replicas().tryCompleteActions();
                }
            }
        }
    }

    /** {@code txn_elect:BROKER}: all but a broker that is loading hear of it at once. */
    private String elect(String[] words) throws Throwable {
        String said = cluster.take("elect:" + words[1]);
        for (int broker = 0; broker < cluster.brokers(); broker++) {
            BrokerProcess process = cluster.running(broker);
            process.metadata().hear();
            if (broker == Integer.parseInt(words[1]) || !loads(process)) {
                process.metadata().replay(process.metadata().pending());
            }
        }
        replicate();
        return said;
    }

    private static Either<?, ?> known(BrokerProcess process) throws Exception {
        return (Either<?, ?>) Wiring.call(process.coordination().states(), "getTransactionState", ID);
    }

    private static boolean loads(BrokerProcess process) throws Exception {
        Either<?, ?> known = known(process);
        return known.isLeft() && known.left().toOption().get() == Errors.COORDINATOR_LOAD_IN_PROGRESS;
    }

    /** {@code txn_hear:BROKER}: a broker that is loading hears that another one leads, and follows it. */
    private String hear(String[] words) throws Exception {
        replayAll(running(words[1]));
        replicate();
        return "NONE";
    }

    /** {@code txn_load:BROKER}: the coordinator reads its partition. */
    private String load(String[] words) throws Exception {
        running(words[1]).coordination().load();
        return "NONE";
    }

    /**
     * {@code txn_load_part:BROKER:NUMBER}: the coordinator reads its partition, batch by batch. Before it reads the last
     * of so many, its broker hears that another one leads; that it resigns comes later, or with {@code :resigned} at once.
     */
    private String loadPart(String[] words) throws Exception {
        BrokerProcess process = running(words[1]);
        Partition led = process.partition();
        Option<?> log = led.log();
        int[] left = {Integer.parseInt(words[2])};
        Object gated = GatedLog.ofEnd(log.get(), () -> {
            left[0]--;
            if (left[0] == 0) {
                put(led, log);
                replayAll(process);
                if (words.length > 3) {
                    process.coordination().office().resign();
                }
            }
        });
        put(led, Option.apply(gated));
        process.coordination().load();
        if (left[0] > 0) {
            put(led, log);
            return "READ_LESS";
        }
        return "NONE";
    }

    private static void put(Partition partition, Option<?> log) {
        try {
            Wiring.setPrivate(partition, Partition.class, "log", log);
        } catch (Exception unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    private static void replayAll(BrokerProcess process) {
        try {
            process.metadata().replay(process.metadata().pending());
        } catch (Exception unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    /** {@code txn_resign:BROKER}: the coordinator hears that its broker leads no longer. */
    private String resign(String[] words) throws Exception {
        BrokerProcess process = running(words[1]);
        replayAll(process);
        return process.coordination().office().resign() ? "NONE" : "NOT_REPLACED";
    }

    // -- what is told ---------------------------------------------------------------------------------------------

    @Override
    public void tell(BrokerProcess process, StringJoiner said) throws Exception {
        if (isOn) {
            said.add("\"office\":" + office(process));
            said.add("\"records\":" + records(process));
        }
    }

    @Override
    public void tell(StringJoiner said) {
        StringJoiner partitions = new StringJoiner(",", "{", "}");
        data.forEach((key, one) -> partitions.add("\"" + key + "\":" + one.told()));
        StringJoiner marked = new StringJoiner(",", "{", "}");
        decided.forEach((key, where) -> marked.add("\"" + key + "\":" + where));
        said.add("\"data\":" + partitions);
        said.add("\"decided\":" + marked);
    }

    /** null: it is no coordinator; else the epoch for which it loads, or in which it serves, with what it knows. */
    private static String office(BrokerProcess process) throws Exception {
        if (loads(process)) {
            return "{\"loads\":" + process.coordination().office().elected() + "}";
        }
        Either<?, ?> known = known(process);
        if (known.isLeft()) {
            return "null";
        }
        Option<?> found = (Option<?>) known.toOption().get();
        if (found.isEmpty()) {
            return "{\"serves\":null}";
        }
        Object metadata = Wiring.call(found.get(), "transactionMetadata");
        List<Integer> waits = new ArrayList<>();
        for (Object one : Wiring.asJava(Wiring.call(metadata, "topicPartitions"))) {
            waits.add(((TopicPartition) one).partition());
        }
        return "{\"serves\":" + Wiring.call(found.get(), "coordinatorEpoch") + ","
                + metadata(
                        stateOf(metadata),
                        (Long) Wiring.call(metadata, "producerId"),
                        (Short) Wiring.call(metadata, "producerEpoch"),
                        waits)
                + "}";
    }

    private static String stateOf(Object metadata) throws Exception {
        Object state = metadata.getClass().getMethod("state").invoke(metadata);
        return STATES.get((Byte) Wiring.call(state, "id"));
    }

    private static String metadata(String state, long id, short epoch, List<Integer> partitions) {
        return "\"state\":\"" + state + "\",\"producerId\":" + id + ",\"epoch\":" + epoch + ",\"partitions\":"
                + new TreeSet<>(partitions);
    }

    /** The records of a replica of the partition. */
    private static List<String> records(BrokerProcess process) throws Exception {
        Object log = process.partition().localLogOrException();
        List<String> found = new ArrayList<>();
        Object read = Wiring.call(log, "read", 0L, MAX_BYTES, FetchIsolation.LOG_END, true);
        for (Object one : (Iterable<?>) Wiring.call(Wiring.part(read, "records"), "records")) {
            var bytes = ((Record) one).value().duplicate();
            TransactionLogValue value = new TransactionLogValue(new ByteBufferAccessor(bytes), bytes.getShort());
            List<Integer> partitions = new ArrayList<>();
            for (TransactionLogValue.PartitionsSchema topic : partitionsOf(value)) {
                partitions.addAll(topic.partitionIds());
            }
            found.add("{"
                    + metadata(STATES.get(value.transactionStatus()), value.producerId(), value.producerEpoch(), partitions)
                    + "}");
        }
        return found;
    }

    private static List<TransactionLogValue.PartitionsSchema> partitionsOf(TransactionLogValue value) {
        return value.transactionPartitions() == null ? List.of() : value.transactionPartitions();
    }
}
