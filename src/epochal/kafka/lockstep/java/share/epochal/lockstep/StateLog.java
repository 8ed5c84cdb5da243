package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.share.ShareCoordinatorConfig;
import org.apache.kafka.coordinator.share.ShareCoordinatorShard;
import org.apache.kafka.coordinator.share.metrics.ShareCoordinatorMetrics;
import org.apache.kafka.server.share.SharePartitionKey;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * The log of a partition of {@code __share_group_state}, and the shard that coordinates it.
 *
 * The shard is Kafka's. The log is a list: a record is replayed as soon as it is appended, and the high watermark passes
 * it when a step says so. Who takes office loads what is below the high watermark.
 */
final class StateLog {
    private final KafkaConfig config;
    private final Metrics metrics;
    private final Time clock;
    private final Object image;
    private final SharePartitionKey key;
    private final List<CoordinatorRecord> records = new ArrayList<>();
    private int logStart;
    private int highWatermark;
    private ShareCoordinatorShard shard;

    StateLog(KafkaConfig config, Metrics metrics, Time clock, Object image, SharePartitionKey key) throws Throwable {
        this.config = config;
        this.metrics = metrics;
        this.clock = clock;
        this.image = image;
        this.key = key;
        shard = loaded(0, 0);
    }

    private ShareCoordinatorShard loaded(int from, int to) throws Throwable {
        ShareCoordinatorShard.Builder builder = new ShareCoordinatorShard.Builder(
                (ShareCoordinatorConfig) Wiring.construct(ShareCoordinatorConfig.class, config));
        builder.withLogContext(new LogContext())
                .withSnapshotRegistry(new SnapshotRegistry(new LogContext()))
                .withCoordinatorMetrics(new ShareCoordinatorMetrics(metrics))
                .withTopicPartition(new TopicPartition("__share_group_state", 0))
                .withTime(clock);
        ShareCoordinatorShard found = builder.build();
        for (int offset = from; offset < to; offset++) {
            found.replay(offset, -1, (short) -1, records.get(offset));
        }
        Reflected.call(found, "onLoaded", image);
        if (Reflected.has(ShareCoordinatorShard.class, "onNewMetadataImage", 2)) { // until 4.1 it hears of it later
            Reflected.call(found, "onNewMetadataImage", image, null);
        }
        return found;
    }

    /** A request to the shard: its records are appended and replayed, and its answer waits for {@link #isReplicated}. */
    Object asked(String request, Object data) throws Throwable {
        CoordinatorResult<?, ?> result = (CoordinatorResult<?, ?>) Reflected.call(shard, request, data);
        for (Object record : result.records()) {
            records.add((CoordinatorRecord) record);
            shard.replay(records.size() - 1, -1, (short) -1, (CoordinatorRecord) record);
        }
        return result.response();
    }

    int end() {
        return records.size();
    }

    /** Whether the high watermark has passed all that was appended. */
    boolean isReplicated() {
        return highWatermark == records.size();
    }

    void replicate() {
        highWatermark = records.size();
    }

    /** Another broker has no more than what was replicated; `isPruned` as far as the shard says that older is redundant. */
    void failOver(boolean isPruned) throws Throwable {
        if (isPruned) {
            logStart = Math.min(redundant(), highWatermark);
        }
        records.subList(highWatermark, records.size()).clear();
        shard = loaded(logStart, highWatermark);
    }

    /** ShareCoordinatorService deletes the records before this offset. Up to it the high watermark must have come. */
    private int redundant() throws Throwable {
        Object result = Reflected.call(shard, "lastRedundantOffset");
        Optional<?> offset = (Optional<?>) ((CoordinatorResult<?, ?>) result).response();
        return offset.map(one -> ((Long) one).intValue()).orElse(logStart);
    }

    private Map<?, ?> map(ShareCoordinatorShard of, String name) throws Exception {
        return (Map<?, ?>) Wiring.getPrivate(of, ShareCoordinatorShard.class, name);
    }

    /** What the shard has of the share partition. */
    String persisted() throws Throwable {
        return told(shard);
    }

    /** What another shard would have that loads what is replicated. */
    String replicated() throws Throwable {
        return told(loaded(logStart, highWatermark));
    }

    private String told(ShareCoordinatorShard of) throws Throwable {
        Object state = map(of, "shareStateMap").get(key);
        if (state == null) {
            return "null";
        }
        List<String> batches = new ArrayList<>();
        for (Object batch : (Iterable<?>) Wiring.call(state, "stateBatches")) {
            batches.add("[" + Wiring.call(batch, "firstOffset") + "," + Wiring.call(batch, "lastOffset") + ","
                    + Wiring.call(batch, "deliveryState") + "," + Wiring.call(batch, "deliveryCount") + "]");
        }
        return "{\"start\":" + Wiring.call(state, "startOffset")
                + ",\"stateEpoch\":" + map(of, "stateEpochMap").get(key)
                + ",\"leaderEpoch\":" + Wiring.call(state, "leaderEpoch")
                + ",\"fence\":" + map(of, "leaderEpochMap").get(key)
                + ",\"batches\":" + batches + "}";
    }
}
