package epochal.lockstep;

import java.util.Map;
import java.util.StringJoiner;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.protocol.Errors;
import scala.Function1;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Records that are deleted at the start of a log: by DeleteRecords (KIP-107), and what followers make of it. One answer
 * to a fetch may be begun and not ended: the leader has read its high watermark, and nothing else.
 */
final class LogStarts implements Commands {
    private static final long TIMEOUT_MS = 1_000_000_000L;

    private final Running running;
    private final TopicPartition partition;
    private HeldRound begun;
    private int follower;
    private int leader;
    private long highWatermarkRead;
    private long confirmed;

    LogStarts(Running running, TopicPartition partition) {
        this.running = running;
        this.partition = partition;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "delete",
                this::delete,
                "confirm",
                this::confirm,
                "begin_answer",
                this::begin,
                "finish_answer",
                this::finish);
    }

    /** {@code delete:LEADER:OFFSET}: DeleteRecords; the admin does not wait for its answer. */
    private String delete(String[] words) throws Exception {
        return deleted(running.named(words[1]), Long.parseLong(words[2])).error();
    }

    /** The answer to DeleteRecords; PENDING as long as there is none. */
    private record Deleted(String error, long lowWatermark) {}

    private Deleted deleted(BrokerProcess process, long offset) throws Exception {
        Deleted[] answer = {new Deleted("PENDING", -1)};
        Function1<Object, BoxedUnit> heard = results -> {
            for (Object one : CollectionConverters.asJava((scala.collection.Map<?, ?>) results)
                    .values()) {
                DeleteRecordsPartitionResult result = (DeleteRecordsPartitionResult) one;
                answer[0] = new Deleted(Errors.forCode(result.errorCode()).name(), result.lowWatermark());
            }
            return BoxedUnit.UNIT;
        };
        Wiring.call(
                process.replicas(),
                "deleteRecords",
                TIMEOUT_MS,
                CollectionConverters.asScala(Map.of(partition, (Object) offset)),
                heard);
        process.replicas().tryCompleteActions();
        return answer[0];
    }

    /**
     * {@code confirm:LEADER}: the admin asks again for the greatest offset for which success is answered at once. Nothing
     * more is deleted by that: the offsets lie at or below the log start offset.
     */
    private String confirm(String[] words) throws Exception {
        BrokerProcess process = running.named(words[1]);
        for (long offset = logStart(process); offset > 0; offset--) {
            Deleted answer = deleted(process, offset);
            if (answer.error().equals("NONE")) {
                confirmed = Math.max(confirmed, offset);
                return "NONE";
            }
        }
        return "NOT_YET";
    }

    /**
     * {@code begin_answer:FOLLOWER:LEADER}: the leader reads the high watermark for its answer to a fetch.
     *
     * It holds its lock for reading until its answer is ready. Who wants that for writing waits until then, and nothing
     * else can be done here meanwhile.
     */
    private String begin(String[] words) throws Throwable {
        if (begun != null) {
            throw new IllegalStateException("an answer was begun already");
        }
        follower = Integer.parseInt(words[1]);
        leader = Integer.parseInt(words[2]);
        BrokerProcess process = running.named(words[1]);
        Partition asked = running.named(words[2]).partition();
        Option<?> log = asked.log();
        Object gated = GatedLog.of(log.get(), () -> {
            put(asked, log);
            HeldRound.reached(HeldRound.Place.HIGH_WATERMARK_READ);
        });
        Wiring.setPrivate(asked, Partition.class, "leaderIsrUpdateLock", new ImpatientLock());
        highWatermarkRead = asked.localLogOrException().highWatermark();
        put(asked, Option.apply(gated));
        HeldRound round = new HeldRound(() -> process.fetchOnce(leader));
        process.fetchers().keepIdleThreads(true);
        if (!round.runsTo(HeldRound.Place.HIGH_WATERMARK_READ)) {
            put(asked, log);
            process.fetchers().keepIdleThreads(false);
            return "NOT_READ";
        }
        begun = round;
        return "NONE";
    }

    /** {@code finish_answer}: the leader reads the rest, and the follower takes the answer. */
    private String finish(String[] words) throws Throwable {
        if (begun == null) {
            throw new IllegalStateException("no answer was begun");
        }
        begun.runsOut();
        over();
        return "NONE";
    }

    private void over() {
        running.named(String.valueOf(follower)).fetchers().keepIdleThreads(false);
        begun = null;
    }

    private static void put(Partition partition, Option<?> log) {
        try {
            Wiring.setPrivate(partition, Partition.class, "log", log);
        } catch (Exception unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    @Override
    public void ends(int broker) {
        if (begun != null && (broker == follower || broker == leader)) {
            begun.abandon();
            over();
        }
    }

    private static long logStart(BrokerProcess process) throws Exception {
        return (Long) Wiring.call(process.partition().localLogOrException(), "logStartOffset");
    }

    @Override
    public void tell(BrokerProcess process, StringJoiner said) throws Exception {
        said.add("\"logStart\":" + logStart(process));
        said.add("\"failed\":" + process.fetchers().failedPartitions().contains(partition));
    }

    @Override
    public void tell(StringJoiner said) {
        said.add("\"confirmed\":" + confirmed);
        said.add("\"begun\":"
                + (begun == null ? "null" : "[" + follower + "," + leader + "," + highWatermarkRead + "]"));
    }
}
