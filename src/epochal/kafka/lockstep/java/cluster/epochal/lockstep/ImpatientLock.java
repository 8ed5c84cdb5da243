package epochal.lockstep;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A lock of Kafka where nobody can go on while one reads: who would wait to write is told so by an exception. */
final class ImpatientLock extends ReentrantReadWriteLock {
    private final WriteLock write = new WriteLock(this) {
        @Override
        public void lock() {
            if (!tryLock()) {
                throw new IllegalStateException("waits for the lock under which the leader reads its answer");
            }
        }
    };

    @Override
    public WriteLock writeLock() {
        return write;
    }
}
