package epochal.lockstep;

import java.util.StringJoiner;

/**
 * A share group of one partition on Kafka's own classes, driven line by line.
 *
 * {@code share|DELIVERIES|RESET|ADDED} puts a new one in the place of the last. Any other line has commands separated by
 * blanks, which are taken one after the other. The answer is JSON: what Kafka says of each, and the state after the last.
 */
public final class LockstepShareGroups {
    private ShareGroupUnderTest group;

    private LockstepShareGroups() {}

    public static void main(String[] arguments) {
        Lines.serve(new LockstepShareGroups()::answer);
    }

    private String answer(String line) throws Throwable {
        StringJoiner answers = new StringJoiner(",", "[", "]");
        if (line.startsWith("share|")) {
            if (group != null) {
                group.close();
            }
            group = new ShareGroupUnderTest(line.split("\\|", -1));
        } else {
            for (String command : line.split(" ")) {
                answers.add('"' + group.take(command) + '"');
            }
        }
        return "{\"answers\":" + answers + ",\"state\":" + group.state() + "}";
    }
}
