package org.apache.kafka.controller;

import epochal.lockstep.Lines;

/** The same lines as those of {@link LockstepController}, answered by Kafka's QuorumController with its event queue. */
public final class LockstepQuorumController {
    private LockstepQuorumController() {}

    public static void main(String[] arguments) {
        Lines.serve(line -> LockstepController.answer(line, QueuedController::after));
    }
}
