package org.apache.kafka.controller;

import static epochal.lockstep.Words.flag;
import static epochal.lockstep.Words.number;
import static epochal.lockstep.Words.numbers;

import epochal.lockstep.Words;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;

/**
 * A state of the controller as a line has it, and how Kafka's managers come into it: by the records that say so.
 *
 * The fields are brokers, whether ELR is on, min.insync.replicas, whether unclean elections are on, replicas in order,
 * leader, leader epoch, partition epoch, ISR, ELR, last known leader, whether the leader recovers, adding and removing
 * replicas, active brokers, brokers whose replica is in a log directory that is not online. Whoever does not exist is
 * -1.
 *
 * Behind the steps of a line there may be {@link #MORE} fields: brokers in a controlled shutdown that has begun, brokers
 * whose shutdown began under another controller, and whether min.insync.replicas is the default of the cluster. Or the
 * {@link #NEXT} fields of another partition of the topic, from its replicas to the removing ones.
 */
public final class PartitionState {
    public static final int FIELDS = 16;
    public static final int MORE = 3;
    public static final int NEXT = 10;
    public static final String TOPIC = "t";
    public static final Uuid TOPIC_ID = new Uuid(7, 7);

    private static final int FIRST_EPOCH = 100;
    private static final int FIRST_PORT = 9_092;

    public final int index;
    private final String topic;
    public final int brokers;
    public final boolean elrIsOn;
    final int minIsr;
    final boolean unclean;
    public final List<Integer> replicas;
    final int leader;
    final int leaderEpoch;
    final int partitionEpoch;
    final List<Integer> isr;
    final List<Integer> elr;
    final int lastKnownLeader;
    final boolean recovering;
    final List<Integer> adding;
    final List<Integer> removing;
    final List<Integer> active;
    final List<Integer> offline;
    final List<Integer> leaving;
    final List<Integer> forgotten;
    final boolean minIsrIsDefault;

    /** Reads the fields that begin at an index. */
    public PartitionState(String[] fields, int from) {
        this(fields, from, 0, TOPIC);
    }

    /** The same of a partition of some topic: if it is another than the first, that one has one replica, on broker 0. */
    public PartitionState(String[] fields, int from, int index, String topic) {
        this(fields, from, index, topic, new String[] {"", "", "0"});
    }

    /** The same with the fields behind the steps. */
    PartitionState(String[] fields, int from, int index, String topic, String[] more) {
        this.index = index;
        this.topic = topic;
        leaving = numbers(more[0]);
        forgotten = numbers(more[1]);
        minIsrIsDefault = flag(more[2]);
        brokers = number(fields[from]);
        elrIsOn = flag(fields[from + 1]);
        minIsr = number(fields[from + 2]);
        unclean = flag(fields[from + 3]);
        replicas = numbers(fields[from + 4]);
        leader = number(fields[from + 5]);
        leaderEpoch = number(fields[from + 6]);
        partitionEpoch = number(fields[from + 7]);
        isr = numbers(fields[from + 8]);
        elr = numbers(fields[from + 9]);
        lastKnownLeader = number(fields[from + 10]);
        recovering = flag(fields[from + 11]);
        adding = numbers(fields[from + 12]);
        removing = numbers(fields[from + 13]);
        active = numbers(fields[from + 14]);
        offline = numbers(fields[from + 15]);
    }

    /** A log directory of a broker: each has those numbered 1 and 2, and replicas are in 1 at first. */
    public static Uuid directory(int broker, int number) {
        return new Uuid(1_000 + broker, 100 + number);
    }

    private static List<Uuid> directories(int broker, boolean withFirst) {
        Uuid second = directory(broker, 2);
        return withFirst ? List.of(directory(broker, 1), second) : List.of(second);
    }

    /** Another partition of the topic, of which the fields tell from the replicas to the removing ones. */
    PartitionState next(String[] fields) {
        String[] all = new String[FIELDS];
        String[] same = {Integer.toString(brokers), Words.told(elrIsOn), Integer.toString(minIsr), Words.told(unclean)};
        System.arraycopy(same, 0, all, 0, same.length);
        System.arraycopy(fields, 0, all, same.length, NEXT);
        all[same.length + NEXT] = Words.told(active);
        all[same.length + NEXT + 1] = Words.told(offline);
        return new PartitionState(all, 0, index + 1, topic);
    }

    /** Has a controller know this state. */
    public void putInto(ControllerUnderTest controller) throws Throwable {
        putInto(controller, List.of());
    }

    /** The same with further partitions of the topic. */
    void putInto(ControllerUnderTest controller, List<PartitionState> others) throws Throwable {
        List<ApiMessage> registrations = new ArrayList<>();
        for (int broker = 0; broker < brokers; broker++) {
            registrations.add(registration(broker));
        }
        controller.write(registrations);
        controller.knowsBrokers();
        List<ApiMessage> records =
                new ArrayList<>(List.of(new TopicRecord().setName(topic).setTopicId(TOPIC_ID)));
        ConfigResource.Type minIsrOf = minIsrIsDefault ? ConfigResource.Type.BROKER : ConfigResource.Type.TOPIC;
        records.add(setting(minIsrOf, "min.insync.replicas", Integer.toString(minIsr)));
        if (unclean) {
            records.add(setting(ConfigResource.Type.TOPIC, "unclean.leader.election.enable", "true"));
        }
        if (index > 0) {
            records.add(first());
        }
        records.add(partition());
        for (PartitionState other : others) {
            records.add(other.partition());
        }
        controller.write(records);
        controller.takesOffice();
        for (int broker : leaving) {
            controller.waitsToShutDown(broker);
        }
    }

    private RegisterBrokerRecord registration(int broker) {
        RegisterBrokerRecord record = new RegisterBrokerRecord()
                .setBrokerId(broker)
                .setBrokerEpoch(FIRST_EPOCH + broker)
                .setIncarnationId(new Uuid(500, broker))
                .setFenced(!active.contains(broker) && !leaving.contains(broker) && !forgotten.contains(broker))
                .setInControlledShutdown(leaving.contains(broker) || forgotten.contains(broker))
                .setLogDirs(directories(broker, !offline.contains(broker)));
        record.endPoints()
                .add(new RegisterBrokerRecord.BrokerEndpoint()
                        .setName("PLAINTEXT")
                        .setHost("localhost")
                        .setPort(FIRST_PORT + broker)
                        .setSecurityProtocol((short) 0));
        return record;
    }

    /** A setting of the topic. */
    public ConfigRecord setting(String name, String value) {
        return setting(ConfigResource.Type.TOPIC, name, value);
    }

    /** A setting of the topic, or the default of all brokers. */
    private ConfigRecord setting(ConfigResource.Type type, String name, String value) {
        return new ConfigRecord()
                .setResourceType(type.id())
                .setResourceName(type == ConfigResource.Type.TOPIC ? topic : "")
                .setName(name)
                .setValue(value);
    }

    private PartitionRecord first() {
        return new PartitionRecord()
                .setTopicId(TOPIC_ID)
                .setPartitionId(0)
                .setReplicas(List.of(0))
                .setIsr(List.of(0))
                .setLeader(0)
                .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED.value())
                .setDirectories(List.of(directory(0, 1)));
    }

    private PartitionRecord partition() {
        List<Uuid> directories = new ArrayList<>();
        for (int replica : replicas) {
            directories.add(directory(replica, 1));
        }
        LeaderRecoveryState recovery = recovering ? LeaderRecoveryState.RECOVERING : LeaderRecoveryState.RECOVERED;
        PartitionRecord record = new PartitionRecord()
                .setTopicId(TOPIC_ID)
                .setPartitionId(index)
                .setReplicas(replicas)
                .setIsr(isr)
                .setAddingReplicas(adding)
                .setRemovingReplicas(removing)
                .setLeader(leader)
                .setLeaderEpoch(leaderEpoch)
                .setPartitionEpoch(partitionEpoch)
                .setLeaderRecoveryState(recovery.value())
                .setDirectories(directories);
        if (!elr.isEmpty()) {
            record.setEligibleLeaderReplicas(elr);
        }
        if (lastKnownLeader >= 0) {
            record.setLastKnownElr(List.of(lastKnownLeader));
        }
        return record;
    }

    /** The ISR that a controller knows. */
    public static List<Integer> isr(ControllerUnderTest controller) {
        List<Integer> found = new ArrayList<>();
        for (int replica : controller.replication.getPartition(TOPIC_ID, 0).isr) {
            found.add(replica);
        }
        return found;
    }

    /** The replicas in the order in which the controller elects. */
    public static List<Integer> replicas(ControllerUnderTest controller) {
        List<Integer> found = new ArrayList<>();
        for (int replica : controller.replication.getPartition(TOPIC_ID, 0).replicas) {
            found.add(replica);
        }
        return found;
    }

    /** The state that a controller is in, as an answer has it: leader to removing replicas, active, and offline. */
    public static String told(ControllerUnderTest controller, int brokers) {
        return told(controller, brokers, 0);
    }

    /** The same of another partition of the topic. */
    public static String told(ControllerUnderTest controller, int brokers, int index) {
        PartitionRegistration now = controller.replication.getPartition(TOPIC_ID, index);
        List<Integer> active = new ArrayList<>();
        for (int broker = 0; broker < brokers; broker++) {
            if (controller.cluster.isActive(broker)) {
                active.add(broker);
            }
        }
        List<Integer> offline = new ArrayList<>();
        for (int replica : now.replicas) {
            BrokerRegistration registration =
                    controller.cluster.brokerRegistrations().get(replica);
            if (registration != null && !registration.hasOnlineDir(now.directory(replica))) {
                offline.add(replica);
            }
        }
        return String.join(
                "|",
                Integer.toString(now.leader),
                Integer.toString(now.leaderEpoch),
                Integer.toString(now.partitionEpoch),
                Words.told(now.isr),
                Words.told(now.elr),
                Words.told(now.lastKnownElr),
                Words.told(now.leaderRecoveryState == LeaderRecoveryState.RECOVERING),
                Words.told(now.replicas),
                Words.told(now.addingReplicas),
                Words.told(now.removingReplicas),
                Words.told(active),
                Words.told(offline));
    }
}
