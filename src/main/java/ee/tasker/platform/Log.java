package ee.tasker.platform;

/** Writes catalogue events as one line of {@code key=value} pairs to the server's log. Thread-safe. */
public final class Log {
  private final System.Logger logger;

  private Log(System.Logger logger) {
    this.logger = logger;
  }

  public static Log of(Class<?> type) {
    return new Log(System.getLogger(type.getName()));
  }

  public boolean isOn(LogEvent event) {
    return logger.isLoggable(event.level());
  }

  /** @param pairs key, value, key, value …; pairs whose value is null are left out */
  public void write(LogEvent event, Object... pairs) {
    write(event, null, pairs);
  }

  public void write(LogEvent event, Throwable cause, Object... pairs) {
    if (!isOn(event)) {
      return;
    }
    StringBuilder line = new StringBuilder(128).append(event.id()).append(' ').append(event.sentence());
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        line.append(' ').append(pairs[i]).append('=').append(quoted(pairs[i + 1].toString()));
      }
    }
    if (cause == null) {
      logger.log(event.level(), line.toString());
    } else {
      logger.log(event.level(), line.toString(), cause);
    }
  }

  private static String quoted(String value) {
    // Nothing that ends a line or steers a terminal: what a client sent must not look like a line of its own.
    String oneLine = hasControl(value)
        ? value.codePoints().map(c -> isControl(c) ? ' ' : c).collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString()
        : value;
    return oneLine.indexOf(' ') < 0 && !oneLine.isEmpty() ? oneLine : '"' + oneLine.replace("\"", "'") + '"';
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
