package ee.tasker.faults;

import static ee.tasker.testing.Sources.files;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Program;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The release before this version, built from its commit: the one that brought the latest list of
 * what others depend on.
 */
final class LastRelease {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  private static final String LISTS = "src/test/resources/ee/tasker/release/surface";

  private LastRelease() {}

  /**
   * Its WAR with the samples and with the handlers of the tests; empty before the first release.
   * {@code -Dupgrade.from=COMMIT} is another one.
   */
  static Optional<Path> war() throws IOException {
    Optional<String> commit = Optional.ofNullable(System.getProperty("upgrade.from"));
    if (commit.isEmpty()) {
      commit = latestList().map(LastRelease::commitThatAdded);
    }
    return commit.isEmpty() ? Optional.empty() : Optional.of(warOf(commit.get()));
  }

  private static Optional<String> latestList() {
    return files(CHECKOUT.resolve(LISTS), ".txt").stream()
        .map(file -> file.getFileName().toString().replace(".txt", ""))
        .filter(name -> name.matches("\\d+\\.\\d+\\.\\d+"))
        .max(Comparator.comparing(LastRelease::sortable));
  }

  private static String sortable(String version) {
    StringBuilder sortable = new StringBuilder();
    for (String part : version.split("\\.")) {
      sortable.append("%06d".formatted(Integer.parseInt(part)));
    }
    return sortable.toString();
  }

  private static String commitThatAdded(String version) {
    String commit = run(CHECKOUT, "git", "log", "--diff-filter=A", "--format=%H", "-1", "--",
        LISTS + "/" + version + ".txt").strip();
    assertThat(commit).as("the commit that made " + version + ", which a shallow clone lacks")
        .matches("[0-9a-f]{40}");
    return commit;
  }

  private static Path warOf(String commit) throws IOException {
    Path folder = Path.of(System.getProperty("tasker.it.folder"), "release").toAbsolutePath();
    Path war = folder.resolve("samples/target/tasker-ee-samples.war");
    if (!Files.exists(folder)) {
      run(CHECKOUT, "git", "clone", "--quiet", "--no-checkout", CHECKOUT.toString(),
          folder.toString());
    } else {
      run(folder, "git", "fetch", "--quiet", "origin");
    }
    run(folder, "git", "checkout", "--quiet", "--force", commit);
    run(folder, "./mvnw", "-B", "-ntp", "-q", "clean", "package", "-pl", "samples", "-am",
        "-DskipTests", "-Dmaven.repo.local=" + System.getProperty("tasker.repository"));
    return TestServer.warWith("tasker-release.war", war.toFile(), unchanged -> unchanged);
  }

  private static String run(Path folder, String... command) {
    Program.Ended ended = Program.run(folder, Map.of("JAVA_HOME", System.getProperty("java.home")),
        List.of(command), List.of());
    assertThat(ended.status()).as(ended.output()).isZero();
    return ended.output();
  }
}
