package epochal.lockstep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import kafka.cluster.Partition;
import kafka.server.BlockingSend;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResultCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import scala.Function1;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** The network between brokers: a follower's request is handed to the leader's ReplicaManager, and answered at once. */
final class Network {
    private static final int MAX_BYTES = 1 << 20;

    /** How a process is found by its id. */
    interface Directory {
        /** The running process of a broker; null if there is none. */
        BrokerProcess running(int broker);
    }

    /** What a leader has answered to a follower's fetch at an offset, in a leader epoch. */
    record Answer(int leader, int leaderEpoch, long offset, FetchResponseData.PartitionData data) {}

    private final Directory directory;
    private final Uuid topicId;
    private final String topic;
    private Answer lastAnswer;
    private boolean breaks;

    Network(Directory directory, Uuid topicId, String topic) {
        this.directory = directory;
        this.topicId = topicId;
        this.topic = topic;
    }

    /** The connection of one process to another broker. */
    BlockingSend connection(BrokerProcess from, BrokerEndPoint to) {
        Class<?>[] kind = {BlockingSend.class};
        ClassLoader loader = Network.class.getClassLoader();
        return (BlockingSend) Proxy.newProxyInstance(loader, kind, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "sendRequest":
                    return send(from, to.id(), (AbstractRequest.Builder<?>) arguments[0]);
                case "brokerEndPoint":
                    return to;
                default:
                    return null;
            }
        });
    }

    /** What was answered last to a fetch. */
    Answer lastAnswer() {
        return lastAnswer;
    }

    /** The connection of the next fetch breaks when the leader has answered: its answer is lost. */
    void loseNextAnswer() {
        breaks = true;
    }

    private ClientResponse send(BrokerProcess from, int to, AbstractRequest.Builder<?> builder) throws Exception {
        BrokerProcess leader = directory.running(to);
        if (leader == null) {
            throw new java.net.ConnectException("broker " + to + " is down");
        }
        AbstractRequest request = builder.build();
        AbstractResponse response;
        if (request instanceof FetchRequest fetch) {
            response = fetched(to, leader, from, fetch);
            HeldRound.reached(HeldRound.Place.ANSWERED);
            if (breaks) {
                breaks = false;
                throw new java.io.IOException("the answer is lost");
            }
        } else if (request instanceof ListOffsetsRequest offsets) {
            response = listed(leader, offsets);
        } else if (request instanceof OffsetsForLeaderEpochRequest epochs) {
            response = ended(leader, epochs);
        } else {
            throw new IllegalStateException("no step of the specification sends " + builder.apiKey());
        }
        RequestHeader header = new RequestHeader(builder.apiKey(), request.version(), "lockstep", 1);
        return new ClientResponse(header, null, String.valueOf(to), 0, 0, false, null, null, response);
    }

    private FetchResponse fetched(int to, BrokerProcess leader, BrokerProcess from, FetchRequest request)
            throws Exception {
        List<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> asked = new ArrayList<>();
        request.fetchData(Map.of(topicId, topic)).forEach((of, data) -> asked.add(new Tuple2<>(of, data)));
        LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> answer = new LinkedHashMap<>();
        Function1<Object, BoxedUnit> found = results -> {
            for (Object one : Wiring.asJava(results)) {
                Tuple2<?, ?> pair = (Tuple2<?, ?>) one;
                TopicIdPartition partition = (TopicIdPartition) pair._1();
                answer.put(partition, answered(partition.partition(), (FetchPartitionData) pair._2()));
            }
            return BoxedUnit.UNIT;
        };
        Object params = params(request.replicaId(), from.brokerEpoch(), request.version());
        Object all = CollectionConverters.asScala(asked).toSeq();
        Wiring.call(leader.replicas(), "fetchMessages", params, all, Quotas.unbounded(), found);
        leader.replicas().tryCompleteActions();
        if (answer.isEmpty()) {
            throw new IllegalStateException("the leader does not answer a fetch at once");
        }
        FetchRequest.PartitionData first = asked.get(0)._2();
        lastAnswer = new Answer(
                to,
                first.currentLeaderEpoch.orElse(-1),
                first.fetchOffset,
                answer.values().iterator().next());
        return (FetchResponse) Wiring.callStatic(FetchResponse.class, "of", Errors.NONE, 0, 0, answer, List.of());
    }

    private static FetchResponseData.PartitionData answered(int index, FetchPartitionData found) {
        FetchResponseData.PartitionData partition = new FetchResponseData.PartitionData()
                .setPartitionIndex(index)
                .setErrorCode(found.error.code())
                .setHighWatermark(found.highWatermark)
                .setLogStartOffset(found.logStartOffset)
                .setLastStableOffset(FetchResponse.INVALID_LAST_STABLE_OFFSET)
                .setRecords(sent(found.records));
        found.divergingEpoch.ifPresent(partition::setDivergingEpoch);
        return partition;
    }

    /** What is sent is what the file has now, whatever becomes of it before the answer arrives. */
    private static BaseRecords sent(BaseRecords read) {
        if (!(read instanceof FileRecords file)) {
            return read;
        }
        ByteBuffer bytes = ByteBuffer.allocate(file.sizeInBytes());
        try {
            file.readInto(bytes, 0);
        } catch (IOException unread) {
            throw new UncheckedIOException(unread);
        }
        return MemoryRecords.readableRecords(bytes);
    }

    /** Up to 4.0 the version of the request stands first. */
    private static Object params(int follower, long brokerEpoch, short version) throws Exception {
        for (Constructor<?> one : FetchParams.class.getConstructors()) {
            boolean versioned = one.getParameterTypes()[0] == short.class;
            if (one.getParameterCount() == (versioned ? 8 : 7)) {
                FetchIsolation all = FetchIsolation.LOG_END;
                return versioned
                        ? one.newInstance(version, follower, brokerEpoch, 0L, 0, MAX_BYTES, all, Optional.empty())
                        : one.newInstance(follower, brokerEpoch, 0L, 0, MAX_BYTES, all, Optional.empty());
            }
        }
        throw new IllegalStateException(FetchParams.class.getName() + " has no constructor that is known here");
    }

    /**
     * ListOffsets of a follower whose log ends beyond its leader's, or begins before it; or before the leader's disk
     * does, where the rest is in the remote tier.
     */
    private static ListOffsetsResponse listed(BrokerProcess leader, ListOffsetsRequest request) throws Exception {
        ListOffsetsPartition asked = request.topics().get(0).partitions().get(0);
        Partition partition = leader.partition();
        ListOffsetsPartitionResponse answer =
                new ListOffsetsPartitionResponse().setPartitionIndex(asked.partitionIndex());
        if (!partition.isLeader() || partition.getLeaderEpoch() != asked.currentLeaderEpoch()) {
            answer.setErrorCode(Errors.FENCED_LEADER_EPOCH.code());
        } else {
            var log = partition.localLogOrException();
            answer.setLeaderEpoch(partition.getLeaderEpoch());
            if (asked.timestamp() == ListOffsetsRequest.LATEST_TIMESTAMP) {
                answer.setOffset(log.logEndOffset());
            } else if (asked.timestamp() == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
                answer.setOffset(log.localLogStartOffset());
                answer.setLeaderEpoch(epochAt(log, log.localLogStartOffset()));
            } else {
                answer.setOffset(log.logStartOffset());
            }
        }
        ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse()
                .setName(request.topics().get(0).name())
                .setPartitions(List.of(answer));
        return new ListOffsetsResponse(new ListOffsetsResponseData().setTopics(List.of(topic)));
    }

    /** The epoch of a log at an offset; up to 3.9 a log need not have a cache of them. */
    private static int epochAt(Object log, long offset) throws Exception {
        Object cache = Wiring.call(log, "leaderEpochCache");
        Object epochs = cache instanceof Option<?> option ? option.get() : cache;
        return ((OptionalInt) Wiring.call(epochs, "epochForOffset", offset)).orElse(-1);
    }

    /** OffsetForLeaderEpoch of a follower that begins after what its leader has in the remote tier alone. */
    private static OffsetsForLeaderEpochResponse ended(BrokerProcess leader, OffsetsForLeaderEpochRequest request) {
        OffsetForLeaderTopicResultCollection topics = new OffsetForLeaderTopicResultCollection();
        request.data().topics().forEach(topic -> {
            List<EpochEndOffset> ends = new ArrayList<>();
            for (OffsetForLeaderPartition asked : topic.partitions()) {
                Optional<Integer> epoch = Optional.of(asked.currentLeaderEpoch());
                ends.add(leader.partition().lastOffsetForLeaderEpoch(epoch, asked.leaderEpoch(), true));
            }
            topics.add(new OffsetForLeaderTopicResult().setTopic(topic.topic()).setPartitions(ends));
        });
        return new OffsetsForLeaderEpochResponse(new OffsetForLeaderEpochResponseData().setTopics(topics));
    }
}
