package epochal.lockstep;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.server.log.remote.metadata.storage.RemotePartitionMetadataStore;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;

/**
 * The remote tier of one cluster, in memory: segments, and what is written of them in {@code __remote_log_metadata},
 * which all brokers know at once. How that is looked up by epoch is Kafka's own (RemotePartitionMetadataStore).
 *
 * Kafka makes the objects that reach it by the names of their classes; a setting tells them which tier is theirs.
 */
final class RemoteTier {
    /** The setting that names a tier, without the prefix that the two interfaces have for theirs. */
    static final String ID = "tier";

    private static final Map<String, RemoteTier> ALL = new ConcurrentHashMap<>();

    /** A segment with its indexes. */
    private record Stored(byte[] records, Map<IndexType, byte[]> indexes) {}

    private final String id = UUID.randomUUID().toString();
    private final TopicIdPartition partition;
    private final RemotePartitionMetadataStore metadata = new RemotePartitionMetadataStore();
    private final Map<Uuid, Stored> segments = new HashMap<>();
    private int takes;
    private boolean answers = true;

    RemoteTier(TopicIdPartition partition) {
        this.partition = partition;
        metadata.maybeLoadPartition(partition);
        metadata.markInitialized(partition);
        ALL.put(id, this);
    }

    static RemoteTier named(Object id) {
        RemoteTier found = ALL.get(String.valueOf(id));
        if (found == null) {
            throw new IllegalStateException("no remote tier is called " + id);
        }
        return found;
    }

    String id() {
        return id;
    }

    /** Kafka's own view of what is written of the segments. */
    RemotePartitionMetadataStore metadata() {
        return metadata;
    }

    void close() {
        ALL.remove(id);
    }

    // -- what it takes --------------------------------------------------------------------------------------------

    /** Let so many segments be uploaded; a task that has more to upload tries again later. */
    void allow(int segments) {
        takes = segments;
    }

    /** Whether what belongs to a segment can be read. */
    void answer(boolean yes) {
        answers = yes;
    }

    boolean takesOne() {
        return takes-- > 0;
    }

    void put(RemoteLogSegmentMetadata segment, LogSegmentData data) throws IOException {
        Map<IndexType, byte[]> indexes = new EnumMap<>(IndexType.class);
        indexes.put(IndexType.OFFSET, Files.readAllBytes(data.offsetIndex()));
        indexes.put(IndexType.TIMESTAMP, Files.readAllBytes(data.timeIndex()));
        indexes.put(IndexType.PRODUCER_SNAPSHOT, Files.readAllBytes(data.producerSnapshotIndex()));
        indexes.put(IndexType.LEADER_EPOCH, bytes(data.leaderEpochIndex()));
        Optional<Path> aborted = data.transactionIndex();
        if (aborted.isPresent()) {
            indexes.put(IndexType.TRANSACTION, Files.readAllBytes(aborted.get()));
        }
        segments.put(segment.remoteLogSegmentId().id(), new Stored(Files.readAllBytes(data.logSegment()), indexes));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    // -- what it has ----------------------------------------------------------------------------------------------

    InputStream records(RemoteLogSegmentMetadata segment, int from, int behind) throws RemoteStorageException {
        byte[] records = stored(segment).records();
        int end = Math.min(behind, records.length);
        return new ByteArrayInputStream(records, from, Math.max(0, end - from));
    }

    InputStream index(RemoteLogSegmentMetadata segment, IndexType kind) throws RemoteStorageException {
        if (!answers) {
            throw new RemoteStorageException("the store does not answer");
        }
        byte[] found = stored(segment).indexes().get(kind);
        if (found == null) {
            throw new RemoteResourceNotFoundException("no " + kind + " index of " + segment);
        }
        return new ByteArrayInputStream(found);
    }

    void delete(RemoteLogSegmentMetadata segment) {
        segments.remove(segment.remoteLogSegmentId().id());
    }

    /** The size of one of its segments: each has one record, and they are of one size. */
    int sizeOfAny() {
        return segments.values().iterator().next().records().length;
    }

    private Stored stored(RemoteLogSegmentMetadata segment) throws RemoteStorageException {
        Stored found = segments.get(segment.remoteLogSegmentId().id());
        if (found == null) {
            throw new RemoteResourceNotFoundException("no segment " + segment);
        }
        return found;
    }

    /** The records of all segments that the metadata refer to: value and leader epoch of each, as JSON. */
    String told() throws Throwable {
        StringJoiner said = new StringJoiner(",", "[", "]");
        Iterator<?> known = (Iterator<?>) Reflected.call(metadata, "listRemoteLogSegments", partition);
        while (known.hasNext()) {
            RemoteLogSegmentMetadata segment = (RemoteLogSegmentMetadata) known.next();
            if (segment.state() == RemoteLogSegmentState.COPY_SEGMENT_FINISHED) {
                ByteBuffer bytes = ByteBuffer.wrap(stored(segment).records());
                List<String> records = Records.in(MemoryRecords.readableRecords(bytes), Long::toString);
                records.forEach(said::add);
            }
        }
        return said.toString();
    }
}
