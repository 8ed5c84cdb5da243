package epochal.lockstep;

import kafka.server.FailedPartitions;
import kafka.server.ReplicaFetcherThread;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.quota.ReplicaQuota;

/** A fetcher thread that is never started. */
final class FetcherThread extends ReplicaFetcherThread {
    FetcherThread(
            String name, LeaderEndPoint leader, BrokerProcess process, FailedPartitions failed, ReplicaQuota quota) {
        super(name, leader, process.config(), failed, process.replicas(), quota, name);
    }

    @Override
    public void start() {
    }
}
