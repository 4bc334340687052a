package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.TestDatabase;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrations of a later version, in a database that others use meanwhile. */
@DatabaseTest
class MigrationsTest {
  private static final String BASE = "migrations_base";
  private static final String DATABASE = "migrations_upgraded";

  @TempDir
  private Path folder;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @BeforeAll
  static void installBase() throws SQLException {
    aside("create database " + BASE);
    SchemaInstaller.install(TestDatabase.get().database(BASE, "postgres"));
  }

  @AfterAll
  static void dropBase() throws SQLException {
    aside("drop database " + BASE + " with (force)");
  }

  @BeforeEach
  void copy() throws SQLException {
    aside("create database " + DATABASE + " template " + BASE + " strategy file_copy");
  }

  @AfterEach
  void drop() throws SQLException {
    threads.shutdownNow();
    aside("drop database " + DATABASE + " with (force)");
  }

  @Test
  void a_table_that_is_held_delays_the_migration_and_no_other_call() throws Exception {
    write("V9001__add_column.sql", "alter table tasker.tasks add column note text;\n");
    try (Connection holder = database().getConnection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select count(*) from tasker.tasks");

      Future<?> migrating = threads.submit(this::migrate);
      long longest = 0;
      long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
      while (System.nanoTime() < end) {
        long asked = System.nanoTime();
        run("set lock_timeout = '3s'", "select count(*) from tasker.tasks");
        longest = Math.max(longest, System.nanoTime() - asked);
        LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
      }

      assertThat(migrating.isDone()).isFalse();
      assertThat(Duration.ofNanos(longest)).isLessThan(Duration.ofSeconds(1));
      holder.rollback();
      migrating.get(30, TimeUnit.SECONDS);
    }
    assertThat(value("select count(note) from tasker.tasks")).isEqualTo("0");
  }

  @Test
  void an_index_is_built_and_a_table_filled_in_slices_beside_writers() throws Exception {
    outsideTransactions("V9001__build_index.sql", """
        drop index concurrently if exists tasker.notes_by_text;
        create index concurrently notes_by_text on tasker.notes (text);
        do $slices$
        declare
          v_notes int[];
        begin
          loop
            v_notes := array(select n.note from tasker.notes n where n.text is null
                             order by n.note limit 10);
            exit when v_notes = '{}';
            update tasker.notes n set text = pg_current_xact_id()::text
            where n.note = any (v_notes);
            commit;
          end loop;
        end
        $slices$;
        """);
    run("create table tasker.notes (note int primary key, text text)",
        "insert into tasker.notes (note) select generate_series(1, 100)");
    try (Connection writer = database().getConnection();
        Statement statement = writer.createStatement()) {
      writer.setAutoCommit(false);
      statement.execute("insert into tasker.notes values (0, 'not yet committed')");

      Future<?> migrating = threads.submit(this::migrate);
      await("the index waits for the writer", "select count(*) from pg_stat_activity "
          + "where datname = '" + DATABASE + "' and wait_event_type = 'Lock' "
          + "and query like '%create index concurrently%'");
      run("insert into tasker.notes values (101, 'beside')");
      writer.commit();

      migrating.get(30, TimeUnit.SECONDS);
    }
    assertThat(value("select indisvalid from pg_index "
        + "where indexrelid = 'tasker.notes_by_text'::regclass")).isEqualTo("t");
    assertThat(value("select count(distinct text) from tasker.notes where note between 1 and 100"))
        .as("transactions").isEqualTo("10");
    assertThat(value("select count(*) from pg_locks where locktype = 'advisory' "
        + "and database = (select oid from pg_database where datname = '" + DATABASE + "')"))
        .as("the lock of the migration is given back").isEqualTo("0");
  }

  @Test
  void what_has_failed_outside_of_a_transaction_is_repeated() throws Exception {
    outsideTransactions("V9001__fill.sql", """
        create table if not exists tasker.notes (note int primary key);
        insert into tasker.notes select 1 / (select count(*)::int from tasker.filled);
        """);
    run("create table tasker.filled (n int)");

    assertThatThrownBy(this::migrate).hasMessageContaining("division by zero");
    assertThat(value("select count(*) from tasker.flyway_schema_history where not success"))
        .isEqualTo("1");
    run("insert into tasker.filled values (1)");
    migrate();

    assertThat(value("select count(*) from tasker.notes")).isEqualTo("1");
    assertThat(value("select string_agg(success::text, ' ') from tasker.flyway_schema_history "
        + "where version = '9001'")).isEqualTo("true");
  }

  private void migrate() {
    try (URLClassLoader files = new URLClassLoader(new URL[]{folder.toUri().toURL()},
        SchemaInstaller.class.getClassLoader())) {
      SchemaInstaller.migrate(database(), files);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(String file, String text) throws IOException {
    Path migrations = Files.createDirectories(folder.resolve("db/migration"));
    Files.writeString(migrations.resolve(file), text);
  }

  private void outsideTransactions(String file, String text) throws IOException {
    write(file, text);
    write(file + ".conf", "executeInTransaction=false\n");
  }

  private static void await(String what, String count) throws SQLException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (value(count).equals("0")) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  private static DataSource database() {
    return TestDatabase.get().database(DATABASE, "postgres");
  }

  private static void run(String... statements) throws SQLException {
    execute(database().getConnection(), statements);
  }

  private static void aside(String... statements) throws SQLException {
    execute(TestDatabase.get().connectAside(), statements);
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (connection; Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String value(String query) throws SQLException {
    try (Connection connection = database().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
