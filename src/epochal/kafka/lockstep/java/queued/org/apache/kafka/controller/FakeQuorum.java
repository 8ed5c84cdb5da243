package org.apache.kafka.controller;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.raft.Batch;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.RaftClient;
import org.apache.kafka.raft.internals.MemoryBatchReader;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.snapshot.SnapshotReader;

/** A metadata quorum of one: what is appended is committed at once, and who leads is said from outside. */
final class FakeQuorum {
    private static final int FIRST_EPOCH = 1;

    private final int node;
    private final RaftClient<ApiMessageAndVersion> client;
    private volatile RaftClient.Listener<ApiMessageAndVersion> listener;
    private volatile LeaderAndEpoch leader = new LeaderAndEpoch(OptionalInt.empty(), FIRST_EPOCH);
    private volatile long end;
    private List<ApiMessageAndVersion> prepared;
    private List<List<ApiMessage>> log;

    @SuppressWarnings("unchecked")
    FakeQuorum(int node) {
        this.node = node;
        client = (RaftClient<ApiMessageAndVersion>) Proxy.newProxyInstance(
                RaftClient.class.getClassLoader(),
                new Class<?>[] {RaftClient.class},
                (proxy, method, arguments) -> called(method.getName(), arguments));
    }

    RaftClient<ApiMessageAndVersion> client() {
        return client;
    }

    /** The offset of the next record. */
    long endOffset() {
        return end;
    }

    /** What is appended from now on is kept here, too. */
    void keepsLog(List<List<ApiMessage>> kept) {
        log = kept;
    }

    @SuppressWarnings("unchecked")
    private synchronized Object called(String name, Object[] arguments) {
        switch (name) {
            case "register":
                listener = (RaftClient.Listener<ApiMessageAndVersion>) arguments[0];
                return null;
            case "unregister":
            case "close":
                return null;
            case "highWatermark":
                return OptionalLong.of(end);
            case "leaderAndEpoch":
                return leader;
            case "nodeId":
                return OptionalInt.of(node);
            case "prepareAppend":
                prepared = (List<ApiMessageAndVersion>) arguments[1];
                return end + prepared.size() - 1;
            case "schedulePreparedAppend":
                appendPrepared();
                return null;
            case "latestSnapshotId":
                return Optional.empty();
            case "logEndOffset":
                return end;
            case "kraftVersion":
                return KRaftVersion.LATEST_PRODUCTION;
            case "shutdown":
                return CompletableFuture.completedFuture(null);
            case "hashCode":
                return System.identityHashCode(this);
            case "equals":
                return arguments[0] == client;
            case "toString":
                return "FakeQuorum";
            default:
                throw new UnsupportedOperationException("RaftClient." + name);
        }
    }

    private void appendPrepared() {
        if (log != null) {
            log.add(prepared.stream().map(ApiMessageAndVersion::message).toList());
        }
        committed(prepared);
    }

    private synchronized void committed(List<ApiMessageAndVersion> records) {
        Batch<ApiMessageAndVersion> batch = Batch.data(end, leader.epoch(), 0, records.size(), records);
        end += records.size();
        listener.handleCommit(MemoryBatchReader.of(List.of(batch), closed -> {}));
    }

    /** Records that another controller has written. */
    void commit(List<? extends ApiMessage> records) {
        committed(versioned(records));
    }

    private static List<ApiMessageAndVersion> versioned(List<? extends ApiMessage> records) {
        List<ApiMessageAndVersion> found = new ArrayList<>();
        for (ApiMessage record : records) {
            found.add(new ApiMessageAndVersion(record, record.highestSupportedVersion()));
        }
        return found;
    }

    /** The controller of this node leads from now on. */
    void elect() {
        leader = new LeaderAndEpoch(OptionalInt.of(node), leader.epoch() + 1);
        listener.handleLeaderChange(leader);
    }

    /** The log begins with a snapshot that has these records. */
    @SuppressWarnings("unchecked")
    void loadSnapshot(List<ApiMessage> records) {
        Batch<ApiMessageAndVersion> batch = Batch.data(0, leader.epoch(), 0, records.size(), versioned(records));
        MemoryBatchReader<ApiMessageAndVersion> batches = MemoryBatchReader.of(List.of(batch), closed -> {});
        end = records.size();
        OffsetAndEpoch id = new OffsetAndEpoch(end, leader.epoch());
        listener.handleLoadSnapshot((SnapshotReader<ApiMessageAndVersion>) Proxy.newProxyInstance(
                SnapshotReader.class.getClassLoader(),
                new Class<?>[] {SnapshotReader.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "snapshotId" -> id;
                    case "lastContainedLogOffset" -> id.offset() - 1;
                    case "lastContainedLogEpoch" -> id.epoch();
                    case "lastContainedLogTimestamp" -> 0L;
                    case "hasNext" -> batches.hasNext();
                    case "next" -> batches.next();
                    case "close" -> null;
                    default -> throw new UnsupportedOperationException("SnapshotReader." + method.getName());
                }));
    }
}
