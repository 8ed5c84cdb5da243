package epochal.lockstep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** A partition that moves, and min.insync.replicas that is raised: what operators ask for, and who has heard of it. */
final class Reassignments implements Commands {
    private final Cluster cluster;

    Reassignments(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "reassign", words -> reassign(Words.numbers(words[1])),
                "learn",
                        words -> {
                            cluster.running(Words.number(words[1])).metadata().learnSettings();
                            return "NONE";
                        });
    }

    /** A set of brokers: those that are replicas in the order that they have, which is no change, the rest as at first. */
    private String reassign(List<Integer> target) throws Throwable {
        List<Integer> order = new ArrayList<>(cluster.requests().replicas());
        order.addAll(cluster.order());
        target.sort(Comparator.comparingInt(order::indexOf));
        return cluster.requests().take("reassign:" + Words.told(target));
    }
}
