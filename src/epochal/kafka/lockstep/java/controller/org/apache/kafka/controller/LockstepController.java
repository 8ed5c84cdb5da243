package org.apache.kafka.controller;

import epochal.lockstep.Lines;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A line is a state of the controller and steps, {@code ...|fence:1;alter:0,2}; the answer has a part for each step.
 *
 * Each line is a controller of its own. A part is the error of the step, how many records it has written, and the state
 * after it. With the step {@code take_office} another controller replays all records, and goes on in place of the first.
 */
public final class LockstepController {
    /** How a controller is made, and another that takes office after it. */
    interface Making {
        ControllerUnderTest made(boolean elr, List<List<ApiMessage>> log) throws Throwable;
    }

    private LockstepController() {}

    public static void main(String[] arguments) {
        Lines.serve(line -> answer(line, ControllerUnderTest::after));
    }

    /** The answer to a line; each controller that was made is closed. */
    static String answer(String line, Making making) throws Throwable {
        List<ControllerUnderTest> made = new ArrayList<>();
        try {
            return answer(line, making, made);
        } finally {
            for (ControllerUnderTest one : made) {
                one.close();
            }
        }
    }

    private static String answer(String line, Making making, List<ControllerUnderTest> made) throws Throwable {
        String[] fields = line.split("\\|", -1);
        String[] more = Arrays.copyOfRange(fields, PartitionState.FIELDS + 1, fields.length);
        boolean saysMore = more.length == PartitionState.MORE;
        PartitionState state =
                saysMore ? new PartitionState(fields, 0, 0, PartitionState.TOPIC, more) : new PartitionState(fields, 0);
        List<PartitionState> others =
                more.length == PartitionState.NEXT ? List.of(state.next(more)) : List.of();
        ControllerUnderTest controller = making.made(state.elrIsOn, List.of());
        made.add(controller);
        state.putInto(controller, others);
        ControllerRequests requests = new ControllerRequests(controller, state.brokers);
        StringJoiner told = new StringJoiner(";");
        for (String step : fields[PartitionState.FIELDS].split(";")) {
            if (step.equals("take_office")) {
                controller = making.made(state.elrIsOn, controller.log);
                made.add(controller);
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
