package epochal.lockstep;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * The protocol of every main class here: for each line on stdin there is a line on stdout, in the same order.
 *
 * The line {@code flush} has no answer: it sends those before it on their way. When the input ends, so does the
 * process, even if Kafka has started threads. What Kafka prints goes to stderr.
 */
public final class Lines {
    /** What a main class does with a request. */
    public interface Answering {
        String answer(String line) throws Throwable;
    }

    /** The exit code when the classes do not fit together, or memory ran out. */
    private static final int BROKEN = 70;

    private static final int BUFFER = 1 << 16;
    private static final int FRAMES = 4;

    private Lines() {}

    /** Answers every line until the input ends, and ends the process. */
    public static void serve(Answering answering) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), BUFFER);
        PrintWriter out = new PrintWriter(
                new OutputStreamWriter(new BufferedOutputStream(System.out, BUFFER), StandardCharsets.UTF_8));
        System.setOut(System.err);
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("flush")) {
                    out.flush();
                } else {
                    out.println(answered(answering, line));
                }
            }
            out.flush();
            Runtime.getRuntime().halt(0);
        } catch (IOException | LinkageError | VirtualMachineError broken) {
            broken.printStackTrace();
            Runtime.getRuntime().halt(BROKEN);
        }
    }

    /** An exception is an outcome, unless it says that the classes do not fit together. */
    private static String answered(Answering answering, String line) {
        try {
            return answering.answer(line);
        } catch (LinkageError | VirtualMachineError broken) {
            throw broken;
        } catch (Throwable thrown) {
            return "thrown|" + told(thrown);
        }
    }

    /** The exception, its message, and where it came from, without what separates fields. */
    private static String told(Throwable thrown) {
        StringBuilder said = new StringBuilder(thrown.toString());
        StackTraceElement[] from = thrown.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES, from.length); i++) {
            said.append(i == 0 ? " at " : ", ").append(from[i]);
        }
        return said.toString().replaceAll("[\\r\\n]+", " ").replace('|', '/').replace(';', ',');
    }
}
