package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.docs.Readme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BannerTest {
  private static final Login LOGIN = new Login("admin", "q1V0-drawn-by-the-run-command");

  private static String banner(boolean valid) {
    return banner(valid, Optional.empty());
  }

  private static String banner(boolean valid, Optional<DevProject> project) {
    return Banner.of(
        new RunSettings(Path.of("."), Path.of("a.war"), ServerKind.LIBERTY, Path.of("home"),
            "18.6.0", 8080, Duration.ofSeconds(1_800), DatabaseAddress.embedded(54320), true),
        project, LOGIN, valid, 12);
  }

  private static Optional<DevProject> project(String given) {
    Properties build = new Properties();
    build.putAll(Map.of("tasker.dev", "true", "tasker.dev.project", given));
    return DevProject.from(Path.of("."), build);
  }

  @Test
  void of_the_samples_a_first_task_is_offered() {
    assertThat(banner(true)).contains("A first task", "/v1/tasks -d @samples/linear/request.json");
    assertThat(banner(true, project(""))).contains("/v1/tasks -d @samples/linear/request.json");
  }

  @Test
  void of_another_application_nothing_is_offered_that_it_does_not_have(@TempDir Path application)
      throws IOException {
    Files.createDirectories(application.resolve("src/main/java"));

    assertThat(banner(true, project(application.toString())))
        .doesNotContain("samples/linear", "mathematical_sequence", "/v1/tasks")
        .contains("curl -K .tasker/login http://localhost:8080/v1/templates");
  }

  @Test
  void login_that_the_server_took_is_printed() {
    assertThat(banner(true)).contains("user admin, password q1V0-drawn-by-the-run-command",
        "kept in .tasker/login",
        "curl -K .tasker/login -i");
  }

  @Test
  void readme_shows_what_is_printed() {
    String shown = Readme.in(Path.of("")).blocks("Run it").get(1).text();

    assertThat(shown).contains("Tasker EE is ready");
    assertThat(banner(true)).matches(Readme.printed(shown));
  }

  @Test
  void login_that_the_server_did_not_take_is_not_printed_nor_recommended() {
    assertThat(banner(false)).doesNotContain("drawn-by-the-run-command", "curl -K").contains(
        "a user that this database had already",
        "tasker.create_user(");
  }
}
