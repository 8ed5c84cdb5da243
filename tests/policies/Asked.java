import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.CreateTopicPolicy;

/**
 * Asks a policy about topics as a controller does. A line has a name, a replication factor ("" for none, "2+3" for an
 * assignment of partitions with so many replicas), and settings NAME=VALUE, or NAME for null, between tabs. The
 * answer is a line: the name, and why the topic is refused.
 */
public final class Asked {
    public static void main(String[] arguments) throws Exception {
        CreateTopicPolicy policy = (CreateTopicPolicy) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        policy.configure(Collections.singletonMap("process.roles", "controller"));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", -1);
            Map<String, String> configs = new HashMap<>();
            for (int i = 2; i < parts.length; i++) {
                int end = parts[i].indexOf('=');
                String value = end < 0 ? null : parts[i].substring(end + 1);
                configs.put(end < 0 ? parts[i] : parts[i].substring(0, end), value);
            }
            String why = "";
            try {
                policy.validate(topic(parts[0], parts[1], configs));
            } catch (PolicyViolationException refused) {
                why = refused.getMessage();
            }
            System.out.println(parts[0] + "\t" + why);
        }
        policy.close();
    }

    private static CreateTopicPolicy.RequestMetadata topic(String name, String copies, Map<String, String> configs) {
        if (!copies.contains("+")) {
            Short factor = copies.isEmpty() ? null : Short.valueOf(copies);
            return new CreateTopicPolicy.RequestMetadata(name, 1, factor, null, configs);
        }
        Map<Integer, List<Integer>> assignments = new HashMap<>();
        for (String number : copies.split("\\+")) {
            List<Integer> replicas = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(number); i++) {
                replicas.add(i);
            }
            assignments.put(assignments.size(), replicas);
        }
        return new CreateTopicPolicy.RequestMetadata(name, null, null, assignments, configs);
    }
}
