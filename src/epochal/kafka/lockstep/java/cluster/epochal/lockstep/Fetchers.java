package epochal.lockstep;

import java.util.HashMap;
import java.util.Map;
import kafka.server.RemoteLeaderEndPoint;
import kafka.server.ReplicaFetcherThread;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.server.quota.ReplicationQuotaManager;
import scala.Function0;

/** The fetcher threads of one process: made and assigned by Kafka, never started, run round by round. */
final class Fetchers extends FetcherManager {
    private final BrokerProcess process;
    private final Network network;
    private final ReplicationQuotaManager quota;
    private final Map<Integer, FetcherThread> threads = new HashMap<>();

    Fetchers(BrokerProcess process, Network network, ReplicationQuotaManager quota) {
        super(process, quota);
        this.process = process;
        this.network = network;
        this.quota = quota;
    }

    @Override
    public ReplicaFetcherThread createFetcherThread(int id, BrokerEndPoint source) {
        try {
            Object context = new LogContext();
            Object session = Wiring.construct(FetchSessionHandler.class, context, source.id());
            Function0<Object> version = MetadataVersion::latestProduction, brokerEpoch = process::brokerEpoch;
            LeaderEndPoint leader = (LeaderEndPoint) Wiring.construct(
                RemoteLeaderEndPoint.class,
                "",
                network.connection(process, source),
                session,
                process.config(),
                process.replicas(),
                quota,
                version,
                brokerEpoch);
            FetcherThread made = new FetcherThread("from-" + source.id(), leader, process, failedPartitions(), quota);
            threads.put(source.id(), made);
            return made;
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    /** One round of the thread that fetches from a leader. */
    String fetchOnce(int leader) {
        FetcherThread thread = threads.get(leader);
        if (thread == null) {
            return "NO_FETCHER";
        }
        thread.doWork();
        return "NONE";
    }
}
