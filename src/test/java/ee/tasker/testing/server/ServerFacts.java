package ee.tasker.testing.server;

import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/**
 * In what the servers differ for tests: {@code arquillian/facts.properties} of the folder of each,
 * so that no test names a server.
 */
public final class ServerFacts {
  private final Properties facts = new Properties();
  private final ServerKind kind;

  private ServerFacts(ServerKind kind) {
    this.kind = kind;
    Path file = kind.config(Path.of(""))
        .resolve("arquillian/facts.properties");
    try (Reader reader = Files.newBufferedReader(file)) {
      facts.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static ServerFacts of(ServerKind kind) {
    return new ServerFacts(kind);
  }

  /** Of the server that the tests run on. */
  public static ServerFacts ofThisServer() {
    return of(ServerKind.from(System.getProperties()));
  }

  /** A list of all servers together. */
  public static List<String> ofAll(String key) {
    return Stream.of(ServerKind.values()).flatMap(kind -> of(kind).list(key).stream()).distinct()
        .toList();
  }

  // ---- For conditions of JUnit

  public static boolean deploysWhileRunning() {
    return ofThisServer().is("deploys.while-running");
  }

  public static boolean deploysEar() {
    return ofThisServer().is("deploys.ear");
  }

  // ---- Values

  public Set<String> keys() {
    return facts.stringPropertyNames();
  }

  public String text(String key) {
    String value = facts.getProperty(key);
    if (value == null) {
      throw new IllegalArgumentException("no fact " + key + " of " + kind.title());
    }
    return value;
  }

  public boolean has(String key) {
    return !text(key).isEmpty();
  }

  public boolean is(String key) {
    String value = text(key);
    if (!Set.of("true", "false").contains(value)) {
      throw new IllegalArgumentException(key + " of " + kind.title() + ": " + value);
    }
    return value.equals("true");
  }

  public int number(String key) {
    return Integer.parseInt(text(key));
  }

  /** With {@code |} between them. */
  public List<String> list(String key) {
    return has(key) ? List.of(text(key).split("\\|")) : List.of();
  }
}
