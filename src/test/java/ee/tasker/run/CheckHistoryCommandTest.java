package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.SingleMoves;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ways to run the check, by Maven and by psql: the same report, the same exit status. */
@DatabaseTest
@DatabaseTest.BreaksPromises
class CheckHistoryCommandTest {
  private final Dag.Task task = Dag.linear(2).started();

  enum Way {
    MAVEN {
      @Override
      Command check(String url, String quietFor) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true);
        return new Command(CheckHistory.run(url, "postgres", "", null, quietFor, stream, stream),
            out.toString().strip());
      }
    },
    PSQL {
      @Override
      Command check(String url, String quietFor) {
        Path checkout = Path.of("").toAbsolutePath();
        Assumptions.assumeTrue(Command.run(checkout, List.of("psql", "--version")).succeeded(),
            "there is no psql here");
        List<String> words = new ArrayList<>(
            List.of("db/check-history", "-U", "postgres", url.substring("jdbc:".length())));
        if (quietFor != null) {
          words.addAll(List.of("-v", "quiet_for=" + quietFor));
        }
        return Command.run(checkout, words);
      }
    };

    abstract Command check(String url, String quietFor);
  }

  @ParameterizedTest
  @EnumSource
  void sound_database_prints_every_promise_and_ends_with_0(Way way) {
    Command check = way.check(url(), null);

    assertThat(check.status()).as(check.output()).isZero();
    long promises = promises();
    assertThat(check.output().lines()).hasSize((int) promises + 2)
        .contains(moves() + " of " + moves() + " moves are moves of the models").last()
        .isEqualTo(promises + " of " + promises + " promises were kept");
    assertThat(check.output()).startsWith("kept           0  task_state_is_the_end_of_its_history");
    assertThat(way.check(url(), "1 hour").output()).as("with those about quiet systems")
        .endsWith((promises + 13) + " of " + (promises + 13) + " promises were kept");
  }

  @ParameterizedTest
  @EnumSource
  void damaged_database_prints_the_offending_rows_and_ends_with_1(Way way) {
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      worker.runToTheEnd();
      sql.run("set session_replication_role = replica");
      sql.run("update tasker.tasks set state = 'error'");
    }

    Command check = way.check(url(), null);

    assertThat(check.status()).as(check.output()).isEqualTo(1);
    assertThat(check.output())
        .contains("BROKEN         1  task_state_is_the_end_of_its_history\n", "\"task_uuid\"",
            task.uuid().toString())
        .contains(kept() + " of " + promises() + " promises were kept");
    assertThat(kept()).isLessThan(promises());
  }

  @ParameterizedTest
  @EnumSource
  void what_cannot_be_checked_ends_with_2(Way way) {
    assertThat(way.check("jdbc:postgresql://127.0.0.1:1/postgres", null).status())
        .as("there is no listener").isEqualTo(2);
    Command elsewhere = way.check(url().replaceAll("/postgres(?=\\?|$)", "/template1"), null);
    assertThat(elsewhere.status()).as("no schema of ours: " + elsewhere.output()).isEqualTo(2);
    assertThat(elsewhere.output()).contains("could not be checked");
    assertThat(way.check(url(), "a while").status()).as("not an interval").isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void a_move_that_the_models_do_not_know_is_printed_and_ends_with_1(Way way) {
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      worker.runToTheEnd();
      sql.run("set session_replication_role = replica");
      SingleMoves.spellOut(sql);
      sql.run("update tasker.task_moves set actor = 'worker' where sort_key = 2");
    }

    Command check = way.check(url(), null);

    assertThat(check.status()).as(check.output()).isEqualTo(1);
    assertThat(check.output())
        .contains("UNKNOWN        1  task pending to initializing by worker\n",
            "the models have no such move",
            (moves() - 1) + " of " + moves() + " moves are moves of the models");
  }

  private static long moves() {
    try (Sql sql = Sql.open()) {
      return sql.number("select sum(moves) from tasker.replay_moves()");
    }
  }

  private static long promises() {
    try (Sql sql = Sql.open()) {
      return sql.number("select count(*) from tasker.check_history()");
    }
  }

  private static long kept() {
    try (Sql sql = Sql.open()) {
      return sql.number("select count(*) from tasker.check_history() where violations = 0");
    }
  }

  private static String url() {
    try (var connection = TestDatabase.get().connect()) {
      return connection.getMetaData().getURL();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
