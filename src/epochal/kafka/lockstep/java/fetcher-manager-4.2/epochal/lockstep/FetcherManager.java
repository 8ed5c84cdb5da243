package epochal.lockstep;

import kafka.server.ReplicaFetcherManager;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.quota.ReplicationQuotaManager;

/** The constructor of Kafka's manager of fetcher threads. */
abstract class FetcherManager extends ReplicaFetcherManager {
    FetcherManager(BrokerProcess process, ReplicationQuotaManager quota) {
        super(
            process.config(),
            process.replicas(),
            process.metrics(),
            process.clock(),
            quota,
            MetadataVersion::latestProduction,
            process::brokerEpoch);
    }
}
