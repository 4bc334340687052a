package ee.tasker.docs;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Does what the README tells a new user to do, from its first line to its last, in a folder that
 * has only what git has, against the server of these tests. {@link FollowedPagesIT} builds and
 * starts it from a clone, too.
 */
@AgainstServer
class ReadmeIT {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));

  private final TaskerClient tasker;

  ReadmeIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @Test
  void every_command_of_the_readme_prints_what_it_shows(@TempDir Path clone) throws Exception {
    Follower.cloned(CHECKOUT, clone, "README.md", "samples");
    Files.createDirectory(clone.resolve(".tasker"));
    Files.writeString(clone.resolve(".tasker/login"),
        "user = \"" + Login.FOR_TESTS.name() + ":" + Login.FOR_TESTS.password() + "\"\n");

    try (Follower reader = new Follower(clone, false)
        .typing(tasker.base().toString(), "http://localhost:8080")
        .typing("-p " + tasker.count("select inet_server_port()"), "-p 54320")) {
      reader.follow("README.md");

      assertThat(reader.commands()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void first_screen_and_whole_are_short() {
    Readme readme = Readme.in(CHECKOUT);
    long lines = readme.text().lines().count();
    String screen = readme.text().substring(0, readme.text().indexOf("/v1/tasks?wait=5"));

    assertThat(lines).isLessThanOrEqualTo(150);
    assertThat(screen.lines().count()).as("line of the first task").isLessThanOrEqualTo(40);
    assertThat(screen).as("what else to choose, the console, and how to run it")
        .contains("| Choose that instead | when |", "](docs/console/task.webp)", "\n./mvnw\n");
    assertThat(screen.lines().filter(line -> line.startsWith("| "))).as("head and five lines")
        .hasSize(6);
  }
}
