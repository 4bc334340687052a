package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An administrator has put pgmq into the database before Tasker EE came, and its role may do
 * nothing there.
 */
@DatabaseTest
class PgmqOwnerTest {
  @BeforeEach
  void pgmqOfAnAdministrator() throws SQLException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("create role pgmq_guest login");
      statement.execute("create database pgmq_of_another owner pgmq_guest");
    }
    try (
        Connection owner = TestDatabase.get().database("pgmq_of_another", "postgres")
            .getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(Mutation.read("V0002__install_pgmq.sql"));
    }
  }

  @AfterEach
  void drop() throws SQLException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("drop database pgmq_of_another with (force)");
      statement.execute("drop role pgmq_guest");
    }
  }

  @Test
  void the_migration_says_at_once_who_has_to_grant_what_and_changes_nothing() throws SQLException {
    Flyway flyway = SchemaInstaller
        .flyway(TestDatabase.get().database("pgmq_of_another", "pgmq_guest"));

    assertThatThrownBy(flyway::migrate).isInstanceOf(FlywayException.class)
        .hasMessageContaining(
            "role pgmq_guest cannot make queues in the schema pgmq, which belongs to postgres")
        .hasMessageContaining("grant usage, create on schema pgmq to pgmq_guest");

    try (
        Connection owner = TestDatabase.get().database("pgmq_of_another", "postgres")
            .getConnection();
        Statement statement = owner.createStatement();
        ResultSet tables = statement
            .executeQuery(
                "select count(*) from pg_tables where schemaname = 'tasker' and tablename <> 'flyway_schema_history'")) {
      tables.next();
      assertThat(tables.getInt(1)).isZero();
    }
  }
}
