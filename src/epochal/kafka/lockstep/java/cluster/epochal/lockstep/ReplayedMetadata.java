package epochal.lockstep;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * What one process has replayed of the metadata log. It hears of registrations and settings at once; a change of the
 * partition waits until a step replays it, unless it would make no difference to this broker.
 */
final class ReplayedMetadata {
    private static final Set<String> OF_PARTITIONS =
        Set.of("TopicRecord", "PartitionRecord", "PartitionChangeRecord", "RemoveTopicRecord", "ClearElrRecord");

    /** Who acts on a new image (BrokerMetadataPublisher). */
    interface Publisher {
        void publish(MetadataDelta delta, MetadataImage image) throws Exception;
    }

    private final int broker;
    private final Uuid topic;
    private final List<List<ApiMessage>> log;
    private final Publisher publisher;
    private final Deque<List<ApiMessage>> pending = new ArrayDeque<>();
    private MetadataImage image = MetadataImage.EMPTY;
    private int heard;

    /** `log` are the batches that the controller has written, and will write. */
    ReplayedMetadata(int broker, Uuid topic, List<List<ApiMessage>> log, Publisher publisher) {
        this.broker = broker;
        this.topic = topic;
        this.log = log;
        this.publisher = publisher;
    }

    /** How many changes of the partition wait. */
    int pending() {
        return pending.size();
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
            for (ApiMessage record : log.get(heard)) {
                (OF_PARTITIONS.contains(record.getClass().getSimpleName()) ? ofPartition : now).add(record);
            }
            if (!ofPartition.isEmpty()) {
                if (pending.isEmpty() && !matters(ofPartition)) {
                    now.addAll(ofPartition);
                } else {
                    pending.add(ofPartition);
                }
            }
            if (!now.isEmpty()) {
                publish(now);
            }
        }
    }

    /** Replay so many of the changes that wait, in one publication. */
    void replay(int many) throws Exception {
        if (many > pending.size()) {
            throw new IllegalStateException("only " + pending.size() + " changes of the partition wait");
        }
        List<ApiMessage> some = new ArrayList<>();
        for (int change = 0; change < many; change++) {
            some.addAll(pending.remove());
        }
        publish(some);
    }

    /** A leader acts on every change, and everybody else on those of leader and leader epoch. */
    private boolean matters(List<ApiMessage> records) {
        PartitionRegistration before = image.topics().getPartition(topic, 0);
        PartitionRegistration after = delta(records).topicsDelta().changedTopic(topic).partitionChanges().get(0);
        return before.leader == broker || before.leader != after.leader || before.leaderEpoch != after.leaderEpoch;
    }

    private MetadataDelta delta(List<ApiMessage> records) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        records.forEach(delta::replay);
        return delta;
    }

    private void publish(List<ApiMessage> records) throws Exception {
        MetadataDelta delta = delta(records);
        image = delta.apply((MetadataProvenance) Wiring.construct(MetadataProvenance.class, (long) heard, 1, 1L, true));
        publisher.publish(delta, image);
    }
}
