package ee.tasker.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Where the program reads and writes, and what is known about it. */
final class Terminal {
  private static final int WIDTH_IF_UNKNOWN = 120;

  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final boolean interactive;
  private BufferedReader lines;

  /** @param interactive whether the output goes to a terminal */
  Terminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment,
      boolean interactive) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.environment = environment;
    this.interactive = interactive;
  }

  /**
   * That of the process. The script tells whether the output is a terminal; without it, the console
   * does.
   */
  static Terminal ofProcess() {
    String told = System.getProperty("tasker.terminal");
    PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out),
        false, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.err),
        true, StandardCharsets.UTF_8);
    return new Terminal(System.in, out, err, System.getenv(),
        told == null ? hasConsole() : told.equals("true"));
  }

  /** From Java 22 on there is a console also without a terminal. */
  private static boolean hasConsole() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  InputStream in() {
    return in;
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  boolean isInteractive() {
    return interactive;
  }

  /** The variable of the environment, if it is set and not empty. */
  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** https://no-color.org: any value of NO_COLOR but the empty one. */
  boolean allowsColours() {
    return interactive && variable("NO_COLOR").isEmpty() && !"dumb".equals(environment.get("TERM"));
  }

  int width() {
    return number(System.getProperty("tasker.columns", environment.getOrDefault("COLUMNS", "")),
        WIDTH_IF_UNKNOWN);
  }

  int height() {
    return number(System.getProperty("tasker.lines", environment.getOrDefault("LINES", "")), 24);
  }

  private static int number(String text, int otherwise) {
    return text.matches("[1-9]\\d{0,4}") ? Integer.parseInt(text) : otherwise;
  }

  /** Everything on the standard input. */
  String readAll() {
    try {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A line of the standard input, after a question if the input is a person's. */
  String ask(String question) {
    err.print(question);
    err.flush();
    return line();
  }

  /** The same without showing what is typed. */
  String askSecret(String question) {
    Console console = System.console();
    if (interactive && console != null) {
      char[] secret = console.readPassword("%s", question);
      return secret == null ? "" : new String(secret);
    }
    return line();
  }

  String line() {
    try {
      if (lines == null) {
        lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      }
      String line = lines.readLine();
      return line == null ? "" : line.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
