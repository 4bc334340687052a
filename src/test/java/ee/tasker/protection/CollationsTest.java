package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The language of a database decides which capital a letter has and what is sorted before what: in
 * Turkish the small letter of I is ı, in German a capital is sorted beside its small letter.
 * Queues, which are named in small letters, and identities must not notice.
 */
@DatabaseTest
class CollationsTest {
  private static final String NAME = "in_a_language";

  @AfterEach
  void drop() throws SQLException {
    TestDatabase.get().switchTo(null);
    execute("drop database if exists " + NAME + " with (force)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"locale_provider icu icu_locale 'tr-TR' locale 'C'",
    "locale_provider icu icu_locale 'de-DE' locale 'C'", "locale_provider libc locale 'C'"})
  void tasks_run_in_a_database_of_any_language(String language) throws SQLException {
    execute("create database " + NAME + " template template0 encoding 'UTF8' " + language);
    SchemaInstaller.install(TestDatabase.get().database(NAME, "postgres"));
    TestDatabase.guard(TestDatabase.get().database(NAME, "postgres"));
    TestDatabase.get().switchTo(NAME);
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      Dag.of("I").step("i").dependsOn("I").inNamespace("INVOICING_Ii").maxAttempts(2).started(2);

      worker.complete(worker.claimOne().retryableFailure(0));
      for (int step = 0; step < 6; step++) {
        worker.advance();
        worker.claim(9).stream().map(Claim::success).forEach(worker::complete);
      }

      assertThat(sql.texts("select distinct state::text from tasker.tasks"))
          .containsExactly("complete");
      assertThat(sql.texts("select queue_name from pgmq.list_queues() where queue_name ~ 'INV'"))
          .containsExactly("worker_INVOICING_Ii_queue");
      assertThat(sql.text("select json_array_length(tasker.list_tasks("
          + "p_filter => '{\"namespace\": \"INVOICING_Ii\"}') -> 'tasks')::text")).isEqualTo("2");
      assertThat(sql.texts("select invariant from tasker.check_history() where violations > 0"))
          .isEmpty();
    }
  }

  private static void execute(String statement) throws SQLException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement one = aside.createStatement()) {
      one.execute(statement);
    }
  }
}
