package ee.tasker.platform.log;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Hands the members of a log line to the server's JSON formatter, beside the text. Where a
 * formatter looks for them differs, and no standard says it: in the context of the thread (Open
 * Liberty's {@code LogRecordContext}, or the MDC of SLF4J where JBoss's log manager reads it),
 * otherwise in a map among the parameters of the record, where Payara's formatter reads them.
 * Neither class is needed: it is looked up once, by its name. Thread-safe.
 */
sealed interface LogFields {
  /** Of every field, so that it is told apart from what handlers and the server write. */
  String PREFIX = "tasker_";
  /** The event's id; a pair of this name is about a refusal, and is {@code tasker_problem_code}. */
  String CODE = PREFIX + "code";

  void publish(Logger logger, LogRecord line, Map<String, String> fields);

  static LogFields find(ClassLoader loader) {
    LogFields liberty = Context.of(loader, "com.ibm.websphere.logging.hpel.LogRecordContext",
        "addExtension", "removeExtension", boolean.class);
    if (liberty != null) {
      return liberty;
    }
    // Elsewhere it may be a copy in some application, which no formatter reads.
    LogFields mdc = LogManager.getLogManager().getClass().getName()
        .startsWith("org.jboss.logmanager.")
            ? Context.of(loader, "org.slf4j.MDC", "put", "remove", void.class) : null;
    return mdc != null ? mdc : new Parameter();
  }

  /** @param pairs key, value, key, value …; those without a value are left out */
  static Map<String, String> of(LogEvent event, Object... pairs) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put(CODE, event.id());
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        String name = PREFIX + pairs[i];
        fields.put(name.equals(CODE) ? PREFIX + "problem_code" : name, pairs[i + 1].toString());
      }
    }
    return fields;
  }

  /** In the context of the thread while the line is written, and not longer. */
  record Context(MethodHandle put, MethodHandle remove) implements LogFields {

    static LogFields of(ClassLoader loader, String type, String put, String remove,
        Class<?> removed) {
      try {
        Class<?> context = Class.forName(type, true, loader);
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        return new Context(
            lookup.findStatic(context, put,
                MethodType.methodType(void.class, String.class, String.class)),
            lookup.findStatic(context, remove, MethodType.methodType(removed, String.class))
                .asType(MethodType.methodType(void.class, String.class)));
      } catch (ReflectiveOperationException | LinkageError absent) {
        return null;
      }
    }

    @Override
    public void publish(Logger logger, LogRecord line, Map<String, String> fields) {
      try {
        fields.forEach(this::put);
        logger.log(line);
      } finally {
        fields.keySet().forEach(this::remove);
      }
    }

    private void put(String name, String value) {
      try {
        put.invokeExact(name, value);
      } catch (RuntimeException | Error fault) {
        throw fault;
      } catch (Throwable impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    private void remove(String name) {
      try {
        remove.invokeExact(name);
      } catch (RuntimeException | Error fault) {
        throw fault;
      } catch (Throwable impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }

  /** As a parameter, unless the text would then be read as a pattern. */
  record Parameter() implements LogFields {
    @Override
    public void publish(Logger logger, LogRecord line, Map<String, String> fields) {
      if (!hasPlaceholder(line.getMessage())) {
        line.setParameters(new Object[]{fields});
      }
      logger.log(line);
    }

    private static boolean hasPlaceholder(String text) {
      for (int at = text.indexOf('{'); at >= 0 && at + 1 < text.length(); at = text.indexOf('{',
          at + 1)) {
        if (Character.isDigit(text.charAt(at + 1))) {
          return true;
        }
      }
      return false;
    }
  }
}
