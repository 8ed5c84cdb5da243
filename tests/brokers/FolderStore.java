// A remote store of tiered storage in a folder (KIP-405): see remote_store.py. Each segment is a folder of its own.

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;

public final class FolderStore implements RemoteStorageManager {
    private static final String RECORDS = "segment.log";

    private Path store;

    @Override
    public void configure(Map<String, ?> settings) {
        store = Path.of((String) settings.get("folder"));
    }

    @Override
    public void close() {
        // holds nothing open
    }

    private Path folderOf(RemoteLogSegmentMetadata segment) {
        String of = segment.topicIdPartition().topicPartition().toString();
        return store.resolve(String.format("%s-%020d-%s", of, segment.startOffset(), segment.remoteLogSegmentId().id()));
    }

    @Override
    public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata segment, LogSegmentData data)
            throws RemoteStorageException {
        Path folder = folderOf(segment);
        try {
            Files.createDirectories(folder);
            copy(data.offsetIndex(), folder.resolve(IndexType.OFFSET.name()));
            copy(data.timeIndex(), folder.resolve(IndexType.TIMESTAMP.name()));
            copy(data.producerSnapshotIndex(), folder.resolve(IndexType.PRODUCER_SNAPSHOT.name()));
            if (data.transactionIndex().isPresent()) {
                copy(data.transactionIndex().get(), folder.resolve(IndexType.TRANSACTION.name()));
            }
            ByteBuffer epochs = data.leaderEpochIndex().duplicate();
            byte[] bytes = new byte[epochs.remaining()];
            epochs.get(bytes);
            Files.write(folder.resolve(IndexType.LEADER_EPOCH.name()), bytes);
            copy(data.logSegment(), folder.resolve(RECORDS));
        } catch (IOException error) {
            throw new RemoteStorageException(error);
        }
        return Optional.empty();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start) throws RemoteStorageException {
        return opened(folderOf(segment).resolve(RECORDS), start);
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata segment, int start, int end)
            throws RemoteStorageException {
        try (InputStream stream = opened(folderOf(segment).resolve(RECORDS), start)) {
            return new ByteArrayInputStream(stream.readNBytes(end - start + 1));
        } catch (IOException error) {
            throw new RemoteStorageException(error);
        }
    }

    @Override
    public InputStream fetchIndex(RemoteLogSegmentMetadata segment, IndexType index) throws RemoteStorageException {
        return opened(folderOf(segment).resolve(index.name()), 0);
    }

    private static InputStream opened(Path file, int start) throws RemoteStorageException {
        if (!Files.exists(file)) {
            throw new RemoteResourceNotFoundException("no " + file);
        }
        try {
            InputStream stream = Files.newInputStream(file);
            stream.skipNBytes(start);
            return stream;
        } catch (IOException error) {
            throw new RemoteStorageException(error);
        }
    }

    @Override
    public void deleteLogSegmentData(RemoteLogSegmentMetadata segment) throws RemoteStorageException {
        Path folder = folderOf(segment);
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException error) {
            throw new RemoteStorageException(error);
        }
    }
}
