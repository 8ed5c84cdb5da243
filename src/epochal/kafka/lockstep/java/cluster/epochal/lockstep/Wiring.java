package epochal.lockstep;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import scala.jdk.javaapi.CollectionConverters;
import sun.reflect.ReflectionFactory;

/**
 * Constructors and methods whose parameters differ between releases, filled by type.
 *
 * Each parameter takes the first part of its type that is left. A parameter without one takes the default value that
 * Scala compiled for it; if there is none, the call is refused by name.
 */
final class Wiring {
    private static final Map<Class<?>, Class<?>> BOXED = Map.of(
            int.class,
            Integer.class,
            long.class,
            Long.class,
            short.class,
            Short.class,
            boolean.class,
            Boolean.class,
            double.class,
            Double.class);
    private static final Map<String, Method> WIDEST = new ConcurrentHashMap<>();
    private static final Comparator<Constructor<?>> WIDEST_FIRST = Comparator.comparingInt(
                    (Constructor<?> one) -> -one.getParameterCount())
            .thenComparing(Constructor::toGenericString);

    /** The parts do not fill a constructor or a method of this release. */
    static final class NotFilled extends LinkageError {
        NotFilled(String what) {
            super(what);
        }
    }

    private Wiring() {}

    /** A new object, by the constructor with the most parameters that these parts can fill. */
    static Object construct(Class<?> kind, Object... parts) throws Exception {
        Constructor<?>[] all = kind.getConstructors();
        Arrays.sort(all, WIDEST_FIRST);
        NotFilled refused = null;
        for (Constructor<?> one : all) {
            try {
                return reached(() -> one.newInstance(filled(one, kind, null, "$lessinit$greater$default$", parts)));
            } catch (NotFilled lacks) {
                refused = refused == null ? lacks : refused;
            }
        }
        throw refused == null ? new NotFilled(kind.getName() + " has no public constructor") : refused;
    }

    /** A new object by its constructor with the most parameters; what there is no part of it lacks. */
    static Object constructPartly(Class<?> kind, Object... parts) throws Exception {
        Constructor<?> widest = widestConstructor(kind);
        List<Object> left = new ArrayList<>(Arrays.asList(parts));
        Object[] filled = Arrays.stream(widest.getParameterTypes())
                .map(type -> taken(type, left))
                .toArray();
        return reached(() -> widest.newInstance(filled));
    }

    static Constructor<?> widestConstructor(Class<?> kind) {
        return Arrays.stream(kind.getConstructors())
                .max(Comparator.comparingInt(Constructor::getParameterCount))
                .orElseThrow();
    }

    /** What the widest method of this name returns. */
    static Object call(Object target, String name, Object... parts) throws Exception {
        Method method = widest(target.getClass(), name, false);
        Object[] filled = filled(method, target.getClass(), target, name + "$default$", parts);
        return reached(() -> method.invoke(target, filled));
    }

    /** What the widest static method of this name returns. */
    static Object callStatic(Class<?> kind, String name, Object... parts) throws Exception {
        Method method = widest(kind, name, true);
        return reached(() -> method.invoke(null, filled(method, kind, null, name + "$default$", parts)));
    }

    static Method widest(Class<?> kind, String name, boolean isStatic) {
        return WIDEST.computeIfAbsent(kind.getName() + " " + name + " " + isStatic, key -> {
            Method widest = null;
            for (Method one : kind.getMethods()) {
                boolean called = one.getName().equals(name) && !one.isBridge();
                boolean fits = called && Modifier.isStatic(one.getModifiers()) == isStatic;
                if (fits && (widest == null || one.getParameterCount() > widest.getParameterCount())) {
                    widest = one;
                }
            }
            if (widest == null) {
                throw new NotFilled(kind.getName() + " has no method " + name);
            }
            widest.setAccessible(true);
            return widest;
        });
    }

    /** An object whose constructor was not run. */
    static <T> T allocated(Class<T> kind) throws Exception {
        Constructor<?> none = ReflectionFactory.getReflectionFactory()
                .newConstructorForSerialization(kind, Object.class.getConstructor());
        return kind.cast(none.newInstance());
    }

    static Object getPrivate(Object target, Class<?> declaredBy, String name) throws Exception {
        Field field = declaredBy.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(target);
    }

    /** A part of a value: what is a component of a record in one release was a public field in those before. */
    static Object part(Object target, String name) throws Exception {
        for (Field field : target.getClass().getFields()) {
            if (field.getName().equals(name)) {
                return field.get(target);
            }
        }
        return call(target, name);
    }

    static void setPrivate(Object target, Class<?> declaredBy, String name, Object value) throws Exception {
        Field field = declaredBy.getDeclaredField(name);
        field.setAccessible(true);
        field.set(target, value);
    }

    /** A Scala or Java collection as one of Java. */
    static Collection<?> asJava(Object some) {
        return some instanceof Collection<?> already
                ? already
                : CollectionConverters.asJavaCollection((scala.collection.Iterable<?>) some);
    }

    private static Object[] filled(Executable of, Class<?> kind, Object target, String defaults, Object[] parts)
            throws Exception {
        Class<?>[] types = of.getParameterTypes();
        List<Object> left = new ArrayList<>(Arrays.asList(parts));
        Object[] filled = new Object[types.length];
        for (int place = 0; place < types.length; place++) {
            filled[place] = taken(types[place], left);
            if (filled[place] == null) {
                filled[place] = defaultOf(kind, target, defaults + (place + 1), of, types[place]);
            }
        }
        return filled;
    }

    private static Object taken(Class<?> type, List<Object> left) {
        Class<?> wanted = BOXED.getOrDefault(type, type);
        for (Iterator<Object> parts = left.iterator(); parts.hasNext(); ) {
            Object part = parts.next();
            if (wanted.isInstance(part)) {
                parts.remove();
                return part;
            }
        }
        return null;
    }

    private static Object defaultOf(Class<?> kind, Object target, String name, Executable of, Class<?> type)
            throws Exception {
        Method method;
        try {
            method = kind.getMethod(name);
        } catch (NoSuchMethodException none) {
            String what = of.getDeclaringClass().getName() + "." + of.getName();
            throw new NotFilled(what + " wants a " + type.getName() + ", and has no default for it");
        }
        return reached(() -> method.invoke(target));
    }

    private interface Reflected {
        Object get() throws Exception;
    }

    /** The exception of Kafka itself, not that of the reflection. */
    private static Object reached(Reflected call) throws Exception {
        try {
            return call.get();
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) thrown.getCause();
        }
    }
}
