package epochal.lockstep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Supplier;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.share.ShareCoordinatorShard;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

/** Settings of the group, the image of its topic, and what else only some releases want. */
final class ShareSettings {
    private static final String CONFIG_PROVIDER = "org.apache.kafka.coordinator.group.modern.share.ShareGroupConfigProvider";
    private static final String OFFSETS = "kafka.server.share.ReplicaManagerPartitionMetadataProvider";
    private static final String IMAGE = "org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage";

    private final GroupConfigManager groups;

    /** `deliveries` is share.delivery.count.limit, a setting of the group since 4.3; `reset` is share.auto.offset.reset. */
    ShareSettings(KafkaConfig config, String group, int deliveries, String reset) throws Throwable {
        List<Object> parts = new ArrayList<>(List.of(Map.of()));
        for (String one : List.of("groupCoordinatorConfig", "shareGroupConfig")) {
            parts.add(Wiring.call(config, one));
        }
        groups = (GroupConfigManager) Wiring.construct(GroupConfigManager.class, parts.toArray());
        Properties set = new Properties();
        set.put("share.auto.offset.reset", reset);
        if (has(GroupConfig.class, "shareDeliveryCountLimit")) {
            set.put("share.delivery.count.limit", String.valueOf(deliveries));
        }
        groups.updateGroupConfig(group, set);
    }

    GroupConfigManager groups() {
        return groups;
    }

    /** Whether the group coordinator initializes the state of a share partition: since 4.1. */
    static boolean initializesState() {
        return has(ShareCoordinatorShard.class, "initializeState");
    }

    private static boolean has(Class<?> kind, String method) {
        return Arrays.stream(kind.getMethods()).anyMatch(one -> one.getName().equals(method));
    }

    /** Parts of a SharePartition besides those that all releases have. */
    Object[] partsOf(ReplicaManager replicas) throws Throwable {
        List<Object> parts = new ArrayList<>(List.of(groups));
        if (exists(CONFIG_PROVIDER)) {
            parts.add(Wiring.construct(Class.forName(CONFIG_PROVIDER), groups));
        }
        if (exists(OFFSETS)) { // since 4.4
            parts.add(Wiring.construct(Class.forName(OFFSETS), replicas));
            Consumer<Object> notified = key -> {};
            Supplier<Boolean> hasDeadLetters = () -> false;
            parts.add(notified);
            parts.add(hasDeadLetters);
        }
        return parts.toArray();
    }

    private static boolean exists(String name) {
        try {
            Class.forName(name);
            return true;
        } catch (ClassNotFoundException none) {
            return false;
        }
    }

    /** The image of the topic with so many partitions, as coordinators of a release take it. */
    Object image(TopicIdPartition of, int partitions) throws Throwable {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        delta.replay(new TopicRecord().setName(of.topic()).setTopicId(of.topicId()));
        for (int index = 0; index < partitions; index++) {
            delta.replay(new PartitionRecord()
                    .setTopicId(of.topicId())
                    .setPartitionId(index)
                    .setReplicas(List.of(0))
                    .setDirectories(List.of(Uuid.fromString("AAAAAAAAAAAAAAAAAAAACw")))
                    .setIsr(List.of(0))
                    .setLeader(0)
                    .setLeaderEpoch(0)
                    .setPartitionEpoch(0));
        }
        MetadataImage image = delta.apply((MetadataProvenance)
                Wiring.construct(MetadataProvenance.class, 1L, 1, (long) partitions, true));
        return exists(IMAGE) ? Wiring.construct(Class.forName(IMAGE), image) : image;
    }
}
