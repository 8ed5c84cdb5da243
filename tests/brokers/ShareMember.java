// A member of a share group, with the client of the release, told line by line what to do: see share_groups.py.
//
// java -cp JARS ShareMember.java BOOTSTRAP GROUP TOPIC

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;

public final class ShareMember {
    private final KafkaShareConsumer<String, String> member;

    private ShareMember(String bootstrap, String group, String topic) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", group);
        StringDeserializer text = new StringDeserializer();
        member = new KafkaShareConsumer<>(settings, text, text);
        member.subscribe(List.of(topic));
    }

    // poll SECONDS: what it is given within so many seconds, each record acknowledged.
    private String done(String[] words) {
        if (!words[0].equals("poll"))
            throw new IllegalArgumentException("no member knows the word " + words[0]);
        List<String> given = new ArrayList<>();
        long end = System.nanoTime() + Long.parseLong(words[1]) * 1_000_000_000L;
        while (System.nanoTime() < end) {
            try {
                for (ConsumerRecord<String, String> record : member.poll(Duration.ofMillis(300)))
                    given.add(record.value());
            } catch (RetriableException error) { // the leader has changed: the client asks another one next time
                System.err.println("polls again after " + error);
            }
            member.commitSync(Duration.ofSeconds(30)).forEach((partition, error) -> error.ifPresent(e -> {
                throw new KafkaException("given " + given + ", and they were not acknowledged", e);
            }));
        }
        return String.join(" ", given);
    }

    public static void main(String[] arguments) throws Exception {
        var one = new ShareMember(arguments[0], arguments[1], arguments[2]);
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println("ok " + one.done(line.split(" ")));
            } catch (KafkaException error) {
                System.out.println("failed " + error.toString().replaceAll("\\s+", " "));
            }
        }
        System.exit(0);
    }
}
