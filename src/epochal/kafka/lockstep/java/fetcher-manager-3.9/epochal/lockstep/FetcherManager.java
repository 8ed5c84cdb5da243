package epochal.lockstep;

import kafka.server.ReplicaFetcherManager;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.quota.ReplicationQuotaManager;
import scala.Option;

/** The constructor of Kafka's manager of fetcher threads; up to 4.1 it takes a prefix of their names. */
abstract class FetcherManager extends ReplicaFetcherManager {
    FetcherManager(BrokerProcess process, ReplicationQuotaManager quota) {
        super(
            process.config(),
            process.replicas(),
            process.metrics(),
            process.clock(),
            Option.empty(),
            quota,
            MetadataVersion::latestProduction,
            process::brokerEpoch);
    }
}
