import java.util.LinkedHashSet;
import java.util.Set;
import javassist.CannotCompileException;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtField;
import javassist.CtMethod;
import javassist.NotFoundException;
import javassist.expr.ExprEditor;
import javassist.expr.MethodCall;

/**
 * Classes of Kafka with changed methods, written below a folder that stands before the jars in the class path.
 *
 * The arguments are the class path, the folder, and five for each method: the class, the method, {@code before},
 * {@code after}, {@code finally}, {@code body} or {@code calls NAME}, the code, and the declaration of a field that the
 * class gets, or nothing. The code is done before the method, or after it (if it throws, too), stands in place of its
 * body, or in place of each call in it of a method of that name. What does not fit is told, and nothing is written.
 */
public final class ChangedClass {
    private static final String CALLS = "calls ";
    private static final int DOES_NOT_FIT = 3;

    private ChangedClass() {}

    private static int replaceCalls(CtMethod in, String name, String code) throws CannotCompileException {
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
        return replaced[0];
    }

    private static CtClass changed(ClassPool pool, String name, String method, String where, String code, String field)
            throws NotFoundException, CannotCompileException {
        CtClass changed = pool.getOrNull(name);
        if (changed == null) {
            throw new NotFoundException("there is no class " + name);
        }
        CtMethod[] methods = changed.getDeclaredMethods(method);
        if (methods.length == 0) {
            throw new NotFoundException(name + " has no method " + method);
        }
        if (!field.isEmpty()) {
            changed.addField(CtField.make(field, changed));
        }
        int replaced = 0;
        for (CtMethod one : methods) {
            if (where.equals("before")) {
                one.insertBefore(code);
            } else if (where.equals("after") || where.equals("finally")) {
                one.insertAfter(code, where.equals("finally"));
            } else if (where.startsWith(CALLS)) {
                replaced += replaceCalls(one, where.substring(CALLS.length()), code);
            } else {
                one.setBody(code);
            }
        }
        if (where.startsWith(CALLS) && replaced == 0) {
            throw new CannotCompileException(methods[0].getLongName() + " calls no " + where.substring(CALLS.length()));
        }
        return changed;
    }

    public static void main(String[] arguments) throws Exception {
        ClassPool pool = new ClassPool(true);
        pool.appendPathList(arguments[0]);
        Set<CtClass> all = new LinkedHashSet<>();
        try {
            for (int at = 2; at < arguments.length; at += 5) {
                all.add(changed(pool, arguments[at], arguments[at + 1], arguments[at + 2], arguments[at + 3],
                        arguments[at + 4]));
            }
        } catch (NotFoundException | CannotCompileException unfit) {
            System.err.println(unfit.getMessage());
            System.exit(DOES_NOT_FIT);
        }
        for (CtClass one : all) {
            one.writeFile(arguments[1]);
        }
    }
}
