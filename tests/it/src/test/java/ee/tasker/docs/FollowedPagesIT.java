package ee.tasker.docs;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes a clean clone and does what README and tutorial say, in order: builds, starts, writes the
 * files, types the commands, and compares what they print. Prints how long that took.
 */
@Tag("long")
class FollowedPagesIT {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  /** Behind which Maven finds what it has downloaded before; installs go into the clone's own. */
  private static final String USUAL = System.getenv().getOrDefault("MAVEN_REPOSITORY",
      System.getProperty("user.home") + "/.m2/repository");

  @Test
  void a_newcomer_gets_from_the_clone_to_an_application_of_their_own(@TempDir Path folder)
      throws Exception {
    Path clone = Follower.cloned(CHECKOUT, folder.resolve("tasker-ee"));
    int http = TestServer.freePort();
    int database = TestServer.freePort();
    int own = TestServer.freePort();
    long began = System.nanoTime();

    try (Follower reader = new Follower(clone, true)
        .typing("http://localhost:" + http, "http://localhost:8080")
        .typing("-p " + database, "-p 54320")
        .typing("DB_PORT=" + database, "DB_PORT=54320")
        .typing("HTTP_PORT=" + own, "HTTP_PORT=9080")
        .typing("http://localhost:" + own, "http://localhost:9080")
        .with("HTTP_PORT", String.valueOf(http)).with("DB_PORT", String.valueOf(database))
        .with("TASKER_URL", "http://localhost:" + http)
        .with("TASKER_CONFIG_DIR", folder.resolve("config").toString())
        .with("XDG_CACHE_HOME", folder.resolve("cache").toString())
        .with("MAVEN_ARGS", "-Dmaven.repo.local=" + folder.resolve("repository")
            + " -Dmaven.repo.local.tail=" + USUAL)) {
      reader.follow("README.md");
      reader.follow("docs/tutorial.md");

      assertThat(reader.commands()).isGreaterThan(20);
      System.out.printf("README and tutorial: %d commands, %d s%n%s%n", reader.commands(),
          Duration.ofNanos(System.nanoTime() - began).toSeconds(), reader.times());
    }
    assertThat(Files.exists(folder.resolve("shop/target/shop.war"))).isTrue();
  }
}
