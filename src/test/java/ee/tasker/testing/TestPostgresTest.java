package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;

class TestPostgresTest {
  private static final Set<Path> NOTHING = Set.of();
  private boolean asked;

  private TestPostgres.Kind choose(String url, Map<String, String> environment, Set<Path> files,
      boolean answers) {
    return TestPostgres.choose(url, environment, files::contains, () -> {
      asked = true;
      return answers;
    });
  }

  @Test
  void without_an_engine_it_is_embedded_without_asking() {
    assertThat(choose("", Map.of(), NOTHING, true)).isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(choose("", Map.of("DOCKER_HOST", ""), NOTHING, true))
        .isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(asked).isFalse();
  }

  @Test
  void engine_that_answers_gives_a_container() {
    assertThat(choose("", Map.of("DOCKER_HOST", "tcp://docker:2375"), NOTHING, true))
        .isEqualTo(TestPostgres.Kind.CONTAINER);
    assertThat(choose("", Map.of(), Set.of(Path.of("/var/run/docker.sock")), true))
        .isEqualTo(TestPostgres.Kind.CONTAINER);
    assertThat(choose("", Map.of("XDG_RUNTIME_DIR", "/run/user/1000"),
        Set.of(Path.of("/run/user/1000/docker.sock")), true))
        .isEqualTo(TestPostgres.Kind.CONTAINER);
  }

  @Test
  void engine_that_does_not_answer_is_none() {
    assertThat(choose("", Map.of("DOCKER_HOST", "tcp://docker:2375"), NOTHING, false))
        .isEqualTo(TestPostgres.Kind.EMBEDDED);
    assertThat(asked).isTrue();
  }

  @Test
  void engine_that_cannot_be_asked_is_none() {
    assertThat(TestPostgres.choose("", Map.of("DOCKER_HOST", "tcp://docker:2375"),
        NOTHING::contains, () -> {
          throw new ContainerLaunchException("the helper image cannot be had");
        })).isEqualTo(TestPostgres.Kind.EMBEDDED);
  }

  @Test
  void database_that_is_given_wins() {
    assertThat(choose("jdbc:postgresql://db/tests", Map.of("DOCKER_HOST", "tcp://docker:2375"),
        NOTHING, true))
        .isEqualTo(TestPostgres.Kind.GIVEN);
    assertThat(asked).isFalse();
  }

  @Test
  void container_whose_host_cannot_be_found_is_stopped_and_not_used() {
    TestPostgres other = (user, name) -> null;
    Unreachable container = new Unreachable();

    assertThat(TestPostgres.containerOr(() -> container, () -> other)).isSameAs(other);

    assertThat(container.calls).containsExactly("start", "host", "stop");
  }

  @Test
  void what_failed_is_reported_again_and_not_tried_again() {
    AtomicInteger tries = new AtomicInteger();
    Once<String> database = new Once<>(() -> {
      tries.incrementAndGet();
      throw new IllegalStateException("no database");
    });

    for (int test = 0; test < 3; test++) {
      assertThatThrownBy(database::get).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no database");
    }

    assertThat(tries).hasValue(1);
  }

  /**
   * Starts, and then its address cannot be found, as when finding it needs another image that is
   * not available.
   */
  private static final class Unreachable extends GenericContainer<Unreachable> {
    private final List<String> calls = new ArrayList<>();

    Unreachable() {
      super("postgres:18");
    }

    @Override
    public void start() {
      calls.add("start");
    }

    @Override
    public String getHost() {
      calls.add("host");
      throw new ContainerLaunchException("the helper image cannot be had");
    }

    @Override
    public void stop() {
      calls.add("stop");
    }
  }
}
