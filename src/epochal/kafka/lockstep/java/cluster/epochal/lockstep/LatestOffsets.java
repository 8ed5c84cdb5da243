package epochal.lockstep;

import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import scala.Option;

/** A consumer that asks leaders for the latest offset. */
final class LatestOffsets implements Commands {
    private final Running running;
    private long latest;

    LatestOffsets(Running running) {
        this.running = running;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("latest", this::ask);
    }

    /** {@code latest:LEADER}: ListOffsets of a consumer that reads what is not decided, too. */
    private String ask(String[] words) throws Throwable {
        Object found;
        try {
            found = Wiring.call(
                    running.named(words[1]).partition(),
                    "fetchOffsetForTimestamp",
                    ListOffsetsRequest.LATEST_TIMESTAMP,
                    Option.apply(IsolationLevel.READ_UNCOMMITTED),
                    Optional.empty(),
                    true);
        } catch (ApiException refused) {
            return Errors.forException(refused).name();
        }
        if (!(found instanceof Option<?>)) { // since 4.0 it is in what holds it, or an error
            Optional<?> error = (Optional<?>) Reflected.call(found, "maybeOffsetsError");
            if (error.isPresent()) {
                return Errors.forException((ApiException) error.get()).name();
            }
            found = Option.apply(((Optional<?>) Reflected.call(found, "timestampAndOffsetOpt")).orElseThrow());
        }
        Object offset = ((Option<?>) found).get();
        latest = offset.getClass().getField("offset").getLong(offset);
        return "NONE";
    }

    @Override
    public void tell(StringJoiner said) {
        said.add("\"latest\":" + latest);
    }
}
