package epochal.lockstep;

import java.util.Map;

/** Steps about log directories: a replica moves to the second one, or the first one is lost while its broker is down. */
final class LogDirectories {
    /** A round that truncates, and one more. */
    private static final int ROUNDS = 4;

    static final Map<String, Command> COMMANDS = Map.of(
            "move", (cluster, words) -> cluster.running(Words.number(words[1])).moveToSecondDirectory(),
            "copy",
                    (cluster, words) ->
                            cluster.running(Words.number(words[1])).futureLogs().round(),
            "promote", (cluster, words) -> promote(cluster, Words.number(words[1])),
            "assign", (cluster, words) -> assign(cluster, Words.number(words[1])),
            "replace", (cluster, words) -> cluster.replaceDirectory(Words.number(words[1])));

    private LogDirectories() {}

    /**
     * The future log takes the place of the current one. A broker that has heard of its assignment meanwhile begins anew:
     * it asks for the assignment once more, and is told that it has it.
     */
    private static String promote(Cluster cluster, int broker) throws Throwable {
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
    private static String assign(Cluster cluster, int broker) throws Throwable {
        BrokerProcess process = cluster.running(broker);
        for (int round = 0; round < ROUNDS && process.assignments().isEmpty(); round++) {
            process.futureLogs().round();
        }
        return cluster.sendAssignment(process);
    }
}
