package org.apache.kafka.raft;

import static epochal.lockstep.Words.flag;
import static epochal.lockstep.Words.number;
import static epochal.lockstep.Words.numbers;

import epochal.lockstep.Lines;
import epochal.lockstep.ManualClock;
import epochal.lockstep.Reflected;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;
import org.apache.kafka.common.utils.Timer;
import org.apache.kafka.snapshot.SnapshotWriter;

/**
 * A quorum of voters without a network, told by lines what happens next.
 *
 * A line is a step, {@code ask:2:1:VOTE}; the answer is what came of it, {@code state} that of all voters. A request is
 * one that the voter itself sends when its clock goes on a little. It is handled by its receiver at once; the answer
 * arrives or is lost, and whatever else was sent meanwhile is lost.
 */
public final class LockstepQuorum {
    private static final int POLLS = 80;
    private static final int TIMERS = 6;
    private static final int FIRST_OBSERVER = 100;
    private static final String NOTHING = "nothing";
    private static final String NOT_CAUGHT_UP = "not caught up";
    private static final long LONGER_THAN_ANY_TIMER = 4L * VoterUnderTest.FETCH_TIMEOUT_MS;

    private final Path root;
    private final int size;
    /** Whether the voters are those that the log names (KIP-853). */
    private final boolean dynamic;

    private final Map<Integer, VoterUnderTest> voters = new TreeMap<>();
    private final Map<Integer, Random> chances = new HashMap<>();
    /** The BeginQuorumEpoch requests of every leader: they may arrive at any time, and again. */
    private final Map<String, BeginQuorumEpochRequestData> begun = new HashMap<>();

    private int disks = 1;

    private static LockstepQuorum quorum;

    private LockstepQuorum(int size, long seed, boolean dynamic) throws Throwable {
        root = Files.createTempDirectory("lockstep-quorum");
        this.size = size;
        this.dynamic = dynamic;
        VoterState.SNAPSHOTS.clear();
        Map<Integer, Uuid> directories = new TreeMap<>();
        for (int id = 1; id <= size; id++) {
            directories.put(id, new Uuid(disks, id));
        }
        for (int id = 1; id <= size; id++) {
            File folder = folder(id);
            if (dynamic) {
                VoterUnderTest.format(folder, directories);
            }
            chances.put(id, new Dice(seed + id));
            start(id, folder, directories.get(id), new ManualClock());
        }
    }

    /** Never 0: a timer without any time would expire with the step that sets it. */
    private static final class Dice extends Random {
        private static final long serialVersionUID = 1L;

        Dice(long seed) {
            super(seed);
        }

        @Override
        public int nextInt(int bound) {
            return Math.min(bound - 1, Math.max(1, super.nextInt(bound)));
        }
    }

    public static void main(String[] arguments) {
        Lines.serve(LockstepQuorum::answer);
    }

    private static String answer(String line) throws Throwable {
        String[] words = line.split(":", -1);
        if (words[0].equals("begin")) {
            if (quorum != null) {
                quorum.end();
            }
            quorum = new LockstepQuorum(number(words[1]), number(words[2]), flag(words[3]));
            return "";
        }
        if (words[0].equals("end")) {
            quorum.end();
            quorum = null;
            return "";
        }
        return quorum.take(words);
    }

    private String take(String[] words) throws Throwable {
        if (words[0].equals("state")) {
            StringJoiner told = new StringJoiner("#");
            for (VoterUnderTest voter : voters.values()) {
                told.add(VoterState.told(voter));
            }
            return told.toString();
        }
        VoterUnderTest voter = voters.get(number(words[1]));
        return switch (words[0]) {
            case "timeout" -> timeout(voter);
            case "ask" -> ask(voter, voters.get(number(words[2])), ApiKeys.valueOf(words[3]), true);
            case "ask_unanswered" -> ask(voter, voters.get(number(words[2])), ApiKeys.valueOf(words[3]), false);
            case "begin_quorum_epoch" -> begin(
                    VoterState.quorum(voter).epoch(), voter.id, voters.get(number(words[2])));
            case "learn" -> learn(voter, voters.get(number(words[2])));
            case "append" -> append(voter);
            case "restart" -> restart(voter, voter.folder, voter.directory);
            case "lose_disk" -> restart(voter, folder(voter.id), new Uuid(++disks, voter.id));
            case "elect" -> elect(voter, numbers(words[2]));
            case "make_snapshot" -> makeSnapshot(voter, number(words[2]));
            case "delete_before_snapshot" -> deleteBeforeSnapshot(voter);
            case "fetch_snapshot" -> fetchSnapshot(voter, voters.get(number(words[2])));
            case "add_voter" -> addVoter(voter, voters.get(number(words[2])));
            case "remove_voter" -> removeVoter(voter, voters.get(number(words[2])));
            case "observe" -> observe(voter, number(words[2]), number(words[3]));
            default -> throw new IllegalArgumentException("no step " + words[0]);
        };
    }

    // -- steps ------------------------------------------------------------------------------------------------------

    /**
     * The timer of a voter's role expires. A candidate of 3.9 backs off first, which is a timer more.
     *
     * Who resigned or lost a pre-vote is unattached with what is left of its time, nothing: it is given time again, for
     * in the specification each timer is a step of its own.
     */
    private String timeout(VoterUnderTest voter) throws Throwable {
        String before = standing(voter);
        for (int timers = 0; timers < 2 && before.equals(standing(voter)); timers++) {
            voter.clock.sleep(LONGER_THAN_ANY_TIMER);
            voter.poll();
        }
        if (VoterState.state(voter) instanceof UnattachedState unattached) {
            ((Timer) VoterState.field(unattached, "electionTimer")).reset(VoterUnderTest.ELECTION_TIMEOUT_MS);
        }
        noted(voter);
        return standing(voter);
    }

    private static String standing(VoterUnderTest voter) throws Throwable {
        return VoterState.role(voter) + " " + VoterState.quorum(voter).epoch();
    }

    /** One sends a request, the other handles it, and the answer arrives, or not. */
    private String ask(VoterUnderTest one, VoterUnderTest other, ApiKeys api, boolean answered) throws Throwable {
        return exchange(one, other, api, answered, POLLS).orElse("does not ask, " + standing(one));
    }

    private Optional<String> exchange(
            VoterUnderTest one, VoterUnderTest other, ApiKeys api, boolean answered, int polls) throws Throwable {
        giveTime(VoterState.state(one));
        for (int poll = 0; poll < polls; poll++) {
            one.sent.clear();
            one.poll();
            for (VoterUnderTest.Sent sent : noted(one)) {
                if (sent.to() == other.id
                        && (api == null || sent.request().data().apiKey() == api.id)) {
                    return Optional.of(exchanged(one, other, sent, answered));
                }
            }
            one.clock.sleep(VoterUnderTest.REQUEST_TIMEOUT_MS + 1);
        }
        return Optional.empty();
    }

    /** Whom a majority refuses its vote backs off, until 4.0 for less time than the harness may take to ask it again. */
    private static void giveTime(Object state) throws Throwable {
        if (Reflected.has(state.getClass(), "isBackingOff", 0) && (boolean) Reflected.call(state, "isBackingOff")) {
            ((Timer) VoterState.field(state, "backoffTimer")).reset(VoterUnderTest.ELECTION_TIMEOUT_MS);
        }
    }

    private String exchanged(VoterUnderTest one, VoterUnderTest other, VoterUnderTest.Sent sent, boolean answered)
            throws Throwable {
        ApiMessage answer = handled(other, sent.request().data(), sent.request().correlationId());
        if (answered) {
            sent.answer()
                    .complete(new RaftResponse.Inbound(
                            sent.request().correlationId(),
                            answer,
                            sent.request().destination()));
            one.settle();
            noted(one);
        }
        return told(answer);
    }

    /** A request in the queue of its receiver, and the answer, as it comes off the wire. */
    private ApiMessage handled(VoterUnderTest by, ApiMessage request, int correlation) throws Throwable {
        short version = ApiKeys.forId(request.apiKey()).latestVersion();
        CompletableFuture<RaftResponse.Outbound> answer = by.receive(request, version, correlation);
        by.settle();
        noted(by);
        if (!answer.isDone()) {
            throw new IllegalStateException("v" + by.id + " does not answer " + request);
        }
        return inMemory(answer.get().data());
    }

    /** What was sent; BeginQuorumEpoch is kept. */
    private List<VoterUnderTest.Sent> noted(VoterUnderTest voter) {
        List<VoterUnderTest.Sent> found = List.copyOf(voter.sent);
        voter.sent.clear();
        for (VoterUnderTest.Sent sent : found) {
            if (sent.request().data() instanceof BeginQuorumEpochRequestData request) {
                int epoch = request.topics().get(0).partitions().get(0).leaderEpoch();
                begun.put(epoch + " " + voter.id + " " + sent.to(), request);
            }
        }
        return found;
    }

    /** The leader's BeginQuorumEpoch arrives; whether its answer does makes no difference here. */
    private String begin(int epoch, int leader, VoterUnderTest to) throws Throwable {
        BeginQuorumEpochRequestData request = begun.get(epoch + " " + leader + " " + to.id);
        return request == null ? "does not ask" : told(handled(to, request.duplicate(), 0));
    }

    /** A voter hears of the epoch that another one is in: by a request of its leader, or by an answer of the other. */
    private String learn(VoterUnderTest voter, VoterUnderTest other) throws Throwable {
        QuorumState known = VoterState.quorum(other);
        String key = known.epoch() + " " + known.leaderIdOrSentinel() + " " + voter.id;
        if (known.hasLeader() && begun.containsKey(key)) {
            return begin(known.epoch(), known.leaderIdOrSentinel(), voter);
        }
        if (VoterState.quorum(voter).isLeader()) {
            voter.clock.sleep(VoterUnderTest.FETCH_TIMEOUT_MS / 2); // it tells those who do not fetch
        }
        Optional<String> heard = exchange(voter, other, null, true, POLLS);
        return heard.isPresent() ? heard.get() : late(voter, other);
    }

    /** An answer that was on its way for long: a candidate does not ask again whom it has an answer of. */
    private String late(VoterUnderTest voter, VoterUnderTest other) throws Throwable {
        ApiMessage request = (ApiMessage) Reflected.call(voter.client, "buildFetchRequest");
        ApiMessage answer = handled(other, request, 0);
        Node node = new Node(other.id, "localhost", 0);
        ((RequestManager) VoterState.field(voter.client, "requestManager"))
                .onRequestSent(node, 0, voter.clock.milliseconds());
        voter.put(new RaftResponse.Inbound(0, answer, node));
        voter.settle();
        noted(voter);
        return "late " + told(answer);
    }

    private String append(VoterUnderTest voter) throws Throwable {
        int epoch = VoterState.quorum(voter).epoch();
        voter.client.prepareAppend(epoch, List.of(String.valueOf(voter.id)));
        voter.client.schedulePreparedAppend();
        voter.settle();
        noted(voter);
        return "";
    }

    private String restart(VoterUnderTest voter, File folder, Uuid directory) throws Throwable {
        voter.end();
        start(voter.id, folder, directory, voter.clock);
        return standing(voters.get(voter.id));
    }

    private void start(int id, File folder, Uuid directory, ManualClock clock) throws Throwable {
        voters.put(id, new VoterUnderTest(id, size, dynamic, folder, directory, clock, chances.get(id)));
    }

    /**
     * What a broker with so many batches is told by a leader: the next one, if the high watermark is beyond it, or if it
     * is in the snapshot that the broker has to load. It would load all of that at once.
     */
    private String observe(VoterUnderTest leader, int observer, int position) throws Throwable {
        VoterState before = new VoterState(leader);
        FetchRequestData request = (FetchRequestData) Reflected.call(leader.client, "buildFetchRequest");
        request.replicaState().setReplicaId(FIRST_OBSERVER + observer);
        request.topics()
                .get(0)
                .partitions()
                .get(0)
                .setReplicaDirectoryId(new Uuid(disks, FIRST_OBSERVER + observer))
                .setFetchOffset(before.end(position))
                .setLastFetchedEpoch(before.epoch(position));
        FetchResponseData.PartitionData said = ((FetchResponseData) handled(leader, request, 0))
                .responses()
                .get(0)
                .partitions()
                .get(0);
        if (said.snapshotId().epoch() >= 0) {
            List<VoterState.Written> loaded =
                    VoterState.said(said.snapshotId().endOffset(), said.snapshotId().epoch());
            return position < loaded.size() ? loaded.get(position).told() : NOTHING;
        }
        if (said.errorCode() == Errors.NONE.code() && said.records() instanceof MemoryRecords records) {
            for (RecordBatch batch : records.batches()) {
                return batch.nextOffset() <= said.highWatermark() ? before.batchTo(batch.nextOffset()) : NOTHING;
            }
        }
        return NOTHING;
    }

    /**
     * An election from its first timer to the leader that all of a majority follow.
     *
     * Who leads resigns, and who has fetched waits too long: otherwise they would refuse a pre-vote.
     */
    private String elect(VoterUnderTest candidate, List<Integer> majority) throws Throwable {
        List<VoterUnderTest> others = majority.stream()
                .filter(id -> id != candidate.id)
                .map(voters::get)
                .toList();
        for (VoterUnderTest other : others) {
            if (VoterState.quorum(other).isLeader()) {
                timeout(other);
            }
            if (VoterState.quorum(other).epoch() > VoterState.quorum(candidate).epoch()) {
                learn(candidate, other);
            }
        }
        for (int timers = 0; timers < TIMERS && !VoterState.quorum(candidate).isLeader(); timers++) {
            String role = VoterState.role(candidate);
            if (!role.equals("PROSPECTIVE") && !role.equals("CANDIDATE")) {
                timeout(candidate);
            }
            for (VoterUnderTest other : others) {
                if (VoterState.role(candidate).equals("PROSPECTIVE") && VoterState.hasFetched(other)) {
                    timeout(other);
                }
                exchange(candidate, other, ApiKeys.VOTE, true, 2);
            }
        }
        if (!VoterState.quorum(candidate).isLeader()) {
            return "not elected, " + standing(candidate);
        }
        candidate.settle();
        noted(candidate);
        for (VoterUnderTest other : others) {
            begin(VoterState.quorum(candidate).epoch(), candidate.id, other);
        }
        return standing(candidate);
    }

    /** A snapshot behind so many batches; only its end matters, so it has no records. */
    private String makeSnapshot(VoterUnderTest voter, int position) throws Throwable {
        Object id = new VoterState(voter).snapshot(position);
        Optional<?> made = (Optional<?>) Reflected.call(voter.client, "createSnapshot", id, 0L);
        if (made.isEmpty()) {
            return "not made";
        }
        try (SnapshotWriter<?> writer = (SnapshotWriter<?>) made.get()) {
            writer.freeze();
        }
        return id.toString();
    }

    private static String deleteBeforeSnapshot(VoterUnderTest voter) throws Throwable {
        Optional<?> latest = (Optional<?>) Reflected.call(voter.log, "latestSnapshotId");
        if (latest.isEmpty()) {
            return "no snapshot";
        }
        return String.valueOf(Reflected.call(voter.log, "deleteBeforeSnapshot", latest.get()));
    }

    /** A fetch is answered by the id of a snapshot, and the snapshot is fetched. */
    private String fetchSnapshot(VoterUnderTest follower, VoterUnderTest leader) throws Throwable {
        String told = ask(follower, leader, ApiKeys.FETCH, true);
        return told + ", " + ask(follower, leader, ApiKeys.FETCH_SNAPSHOT, true);
    }

    /**
     * An operator asks a leader to add a voter. The leader asks that one for its versions first, which are of this same
     * release; its answer comes from its socket server, and not from the quorum.
     *
     * Kafka refuses whoever has not caught up lately. Of that the specification knows nothing, so that it has a word of
     * its own.
     */
    private String addVoter(VoterUnderTest leader, VoterUnderTest added) throws Throwable {
        waitUntilReady(leader, added);
        ReplicaKey key = ReplicaKey.of(added.id, added.directory);
        CompletableFuture<RaftResponse.Outbound> answer = asked(leader, addition(key));
        for (VoterUnderTest.Sent sent : noted(leader)) {
            if (sent.to() == added.id && sent.request().data() instanceof ApiVersionsRequestData) {
                sent.answer()
                        .complete(new RaftResponse.Inbound(
                                sent.request().correlationId(),
                                VoterUnderTest.versions(),
                                sent.request().destination()));
                leader.settle();
                noted(leader);
                if (isRefused(answer) && VoterState.state(leader) instanceof LeaderState<?> state) {
                    return state.isReplicaCaughtUp(key, leader.clock.milliseconds()) ? told(answer) : NOT_CAUGHT_UP;
                }
            }
        }
        return told(answer);
    }

    /** Whoever has not answered yet is sent nothing else until that request has timed out. */
    private static void waitUntilReady(VoterUnderTest leader, VoterUnderTest other) throws Throwable {
        RequestManager requests = (RequestManager) VoterState.field(leader.client, "requestManager");
        boolean waits = VoterState.state(leader) instanceof LeaderState<?> state && !isChanging(state, leader);
        if (waits && !requests.isReady(other.node(), leader.clock.milliseconds())) {
            leader.clock.sleep(VoterUnderTest.REQUEST_TIMEOUT_MS + 1);
        }
    }

    /** Whether a leader waits for the end of a change of the voters, for which there is a timer. */
    private static boolean isChanging(LeaderState<?> leader, VoterUnderTest process) throws Throwable {
        Object changes = Reflected.has(LeaderState.class, "changeVoterState", 0) // since 4.4
                ? Reflected.call(leader, "changeVoterState")
                : leader;
        return (boolean) Reflected.call(changes, "isOperationPending", process.clock.milliseconds());
    }

    /** Until 4.1 the answer comes always when the change is committed. */
    private static ApiMessage addition(ReplicaKey added) throws Throwable {
        int patience = VoterUnderTest.REQUEST_TIMEOUT_MS;
        Endpoints at = VoterUnderTest.endpoints(added.id());
        return (ApiMessage)
                (Reflected.has(RaftUtil.class, "addVoterRequest", 4)
                        ? Reflected.callStatic(
                                RaftUtil.class, "addVoterRequest", VoterUnderTest.CLUSTER_ID, patience, added, at)
                        : Reflected.callStatic(
                                RaftUtil.class,
                                "addVoterRequest",
                                VoterUnderTest.CLUSTER_ID,
                                patience,
                                added,
                                at,
                                true));
    }

    /** An operator asks a leader to remove a voter. */
    private String removeVoter(VoterUnderTest leader, VoterUnderTest removed) throws Throwable {
        ReplicaKey key = ReplicaKey.of(removed.id, removed.directory);
        CompletableFuture<RaftResponse.Outbound> answer =
                asked(leader, RaftUtil.removeVoterRequest(VoterUnderTest.CLUSTER_ID, key));
        noted(leader);
        return told(answer);
    }

    private static CompletableFuture<RaftResponse.Outbound> asked(VoterUnderTest leader, ApiMessage request)
            throws Throwable {
        CompletableFuture<RaftResponse.Outbound> answer =
                leader.receive(request, ApiKeys.forId(request.apiKey()).latestVersion(), 0);
        leader.settle();
        return answer;
    }

    /** Of a change of the voters: the answer comes when that is committed, or at once if it is refused. */
    private static String told(CompletableFuture<RaftResponse.Outbound> answer) throws Throwable {
        return answer.isDone() ? error(answer).name() : "appended";
    }

    private static boolean isRefused(CompletableFuture<RaftResponse.Outbound> answer) throws Throwable {
        return answer.isDone() && error(answer) == Errors.REQUEST_TIMED_OUT;
    }

    private static Errors error(CompletableFuture<RaftResponse.Outbound> answer) throws Throwable {
        ApiMessage said = answer.get().data();
        return Errors.forCode(
                said instanceof AddRaftVoterResponseData added
                        ? added.errorCode()
                        : ((RemoveRaftVoterResponseData) said).errorCode());
    }

    // -- messages ---------------------------------------------------------------------------------------------------

    /** Records that a leader reads from its files come off the wire as bytes. */
    private static ApiMessage inMemory(ApiMessage answer) throws Throwable {
        if (answer instanceof FetchResponseData fetched) {
            for (FetchResponseData.FetchableTopicResponse topic : fetched.responses()) {
                for (FetchResponseData.PartitionData partition : topic.partitions()) {
                    if (partition.records() instanceof FileRecords file) {
                        ByteBuffer bytes = ByteBuffer.allocate(file.sizeInBytes());
                        file.readInto(bytes, 0);
                        partition.setRecords(MemoryRecords.readableRecords(bytes));
                    }
                }
            }
        }
        if (answer instanceof FetchSnapshotResponseData fetched) {
            for (FetchSnapshotResponseData.TopicSnapshot topic : fetched.topics()) {
                for (FetchSnapshotResponseData.PartitionSnapshot partition : topic.partitions()) {
                    if (partition.unalignedRecords() != null) {
                        partition.setUnalignedRecords(new UnalignedMemoryRecords(bytes(partition.unalignedRecords())));
                    }
                }
            }
        }
        return answer;
    }

    /** The bytes of a part of a snapshot's file. */
    private static ByteBuffer bytes(Object part) throws Throwable {
        ByteBuffer bytes = ByteBuffer.allocate((int) Reflected.call(part, "sizeInBytes"));
        ((FileChannel) VoterState.field(part, "channel")).read(bytes, (long) VoterState.field(part, "position"));
        return bytes.flip();
    }

    private static String told(ApiMessage answer) {
        if (answer instanceof VoteResponseData vote && !vote.topics().isEmpty()) {
            VoteResponseData.PartitionData said =
                    vote.topics().get(0).partitions().get(0);
            return Errors.forCode(said.errorCode()) + (said.voteGranted() ? " granted" : " refused");
        }
        if (answer instanceof FetchResponseData fetched && !fetched.responses().isEmpty()) {
            FetchResponseData.PartitionData said =
                    fetched.responses().get(0).partitions().get(0);
            String more = said.divergingEpoch().epoch() >= 0
                    ? " diverging"
                    : said.snapshotId().epoch() >= 0 ? " snapshot" : "";
            return Errors.forCode(said.errorCode()) + more;
        }
        return ApiKeys.forId(answer.apiKey()) + " answered";
    }

    // -- the end ----------------------------------------------------------------------------------------------------

    private File folder(int id) throws IOException {
        return Files.createTempDirectory(root, "v" + id + "-").toFile();
    }

    private void end() throws Throwable {
        for (VoterUnderTest voter : voters.values()) {
            voter.end();
        }
        try (Stream<Path> all = Files.walk(root)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
    }
}
