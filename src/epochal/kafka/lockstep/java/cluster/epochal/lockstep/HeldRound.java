package epochal.lockstep;

import java.util.Optional;
import java.util.concurrent.SynchronousQueue;

/**
 * A round of a fetcher, in a thread of its own, which stands still at a place in Kafka's code until a step lets it go
 * on. One of the two threads runs at a time.
 */
final class HeldRound {
    /** Where a round can stand still. */
    enum Place {
        /** The leader has read its high watermark, and nothing else of what it answers. */
        HIGH_WATERMARK_READ,
        /** The answer is on its way. */
        ANSWERED,
        /** The follower has found what diverges, and has given up the lock under which it has compared epochs. */
        CHECKED
    }

    /** What a round does. */
    interface Round {
        void run() throws Throwable;
    }

    /** The process of the round is gone. */
    private static final class Abandoned extends RuntimeException {}

    private static final ThreadLocal<HeldRound> OF_THREAD = new ThreadLocal<>();

    private final SynchronousQueue<Optional<Place>> orders = new SynchronousQueue<>();
    private final SynchronousQueue<Optional<Place>> reports = new SynchronousQueue<>();
    private Optional<Place> until;
    private boolean abandoned;
    private Throwable thrown;

    HeldRound(Round round) {
        Thread thread = new Thread(
                () -> {
                    OF_THREAD.set(this);
                    try {
                        until = ordered();
                        round.run();
                    } catch (Abandoned gone) {
                        // nobody is there any more who would go on
                    } catch (Throwable error) {
                        thrown = error;
                    }
                    hand(reports, Optional.empty());
                },
                "held-round");
        thread.setDaemon(true);
        thread.start();
    }

    /** Where a round stands still if it is told to; any other thread passes by. */
    static void reached(Place place) {
        HeldRound own = OF_THREAD.get();
        if (own != null && own.until.equals(Optional.of(place))) {
            hand(own.reports, own.until);
            own.until = own.ordered();
        }
    }

    /** Let it run up to a place; whether it is there, or has come to its end without passing it. */
    boolean runsTo(Place place) throws Throwable {
        return goOn(Optional.of(place)).isPresent();
    }

    /** Let it run to its end. */
    void runsOut() throws Throwable {
        goOn(Optional.empty());
    }

    /** Its process is gone: it does nothing any more. */
    void abandon() {
        abandoned = true;
        hand(orders, Optional.empty());
        taken(reports);
    }

    private Optional<Place> goOn(Optional<Place> next) throws Throwable {
        hand(orders, next);
        Optional<Place> at = taken(reports);
        if (thrown != null) {
            throw thrown;
        }
        return at;
    }

    private Optional<Place> ordered() {
        Optional<Place> next = taken(orders);
        if (abandoned) {
            until = Optional.empty();
            throw new Abandoned();
        }
        return next;
    }

    private static <T> void hand(SynchronousQueue<T> to, T what) {
        try {
            to.put(what);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static <T> T taken(SynchronousQueue<T> from) {
        try {
            return from.take();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
