package epochal.lockstep;

import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.ReplicaNotAvailableException;
import org.apache.kafka.server.log.remote.storage.RemoteLogMetadataManager;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemotePartitionDeleteMetadata;

/**
 * What brokers write and read of the segments of their tier. In Kafka that goes through {@code __remote_log_metadata};
 * here every record of it is known to everybody at once. Kafka makes it by its name.
 */
public final class RemoteTierMetadata implements RemoteLogMetadataManager {
    private RemoteTier tier;

    @Override
    public void configure(Map<String, ?> settings) {
        tier = RemoteTier.named(settings.get(RemoteTier.ID));
    }

    /** The first record of an upload. What is refused here is tried again by the next run of the task. */
    @Override
    public CompletableFuture<Void> addRemoteLogSegmentMetadata(RemoteLogSegmentMetadata segment) {
        if (!tier.takesOne()) {
            throw new ReplicaNotAvailableException("no further segment is to be uploaded by this step");
        }
        tier.metadata().handleRemoteLogSegmentMetadata(segment);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> updateRemoteLogSegmentMetadata(RemoteLogSegmentMetadataUpdate update) {
        tier.metadata().handleRemoteLogSegmentMetadataUpdate(update);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> putRemotePartitionDeleteMetadata(RemotePartitionDeleteMetadata deletion) {
        tier.metadata().handleRemotePartitionDeleteMetadata(deletion);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Optional<RemoteLogSegmentMetadata> remoteLogSegmentMetadata(TopicIdPartition of, int epoch, long offset) {
        return (Optional<RemoteLogSegmentMetadata>) looked("remoteLogSegmentMetadata", of, offset, epoch);
    }

    /** Since 4.0. */
    @SuppressWarnings("unchecked")
    public Optional<RemoteLogSegmentMetadata> nextSegmentWithTxnIndex(TopicIdPartition of, int epoch, long offset) {
        return (Optional<RemoteLogSegmentMetadata>) looked("nextSegmentWithTxnIndex", of, epoch, offset);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Optional<Long> highestOffsetForEpoch(TopicIdPartition of, int epoch) {
        return (Optional<Long>) looked("highestLogOffset", of, epoch);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Iterator<RemoteLogSegmentMetadata> listRemoteLogSegments(TopicIdPartition of) {
        return (Iterator<RemoteLogSegmentMetadata>) looked("listRemoteLogSegments", of);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Iterator<RemoteLogSegmentMetadata> listRemoteLogSegments(TopicIdPartition of, int epoch) {
        return (Iterator<RemoteLogSegmentMetadata>) looked("listRemoteLogSegments", of, epoch);
    }

    /** Since 4.0 the methods of Kafka's store may be called from their package alone. */
    private Object looked(String method, Object... arguments) {
        try {
            return Reflected.call(tier.metadata(), method, arguments);
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Override
    public void onPartitionLeadershipChanges(Set<TopicIdPartition> leaders, Set<TopicIdPartition> followers) {
        // the one partition is known from the beginning
    }

    @Override
    public void onStopPartitions(Set<TopicIdPartition> partitions) {
        // it stays known
    }

    @Override
    public long remoteLogSize(TopicIdPartition of, int epoch) {
        long size = 0;
        for (Iterator<RemoteLogSegmentMetadata> known = listRemoteLogSegments(of, epoch); known.hasNext(); ) {
            size += known.next().segmentSizeInBytes();
        }
        return size;
    }

    @Override
    public void close() {
        // the tier outlives every broker
    }
}
