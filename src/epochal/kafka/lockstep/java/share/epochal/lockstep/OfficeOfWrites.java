package epochal.lockstep;

import java.lang.reflect.Method;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;

/**
 * What a share coordinator hears of high watermarks by Kafka's own ListenerAdapter, when another broker leads its
 * partition, and its own writes of before are lost and still waited for.
 */
final class OfficeOfWrites {
    private static final String ADAPTER = "kafka.coordinator.group.ListenerAdapter";

    private final TopicPartition partition;
    private final Object adapter;
    private boolean heard;

    OfficeOfWrites(TopicPartition partition) throws Exception {
        this.partition = partition;
        PartitionWriter.Listener listener = new PartitionWriter.Listener() {
            @Override
            public void onHighWatermarkUpdated(TopicPartition of, long offset) {
                heard = true;
            }
        };
        adapter = Wiring.construct(Class.forName(ADAPTER), listener);
    }

    /**
     * Partition tells the listener that its broker follows, if a release does so, and then of the high watermark that
     * comes from the new leader. True: the coordinator takes that for one of its own, and answers those who wait.
     */
    boolean hearsOfSuccessor() throws Throwable {
        for (Method one : adapter.getClass().getMethods()) {
            if (one.getName().equals("onBecomingFollower")) {
                one.invoke(adapter, partition);
                break;
            }
        }
        Wiring.call(adapter, "onHighWatermarkUpdated", partition, Long.MAX_VALUE);
        return heard;
    }
}
