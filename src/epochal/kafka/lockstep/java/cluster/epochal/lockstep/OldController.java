package epochal.lockstep;

import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.controller.ControllerRequests;
import org.apache.kafka.controller.ControllerUnderTest;
import org.apache.kafka.controller.PartitionState;

/** A controller that was deposed and does not know it: it has what was written until then, and answers requests. */
final class OldController implements Commands {
    private final List<List<ApiMessage>> log;
    private final Proposals[] proposals;
    private final boolean elr;
    private ControllerUnderTest old;
    private ControllerRequests requests;
    private boolean confirmed;

    OldController(List<List<ApiMessage>> log, Proposals[] proposals, boolean elr) {
        this.log = log;
        this.proposals = proposals;
        this.elr = elr;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of("take_over", this::takeOver, "ask_old", this::ask);
    }

    /** {@code take_over}: from now on the old controller replays nothing more. */
    private String takeOver(String[] words) throws Throwable {
        old = ControllerUnderTest.replayed(elr, log);
        requests = new ControllerRequests(old, proposals.length);
        return "NONE";
    }

    /**
     * {@code ask_old:LEADER}: the request goes to the old controller. It decides, and answers when the records are
     * committed, which they never are; only what changes nothing is answered at once.
     */
    private String ask(String[] words) throws Throwable {
        Proposals of = proposals[Integer.parseInt(words[1])];
        int written = old.log.size();
        String answer = of.judgeCopy(this::alterPartition);
        if (!answer.equals("NONE")) {
            return answer;
        }
        if (old.log.size() > written) {
            return "NOT_COMMITTED";
        }
        confirmed = true;
        return of.judge(this::alterPartition).equals("NONE") ? of.tell() : "NOT_TOLD";
    }

    private AlterPartitionResponseData alterPartition(AlterPartitionRequestData request) throws Throwable {
        return requests.alterPartition(request);
    }

    @Override
    public void tell(StringJoiner said) {
        said.add("\"remembered\":" + (old == null ? "[]" : PartitionState.isr(old)));
        said.add("\"confirmed_from_memory\":" + confirmed);
    }
}
