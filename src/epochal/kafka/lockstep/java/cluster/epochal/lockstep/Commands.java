package epochal.lockstep;

import java.util.Map;
import java.util.StringJoiner;

/** The commands of one mechanism, and what it tells of a broker: what a cluster without its steps has no need of. */
interface Commands {
    /** What is done with the words of a command, of which the first is its name; what Kafka says of it. */
    interface Handler {
        String take(String[] words) throws Throwable;
    }

    /** How a running process is found by the word that names its broker. */
    interface Running {
        BrokerProcess named(String word);
    }

    /** The commands by their names. */
    Map<String, Handler> handlers();

    /** What a running process knows, as members of its JSON object. */
    void tell(BrokerProcess process, StringJoiner said) throws Exception;
}
