package epochal.lockstep;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * The group coordinator's shard: Kafka's own. It says in which state epoch, and from which offset on, the state of a
 * share partition begins; what it asks the share coordinator for is carried there. Its
 * records are replayed as soon as they are decided.
 */
final class GroupUnderTest {
    /** Who carries a request of the group coordinator to the share coordinator. */
    interface Carrier {
        void carry(Object parameters) throws Throwable;
    }

    private static final String MEMBER = "7Y9UGxb3SM6DRTHvlEQJ4Q";
    private static final int JOINS = 0;
    private static final int LEAVES = -1;

    private final GroupCoordinatorShard kafka;
    private final String group;
    private final String topic;
    private final Uuid topicId;
    private final Carrier initializes;
    private final Carrier deletes;
    private long offset;
    private int memberEpoch;
    private boolean hasMember;

    GroupUnderTest(
            KafkaConfig config,
            GroupConfigManager settings,
            Metrics metrics,
            Time clock,
            String group,
            String topic,
            Uuid topicId,
            Object image,
            Carrier initializes,
            Carrier deletes)
            throws Throwable {
        this.group = group;
        this.topic = topic;
        this.topicId = topicId;
        this.initializes = initializes;
        this.deletes = deletes;
        GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(
                (GroupCoordinatorConfig) Wiring.construct(GroupCoordinatorConfig.class, config), settings);
        SnapshotRegistry registry = new SnapshotRegistry(new LogContext());
        builder.withLogContext(new LogContext())
                .withSnapshotRegistry(registry)
                .withTime(clock)
                .withTimer(idle(CoordinatorTimer.class))
                .withExecutor(idle(CoordinatorExecutor.class))
                .withCoordinatorMetrics((GroupCoordinatorMetrics) Wiring.construct(
                        GroupCoordinatorMetrics.class,
                        KafkaYammerMetrics.defaultRegistry(),
                        metrics))
                .withTopicPartition(new TopicPartition("__consumer_offsets", 0));
        if (Reflected.has(GroupCoordinatorShard.Builder.class, "withAuthorizerPlugin", 1)) {
            Wiring.call(builder, "withAuthorizerPlugin", Optional.empty());
        }
        kafka = builder.build();
        Reflected.call(kafka, "onLoaded", image);
    }

    /** Timers and background tasks do nothing: that a session ends is that its member leaves. */
    @SuppressWarnings("unchecked")
    private static <T> T idle(Class<?> kind) {
        return (T) Proxy.newProxyInstance(
                kind.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, method, arguments) -> method.getReturnType() == boolean.class ? false : null);
    }

    /** What the shard answers, after its records were replayed. */
    private Object replayed(Object result) {
        CoordinatorResult<?, ?> found = (CoordinatorResult<?, ?>) result;
        found.records().forEach(one -> kafka.replay(offset++, -1, (short) -1, (CoordinatorRecord) one));
        return found.response();
    }

    /** The topic has another partition. */
    void grow(Object image) throws Throwable {
        Object nothing = image instanceof MetadataImage before // until 4.1
                ? new MetadataDelta.Builder().setImage(before).build()
                : Wiring.call(image, "emptyDelta");
        if (Reflected.has(GroupCoordinatorShard.class, "onNewMetadataImage", 2)) { // until 4.3
            Reflected.call(kafka, "onNewMetadataImage", image, nothing);
        } else {
            Reflected.call(kafka, "onMetadataUpdate", nothing, image);
        }
    }

    /** The one member joins; the state of what it subscribes to and was never initialized is initialized. */
    void join() throws Throwable {
        heartbeat(JOINS);
        heartbeat(memberEpoch);
        hasMember = true;
    }

    /** It leaves, or its session ends, if that has not happened before: the group is empty. */
    void leave() throws Throwable {
        if (hasMember) {
            heartbeat(LEAVES);
        }
        hasMember = false;
    }

    void heartbeat() throws Throwable {
        heartbeat(memberEpoch);
    }

    private void heartbeat(int epoch) throws Throwable {
        ShareGroupHeartbeatRequestData request = new ShareGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(MEMBER)
                .setMemberEpoch(epoch)
                .setSubscribedTopicNames(epoch == JOINS ? List.of(topic) : null);
        Map.Entry<?, ?> answer =
                (Map.Entry<?, ?>) replayed(Reflected.call(kafka, "shareGroupHeartbeat", context(), request));
        memberEpoch = (Integer) Wiring.call(answer.getKey(), "memberEpoch");
        if (((Optional<?>) answer.getValue()).isPresent()) {
            initialize(((Optional<?>) answer.getValue()).get());
        }
    }

    /** GroupCoordinatorService.persisterInitialize: the share coordinator is asked first, and then it is noted. */
    private void initialize(Object parameters) throws Throwable {
        initializes.carry(parameters);
        Map<Uuid, Set<Integer>> partitions = new HashMap<>();
        Object data = Wiring.call(parameters, "groupTopicPartitionData");
        for (Object one : (List<?>) Wiring.call(data, "topicsData")) {
            Set<Integer> numbers = new HashSet<>();
            for (Object partition : (List<?>) Wiring.call(one, "partitions")) {
                numbers.add((Integer) Wiring.call(partition, "partition"));
            }
            partitions.put((Uuid) Wiring.call(one, "topicId"), numbers);
        }
        replayed(Reflected.call(kafka, "initializeShareGroupState", group, partitions));
    }

    /** AlterShareGroupOffsets of one partition. */
    @SuppressWarnings("unchecked")
    void alter(int partition, long start) throws Throwable {
        Class<?> wanted = Class.forName("org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData");
        Object request = wanted.getConstructor().newInstance();
        Object topics = Wiring.call(request, "topics");
        Object one = Class.forName(wanted.getName() + "$AlterShareGroupOffsetsRequestTopic")
                .getConstructor()
                .newInstance();
        Object of = Class.forName(wanted.getName() + "$AlterShareGroupOffsetsRequestPartition")
                .getConstructor()
                .newInstance();
        Wiring.call(of, "setPartitionIndex", partition);
        Wiring.call(of, "setStartOffset", start);
        Wiring.call(one, "setTopicName", topic);
        Wiring.call(one, "setPartitions", List.of(of));
        ((Collection<Object>) topics).add(one);
        Map.Entry<?, ?> answer =
                (Map.Entry<?, ?>) replayed(Reflected.call(kafka, "alterShareGroupOffsets", group, request));
        initialize(answer.getValue());
    }

    /** DeleteGroups: the share coordinator is asked first. */
    void delete() throws Throwable {
        Map<?, ?> asked = (Map<?, ?>) replayed(Reflected.call(kafka, "sharePartitionDeleteRequests", List.of(group)));
        deletes.carry(((Map.Entry<?, ?>) asked.get(group)).getKey());
        replayed(Reflected.call(kafka, "deleteGroups", context(), List.of(group)));
    }

    private static RequestContext context() throws Exception {
        return new RequestContext(
                new RequestHeader(ApiKeys.SHARE_GROUP_HEARTBEAT, (short) 1, "client", 0),
                "connection",
                InetAddress.getLoopbackAddress(),
                KafkaPrincipal.ANONYMOUS,
                ListenerName.forSecurityProtocol(SecurityProtocol.PLAINTEXT),
                SecurityProtocol.PLAINTEXT,
                ClientInformation.EMPTY,
                false);
    }
}
