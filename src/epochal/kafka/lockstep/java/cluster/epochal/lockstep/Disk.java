package epochal.lockstep;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.controller.PartitionState;

/**
 * The two log directories of a broker, the first of which may be taken away. After a crash it is a copy: the process that
 * died still holds the lock of the old one.
 */
final class Disk {
    private static final String SEGMENT = ".log";
    /**
     * A batch begins with its offset. Where its size stands in it, and how much comes before what is counted
     * (DefaultRecordBatch).
     */
    private static final int SIZE_AT = 8;

    private static final int BEFORE_COUNTED = 12;

    private final Path parent;
    private final List<Path> former = new ArrayList<>();
    private final List<Integer> directories = new ArrayList<>(List.of(1, 2));
    private Path folder;

    Disk(Path parent, int broker) throws IOException {
        this.parent = parent;
        folder = Files.createTempDirectory(parent, "broker");
        for (int number : directories) {
            String id = PartitionState.directory(broker, number).toString();
            String said = "version=1\ncluster.id=cluster\nnode.id=" + broker + "\ndirectory.id=" + id + "\n";
            Files.writeString(Files.createDirectory(directory(number)).resolve("meta.properties"), said);
        }
    }

    /** The directories that are configured, by their numbers. */
    List<Integer> directories() {
        return directories;
    }

    Path directory(int number) {
        return folder.resolve(Integer.toString(number));
    }

    /** What `log.dirs` says. */
    String configured() {
        return directories.stream().map(number -> directory(number).toString()).collect(Collectors.joining(","));
    }

    /** The first directory is gone, and taken out of the configuration. */
    void loseFirst() throws IOException {
        removeTree(directory(1));
        directories.remove(Integer.valueOf(1));
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

    /** Cut the logs of a partition behind an offset: what the machine had not written yet is lost. */
    void keepUpTo(String partition, long kept) throws IOException {
        for (int number : directories) {
            try (Stream<Path> logs = Files.list(directory(number))) {
                for (Path log : (Iterable<Path>) logs::iterator) {
                    String name = log.getFileName().toString();
                    if (name.equals(partition) || name.startsWith(partition + ".") && name.endsWith("-future")) {
                        keepUpTo(log, kept);
                    }
                }
            }
        }
    }

    private static void keepUpTo(Path log, long kept) throws IOException {
        removeSegmentsBehind(log, kept);
        try (Stream<Path> files = Files.list(log)) {
            for (Path segment :
                    (Iterable<Path>) files.filter(one -> one.toString().endsWith(SEGMENT))::iterator) {
                ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
                int end = 0;
                while (end < bytes.limit() && bytes.getLong(end) < kept) {
                    end += BEFORE_COUNTED + bytes.getInt(end + SIZE_AT);
                }
                try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
                    file.setLength(end);
                }
            }
        }
    }

    /** Segments that begin behind an offset are not there. */
    private static void removeSegmentsBehind(Path log, long kept) throws IOException {
        List<String> segments;
        try (Stream<Path> files = Files.list(log)) {
            segments = files.map(one -> one.getFileName().toString())
                    .filter(one -> one.endsWith(SEGMENT))
                    .map(one -> one.substring(0, one.length() - SEGMENT.length()))
                    .collect(Collectors.toList());
        }
        for (String base : segments) {
            if (Long.parseLong(base) > kept) {
                for (String kind : List.of(SEGMENT, ".index", ".timeindex", ".txnindex")) {
                    Files.deleteIfExists(log.resolve(base + kind));
                }
            }
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
