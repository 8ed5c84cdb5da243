package epochal.lockstep;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What differs between releases in names and numbers of arguments alone: methods that are looked for when called.
 *
 * Prefer plain Java: what javac checks fails early and by name.
 */
public final class Reflected {
    private static final Map<String, Optional<Method>> METHODS = new ConcurrentHashMap<>();

    private Reflected() {}

    /** A method that no release is known to lack is not there: the harness does not fit these classes. */
    public static final class UnknownLayout extends LinkageError {
        UnknownLayout(String what) {
            super(what);
        }
    }

    /** Whether a class itself declares a method of this name and so many parameters. */
    public static boolean has(Class<?> of, String name, int parameters) {
        return method(of, name, parameters).isPresent();
    }

    /** Calls a method of an object's class by its name and number of parameters, whoever may see it. */
    public static Object call(Object on, String name, Object... arguments) throws Throwable {
        return invoked(on.getClass(), on, name, arguments);
    }

    /** The same of a static method. */
    public static Object callStatic(Class<?> of, String name, Object... arguments) throws Throwable {
        return invoked(of, null, name, arguments);
    }

    private static Object invoked(Class<?> of, Object on, String name, Object[] arguments) throws Throwable {
        Method method = method(of, name, arguments.length)
                .orElseThrow(() -> new UnknownLayout(
                        "no method " + of.getName() + "." + name + " of " + arguments.length + " parameters"));
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static Optional<Method> method(Class<?> of, String name, int parameters) {
        return METHODS.computeIfAbsent(of.getName() + "." + name + "/" + parameters, key -> {
            for (Method method : of.getDeclaredMethods()) {
                boolean fits = method.getName().equals(name) && method.getParameterCount() == parameters;
                if (fits && !method.isSynthetic()) {
                    method.setAccessible(true);
                    return Optional.of(method);
                }
            }
            return Optional.empty();
        });
    }

    /** One of Kafka's builders, some setters of which only some releases have. */
    public static final class Builder {
        private final Object builder;

        public Builder(Class<?> of) throws Throwable {
            Constructor<?> constructor = of.getDeclaredConstructor();
            constructor.setAccessible(true);
            builder = constructor.newInstance();
        }

        /** Sets what every release has. */
        public Builder set(String name, Object value) throws Throwable {
            call(builder, "set" + name, value);
            return this;
        }

        /** Sets what some releases have. */
        public Builder setIfThere(String name, Object value) throws Throwable {
            return has(builder.getClass(), "set" + name, 1) ? set(name, value) : this;
        }

        public Object build() throws Throwable {
            return call(builder, "build");
        }
    }
}
