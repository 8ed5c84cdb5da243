package epochal.lockstep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** A partition that moves, and min.insync.replicas that is raised: what operators ask for, and who has heard of it. */
final class Reassignments {
    static final Map<String, Command> COMMANDS = Map.of(
            "reassign", (cluster, words) -> reassign(cluster, Words.numbers(words[1])),
            "learn",
                    (cluster, words) -> {
                        cluster.running(Words.number(words[1])).metadata().learnSettings();
                        return "NONE";
                    });

    private Reassignments() {}

    /** A set of brokers: those that are replicas in the order that they have, which is no change, the rest as at first. */
    private static String reassign(Cluster cluster, List<Integer> target) throws Throwable {
        List<Integer> order = new ArrayList<>(cluster.requests().replicas());
        order.addAll(cluster.order());
        target.sort(Comparator.comparingInt(order::indexOf));
        return cluster.requests().take("reassign:" + Words.told(target));
    }
}
