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
                "move", words -> running(words).moveToSecondDirectory(),
                "copy", words -> running(words).futureLogs().round(),
                "read_ahead", words -> running(words).futureLogs().readAhead(),
                "promote", words -> promote(running(words)),
                "promote_with_what_was_read", words -> promoteWithWhatWasRead(running(words)),
                "assign", words -> cluster.sendAssignment(withAssignment(running(words))),
                "assign_unheard", words -> cluster.sendAssignmentOnly(withAssignment(running(words))),
                "replace", words -> cluster.replaceDirectory(Words.number(words[1])));
    }

    private BrokerProcess running(String[] words) {
        return cluster.running(Words.number(words[1]));
    }

    /**
     * The future log takes the place of the current one. A broker that has heard of its assignment meanwhile begins anew:
     * it asks for the assignment once more, and is told that it has it.
     */
    private String promote(BrokerProcess process) throws Throwable {
        for (int round = 0; round < ROUNDS && process.log(true) != null; round++) {
            process.futureLogs().round();
            if (process.log(true) != null && !process.assignments().isEmpty()) {
                cluster.sendAssignment(process);
            }
        }
        return "NONE";
    }

    /** The same, and the first round goes on with the answer that was read before; the assignment is heard of now. */
    private String promoteWithWhatWasRead(BrokerProcess process) throws Throwable {
        process.assignments().hear();
        process.futureLogs().goOn();
        return promote(process);
    }

    /** The future log has caught up: the next rounds ask for the assignment, if the last one has not. */
    private static BrokerProcess withAssignment(BrokerProcess process) {
        for (int round = 0; round < ROUNDS && process.assignments().isEmpty(); round++) {
            process.futureLogs().round();
        }
        return process;
    }
}
