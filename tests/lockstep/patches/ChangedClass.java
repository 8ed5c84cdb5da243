import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtMethod;

/**
 * A class of Kafka with one method changed, written below a folder that stands before the jars in the class path.
 *
 * The arguments are the jars, the folder, the class, the method, {@code before} or {@code body}, and the code: what is
 * done before the method, or its body in place of Kafka's.
 */
public final class ChangedClass {
    private ChangedClass() {}

    public static void main(String[] arguments) throws Exception {
        ClassPool pool = new ClassPool(true);
        for (String jar : arguments[0].split(":")) {
            pool.appendClassPath(jar);
        }
        CtClass changed = pool.get(arguments[2]);
        for (CtMethod method : changed.getDeclaredMethods(arguments[3])) {
            if (arguments[4].equals("before")) {
                method.insertBefore(arguments[5]);
            } else {
                method.setBody(arguments[5]);
            }
        }
        changed.writeFile(arguments[1]);
    }
}
