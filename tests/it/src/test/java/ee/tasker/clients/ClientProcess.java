package ee.tasker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program in another language. What it prints is kept in a file. */
final class ClientProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path output;

  private ClientProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** @param key the API key of the caller */
  static ClientProcess start(Path folder, List<String> command, URI url, String key) {
    try {
      Path output = Files.createTempFile(folder, "output", ".txt");
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
          .redirectErrorStream(true)
          .redirectOutput(output.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("TASKER_"));
      builder.environment()
          .putAll(Map.of("TASKER_URL", url.toString(), "TASKER_KEY", key, "PYTHONUNBUFFERED", "1",
              "PYTHONDONTWRITEBYTECODE", "1", "PYTHONPATH",
              Language.FOLDER.resolve("python/src").toString()));
      return new ClientProcess(builder.start(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits for a line that has the pattern, and returns its first group, or the whole if it has
   * none.
   */
  String await(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    try {
      TaskerClient.until(pattern, PATIENCE, () -> {
        assertThat(process.isAlive() || wanted.matcher(output()).find())
            .as("%s has ended without %s", this, pattern).isTrue();
        return wanted.matcher(output()).find();
      });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + this, e);
    }
    Matcher found = wanted.matcher(output());
    assertThat(found.find()).isTrue();
    return found.group(found.groupCount() > 0 ? 1 : 0);
  }

  /** Waits until it has registered. */
  ClientProcess ready() {
    await("is registered as");
    return this;
  }

  int exit() {
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("still running: %s", this).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return process.exitValue();
  }

  /** Sends SIGTERM. */
  ClientProcess terminate() {
    process.destroy();
    return this;
  }

  /** Sends SIGKILL, and waits until it is gone. */
  void kill() {
    process.destroyForcibly();
    exit();
  }

  /** Sends any signal of the system. */
  void signal(String name) {
    try {
      assertThat(
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
          .isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Ends it as its users do, and sees that it drains. */
  @Override
  public void close() {
    if (process.isAlive()) {
      terminate();
      try {
        assertThat(exit()).as("%s", this).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Override
  public String toString() {
    return process.info().commandLine().orElse("a process") + ":\n" + output();
  }
}
