package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long the run command waits for a server that starts. */
@DatabaseTest
class StartPatienceTest {
  private static final Duration MOST = Duration.ofMinutes(30);
  private static final Duration SILENCE = Duration.ofMinutes(3);

  @TempDir
  private Path folder;

  private final StartPatience patience = new StartPatience(MOST, SILENCE, 0);

  private static StartProgress.Seen seen(long logBytes, long migrations, boolean isDatabaseAtWork) {
    return new StartProgress.Seen(logBytes, migrations, isDatabaseAtWork);
  }

  private static long minutes(double minutes) {
    return (long) (minutes * 60e9);
  }

  @Test
  void a_start_that_makes_progress_is_waited_for() {
    for (int minute = 0; minute < 30; minute += 2) {
      assertThat(patience.exhausted(seen(100, minute, false), minutes(minute)))
          .as("a migration more, minute " + minute).isEmpty();
    }
    assertThat(patience.exhausted(seen(100, 99, false), minutes(30))).hasValueSatisfying(
        end -> assertThat(end).contains("within 30 min", "START_SECONDS", "the log has 100 bytes",
            "the database 99 migrations"));
  }

  @Test
  void a_long_migration_is_progress_and_so_is_a_log_that_grows() {
    for (int minute = 0; minute < 30; minute++) {
      assertThat(patience.exhausted(
          minute < 15 ? seen(100, 7, true) : seen(100 + minute, -1, false), minutes(minute)))
          .isEmpty();
    }
  }

  @Test
  void a_start_in_which_nothing_happens_ends_after_three_minutes() {
    assertThat(patience.exhausted(seen(100, 7, false), minutes(1))).isEmpty();
    assertThat(patience.exhausted(seen(100, 7, false), minutes(3.9))).isEmpty();
    assertThat(patience.exhausted(seen(100, 7, false), minutes(4))).hasValueSatisfying(
        end -> assertThat(end).contains("after 4 min", "nothing new for 3 min",
            "the database 7 migrations"));
  }

  @Test
  void progress_is_read_from_the_log_and_the_database() throws IOException {
    Path log = Files.writeString(folder.resolve("server.log"), "12345");
    Sql sql = Sql.session();
    try (StartProgress progress = new StartProgress(() -> TestDatabase.get().connect())) {
      StartProgress.Seen first = progress.look(log);
      assertThat(first.logBytes()).isEqualTo(5);
      assertThat(first.migrations())
          .isEqualTo(sql.number("select count(*) from tasker.flyway_schema_history").longValue());
      assertThat(first.isDatabaseAtWork()).isFalse();
      assertThat(progress.look(folder.resolve("none.log")).logBytes()).isZero();
    }
  }

  @Test
  void a_database_that_works_on_a_statement_for_long_is_progress() throws Exception {
    try (Connection migration = TestDatabase.get().connect();
        Statement statement = migration.createStatement();
        StartProgress progress = new StartProgress(() -> TestDatabase.get().connect())) {
      Thread working = new Thread(() -> {
        try {
          statement.execute("select pg_sleep(60)");
        } catch (SQLException e) {
          // cancelled below
        }
      });
      working.start();
      long end = System.nanoTime() + Duration.ofSeconds(45).toNanos();
      while (!progress.look(folder).isDatabaseAtWork() && System.nanoTime() < end) {
        working.join(200);
      }
      assertThat(progress.look(folder).isDatabaseAtWork()).isTrue();
      statement.cancel();
      working.join();
    }
  }

  @Test
  void a_database_that_does_not_answer_is_no_progress() {
    try (StartProgress progress = new StartProgress(
        DatabaseAddress.embedded(Ports.freeNear(65536)))) {
      assertThat(progress.look(folder)).extracting(StartProgress.Seen::migrations).isEqualTo(-1L);
    }
  }

  @Test
  void another_server_that_has_taken_the_port_is_not_taken_for_ours() {
    String health = "{\"status\":\"UP\",\"checks\":[{\"name\":\"database\"},{\"name\":\"worker\",\"data\":{\"name\": \"there:4711\"}}]}";
    assertThat(ServerProcess.stranger(health, 4712)).contains("there:4711");
    assertThat(ServerProcess.stranger(health, 4711)).isEmpty();
    assertThat(ServerProcess.stranger("{\"status\":\"DOWN\",\"checks\":[]}", 4711))
        .as("the server before the application").isEmpty();
  }
}
