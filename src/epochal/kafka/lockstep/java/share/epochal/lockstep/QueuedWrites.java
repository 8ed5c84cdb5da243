package epochal.lockstep;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.persister.WriteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.WriteShareGroupStateResult;

/** WriteShareGroupState requests that are under way, in slots: the first that is free is taken. */
final class QueuedWrites {
    /** One request. `awaits` is who waits for its answer, `response` what the shard has said of it. */
    static final class Write {
        final WriteShareGroupStateRequestData request;
        final LedPartition sender;
        final CompletableFuture<WriteShareGroupStateResult> answer = new CompletableFuture<>();
        String awaits;
        WriteShareGroupStateResponseData response;

        Write(WriteShareGroupStateRequestData request, LedPartition sender, String awaits) {
            this.request = request;
            this.sender = sender;
            this.awaits = awaits;
        }

        WriteShareGroupStateRequestData.PartitionData data() {
            return request.topics().get(0).partitions().get(0);
        }

        boolean isTaken() {
            return response != null;
        }
    }

    private final List<Write> slots = new ArrayList<>();

    /** SharePartition writes. */
    CompletableFuture<WriteShareGroupStateResult> add(
            WriteShareGroupStateParameters parameters, LedPartition sender, String awaits) throws Exception {
        Write write = new Write(Requests.write(parameters), sender, awaits);
        int free = slots.indexOf(null);
        if (free < 0) {
            slots.add(write);
        } else {
            slots.set(free, write);
        }
        return write.answer;
    }

    Write at(String slot) {
        Write found = slots.get(Integer.parseInt(slot));
        if (found == null) {
            throw new IllegalStateException("there is no write in slot " + slot);
        }
        return found;
    }

    void free(Write write) {
        slots.set(slots.indexOf(write), null);
    }

    List<Write> underWay() {
        return slots.stream().filter(one -> one != null).toList();
    }

    /** The answer of the shard to a request reaches its sender, unless nobody waits for it. */
    void answer(Write write) {
        free(write);
        if (!write.awaits.equals("nobody")) {
            write.answer.complete(WriteShareGroupStateResult.from(write.response));
        }
    }

    /** The sender gives up: PersisterStateManager's answer after too many attempts. It may still arrive. */
    void giveUp(Write write) {
        abandon(write);
        write.answer.complete(WriteShareGroupStateResult.from(Requests.failed(write.request, Errors.NETWORK_EXCEPTION)));
    }

    /** Nobody waits for an answer any more. */
    void abandon(Write write) {
        if (write.isTaken()) {
            free(write);
        }
        write.awaits = "nobody";
    }

    String told() throws Exception {
        List<String> found = new ArrayList<>();
        for (Write one : slots) {
            found.add(one == null ? "null" : told(one));
        }
        return found.toString();
    }

    private static String told(Write write) {
        WriteShareGroupStateRequestData.PartitionData data = write.data();
        List<String> batches = new ArrayList<>();
        for (WriteShareGroupStateRequestData.StateBatch batch : data.stateBatches()) {
            batches.add("[" + batch.firstOffset() + "," + batch.lastOffset() + "," + batch.deliveryState() + ","
                    + batch.deliveryCount() + "]");
        }
        return "{\"awaits\":\"" + write.awaits + "\",\"taken\":" + write.isTaken() + ",\"leaderEpoch\":"
                + data.leaderEpoch() + ",\"stateEpoch\":" + data.stateEpoch() + ",\"start\":" + data.startOffset()
                + ",\"batches\":" + batches + "}";
    }
}
