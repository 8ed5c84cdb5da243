package epochal.lockstep;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The log directory of a broker. After a crash it is a copy: the process that died still holds the lock of its own. */
final class Disk {
    private static final String FIRST_SEGMENT = "00000000000000000000.log";
    /** Where the size of a batch stands in it, and how much comes before what is counted (DefaultRecordBatch). */
    private static final int SIZE_AT = 8;
    private static final int BEFORE_COUNTED = 12;

    private final Path parent;
    private final List<Path> former = new ArrayList<>();
    private Path folder;

    Disk(Path parent) throws IOException {
        this.parent = parent;
        folder = Files.createTempDirectory(parent, "broker");
    }

    File folder() {
        return folder.toFile();
    }

    /** What a crash leaves: all files but the lock and the marker of a clean shutdown. */
    void copyForNextProcess() throws IOException {
        Path copy = Files.createTempDirectory(parent, "broker");
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path from : (Iterable<Path>) files::iterator) {
                String name = from.getFileName().toString();
                if (from.equals(folder) || name.equals(".lock") || name.equals(".kafka_cleanshutdown")) {
                    continue;
                }
                Path to = copy.resolve(folder.relativize(from));
                if (Files.isDirectory(from)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(from, to);
                }
            }
        }
        former.add(folder);
        folder = copy;
    }

    /** Cut the log of a partition behind so many batches: what the machine had not written yet is lost. */
    void keepBatches(String partition, int kept) throws IOException {
        Path segment = folder.resolve(partition).resolve(FIRST_SEGMENT);
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
        int end = 0;
        for (int batch = 0; batch < kept; batch++) {
            end += BEFORE_COUNTED + bytes.getInt(end + SIZE_AT);
        }
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.setLength(end);
        }
    }

    void remove() throws IOException {
        former.add(folder);
        for (Path one : former) {
            removeTree(one);
        }
        former.clear();
    }

    static void removeTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> files = Files.walk(root)) {
            files.sorted(Comparator.reverseOrder()).forEach(one -> {
                try {
                    Files.deleteIfExists(one);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            });
        }
    }
}
