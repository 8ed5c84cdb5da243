package epochal.lockstep;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.OperationNotAttemptedException;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.server.partition.AlterPartitionManager;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The AlterPartition requests of one broker (AlterPartitionManager): at most one is on its way.
 *
 * The controller's part and the news of an acceptance are steps of their own. A request outlives the process that has
 * sent it; the answer does not.
 */
final class Proposals {
    /** What a process has asked for, under its broker epoch of that moment. */
    private record Proposal(Object asked, long brokerEpoch, CompletableFuture<Object> answer) {}

    private record Acceptance(CompletableFuture<Object> answer, Object leaderAndIsr) {}

    interface Controller {
        AlterPartitionResponseData alterPartition(AlterPartitionRequestData request) throws Throwable;
    }

    private final int broker;
    private final Uuid topic;
    private Proposal pending;
    private Acceptance accepted;

    Proposals(int broker, Uuid topic) {
        this.broker = broker;
        this.topic = topic;
    }

    /** The AlterPartitionManager of a process. */
    Object manager(LongSupplier brokerEpoch) {
        Class<?>[] kind = {AlterPartitionManager.class};
        return Proxy.newProxyInstance(Proposals.class.getClassLoader(), kind, (proxy, method, arguments) -> {
            if (!method.getName().equals("submit")) {
                return null;
            }
            if (pending != null) {
                return CompletableFuture.failedFuture(new OperationNotAttemptedException("a request is on its way"));
            }
            pending = new Proposal(arguments[1], brokerEpoch.getAsLong(), new CompletableFuture<>());
            return pending.answer();
        });
    }

    /** The ISR that is asked for; null if no request is on its way. */
    List<Integer> proposed() throws Exception {
        if (pending == null) {
            return null;
        }
        List<Integer> members = new ArrayList<>();
        for (Object member : members(pending.asked())) {
            members.add(((BrokerState) member).brokerId());
        }
        members.sort(null);
        return members;
    }

    /**
     * The controller handles the request. INELIGIBLE_REPLICA reaches the leader at once, and an acceptance waits to be
     * told. Other refusals leave the leader waiting for metadata.
     */
    String judge(Controller controller) throws Throwable {
        Proposal proposal = pending;
        if (proposal == null) {
            return "NO_PROPOSAL";
        }
        pending = null;
        AlterPartitionResponseData.PartitionData answer;
        try {
            answer = controller.alterPartition(request(proposal)).topics().get(0).partitions().get(0);
        } catch (ApiException refused) {
            return Errors.forException(refused).name();
        }
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            accepted = new Acceptance(proposal.answer(), leaderAndIsr(answer));
        } else if (error == Errors.INELIGIBLE_REPLICA) {
            proposal.answer().completeExceptionally(error.exception());
        }
        return error.name();
    }

    /** The process is gone: nobody hears of its request any more. */
    void processEnded() {
        accepted = null;
        if (pending != null) {
            pending = new Proposal(pending.asked(), pending.brokerEpoch(), new CompletableFuture<>());
        }
    }

    /** The leader hears that its last request was accepted. */
    String tell() {
        Acceptance told = accepted;
        accepted = null;
        if (told == null) {
            return "NO_ANSWER";
        }
        told.answer().complete(told.leaderAndIsr());
        return "NONE";
    }

    private AlterPartitionRequestData request(Proposal proposal) throws Exception {
        Object asked = proposal.asked();
        AlterPartitionRequestData.PartitionData partition = new AlterPartitionRequestData.PartitionData()
            .setPartitionIndex(0)
            .setLeaderEpoch((Integer) Wiring.call(asked, "leaderEpoch"))
            .setPartitionEpoch((Integer) Wiring.call(asked, "partitionEpoch"))
            .setLeaderRecoveryState(((LeaderRecoveryState) Wiring.call(asked, "leaderRecoveryState")).value());
        for (Object member : members(asked)) {
            partition.newIsrWithEpochs().add((BrokerState) member);
        }
        AlterPartitionRequestData request =
            new AlterPartitionRequestData().setBrokerId(broker).setBrokerEpoch(proposal.brokerEpoch());
        AlterPartitionRequestData.TopicData whole = new AlterPartitionRequestData.TopicData().setTopicId(topic);
        request.topics().add(whole.setPartitions(new ArrayList<>(List.of(partition))));
        return request;
    }

    private static Iterable<?> members(Object leaderAndIsr) throws Exception {
        return Wiring.asJava(Wiring.call(leaderAndIsr, "isrWithBrokerEpoch"));
    }

    /** The constructor that names broker epochs is the only one with the same parameters in Java and in Scala. */
    private static Object leaderAndIsr(AlterPartitionResponseData.PartitionData answer) throws Exception {
        List<BrokerState> members = new ArrayList<>();
        for (int member : answer.isr()) {
            members.add(new BrokerState().setBrokerId(member).setBrokerEpoch(-1));
        }
        for (Constructor<?> one : LeaderAndIsr.class.getConstructors()) {
            Class<?>[] types = one.getParameterTypes();
            if (types.length == 5 && types[2] == LeaderRecoveryState.class) {
                Object isr = types[3] == List.class ? members : CollectionConverters.asScala(members).toList();
                LeaderRecoveryState recovery = LeaderRecoveryState.of(answer.leaderRecoveryState());
                return one.newInstance(
                    answer.leaderId(), answer.leaderEpoch(), recovery, isr, answer.partitionEpoch());
            }
        }
        throw new IllegalStateException(LeaderAndIsr.class.getName() + " has no constructor with broker epochs");
    }
}
