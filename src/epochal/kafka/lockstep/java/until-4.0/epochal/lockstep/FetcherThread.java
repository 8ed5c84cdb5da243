package epochal.lockstep;

import kafka.server.FailedPartitions;
import kafka.server.ReplicaFetcherThread;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.quota.ReplicaQuota;
import scala.collection.Map;

/** A fetcher thread that is never started; up to 4.0 it asks for the metadata version. */
final class FetcherThread extends ReplicaFetcherThread {
    FetcherThread(
            String name, LeaderEndPoint leader, BrokerProcess process, FailedPartitions failed, ReplicaQuota quota) {
        super(
                name,
                leader,
                process.config(),
                failed,
                process.replicas(),
                quota,
                name,
                MetadataVersion::latestProduction);
    }

    @Override
    public void start() {}

    @Override
    public void truncateOnFetchResponse(Map<TopicPartition, EpochEndOffset> ends) {
        HeldRound.reached(HeldRound.Place.CHECKED);
        super.truncateOnFetchResponse(ends);
    }
}
