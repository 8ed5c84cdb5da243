package epochal.lockstep;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.acknowledge.ShareAcknowledgementBatch;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchPartitionData;

/** The SharePartition of the leader of one epoch: Kafka's own, on the ReplicaManager of the broker that led. */
final class LedPartition {
    private static final String SHARE_PARTITION = "kafka.server.share.SharePartition";
    private static final int MOST_IN_FLIGHT = 200;
    private static final int LOCK_MS = 30_000;
    private static final int MOST_RECORDS = 1;
    private static final byte RELEASE = 2;

    private final Object kafka;
    private final LockTimer locks = new LockTimer();
    private final BrokerProcess process;
    private final List<String> failed = new ArrayList<>();

    /** `more` are parts that only some releases take. */
    LedPartition(
            BrokerProcess process,
            TopicIdPartition partition,
            String group,
            int leaderEpoch,
            int deliveries,
            Object persister,
            Object... more)
            throws Throwable {
        this.process = process;
        List<Object> parts = new ArrayList<>(List.of(
                group,
                partition,
                leaderEpoch,
                MOST_IN_FLIGHT,
                deliveries,
                LOCK_MS,
                locks,
                process.clock(),
                persister,
                process.replicas()));
        parts.addAll(List.of(more));
        kafka = constructed(Class.forName(SHARE_PARTITION), parts);
    }

    /** By the constructor that SharePartitionManager takes: the one with the fewest parameters. What is no part is null. */
    private static Object constructed(Class<?> kind, List<Object> parts) throws Throwable {
        Constructor<?> shortest = Arrays.stream(kind.getDeclaredConstructors())
                .min(Comparator.comparingInt(Constructor::getParameterCount))
                .orElseThrow();
        shortest.setAccessible(true);
        return shortest.newInstance(filled(shortest.getParameterTypes(), parts));
    }

    /** Each parameter takes the first part of its type that is left. */
    private static Object[] filled(Class<?>[] types, List<Object> parts) {
        List<Object> left = new ArrayList<>(parts);
        Object[] filled = new Object[types.length];
        for (int place = 0; place < types.length; place++) {
            for (Iterator<Object> some = left.iterator(); some.hasNext() && filled[place] == null; ) {
                Object part = some.next();
                if (boxed(types[place]).isInstance(part)) {
                    filled[place] = part;
                    some.remove();
                }
            }
        }
        return filled;
    }

    private static Class<?> boxed(Class<?> type) {
        return type == int.class ? Integer.class : type == long.class ? Long.class : type;
    }

    /** SharePartitionManager's first step with a share partition: it asks for the state. */
    void initialize() throws Throwable {
        heard(Reflected.call(kafka, "maybeInitialize"), "initialize");
    }

    /** What Kafka says of something that is over, "" if it is not over, and the error if it has failed. */
    private void heard(Object future, String what) {
        ((CompletableFuture<?>) future).whenComplete((nothing, thrown) -> {
            if (thrown != null) {
                failed.add(what + " " + Errors.forException(thrown).name());
            }
        });
    }

    String phase() throws Throwable {
        return Reflected.call(kafka, "partitionState").toString();
    }

    boolean isActive() throws Throwable {
        return phase().equals("ACTIVE");
    }

    int stateEpoch() throws Throwable {
        return (Integer) Wiring.getPrivate(kafka, kafka.getClass(), "stateEpoch");
    }

    /** A member fetches: one record at most, which the broker reads where the share partition says. False: it got none. */
    boolean acquire(String member) throws Throwable {
        long offset = (Long) Reflected.call(kafka, "nextFetchOffset");
        Object log = process.partition().localLogOrException();
        Object read = Wiring.call(log, "read", offset, 1, FetchIsolation.HIGH_WATERMARK, true);
        List<Object> data = new ArrayList<>(List.of(
                Errors.NONE,
                Wiring.call(log, "highWatermark"),
                Wiring.call(log, "logStartOffset"),
                Wiring.part(read, "records")));
        Object fetched = partly(FetchPartitionData.class.getConstructors()[0], data);
        Method acquire = Arrays.stream(kafka.getClass().getDeclaredMethods())
                .filter(one -> one.getName().equals("acquire"))
                .findFirst()
                .orElseThrow();
        List<Object> parts = new ArrayList<>(List.of(member, offset, fetched, FetchIsolation.HIGH_WATERMARK));
        for (Class<?> type : acquire.getParameterTypes()) {
            if (type.isEnum() && type != FetchIsolation.class) { // since 4.2: how a fetch counts records
                parts.add(enumerated(type, "BATCH_OPTIMIZED"));
            } else if (type == int.class) {
                parts.add(MOST_RECORDS);
            }
        }
        acquire.setAccessible(true);
        Object acquired = acquire.invoke(kafka, filled(acquire.getParameterTypes(), parts));
        return !((Collection<?>) Wiring.call(acquired, "acquiredRecords")).isEmpty();
    }

    private static Object enumerated(Class<?> type, String name) {
        return Arrays.stream(type.getEnumConstants())
                .filter(one -> ((Enum<?>) one).name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What is no part is what an empty answer to a fetch has there. */
    private static Object partly(Constructor<?> of, List<Object> parts) throws Exception {
        Object[] filled = filled(of.getParameterTypes(), parts);
        for (int place = 0; place < filled.length; place++) {
            Class<?> type = of.getParameterTypes()[place];
            if (filled[place] == null) {
                filled[place] = type == boolean.class ? false : type.getMethod("empty").invoke(null);
            }
        }
        return of.newInstance(filled);
    }

    /** A member says what becomes of a record. `told` hears of success, `lost` of an error by its name. */
    void acknowledge(String member, long offset, byte type, Runnable told) throws Throwable {
        List<ShareAcknowledgementBatch> batches = List.of(new ShareAcknowledgementBatch(offset, offset, List.of(type)));
        CompletableFuture<?> done = (CompletableFuture<?>) Reflected.call(kafka, "acknowledge", member, batches);
        heard(done, "acknowledge");
        done.thenRun(() -> {
            if (type != RELEASE) {
                told.run();
            }
        });
    }

    boolean expire(long offset) throws Exception {
        return locks.expire(offset);
    }

    /** After OFFSET_OUT_OF_RANGE (ShareFetchUtils): the share partition hears where the log starts. */
    void findLogStart() throws Throwable {
        Object start = Wiring.call(process.partition().localLogOrException(), "logStartOffset");
        Reflected.call(kafka, "updateCacheAndOffsets", start);
    }

    /** SharePartitionManager.removeSharePartitionFromCache. */
    void fence() throws Throwable {
        Reflected.call(kafka, "markFenced");
    }

    // -- what is told -------------------------------------------------------------------------------------------------

    String told() throws Throwable {
        return "{\"phase\":\"" + phase() + "\",\"stateEpoch\":" + stateEpoch() + ",\"start\":"
                + Wiring.getPrivate(kafka, kafka.getClass(), "startOffset") + ",\"records\":" + records()
                + ",\"failed\":" + failed.stream().map(one -> '"' + one + '"').toList() + "}";
    }

    private List<String> records() throws Throwable {
        List<String> found = new ArrayList<>();
        for (Object batch : ((Map<?, ?>) Wiring.getPrivate(kafka, kafka.getClass(), "cachedState")).values()) {
            Map<?, ?> offsets = (Map<?, ?>) Wiring.getPrivate(batch, batch.getClass(), "offsetState");
            long first = (Long) Wiring.getPrivate(batch, batch.getClass(), "firstOffset");
            long last = (Long) Wiring.getPrivate(batch, batch.getClass(), "lastOffset");
            Object whole = Wiring.getPrivate(batch, batch.getClass(), "batchState");
            for (long offset = first; offset <= last; offset++) {
                Object state = offsets == null ? whole : offsets.get(offset);
                if (state != null) {
                    found.add(told(offset, state));
                }
            }
        }
        return found;
    }

    private static String told(long offset, Object state) throws Throwable {
        Class<?> kind = state.getClass();
        return "[" + offset + ",\"" + Wiring.getPrivate(state, kind, "state") + "\","
                + Wiring.getPrivate(state, kind, "deliveryCount") + ",\"" + Wiring.getPrivate(state, kind, "memberId")
                + "\"," + (Wiring.getPrivate(state, kind, "rollbackState") != null) + "]";
    }
}
