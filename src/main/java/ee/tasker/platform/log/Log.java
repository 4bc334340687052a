package ee.tasker.platform.log;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.SqlState;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Writes catalogue events as one line of {@code key=value} pairs to the server's log, and the
 * pairs as {@linkplain LogFields fields} where the log is in JSON. Thread-safe.
 *
 * <p>While the database is away nearly every call fails for the same reason. {@link
 * LogEvent#CALL_FAILED} and {@link
 * LogEvent#NOTIFY_FAILED} are then replaced by an occasional {@link LogEvent#DATABASE_AWAY}, {@link
 * LogEvent#LISTENER_LOST}
 * is repeated only now and then. Lines about a {@linkplain DatabaseFaults#isTransient transient}
 * fault of the database have
 * its SQLSTATE and message and no stack trace.
 */
public final class Log {
  private static final Outage OUTAGE = new Outage();
  private static final Outage LISTENER_OUTAGE = new Outage();
  private static final LogFields FIELDS = LogFields.find(Log.class.getClassLoader());
  private final Logger logger;

  private Log(Logger logger) {
    this.logger = logger;
  }

  public static Log of(Class<?> type) {
    return new Log(Logger.getLogger(type.getName()));
  }

  public boolean isOn(LogEvent event) {
    return logger.isLoggable(level(event));
  }

  private static Level level(LogEvent event) {
    return switch (event.level()) {
      case ERROR -> Level.SEVERE;
      case WARNING -> Level.WARNING;
      case INFO -> Level.INFO;
      default -> Level.FINE;
    };
  }

  /** @param pairs key, value, key, value …; pairs whose value is null are left out */
  public void write(LogEvent event, Object... pairs) {
    write(event, null, pairs);
  }

  public void write(LogEvent event, Throwable cause, Object... pairs) {
    if (cause != null && DatabaseFaults.isOutage(cause)) {
      writeOutage(event, cause, pairs);
      return;
    }
    if (cause != null && DatabaseFaults.isTransient(cause)) {
      writeWithoutTrace(event, cause, pairs);
      return;
    }
    if (event == LogEvent.LISTENER_CONNECTED) {
      LISTENER_OUTAGE.end(System.nanoTime());
    }
    if (!isOn(event)) {
      return;
    }
    publish(event, cause, pairs);
  }

  private void publish(LogEvent event, Throwable cause, Object... pairs) {
    LogRecord entry = new LogRecord(level(event), line(event, pairs));
    entry.setLoggerName(logger.getName());
    entry.setThrown(cause);
    FIELDS.publish(logger, entry, LogFields.of(event, pairs));
  }

  /** To be called when the database has answered; logs the end of an outage. */
  public void databaseAnswered() {
    Outage.Over over = OUTAGE.end(System.nanoTime());
    if (over != null) {
      write(LogEvent.DATABASE_BACK, "away_seconds", over.lasted().toSeconds(), "failed_calls",
          over.failures());
    }
  }

  private void writeOutage(LogEvent event, Throwable cause, Object... pairs) {
    boolean isCall = event == LogEvent.CALL_FAILED || event == LogEvent.NOTIFY_FAILED;
    Outage outage = isCall ? OUTAGE : event == LogEvent.LISTENER_LOST ? LISTENER_OUTAGE : null;
    int failures = outage == null ? 1 : outage.failed(System.nanoTime());
    LogEvent told = isCall ? LogEvent.DATABASE_AWAY : event;
    if (failures > 0 && isOn(told)) {
      Object[] more = Arrays.copyOf(pairs, pairs.length + 4);
      more[pairs.length] = isCall ? "failed_calls" : "failures";
      more[pairs.length + 1] = outage == null ? null : failures;
      more[pairs.length + 2] = "cause";
      more[pairs.length + 3] = DatabaseFaults.message(cause);
      publish(told, null, more);
    }
  }

  private void writeWithoutTrace(LogEvent event, Throwable cause, Object... pairs) {
    if (isOn(event)) {
      Object[] more = Arrays.copyOf(pairs, pairs.length + 4);
      more[pairs.length] = "sql_state";
      more[pairs.length + 1] = SqlState.of(cause);
      more[pairs.length + 2] = "cause";
      more[pairs.length + 3] = DatabaseFaults.message(cause);
      publish(event, null, more);
    }
  }

  private static String line(LogEvent event, Object... pairs) {
    StringBuilder line = new StringBuilder(128).append(event.id()).append(' ')
        .append(event.sentence());
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        line.append(' ').append(pairs[i]).append('=').append(quoted(pairs[i + 1].toString()));
      }
    }
    return line.toString();
  }

  private static String quoted(String value) {
    // Strips line breaks and terminal control characters: text from a client must not look like a
    // log line of its own.
    String oneLine = hasControl(value)
        ? value.codePoints().map(c -> isControl(c) ? ' ' : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString()
        : value;
    return oneLine.indexOf(' ') < 0 && !oneLine.isEmpty() ? oneLine
        : '"' + oneLine.replace("\"", "'") + '"';
  }

  private static boolean hasControl(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (isControl(value.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isControl(int c) {
    return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
  }
}
