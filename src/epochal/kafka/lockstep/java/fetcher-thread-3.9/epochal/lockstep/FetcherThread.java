package epochal.lockstep;

import kafka.server.FailedPartitions;
import kafka.server.ReplicaFetcherThread;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.quota.ReplicaQuota;

/** A fetcher thread that is never started; up to 4.0 it asks for the metadata version. */
final class FetcherThread extends ReplicaFetcherThread {
    FetcherThread(
            String name, LeaderEndPoint leader, BrokerProcess process, FailedPartitions failed, ReplicaQuota quota) {
        super(
            name, leader, process.config(), failed, process.replicas(), quota, name, MetadataVersion::latestProduction);
    }

    @Override
    public void start() {
    }
}
