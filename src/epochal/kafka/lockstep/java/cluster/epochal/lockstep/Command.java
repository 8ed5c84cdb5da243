package epochal.lockstep;

/** What one word does that begins a command; the words are separated by colons. */
interface Command {
    /** What Kafka says of it. */
    String take(Cluster cluster, String[] words) throws Throwable;
}
