package epochal.lockstep;

import java.util.Map;

/** Steps about log directories: a replica moves to the second one, or the first one is lost while its broker is down. */
final class LogDirectories implements Commands {
    /** A round that truncates, and one more. */
    private static final int ROUNDS = 4;

    private final Cluster cluster;

    LogDirectories(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "move", words -> cluster.running(Words.number(words[1])).moveToSecondDirectory(),
                "copy",
                        words -> cluster.running(Words.number(words[1]))
                                .futureLogs()
                                .round(),
                "promote", words -> promote(Words.number(words[1])),
                "assign", words -> assign(Words.number(words[1])),
                "replace", words -> cluster.replaceDirectory(Words.number(words[1])));
    }

    /**
     * The future log takes the place of the current one. A broker that has heard of its assignment meanwhile begins anew:
     * it asks for the assignment once more, and is told that it has it.
     */
    private String promote(int broker) throws Throwable {
        BrokerProcess process = cluster.running(broker);
        for (int round = 0; round < ROUNDS && process.log(true) != null; round++) {
            process.futureLogs().round();
            if (process.log(true) != null && !process.assignments().isEmpty()) {
                cluster.sendAssignment(process);
            }
        }
        return "NONE";
    }

    /** The future log has caught up: the next rounds ask for the assignment, if the last one has not, and it is sent. */
    private String assign(int broker) throws Throwable {
        BrokerProcess process = cluster.running(broker);
        for (int round = 0; round < ROUNDS && process.assignments().isEmpty(); round++) {
            process.futureLogs().round();
        }
        return cluster.sendAssignment(process);
    }
}
