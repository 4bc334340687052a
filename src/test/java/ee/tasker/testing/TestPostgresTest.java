package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestPostgresTest {
  private static final Set<Path> NOTHING = Set.of();
  private boolean asked;

  private TestPostgres.Kind choose(String url, Map<String, String> environment, Set<Path> files, boolean answers) {
    return TestPostgres.choose(url, environment, files::contains, () -> {
      asked = true;
      return answers;
    });
  }

  @Test
  void without_an_engine_it_is_embedded_and_nobody_is_asked() {
    assertThat(choose("", Map.of(), NOTHING, true)).isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(choose("", Map.of("DOCKER_HOST", ""), NOTHING, true)).isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(asked).isFalse();
  }

  @Test
  void engine_that_answers_gives_a_container() {
    assertThat(choose("", Map.of("DOCKER_HOST", "tcp://docker:2375"), NOTHING, true)).isEqualTo(TestPostgres.Kind.CONTAINER);
    assertThat(choose("", Map.of(), Set.of(Path.of("/var/run/docker.sock")), true)).isEqualTo(TestPostgres.Kind.CONTAINER);
    assertThat(choose("", Map.of("XDG_RUNTIME_DIR", "/run/user/1000"), Set.of(Path.of("/run/user/1000/docker.sock")), true)).isEqualTo(TestPostgres.Kind.CONTAINER);
  }

  @Test
  void engine_that_does_not_answer_is_none() {
    assertThat(choose("", Map.of("DOCKER_HOST", "tcp://docker:2375"), NOTHING, false)).isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(asked).isTrue();
  }

  @Test
  void database_that_is_given_wins() {
    assertThat(choose("jdbc:postgresql://db/tests", Map.of("DOCKER_HOST", "tcp://docker:2375"), NOTHING, true)).isEqualTo(TestPostgres.Kind.GIVEN);
    assertThat(asked).isFalse();
  }
}
