package org.apache.kafka.controller;

import epochal.lockstep.Lines;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/**
 * A line is a state of the controller and steps, {@code ...|fence:1;alter:0,2}; the answer has a part for each step.
 *
 * Each line is a controller of its own. A part is the error of the step, how many records it has written, and the state
 * after it. With the step {@code take_office} another controller replays all records, and goes on in place of the first.
 */
public final class LockstepController {
    private LockstepController() {}

    public static void main(String[] arguments) {
        Lines.serve(LockstepController::answer);
    }

    private static String answer(String line) throws Throwable {
        String[] fields = line.split("\\|", -1);
        String[] more = Arrays.copyOfRange(fields, PartitionState.FIELDS + 1, fields.length);
        boolean saysMore = more.length == PartitionState.MORE;
        PartitionState state =
                saysMore ? new PartitionState(fields, 0, 0, more) : new PartitionState(fields, 0);
        List<PartitionState> others =
                more.length == PartitionState.NEXT ? List.of(state.next(more)) : List.of();
        ControllerUnderTest controller = new ControllerUnderTest(state.elrIsOn);
        state.putInto(controller, others);
        ControllerRequests requests = new ControllerRequests(controller, state.brokers);
        StringJoiner told = new StringJoiner(";");
        for (String step : fields[PartitionState.FIELDS].split(";")) {
            if (step.equals("take_office")) {
                controller = ControllerUnderTest.inOffice(state.elrIsOn, controller.log);
                requests = new ControllerRequests(controller, state.brokers);
            }
            int batches = controller.log.size();
            String error = requests.take(step);
            int records = controller.log.subList(batches, controller.log.size()).stream()
                    .mapToInt(List::size)
                    .sum();
            StringJoiner now = new StringJoiner("|");
            now.add(error).add(Integer.toString(records)).add(PartitionState.told(controller, state.brokers));
            for (PartitionState other : others) {
                now.add(PartitionState.told(controller, state.brokers, other.index));
            }
            told.add(saysMore ? now.add(requests.toldMore()).toString() : now.toString());
        }
        return told.toString();
    }
}
