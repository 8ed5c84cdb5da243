package epochal.lockstep;

import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;

/**
 * Fetches whose answer is lost, and one whose answer is held up: on its way, or between the look at its leader epoch and what it has truncated.
 *
 * A fetcher without partitions ends, and waits for its round. This one goes on, as it does in a broker that fetches other
 * partitions from the same leader.
 */
final class LateFetches implements Commands {
    private final Running running;
    private final Network network;
    private HeldRound round;
    private Network.Answer answer;
    private int follower;
    private boolean checked;

    LateFetches(Running running, Network network) {
        this.running = running;
        this.network = network;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "fetch_late",
                this::begin,
                "check_late",
                this::check,
                "late_arrives",
                this::arrive,
                "fetch_lost",
                this::lose);
    }

    /** {@code fetch_lost:FOLLOWER:LEADER}: the leader answers, and the follower never hears of it. */
    private String lose(String[] words) throws Throwable {
        network.loseNextAnswer();
        return running.named(words[1]).fetchOnce(Integer.parseInt(words[2]));
    }

    /** {@code fetch_late:FOLLOWER:LEADER}: the leader answers, and the answer does not arrive yet. */
    private String begin(String[] words) throws Throwable {
        if (round != null) {
            throw new IllegalStateException("an answer is held up already");
        }
        BrokerProcess process = running.named(words[1]);
        int leader = Integer.parseInt(words[2]);
        HeldRound begun = new HeldRound(() -> process.fetchOnce(leader));
        process.fetchers().keepIdleThreads(true);
        if (!begun.runsTo(HeldRound.Place.ANSWERED)) {
            process.fetchers().keepIdleThreads(false);
            return "NOT_ANSWERED";
        }
        follower = Integer.parseInt(words[1]);
        round = begun;
        answer = network.lastAnswer();
        checked = false;
        return "NONE";
    }

    /** {@code check_late}: the follower takes the answer, up to where it would truncate. */
    private String check(String[] words) throws Throwable {
        checked = held().runsTo(HeldRound.Place.CHECKED);
        if (!checked) {
            over();
        }
        return checked ? "NONE" : "NOTHING_TO_TRUNCATE";
    }

    /** {@code late_arrives}: the follower does with the answer what is left to do. */
    private String arrive(String[] words) throws Throwable {
        held().runsOut();
        over();
        return "NONE";
    }

    private HeldRound held() {
        if (round == null) {
            throw new IllegalStateException("no answer is held up");
        }
        return round;
    }

    private void over() {
        running.named(String.valueOf(follower)).fetchers().keepIdleThreads(false);
        round = null;
        answer = null;
    }

    @Override
    public void ends(int broker) {
        if (round != null && broker == follower) {
            round.abandon();
            over();
        }
    }

    @Override
    public void tell(StringJoiner said) throws Exception {
        said.add("\"late\":" + (round == null ? "null" : answerOnItsWay()));
    }

    private String answerOnItsWay() throws Exception {
        EpochEndOffset diverging = answer.data().divergingEpoch();
        List<String> records = answer.data().records() == null
                ? List.of()
                : Records.in(answer.data().records(), Long::toString);
        StringJoiner said = new StringJoiner(",", "{", "}");
        said.add("\"follower\":" + follower);
        said.add("\"leader\":" + answer.leader());
        said.add("\"leaderEpoch\":" + answer.leaderEpoch());
        said.add("\"offset\":" + answer.offset());
        said.add("\"error\":" + answer.data().errorCode());
        said.add("\"diverging\":"
                + (diverging.epoch() < 0 ? "null" : "[" + diverging.epoch() + "," + diverging.endOffset() + "]"));
        said.add("\"records\":" + records);
        said.add("\"highWatermark\":" + answer.data().highWatermark());
        said.add("\"checked\":" + checked);
        return said.toString();
    }
}
