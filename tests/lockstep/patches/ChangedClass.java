import javassist.CannotCompileException;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtField;
import javassist.CtMethod;
import javassist.expr.ExprEditor;
import javassist.expr.MethodCall;

/**
 * A class of Kafka with one method changed, written below a folder that stands before the jars in the class path.
 *
 * The arguments are the jars, the folder, the class, the method, {@code before}, {@code after}, {@code finally},
 * {@code body} or {@code calls NAME}, and the code: what is done before the method, or after it (if it throws, too), its
 * body in place of Kafka's, or what stands in place of each call in it of a method of that name. A method that is not
 * there is refused. Behind it may stand the declaration of a field that the class gets.
 */
public final class ChangedClass {
    private static final String CALLS = "calls ";

    private ChangedClass() {}

    private static void replaceCalls(CtMethod in, String name, String code) throws CannotCompileException {
        int[] replaced = {0};
        in.instrument(new ExprEditor() {
            @Override
            public void edit(MethodCall call) throws CannotCompileException {
                if (call.getMethodName().equals(name)) {
                    call.replace(code);
                    replaced[0]++;
                }
            }
        });
        if (replaced[0] == 0) {
            throw new IllegalArgumentException(in.getLongName() + " calls no " + name);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ClassPool pool = new ClassPool(true);
        for (String jar : arguments[0].split(":")) {
            pool.appendClassPath(jar);
        }
        CtClass changed = pool.get(arguments[2]);
        CtMethod[] methods = changed.getDeclaredMethods(arguments[3]);
        if (methods.length == 0) {
            throw new IllegalArgumentException(arguments[2] + " has no method " + arguments[3]);
        }
        if (arguments.length > 6) {
            changed.addField(CtField.make(arguments[6], changed));
        }
        for (CtMethod method : methods) {
            if (arguments[4].equals("before")) {
                method.insertBefore(arguments[5]);
            } else if (arguments[4].equals("after") || arguments[4].equals("finally")) {
                method.insertAfter(arguments[5], arguments[4].equals("finally"));
            } else if (arguments[4].startsWith(CALLS)) {
                replaceCalls(method, arguments[4].substring(CALLS.length()), arguments[5]);
            } else {
                method.setBody(arguments[5]);
            }
        }
        changed.writeFile(arguments[1]);
    }
}
