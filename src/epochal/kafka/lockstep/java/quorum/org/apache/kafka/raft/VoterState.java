package org.apache.kafka.raft;

import epochal.lockstep.Reflected;
import epochal.lockstep.Words;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.raft.internals.KRaftControlRecordStateMachine;
import org.apache.kafka.raft.internals.StringSerde;
import org.apache.kafka.snapshot.Snapshots;

/**
 * What a voter knows, in the words of a line.
 *
 * The fields are id, role, epoch, leader, for whom it voted, who granted it a vote, whether it has fetched, high
 * watermark, log start, end of the latest snapshot, log, what others have fetched, voters. Whoever is unknown is 0.
 * Offsets count batches: each record of the specification is a batch of its own, whatever Kafka writes into it. A batch
 * is {@code leader@epoch}, and {@code leader@epoch/1.2.3} if it names the voters.
 */
public final class VoterState {
    private static final int EVERYTHING = 1 << 20;

    /** A batch: where it ends, and what it says. */
    record Written(long end, int epoch, String told) {}

    /** What snapshots say, by their ids: the batches below their end. */
    static final Map<String, List<Written>> SNAPSHOTS = new HashMap<>();

    private final VoterUnderTest voter;
    private final List<Written> batches = new ArrayList<>();
    private final long start;

    VoterState(VoterUnderTest voter) throws Throwable {
        this.voter = voter;
        start = (long) Reflected.call(voter.log, "startOffset");
        if (start > 0) {
            batches.addAll(said(voter.log, "earliestSnapshotId"));
        }
        for (long at = start; at < voter.client.logEndOffset(); ) {
            for (RecordBatch batch : read(voter.log, at)) {
                batches.add(new Written(batch.nextOffset(), batch.partitionLeaderEpoch(), told(batch, batches)));
                at = batch.nextOffset();
            }
        }
    }

    static String told(VoterUnderTest voter) throws Throwable {
        return new VoterState(voter).told();
    }

    static QuorumState quorum(VoterUnderTest voter) {
        return voter.client.quorum();
    }

    static String role(VoterUnderTest voter) throws Throwable {
        String name = state(voter).getClass().getSimpleName();
        return name.substring(0, name.length() - "State".length()).toUpperCase(Locale.ROOT);
    }

    static Object state(VoterUnderTest voter) throws Throwable {
        return field(quorum(voter), "state");
    }

    static Object field(Object of, String name) throws Throwable {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private String told() throws Throwable {
        Object state = state(voter);
        ElectionState election = ((EpochState) state).election();
        StringJoiner told = new StringJoiner(";");
        told.add(String.valueOf(voter.id));
        told.add(role(voter));
        told.add(String.valueOf(election.epoch()));
        told.add(String.valueOf(Math.max(0, quorum(voter).leaderIdOrSentinel())));
        told.add(String.valueOf(election.optionalVotedKey().map(ReplicaKey::id).orElse(0)));
        told.add(Words.told(new TreeSet<>(votes(state))));
        told.add(Words.told(hasFetched(state)));
        long known = offset(Reflected.call(voter.log, "highWatermark"));
        voter.knowsHighWatermark |= ((EpochState) state).highWatermark().isPresent();
        told.add(String.valueOf(voter.knowsHighWatermark ? batchesBelow(known) : 0));
        told.add(String.valueOf(batchesBelow(start)));
        told.add(String.valueOf(said(voter.log, "latestSnapshotId").size()));
        told.add(String.join(",", batches.stream().map(Written::told).toList()));
        told.add(acknowledged(state));
        told.add(Words.told(new TreeSet<>(voters())));
        return told.toString();
    }

    private Collection<Integer> voters() throws Throwable {
        return ((KRaftControlRecordStateMachine) field(voter.client, "partitionState"))
                .lastVoterSet()
                .voterIds();
    }

    @SuppressWarnings("unchecked")
    private static Collection<Integer> votes(Object state) throws Throwable {
        if (state instanceof LeaderState) {
            return List.of();
        }
        if (Reflected.has(state.getClass(), "grantingVoters", 0)) { // CandidateState until 3.9
            return (Collection<Integer>) Reflected.call(state, "grantingVoters");
        }
        return Reflected.has(state.getClass(), "epochElection", 0)
                ? (Collection<Integer>) Reflected.call(Reflected.call(state, "epochElection"), "grantingVoters")
                : List.of();
    }

    static boolean hasFetched(VoterUnderTest voter) throws Throwable {
        return hasFetched(state(voter));
    }

    /** Until 3.9 nobody asks: there are no pre-votes. */
    private static boolean hasFetched(Object state) throws Throwable {
        for (Field field : state instanceof FollowerState ? FollowerState.class.getDeclaredFields() : new Field[0]) {
            if (field.getName().equals("hasFetchedFromLeader")) {
                return (boolean) field(state, field.getName());
            }
        }
        return false;
    }

    /** What a leader knows to be copied: voter{@code =}end of each other. */
    private String acknowledged(Object state) throws Throwable {
        StringJoiner told = new StringJoiner(",");
        if (state instanceof LeaderState<?> leader) {
            Map<Integer, Object> ends = new TreeMap<>((Map<Integer, Object>) (Map<?, ?>) leader.voterStates());
            for (Map.Entry<Integer, Object> one : ends.entrySet()) {
                Optional<?> end = (Optional<?>) Reflected.call(one.getValue(), "endOffset");
                if (one.getKey() != voter.id && end.isPresent()) {
                    told.add(one.getKey() + "=" + batchesBelow(offset(end.get())));
                }
            }
        }
        return told.toString();
    }

    private static long offset(Object metadata) {
        return ((LogOffsetMetadata) metadata).offset();
    }

    /** What the snapshot says that a log knows by this name; nothing if there is none, or that of the first voters. */
    private static List<Written> said(Object log, String which) throws Throwable {
        Optional<?> id = (Optional<?>) Reflected.call(log, which);
        return id.isEmpty() ? List.of() : SNAPSHOTS.getOrDefault(id.get().toString(), List.of());
    }

    /** What the snapshot says that ends at an offset, with a record of an epoch. */
    static List<Written> said(long end, int epoch) throws Throwable {
        return SNAPSHOTS.getOrDefault(snapshotId(end, epoch).toString(), List.of());
    }

    /** Of the class that a release has for it. */
    private static Object snapshotId(long end, int epoch) throws Throwable {
        return Snapshots.BOOTSTRAP_SNAPSHOT_ID
                .getClass()
                .getConstructor(long.class, int.class)
                .newInstance(end, epoch);
    }

    /** The id of a snapshot behind so many batches, and what it says. */
    Object snapshot(int position) throws Throwable {
        Object id = snapshotId(end(position), epoch(position));
        SNAPSHOTS.put(id.toString(), List.copyOf(batches.subList(0, position)));
        return id;
    }

    /** The batch that ends at an offset. */
    String batchTo(long end) {
        return batches.stream()
                .filter(one -> one.end() == end)
                .map(Written::told)
                .findFirst()
                .orElseThrow();
    }

    /** The offset behind so many batches, and the epoch of the last of them. */
    long end(int position) {
        return position == 0 ? 0 : batches.get(position - 1).end();
    }

    int epoch(int position) {
        return position == 0 ? 0 : batches.get(position - 1).epoch();
    }

    private long batchesBelow(long offset) {
        return batches.stream().filter(one -> one.end() <= offset).count();
    }

    // -- the log ----------------------------------------------------------------------------------------------------

    static Iterable<? extends RecordBatch> read(Object log, long from) throws Throwable {
        Object found = Reflected.has(log.getClass(), "read", 2) // until 4.2
                ? Reflected.call(log, "read", from, Isolation.UNCOMMITTED)
                : Reflected.call(log, "read", from, Isolation.UNCOMMITTED, EVERYTHING);
        return ((Records) ((LogFetchInfo) found).records).batches();
    }

    /** A batch by what stands before it: who wrote a VotersRecord is said by the LeaderChange record of its epoch. */
    private static String told(RecordBatch batch, List<Written> before) {
        String leader = "?";
        for (Written one : before) {
            if (one.epoch() == batch.partitionLeaderEpoch()) {
                leader = one.told().substring(0, one.told().indexOf('@'));
            }
        }
        String voters = "";
        for (Record record : batch) {
            if (!batch.isControlBatch()) {
                leader = value(record);
                continue;
            }
            switch (ControlRecordType.parse(record.key())) {
                case LEADER_CHANGE -> leader = String.valueOf(ControlRecordUtils.deserializeLeaderChangeMessage(record)
                        .leaderId());
                case KRAFT_VOTERS -> voters = "/"
                        + String.join(
                                ".",
                                ControlRecordUtils.deserializeVotersRecord(record).voters().stream()
                                        .map(one -> String.valueOf(one.voterId()))
                                        .sorted()
                                        .toList());
                default -> {}
            }
        }
        return leader + "@" + batch.partitionLeaderEpoch() + voters;
    }

    private static String value(Record record) {
        byte[] bytes = new byte[record.valueSize()];
        record.value().get(bytes);
        return new StringSerde().read(new ByteBufferAccessor(ByteBuffer.wrap(bytes)), bytes.length);
    }
}
