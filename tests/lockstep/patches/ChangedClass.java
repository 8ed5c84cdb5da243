import javassist.CannotCompileException;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtMethod;
import javassist.expr.ExprEditor;
import javassist.expr.MethodCall;

/**
 * A class of Kafka with some methods changed, written below a folder that stands before the jars in the class path.
 *
 * The arguments are the jars, the folder and the class; then for each change the method, {@code before}, {@code body} or
 * the name of a method that it calls, and the code: what is done before the method, its body in place of Kafka's, or
 * what is done in place of the call.
 */
public final class ChangedClass {
    private ChangedClass() {}

    public static void main(String[] arguments) throws Exception {
        ClassPool pool = new ClassPool(true);
        for (String jar : arguments[0].split(":")) {
            pool.appendClassPath(jar);
        }
        CtClass changed = pool.get(arguments[2]);
        for (int at = 3; at < arguments.length; at += 3) {
            for (CtMethod method : changed.getDeclaredMethods(arguments[at])) {
                change(method, arguments[at + 1], arguments[at + 2]);
            }
        }
        changed.writeFile(arguments[1]);
    }

    private static void change(CtMethod method, String where, String code) throws Exception {
        if (where.equals("before")) {
            method.insertBefore(code);
        } else if (where.equals("body")) {
            method.setBody(code);
        } else {
            method.instrument(new ExprEditor() {
                @Override
                public void edit(MethodCall call) throws CannotCompileException {
                    if (call.getMethodName().equals(where)) {
                        call.replace(code);
                    }
                }
            });
        }
    }
}
