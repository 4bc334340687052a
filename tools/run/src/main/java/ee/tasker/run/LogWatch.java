package ee.tasker.run;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Follows a server's log from now on, to detect that and why it could not start the application.
 * Not thread-safe.
 */
final class LogWatch {

  /**
   * Includes continuation lines, up to the stack frames. In JSON-like texts a quotation mark at the
   * end of a line ends it.
   */
  private static final Pattern CAUSE = Pattern.compile(
      "Caused by: ((?:(?!\\n\\s*(?:at |\\.\\.\\. |Caused by: |\\[)|\"\\s*[,}\\n]).)+)",
      Pattern.DOTALL);
  private static final Pattern CLASS_NAME = Pattern
      .compile("^(?:[\\w$]+\\.)+[\\w$]*(?:Exception|Error|Throwable): (?=\\S)");
  private static final int LONGEST = 4_000;

  private final Path log;
  private final Pattern failure;
  private final StringBuilder text = new StringBuilder();
  private long position;

  /**
   * @param failure how the log reports an application that could not be started. The cause is in
   *   the stack trace before it, or without one in that which
   *     follows: with the failure the clean-up begins, which has traces of its own
   */
  LogWatch(Path log, Pattern failure) throws IOException {
    this.log = log;
    this.failure = failure;
    this.position = Files.exists(log) ? Files.size(log) : 0;
  }

  /**
   * The cause, once the log contains the failure and has not grown since the previous call: a stack
   * trace is written in
   * pieces.
   */
  Optional<String> failure() throws IOException {
    boolean more = read();
    var found = failure.matcher(text);
    if (more || !found.find())
      return Optional.empty();
    var line = text.substring(text.lastIndexOf("\n", found.start()) + 1,
        (text + "\n").indexOf("\n", found.end()));
    var cause = causeOf(text.substring(0, found.start()))
        .or(() -> causeOf(text.substring(found.start())));
    return Optional.of(cause.orElse(line.strip()));
  }

  private boolean read() throws IOException {
    if (!Files.exists(log))
      return false;
    try (var file = new RandomAccessFile(log.toFile(), "r")) {
      if (file.length() < position)
        position = 0; // begun anew by the server
      if (file.length() == position)
        return false;
      var bytes = new byte[(int) (file.length() - position)];
      file.seek(position);
      file.readFully(bytes);
      position += bytes.length;
      text.append(new String(bytes, StandardCharsets.UTF_8));
      return true;
    }
  }

  /**
   * The deepest cause of the last stack trace in a text, without its class name if it has a
   * message.
   */
  static Optional<String> causeOf(String text) {
    var causes = CAUSE.matcher(text);
    String cause = null;
    while (causes.find())
      cause = causes.group(1).strip();
    if (cause == null)
      return Optional.empty();
    // of a quotation mark that was escaped
    cause = CLASS_NAME.matcher(cause).replaceFirst("").replaceFirst("\\\\+$", "");
    return Optional.of(cause.length() > LONGEST ? cause.substring(0, LONGEST) + " ..." : cause);
  }
}
