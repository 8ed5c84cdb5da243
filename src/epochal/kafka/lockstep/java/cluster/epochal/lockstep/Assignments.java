package epochal.lockstep;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.common.DirectoryEventHandler;

/** The AssignReplicasToDirs requests of one process (AssignmentsManager): each waits until a step sends it. */
final class Assignments {
    private record Assignment(Uuid directory, Runnable accepted) {}

    private final Deque<Assignment> waiting = new ArrayDeque<>();
    private Runnable unheard = () -> {};

    interface Controller {
        String assign(Uuid directory) throws Throwable;
    }

    DirectoryEventHandler handler() {
        Class<?>[] kind = {DirectoryEventHandler.class};
        return (DirectoryEventHandler)
                Proxy.newProxyInstance(Assignments.class.getClassLoader(), kind, (proxy, method, arguments) -> {
                    if (!method.getName().equals("handleAssignment")) {
                        throw new UnsupportedOperationException("no step makes a directory fail: " + method.getName());
                    }
                    waiting.add(new Assignment((Uuid) arguments[1], (Runnable) arguments[3]));
                    return null;
                });
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The controller is told of the assignment that was asked for last, which stands for those before. */
    String send(Controller controller) throws Throwable {
        String answer = sendOnly(controller);
        hear();
        return answer;
    }

    /** The same, and the answer does not reach the process yet. */
    String sendOnly(Controller controller) throws Throwable {
        if (waiting.isEmpty()) {
            return "NO_ASSIGNMENT";
        }
        Assignment last = waiting.removeLast();
        waiting.clear();
        String answer = controller.assign(last.directory());
        if (answer.equals("NONE")) {
            unheard = last.accepted();
        }
        return answer;
    }

    /** The answer of the controller reaches the process. */
    void hear() {
        unheard.run();
        unheard = () -> {};
    }
}
