package epochal.lockstep;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.controller.ControllerUnderTest;
import org.apache.kafka.controller.PartitionState;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogSegment;
import scala.Option;

/** Retention, by which a broker deletes old segments of its own log; and segments that become smaller. */
final class Retention implements Commands {
    /** More than segment.bytes may be at least, and less than a batch may have. */
    private static final int LARGE = 1_200_000;

    private static final String SMALL_SEGMENT = "1048576";

    private final Running running;
    private final BrokerProcess[] processes;
    private final ControllerUnderTest controller;
    private final List<String> acknowledged;

    Retention(Running running, BrokerProcess[] processes, ControllerUnderTest controller, List<String> acknowledged) {
        this.running = running;
        this.processes = processes;
        this.controller = controller;
        this.acknowledged = acknowledged;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "roll",
                this::roll,
                "expire",
                this::expire,
                "produce_large",
                this::produceLarge,
                "lower_segments",
                this::lower);
    }

    /** {@code roll:BROKER}: what its log gets next is in a segment of its own. */
    private String roll(String[] words) throws Throwable {
        Object log = running.named(words[1]).partition().localLogOrException();
        long active = -1;
        for (LogSegment segment : segments(log)) {
            active = Math.max(active, segment.baseOffset());
        }
        if ((Long) Wiring.call(log, "logEndOffset") > active) {
            Wiring.call(log, "roll", Optional.empty(), Option.empty());
        }
        return "NONE";
    }

    /** {@code expire:BROKER:OFFSET}: the retention time is such that the records before the offset have expired. */
    private String expire(String[] words) throws Throwable {
        return expires(running.named(words[1]), Long.parseLong(words[2]) - 1, "retention.ms", "-1");
    }

    /** Old segments are deleted while a setting is such that the segment at an offset, and no later one, is too old. */
    static String expires(BrokerProcess process, long offset, String setting, String otherwise) throws Throwable {
        Object log = process.partition().localLogOrException();
        for (LogSegment segment : segments(log)) {
            if (segment.baseOffset() == offset) {
                long age = process.clock().milliseconds() - segment.largestTimestamp();
                configure(log, setting, String.valueOf(age - 1));
                Wiring.call(log, "deleteOldSegments");
                configure(log, setting, otherwise);
                return "NONE";
            }
        }
        return "NO_SEGMENT";
    }

    /** {@code produce_large:LEADER:VALUE:ACKS}: a record that is larger than segments will be. */
    private String produceLarge(String[] words) throws Exception {
        return running.named(words[1])
                .produce(words[2], new byte[LARGE], Short.parseShort(words[3]), acknowledged::add);
    }

    /** {@code lower_segments}: an operator sets segment.bytes of the topic, and every running broker acts on it. */
    private String lower(String[] words) throws Throwable {
        controller.write(List.of(new ConfigRecord()
                .setResourceType(ConfigResource.Type.TOPIC.id())
                .setResourceName(PartitionState.TOPIC)
                .setName("segment.bytes")
                .setValue(SMALL_SEGMENT)));
        for (BrokerProcess process : processes) {
            if (process != null) {
                configure(process.partition().localLogOrException(), "segment.bytes", SMALL_SEGMENT);
            }
        }
        return "NONE";
    }

    @SuppressWarnings("unchecked")
    private static Iterable<LogSegment> segments(Object log) throws Throwable {
        return (Iterable<LogSegment>) Reflected.call(log, "logSegments");
    }

    static void configure(Object log, String name, String value) throws Throwable {
        Map<String, Object> settings = new HashMap<>(((LogConfig) Reflected.call(log, "config")).originals());
        settings.put(name, value);
        Wiring.call(log, "updateConfig", new LogConfig(settings));
    }
}
