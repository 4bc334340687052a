package ee.tasker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A language that has a client, and how its programs are started. */
enum Language {
  PYTHON("python3", "python") {
    @Override
    List<String> command(String program) {
      return List.of("python3", FOLDER.resolve("python").resolve(program + ".py").toString());
    }

    @Override
    String live() {
      return "tests/live_worker";
    }

    @Override
    String missing() {
      return isThere("python3") ? "" : "there is no python3 on this machine";
    }
  },

  TYPESCRIPT("node", "typescript") {
    @Override
    List<String> command(String program) {
      return List.of("node",
          FOLDER.resolve("typescript/build").resolve(program + ".js").toString());
    }

    @Override
    String live() {
      return "test/live_worker";
    }

    @Override
    String missing() {
      return !isThere("node") ? "there is no node on this machine"
          : Files.exists(FOLDER.resolve("typescript/dist/index.js"))
              && Files.exists(FOLDER.resolve("typescript/build/test/live_worker.js"))
                  ? ""
                  : "clients/typescript is not built: npm ci && npm test";
    }
  };

  static final Path FOLDER = Path.of(System.getProperty("tasker.checkout"), "clients");

  final String folder;

  private final String executable;

  Language(String executable, String folder) {
    this.executable = executable;
    this.folder = folder;

  }

  /** The command that starts a program of the language's folder. */
  abstract List<String> command(String program);

  /** The worker for tests. */
  abstract String live();

  /** What this machine lacks for the language; empty for nothing. */
  abstract String missing();

  String executable() {
    return executable;
  }

  /**
   * Skips the test on a machine that lacks the language, except where {@code
   * -Dtasker.clients.required=true} says that it must be there.
   */
  void require() {
    String missing = missing();
    if (Boolean.getBoolean("tasker.clients.required")) {
      assertThat(missing).isEmpty();
    }
    assumeTrue(missing.isEmpty(), missing);
  }

  /** In templates and handler names. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** An executable may be a shim that has nothing behind it, so it is started. */
  static boolean isThere(String program) {
    try {
      Process process = new ProcessBuilder(program, "--version").redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
      if (process.waitFor(20, TimeUnit.SECONDS)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
