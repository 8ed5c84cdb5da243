package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.persister.PersisterStateBatch;

/** The requests that DefaultStatePersister makes of the parameters of one share partition. */
final class Requests {
    private Requests() {}

    /** The one partition of parameters, the id of its topic, and its group. */
    private record One(String group, Uuid topic, Object partition) {
        static One of(Object parameters) throws Exception {
            Object data = Wiring.call(parameters, "groupTopicPartitionData");
            Object topic = ((List<?>) Wiring.call(data, "topicsData")).get(0);
            Object partition = ((List<?>) Wiring.call(topic, "partitions")).get(0);
            return new One((String) Wiring.call(data, "groupId"), (Uuid) Wiring.call(topic, "topicId"), partition);
        }

        int number(String part) throws Exception {
            return (Integer) Wiring.call(partition, part);
        }

        long offset() throws Exception {
            return (Long) Wiring.call(partition, "startOffset");
        }
    }

    static WriteShareGroupStateRequestData write(Object parameters) throws Exception {
        One one = One.of(parameters);
        WriteShareGroupStateRequestData.PartitionData data = new WriteShareGroupStateRequestData.PartitionData()
                .setPartition(one.number("partition"))
                .setStateEpoch(one.number("stateEpoch"))
                .setLeaderEpoch(one.number("leaderEpoch"))
                .setStartOffset(one.offset())
                .setStateBatches(batches(Wiring.call(one.partition(), "stateBatches")));
        if (counts(one.partition())) { // since 4.2
            Wiring.call(data, "setDeliveryCompleteCount", one.number("deliveryCompleteCount"));
        }
        return new WriteShareGroupStateRequestData()
                .setGroupId(one.group())
                .setTopics(List.of(new WriteShareGroupStateRequestData.WriteStateData()
                        .setTopicId(one.topic())
                        .setPartitions(List.of(data))));
    }

    private static boolean counts(Object partition) {
        return List.of(partition.getClass().getMethods()).stream()
                .anyMatch(method -> method.getName().equals("deliveryCompleteCount"));
    }

    private static List<WriteShareGroupStateRequestData.StateBatch> batches(Object all) {
        List<WriteShareGroupStateRequestData.StateBatch> found = new ArrayList<>();
        for (Object one : (Iterable<?>) all) {
            PersisterStateBatch batch = (PersisterStateBatch) one;
            found.add(new WriteShareGroupStateRequestData.StateBatch()
                    .setFirstOffset(batch.firstOffset())
                    .setLastOffset(batch.lastOffset())
                    .setDeliveryState(batch.deliveryState())
                    .setDeliveryCount(batch.deliveryCount()));
        }
        return found;
    }

    static ReadShareGroupStateRequestData read(Object parameters) throws Exception {
        One one = One.of(parameters);
        return new ReadShareGroupStateRequestData()
                .setGroupId(one.group())
                .setTopics(List.of(new ReadShareGroupStateRequestData.ReadStateData()
                        .setTopicId(one.topic())
                        .setPartitions(List.of(new ReadShareGroupStateRequestData.PartitionData()
                                .setPartition(one.number("partition"))
                                .setLeaderEpoch(one.number("leaderEpoch"))))));
    }

    static InitializeShareGroupStateRequestData initialize(Object parameters) throws Exception {
        One one = One.of(parameters);
        return new InitializeShareGroupStateRequestData()
                .setGroupId(one.group())
                .setTopics(List.of(new InitializeShareGroupStateRequestData.InitializeStateData()
                        .setTopicId(one.topic())
                        .setPartitions(List.of(new InitializeShareGroupStateRequestData.PartitionData()
                                .setPartition(one.number("partition"))
                                .setStateEpoch(one.number("stateEpoch"))
                                .setStartOffset(one.offset())))));
    }

    static DeleteShareGroupStateRequestData delete(Object parameters) throws Exception {
        One one = One.of(parameters);
        return new DeleteShareGroupStateRequestData()
                .setGroupId(one.group())
                .setTopics(List.of(new DeleteShareGroupStateRequestData.DeleteStateData()
                        .setTopicId(one.topic())
                        .setPartitions(List.of(new DeleteShareGroupStateRequestData.PartitionData()
                                .setPartition(one.number("partition"))))));
    }

    /** The answer that a sender gives itself. */
    static WriteShareGroupStateResponseData failed(WriteShareGroupStateRequestData request, Errors error) {
        WriteShareGroupStateRequestData.WriteStateData topic = request.topics().get(0);
        return new WriteShareGroupStateResponseData()
                .setResults(List.of(new WriteShareGroupStateResponseData.WriteStateResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(new WriteShareGroupStateResponseData.PartitionResult()
                                .setPartition(topic.partitions().get(0).partition())
                                .setErrorCode(error.code())
                                .setErrorMessage(error.message())))));
    }

    /** The error of an answer to one partition. */
    static Errors errorOf(Object response) throws Exception {
        Object topic = ((List<?>) Wiring.call(response, "results")).get(0);
        Object partition = ((List<?>) Wiring.call(topic, "partitions")).get(0);
        return Errors.forCode((Short) partition.getClass().getMethod("errorCode").invoke(partition));
    }
}
