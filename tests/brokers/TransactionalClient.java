// A transactional client of the release, told line by line what to do: see transactions.py.
//
// java -cp JARS TransactionalClient.java BOOTSTRAP TRANSACTIONAL-ID TIMEOUT, where the time-out is in ms.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

public final class TransactionalClient {
    private final KafkaProducer<String, String> producer;

    private TransactionalClient(String bootstrap, String id, String timeout) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("transactional.id", id);
        settings.put("transaction.timeout.ms", timeout);
        settings.put("acks", "all");
        settings.put("max.block.ms", "60000");
        StringSerializer text = new StringSerializer();
        producer = new KafkaProducer<>(settings, text, text);
    }

    private String done(String[] words) throws ExecutionException, InterruptedException {
        switch (words[0]) {
            case "init" -> producer.initTransactions();
            case "begin" -> producer.beginTransaction();
            case "commit" -> producer.commitTransaction();
            case "send" -> {
                var sent = new ProducerRecord<String, String>(words[1], Integer.parseInt(words[2]), null, words[3]);
                return Long.toString(producer.send(sent).get().offset());
            }
            default -> throw new IllegalArgumentException("no client here knows the word " + words[0]);
        }
        return "";
    }

    public static void main(String[] arguments) throws Exception {
        var client = new TransactionalClient(arguments[0], arguments[1], arguments[2]);
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println("ok " + client.done(line.split(" ")));
            } catch (ExecutionException | KafkaException error) {
                System.out.println("failed " + error.toString().replaceAll("\\s+", " "));
            }
        }
        System.exit(0);
    }
}
