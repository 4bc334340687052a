package ee.tasker.run;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A short command, run to completion, with its output. */
record Command(int status, String output) {

  /** What takes seconds on an idle machine takes minutes on a busy one. */
  private static final int MOST_MINUTES = 15;

  static Command run(Path folder, List<String> words) {
    return run(folder, "", words, Map.of());
  }

  static Command run(Path folder, List<String> words, Map<String, String> environment) {
    return run(folder, "", words, environment);
  }

  static Command run(Path folder, String input, List<String> words) {
    return run(folder, input, words, Map.of());
  }

  /**
   * Output goes through a file: a command that leaves a daemon behind would keep a pipe open
   * forever.
   */
  private static Command run(Path folder, String input, List<String> words,
      Map<String, String> environment) {
    try {
      Path output = Files.createTempFile("tasker", ".out");
      try {
        var builder = new ProcessBuilder(words);
        builder.environment().putAll(environment);
        var process = builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .start();
        try (var stdin = process.getOutputStream()) {
          stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          // it ended without reading; its status tells
        }
        if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
          process.destroyForcibly();
          return new Command(-1, "no answer within " + MOST_MINUTES + " minutes");
        }
        return new Command(process.exitValue(),
            Files.readString(output, Charset.defaultCharset()).strip());
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      return new Command(-1, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Command(-1, "interrupted");
    }
  }

  static Command run(Path folder, List<String> prefix, String... words) {
    var all = new ArrayList<>(prefix);
    all.addAll(List.of(words));
    return run(folder, all);
  }

  boolean succeeded() {
    return status == 0;
  }
}
