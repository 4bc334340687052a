package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.docs.Readme;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BannerTest {
  private static final Login LOGIN = new Login("admin", "q1V0-drawn-by-the-run-command");

  private static String banner(boolean valid) {
    return Banner.of(
        new RunSettings(Path.of("."), Path.of("a.war"), ServerKind.LIBERTY, Path.of("home"), "18.6.0", 8080,
            DatabaseAddress.embedded(54320), true),
        LOGIN, valid, 12);
  }

  @Test
  void login_that_the_server_took_is_printed() {
    assertThat(banner(true)).contains("user admin, password q1V0-drawn-by-the-run-command", "kept in .tasker/login",
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
    assertThat(banner(false)).doesNotContain("drawn-by-the-run-command", "curl -K").contains("a user that this database had already",
        "tasker.create_user(");
  }
}
