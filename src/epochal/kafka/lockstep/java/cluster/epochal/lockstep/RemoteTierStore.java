package epochal.lockstep;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;

/** How a broker reaches the segments of its tier. Kafka makes it by its name. */
public final class RemoteTierStore implements RemoteStorageManager {
    private RemoteTier tier;

    @Override
    public void configure(Map<String, ?> settings) {
        tier = RemoteTier.named(settings.get(RemoteTier.ID));
    }

    @Override
    public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata segment, LogSegmentData data)
            throws RemoteStorageException {
        try {
            tier.put(segment, data);
        } catch (IOException error) {
            throw new RemoteStorageException(error);
        }
        return Optional.empty();
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start) throws RemoteStorageException {
        return tier.records(segment, start, Integer.MAX_VALUE);
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start, int end)
            throws RemoteStorageException {
        return tier.records(segment, start, end + 1);
    }

    @Override
    public InputStream fetchIndex(RemoteLogSegmentMetadata segment, IndexType kind) throws RemoteStorageException {
        return tier.index(segment, kind);
    }

    @Override
    public void deleteLogSegmentData(RemoteLogSegmentMetadata segment) {
        tier.delete(segment);
    }

    @Override
    public void close() {
        // the tier outlives every broker
    }
}
