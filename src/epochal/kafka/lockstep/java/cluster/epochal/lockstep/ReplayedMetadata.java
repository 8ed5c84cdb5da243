package epochal.lockstep;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.TopicDelta;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * What one process has replayed of the metadata log. It hears of registrations and settings at once; a change of the
 * partition waits until a step replays it, unless it would make no difference to this broker.
 */
final class ReplayedMetadata {
    private static final Set<String> OF_PARTITIONS =
            Set.of("TopicRecord", "PartitionRecord", "PartitionChangeRecord", "RemoveTopicRecord", "ClearElrRecord");

    static final String EVERY_CHANGE_WAITS = "every-change-waits";
    static final String SETTINGS_WAIT = "settings-wait";

    /** Who acts on a new image (BrokerMetadataPublisher). */
    interface Publisher {
        void publish(MetadataDelta delta, MetadataImage image) throws Exception;
    }

    /** Records that wait: those of one change of the partition, or those of a setting. */
    private record Change(List<ApiMessage> records, boolean ofPartition) {}

    private final int broker;
    private final TopicIdPartition partition;
    private final Set<String> waits;
    private final List<List<ApiMessage>> log;
    private final Publisher publisher;
    private final Deque<Change> pending = new ArrayDeque<>();
    private MetadataImage image = MetadataImage.EMPTY;
    private int heard;

    /** `log` are the batches that the controller has written, and will write; `waits` are modes of a cluster. */
    ReplayedMetadata(
            int broker,
            TopicIdPartition partition,
            List<List<ApiMessage>> log,
            Publisher publisher,
            Set<String> waits) {
        this.broker = broker;
        this.partition = partition;
        this.waits = waits;
        this.log = log;
        this.publisher = publisher;
    }

    /** How many changes of the partition wait. */
    int pending() {
        return (int) pending.stream().filter(Change::ofPartition).count();
    }

    /** A process that starts replays everything in one publication. */
    void replayAll() throws Exception {
        List<ApiMessage> everything = new ArrayList<>();
        for (; heard < log.size(); heard++) {
            everything.addAll(log.get(heard));
        }
        publish(everything);
    }

    void hear() throws Exception {
        for (; heard < log.size(); heard++) {
            List<ApiMessage> now = new ArrayList<>();
            List<ApiMessage> ofPartition = new ArrayList<>();
            List<ApiMessage> ofSettings = new ArrayList<>();
            for (ApiMessage record : log.get(heard)) {
                String kind = record.getClass().getSimpleName();
                boolean later = waits.contains(SETTINGS_WAIT) && kind.equals("ConfigRecord");
                (OF_PARTITIONS.contains(kind) ? ofPartition : later ? ofSettings : now).add(record);
            }
            if (!ofPartition.isEmpty() && !changesPartition(ofPartition)) {
                ofSettings.addAll(ofPartition); // clears an ELR that is empty
            } else if (!ofPartition.isEmpty()) {
                if (pending() == 0 && !matters(ofPartition)) {
                    now.addAll(ofPartition);
                } else {
                    pending.add(new Change(ofPartition, true));
                }
            }
            if (!ofSettings.isEmpty() && waits.contains(SETTINGS_WAIT)) {
                pending.add(new Change(ofSettings, false));
            } else if (!ofSettings.isEmpty() && pending.isEmpty()) {
                now.addAll(ofSettings);
            } else if (!ofSettings.isEmpty()) {
                throw new IllegalStateException(
                        "a setting that is heard at once clears the ELR of a partition whose changes wait");
            }
            if (!now.isEmpty()) {
                publish(now);
            }
        }
    }

    /** Replay so many of the changes that wait, in one publication, and the settings before the last of them. */
    void replay(int many) throws Exception {
        if (many > pending()) {
            throw new IllegalStateException("only " + pending() + " changes of the partition wait");
        }
        List<ApiMessage> some = new ArrayList<>();
        for (int changes = 0; changes < many; ) {
            Change next = pending.remove();
            some.addAll(next.records());
            changes += next.ofPartition() ? 1 : 0;
        }
        publish(some);
    }

    /** Replay a setting that is the next to be replayed. */
    void learnSettings() throws Exception {
        Change next = pending.remove();
        if (next.ofPartition()) {
            throw new IllegalStateException("a change of the partition comes before the setting");
        }
        publish(next.records());
    }

    /** Whether records make the partition another one than it is behind all changes that wait. */
    private boolean changesPartition(List<ApiMessage> records) throws Exception {
        MetadataDelta delta = delta(List.of());
        pending.forEach(change -> change.records().forEach(delta::replay));
        MetadataImage before = delta.apply(provenance());
        MetadataDelta after = new MetadataDelta.Builder().setImage(before).build();
        records.forEach(after::replay);
        return !registration(before).equals(registration(after.apply(provenance())));
    }

    /**
     * A leader acts on every change, and everybody else on those of leader and leader epoch. Where replicas come and go
     * each change may be about a broker's own.
     */
    private boolean matters(List<ApiMessage> records) {
        TopicDelta topic = delta(records).topicsDelta().changedTopic(partition.topicId());
        PartitionRegistration after =
                topic == null ? null : topic.partitionChanges().get(partition.partition());
        if (after == null) {
            return false;
        }
        PartitionRegistration before = registration();
        return waits.contains(EVERY_CHANGE_WAITS)
                || before.leader == broker
                || before.leader != after.leader
                || before.leaderEpoch != after.leaderEpoch;
    }

    /** The partition as far as it is replayed. */
    PartitionRegistration registration() {
        return registration(image);
    }

    private PartitionRegistration registration(MetadataImage in) {
        return in.topics().getPartition(partition.topicId(), partition.partition());
    }

    private MetadataDelta delta(List<ApiMessage> records) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        records.forEach(delta::replay);
        return delta;
    }

    private MetadataProvenance provenance() throws Exception {
        return (MetadataProvenance) Wiring.construct(MetadataProvenance.class, (long) heard, 1, 1L, true);
    }

    private void publish(List<ApiMessage> records) throws Exception {
        MetadataDelta delta = delta(records);
        image = delta.apply(provenance());
        publisher.publish(delta, image);
    }
}
