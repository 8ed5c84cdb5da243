package org.apache.kafka.controller;

import epochal.lockstep.Lines;
import java.util.List;
import java.util.StringJoiner;

/**
 * A line is a state of the controller and steps, {@code ...|fence:1;alter:0,2}; the answer has a part for each step.
 *
 * Each line is a controller of its own. A part is the error of the step, how many records it has written, and the state
 * after it.
 */
public final class LockstepController {
    private LockstepController() {}

    public static void main(String[] arguments) {
        Lines.serve(LockstepController::answer);
    }

    private static String answer(String line) throws Throwable {
        String[] fields = line.split("\\|", -1);
        PartitionState state = new PartitionState(fields, 0);
        ControllerUnderTest controller = new ControllerUnderTest(state.elrIsOn);
        state.putInto(controller);
        ControllerRequests requests = new ControllerRequests(controller, state.brokers);
        StringJoiner told = new StringJoiner(";");
        for (String step : fields[PartitionState.FIELDS].split(";")) {
            int batches = controller.log.size();
            String error = requests.take(step);
            int records = controller.log.subList(batches, controller.log.size()).stream()
                    .mapToInt(List::size)
                    .sum();
            told.add(error + "|" + records + "|" + PartitionState.told(controller, state.brokers));
        }
        return told.toString();
    }
}
