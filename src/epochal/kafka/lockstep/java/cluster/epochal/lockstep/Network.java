package epochal.lockstep;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import scala.Function1;
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

    private final Directory directory;
    private final Uuid topicId;
    private final String topic;

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

    private ClientResponse send(BrokerProcess from, int to, AbstractRequest.Builder<?> builder) throws Exception {
        BrokerProcess leader = directory.running(to);
        if (leader == null) {
            throw new java.net.ConnectException("broker " + to + " is down");
        }
        AbstractRequest request = builder.build();
        AbstractResponse response;
        if (request instanceof FetchRequest fetch) {
            response = fetched(leader, from, fetch);
        } else if (request instanceof ListOffsetsRequest offsets) {
            response = listed(leader, offsets);
        } else {
            throw new IllegalStateException("no step of the specification sends " + builder.apiKey());
        }
        RequestHeader header = new RequestHeader(builder.apiKey(), request.version(), "lockstep", 1);
        return new ClientResponse(header, null, String.valueOf(to), 0, 0, false, null, null, response);
    }

    private FetchResponse fetched(BrokerProcess leader, BrokerProcess from, FetchRequest request) throws Exception {
        List<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> asked = new ArrayList<>();
        request.fetchData(Map.of(topicId, topic)).forEach((of, data) -> asked.add(new Tuple2<>(of, data)));
        LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> answer = new LinkedHashMap<>();
        Function1<Object, BoxedUnit> found = results -> {
            for (Object one : Wiring.asJava(results)) {
                Tuple2<?, ?> pair = (Tuple2<?, ?>) one;
                answer.put((TopicIdPartition) pair._1(), answered((FetchPartitionData) pair._2()));
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
        return (FetchResponse) Wiring.callStatic(FetchResponse.class, "of", Errors.NONE, 0, 0, answer, List.of());
    }

    private static FetchResponseData.PartitionData answered(FetchPartitionData found) {
        FetchResponseData.PartitionData partition = new FetchResponseData.PartitionData()
            .setPartitionIndex(0)
            .setErrorCode(found.error.code())
            .setHighWatermark(found.highWatermark)
            .setLogStartOffset(found.logStartOffset)
            .setLastStableOffset(FetchResponse.INVALID_LAST_STABLE_OFFSET)
            .setRecords(found.records);
        found.divergingEpoch.ifPresent(partition::setDivergingEpoch);
        return partition;
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

    /** ListOffsets of a follower whose log ends beyond its leader's, or begins before it. */
    private static ListOffsetsResponse listed(BrokerProcess leader, ListOffsetsRequest request) throws Exception {
        ListOffsetsPartition asked = request.topics().get(0).partitions().get(0);
        Partition partition = leader.partition();
        ListOffsetsPartitionResponse answer = new ListOffsetsPartitionResponse().setPartitionIndex(0);
        if (!partition.isLeader() || partition.getLeaderEpoch() != asked.currentLeaderEpoch()) {
            answer.setErrorCode(Errors.FENCED_LEADER_EPOCH.code());
        } else {
            boolean end = asked.timestamp() == ListOffsetsRequest.LATEST_TIMESTAMP;
            var log = partition.localLogOrException();
            answer.setOffset(end ? log.logEndOffset() : log.logStartOffset());
            answer.setLeaderEpoch(partition.getLeaderEpoch());
        }
        ListOffsetsTopicResponse topic =
            new ListOffsetsTopicResponse().setName(request.topics().get(0).name()).setPartitions(List.of(answer));
        return new ListOffsetsResponse(new ListOffsetsResponseData().setTopics(List.of(topic)));
    }
}
