package epochal.lockstep;

import java.util.Map;
import java.util.StringJoiner;

/** Tiered storage (KIP-405): what is uploaded to the remote tier, and deleted there and from the disk. */
final class Tiers implements Commands {
    private final Running running;
    private final RemoteTier tier;

    /** `tier` is null in a cluster without one. */
    Tiers(Running running, RemoteTier tier) {
        this.running = running;
        this.tier = tier;
    }

    @Override
    public Map<String, Handler> handlers() {
        return Map.of(
                "upload",
                this::upload,
                "look_up",
                this::lookUp,
                "delete_remote",
                this::deleteRemote,
                "expire_by_size",
                this::expireBySize,
                "delete_local",
                this::deleteLocal,
                "disable_copying",
                this::disableCopying,
                "store",
                this::store);
    }

    /** {@code upload:LEADER}: its copy task runs until it has uploaded one segment. */
    private String upload(String[] words) throws Throwable {
        tier.allow(1);
        try {
            return running.named(words[1]).tiering().runs("leaderCopy") ? "NONE" : "NO_TASK";
        } finally {
            tier.allow(0);
        }
    }

    /** {@code look_up:BROKER}: a leader's copy task begins, and uploads nothing; or the task of a follower runs. */
    private String lookUp(String[] words) throws Throwable {
        Tiering tiering = running.named(words[1]).tiering();
        return tiering.runs("leaderCopy") || tiering.runs("follower") ? "NONE" : "NO_TASK";
    }

    /** {@code delete_remote:LEADER}: its expiration task runs. */
    private String deleteRemote(String[] words) throws Throwable {
        return running.named(words[1]).tiering().runs("leaderExpiration") ? "NONE" : "NO_TASK";
    }

    /** {@code expire_by_size:LEADER}: its expiration task runs while retention.bytes is the size of one segment. */
    private String expireBySize(String[] words) throws Throwable {
        BrokerProcess process = running.named(words[1]);
        Object log = process.partition().localLogOrException();
        long size = tier.sizeOfAny();
        Retention.configure(log, "retention.bytes", String.valueOf(size));
        try {
            return process.tiering().runs("leaderExpiration") ? "NONE" : "NO_TASK";
        } finally {
            Retention.configure(log, "retention.bytes", "-1");
        }
    }

    /** {@code delete_local:BROKER:OFFSET}: local retention is over for the segment that begins at the offset. */
    private String deleteLocal(String[] words) throws Throwable {
        return Retention.expires(running.named(words[1]), Long.parseLong(words[2]), "local.retention.ms", "-2");
    }

    /** {@code disable_copying:BROKER}: it hears that remote.log.copy.disable is set for the topic (KIP-950). */
    private String disableCopying(String[] words) throws Throwable {
        BrokerProcess process = running.named(words[1]);
        Retention.configure(process.partition().localLogOrException(), "remote.log.copy.disable", "true");
        if (process.partition().isLeader()) {
            process.tiering().stopsCopying(process.partition());
        }
        return "NONE";
    }

    /** {@code store:0} or {@code store:1}: whether the store answers who asks for what belongs to a segment. */
    private String store(String[] words) {
        tier.answer(words[1].equals("1"));
        return "NONE";
    }

    @Override
    public void tell(BrokerProcess process, StringJoiner said) throws Exception {
        if (tier == null) {
            return;
        }
        Object log = process.partition().localLogOrException();
        said.add("\"localStart\":" + Wiring.call(log, "localLogStartOffset"));
        try {
            said.add("\"uploaded\":" + Reflected.call(log, "highestOffsetInRemoteStorage"));
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Override
    public void tell(StringJoiner said) throws Exception {
        if (tier == null) {
            return;
        }
        try {
            said.add("\"remote\":" + tier.told());
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }
}
