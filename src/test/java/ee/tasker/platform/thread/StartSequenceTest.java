package ee.tasker.platform.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

class StartSequenceTest {
  private final List<Runnable> planned = new ArrayList<>();
  private final List<Duration> pauses = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private final StartSequence start = new StartSequence(
      (ScheduledExecutorService) Proxy.newProxyInstance(
          getClass().getClassLoader(), new Class<?>[]{ScheduledExecutorService.class},
          (proxy, method, arguments) -> {
            assertThat(method.getName()).isEqualTo("schedule");
            planned.add((Runnable) arguments[0]);
            pauses.add(Duration.ofMillis((Long) arguments[1]));
            return null;
          }));
  private int absences;

  @Test
  void steps_run_in_their_calls_while_the_database_answers() {
    start.then(() -> done.add("schema"));
    start.then(() -> done.add("templates"));

    assertThat(done).containsExactly("schema", "templates");
    assertThat(start.isWaiting()).isFalse();
    assertThat(planned).isEmpty();
  }

  @Test
  void failure_that_is_not_the_databases_absence_is_the_deployments() {
    assertThatThrownBy(() -> start.then(() -> {
      throw new IllegalStateException("a migration has another checksum");
    })).hasMessageContaining("checksum");

    assertThat(start.isWaiting()).isFalse();
    assertThat(planned).isEmpty();
  }

  @Test
  void everything_waits_for_the_step_that_found_no_database_and_runs_once_in_order() {
    absences = 2;
    start.then(() -> step("schema"));
    start.then(() -> step("templates"));
    start.then(() -> step("worker"));
    assertThat(done).isEmpty();
    assertThat(start.isWaiting()).isTrue();

    again();
    assertThat(done).isEmpty();
    again();

    assertThat(done).containsExactly("schema", "templates", "worker");
    assertThat(start.isWaiting()).isFalse();
    assertThat(planned).isEmpty();
  }

  @Test
  void what_was_done_is_not_done_again_when_a_later_step_finds_no_database() {
    absences = 1;
    start.then(() -> step("schema"));
    start.then(() -> {
      if (pauses.size() < 2) {
        throw new StartSequence.NoDatabase(new SQLException("gone again", "57P01"));
      }
      done.add("templates");
    });
    again();
    assertThat(done).containsExactly("schema");
    assertThat(start.isWaiting()).isTrue();

    again();

    assertThat(done).containsExactly("schema", "templates");
  }

  @Test
  void failure_of_another_kind_is_tried_again_once_the_deployment_is_over() {
    absences = 1;
    start.then(() -> step("schema"));
    boolean[] broken = {true};
    start.then(() -> {
      if (broken[0]) {
        throw new IllegalStateException("broken");
      }
      done.add("templates");
    });
    again();
    assertThat(start.isWaiting()).isTrue();
    broken[0] = false;

    again();

    assertThat(done).containsExactly("schema", "templates");
    assertThat(start.isWaiting()).isFalse();
  }

  @Test
  void pauses_double_from_one_second_to_thirty() {
    absences = 8;
    start.then(() -> step("schema"));
    while (start.isWaiting()) {
      again();
    }

    assertThat(pauses).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L, 30L,
        30L, 30L);
  }

  @Test
  void nothing_begins_on_a_server_that_goes_down() {
    absences = 1;
    start.then(() -> step("schema"));

    start.stop();
    again();

    assertThat(done).isEmpty();
  }

  @Test
  void what_has_to_hold_later_as_well_is_looked_at_again_and_everything_waits_for_it() {
    start.expectFromNowOn(() -> step("condition"));
    start.lookAgain();
    start.lookAgain();
    assertThat(planned).as("one look for both").hasSize(1);
    again();
    assertThat(done).containsExactly("condition");
    assertThat(start.isWaiting()).isFalse();

    absences = 2;
    start.lookAgain();
    again();
    assertThat(start.isWaiting()).isTrue();
    assertThat(start.cause()).hasValueSatisfying(cause -> assertThat(cause).contains("refused"));
    start.lookAgain();
    assertThat(planned).as("it looks anyway while it waits").hasSize(1);
    again();
    assertThat(start.isWaiting()).isTrue();
    again();

    assertThat(start.isWaiting()).isFalse();
    assertThat(done).containsExactly("condition", "condition");
  }

  @Test
  void a_look_that_fails_by_itself_stops_nothing() {
    start.expectFromNowOn(() -> {
      throw new IllegalStateException("broken");
    });
    start.lookAgain();
    again();

    assertThat(start.isWaiting()).isFalse();
    start.lookAgain();
    assertThat(planned).hasSize(1);
  }

  private void step(String name) {
    if (absences > 0) {
      absences--;
      throw new StartSequence.NoDatabase(new SQLException("connection refused", "08001"));
    }
    done.add(name);
  }

  private void again() {
    planned.remove(0).run();
  }
}
