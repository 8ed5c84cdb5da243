package epochal.lockstep;

import java.util.StringJoiner;

/**
 * A cluster of Kafka's own classes, driven line by line.
 *
 * {@code begin|...} puts a new cluster in the place of the last one; its fields are those of a state of the controller.
 * Any other line has commands separated by blanks, which are taken one after the other. The answer is JSON: what Kafka
 * says of each, and the state after the last.
 */
public final class LockstepCluster {
    private Cluster cluster;

    private LockstepCluster() {}

    public static void main(String[] arguments) {
        Lines.serve(new LockstepCluster()::answer);
    }

    private String answer(String line) throws Throwable {
        StringJoiner answers = new StringJoiner(",", "[", "]");
        if (line.startsWith("begin|")) {
            if (cluster != null) {
                cluster.close();
            }
            cluster = new Cluster(line.split("\\|", -1));
        } else {
            for (String command : line.split(" ")) {
                answers.add('"' + cluster.take(command) + '"');
            }
        }
        return "{\"answers\":" + answers + ",\"state\":" + cluster.state() + "}";
    }
}
