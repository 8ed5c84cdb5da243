package epochal.lockstep;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Numbers and lists of numbers as lines have them: {@code 1,2,0}; nothing is an empty list. */
public final class Words {
    private Words() {}

    public static int number(String word) {
        return Integer.parseInt(word);
    }

    public static boolean flag(String word) {
        return word.equals("1");
    }

    public static List<Integer> numbers(String word) {
        List<Integer> found = new ArrayList<>();
        for (String one : word.isEmpty() ? new String[0] : word.split(",")) {
            found.add(number(one));
        }
        return found;
    }

    public static String told(Collection<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    public static String told(int[] numbers) {
        return IntStream.of(numbers).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    public static String told(boolean flag) {
        return flag ? "1" : "0";
    }
}
