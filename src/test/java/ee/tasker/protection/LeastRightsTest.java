package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.sql.Routines;
import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.release.InstallScript;
import ee.tasker.release.Versions;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Program;
import ee.tasker.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.common.BaseDataSource;

/**
 * The three ways to install, with logins that are no superusers, and what a login is told that
 * lacks a right for one of them.
 */
@DatabaseTest
class LeastRightsTest {
  private static final String BASE = "least_rights_base";
  private static final String DATABASE = "least_rights";
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout", "."));

  @TempDir
  private Path folder;

  /** How psql ended that has installed this version in the base; null before. */
  private static Program.Ended installed;

  @BeforeAll
  static void makeOwner() throws SQLException {
    installed = null;
    aside("create role rights_dba login createrole", "create role rights_owner nologin",
        "grant rights_owner to rights_dba");
  }

  @AfterAll
  static void dropOwner() throws SQLException {
    aside("drop database if exists " + BASE + " with (force)");
    for (String actor : List.of("orchestrator", "worker", "recovery", "operator", "api", "server",
        "reader")) {
      aside("drop role if exists tasker_" + actor);
    }
    aside("drop role rights_dba", "drop role rights_owner");
  }

  @BeforeEach
  void make() throws SQLException {
    aside("create role rights_app login",
        "create database " + DATABASE + " owner rights_owner");
  }

  @AfterEach
  void drop() throws SQLException {
    aside("drop database " + DATABASE + " with (force)", "drop role rights_app");
  }

  private static void aside(String... statements) throws SQLException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static DataSource as(String user) {
    return TestDatabase.get().database(DATABASE, user);
  }

  private static void run(String user, String... statements) throws SQLException {
    try (Connection connection = as(user).getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static Flyway flyway(String user) {
    return SchemaInstaller.flyway(as(user));
  }

  /** How many parts the login's server would install. */
  private static int pending(String user) {
    return Routines.ofApplication().compare(as(user)).pending();
  }

  /** What the login lacks, as statements. */
  private static List<String> missing(String user, String purpose)
      throws SQLException, IOException {
    try (Connection connection = as(user).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement
            .executeQuery(Files.readString(CHECKOUT.resolve("db/missing-grants.sql")))) {
      List<String> statements = new ArrayList<>();
      while (rows.next()) {
        if (rows.getString("purpose").equals(purpose)) {
          statements.add(rows.getString("statement"));
        }
      }
      return statements;
    }
  }

  @Test
  void in_schemas_that_an_administrator_made_it_migrates_without_create_on_the_database()
      throws SQLException, IOException {
    run("postgres", "create schema tasker", "create schema pgmq",
        "grant usage, create on schema tasker, pgmq to rights_app");
    assertThat(missing("rights_app", "migrate")).isEmpty();

    SchemaInstaller.install(as("rights_app"));

    assertThat(flyway("rights_app").info().pending()).isEmpty();
    assertThat(pending("rights_app")).isZero();
    assertThat(missing("rights_app", "migrate")).isEmpty();
    assertThat(missing("rights_app", "serve")).isEmpty();
  }

  @Test
  void a_login_that_may_nothing_is_told_the_statements_after_which_it_can_migrate()
      throws SQLException, IOException {
    List<String> statements = missing("rights_app", "migrate");
    assertThat(statements).containsExactly("create schema tasker authorization rights_app;",
        "create schema pgmq authorization rights_app;");

    run("postgres", statements.toArray(String[]::new));

    assertThat(missing("rights_app", "migrate")).isEmpty();
    SchemaInstaller.install(as("rights_app"));
  }

  @Test
  void a_login_that_may_only_use_the_schemas_is_told_which_grants_it_lacks()
      throws SQLException, IOException {
    run("postgres", "create schema tasker", "create schema pgmq",
        "grant usage on schema tasker, pgmq to rights_app");
    List<String> statements = missing("rights_app", "migrate");
    assertThat(statements).containsExactly(
        "grant usage, create on schema tasker to rights_app;",
        "grant usage, create on schema pgmq to rights_app;");

    run("postgres", statements.toArray(String[]::new));

    assertThat(missing("rights_app", "migrate")).isEmpty();
    SchemaInstaller.install(as("rights_app"));
  }

  @Test
  void psql_installs_what_a_server_would_and_records_it_so_that_nothing_is_pending()
      throws SQLException, IOException {
    beginInstalled();

    run("rights_dba", "grant tasker_server to rights_app");
    Flyway server = flyway("rights_app");
    assertThat(server.info().applied()).hasSameSizeAs(server.info().all());
    assertThat(server.info().pending()).isEmpty();
    server.validate();
    assertThat(pending("rights_app")).isZero();
    assertThat(missing("rights_app", "serve")).isEmpty();
    // The hardened login can change nothing, and is told so if it were to.
    assertThat(missing("rights_app", "migrate"))
        .contains("grant usage, create on schema tasker to rights_app;",
            "grant rights_owner to rights_app;");
    assertThatThrownBy(() -> run("rights_app", "create table tasker.mine (id int)"))
        .isInstanceOfSatisfying(SQLException.class,
            refusal -> assertThat(refusal.getSQLState()).isEqualTo("42501"));
  }

  @Test
  void a_login_without_the_role_of_servers_is_told_which_one_it_lacks()
      throws SQLException, IOException {
    beginInstalled();
    List<String> statements = missing("rights_app", "serve");
    assertThat(statements).containsExactly("grant tasker_server to rights_app;");

    run("rights_dba", statements.toArray(String[]::new));

    assertThat(missing("rights_app", "serve")).isEmpty();
  }

  @Test
  void the_next_version_is_applied_by_the_same_script_and_servers_are_never_refused()
      throws SQLException, IOException {
    beginInstalled();
    run("rights_dba", "grant tasker_server to rights_app");
    Path changed;
    try (Stream<Path> files = Files.walk(folder.resolve("db/routine"))) {
      changed = files.filter(file -> file.endsWith("R__make_history_partitions.sql")).findFirst()
          .orElseThrow();
    }
    Files.writeString(changed, Files.readString(changed) + "-- of the next version\n");

    Program.Ended upgrade = installAgain("rights_dba");

    assertThat(upgrade.status()).as(upgrade.output()).isZero();
    assertThat(upgrade.output()).contains("make history partitions")
        .doesNotContain("create tasks and steps");
    assertThat(missing("rights_app", "serve")).isEmpty();
    run("rights_app", "select tasker.make_history_partitions()");
  }

  @Test
  void psql_drops_what_is_gone_and_keeps_the_grants_of_what_is_changed()
      throws SQLException, IOException {
    beginInstalled();
    Path engine = folder.resolve("db/routine/engine");
    Files.writeString(engine.resolve("R__gone.sql"), function("gone", "", "int"));
    Files.writeString(engine.resolve("R__changed.sql"), function("changed", "", "int"));
    assertThat(installAgain("rights_dba").status()).isZero();
    run("rights_dba", "grant tasker_server to rights_app", "set role rights_owner",
        "grant execute on function tasker.changed() to rights_app");

    Files.delete(engine.resolve("R__gone.sql"));
    Files.writeString(engine.resolve("R__changed.sql"),
        function("changed", "p_a int default 1", "bigint"));
    Program.Ended upgrade = installAgain("rights_dba");

    assertThat(upgrade.status()).as(upgrade.output()).isZero();
    run("rights_app", "select tasker.changed()");
    assertThatThrownBy(() -> run("rights_app", "select tasker.gone()"))
        .hasMessageContaining("does not exist");
  }

  @Test
  void psql_builds_an_index_beside_writers_and_repeats_what_has_failed()
      throws SQLException, IOException {
    beginInstalled();
    Path migration = folder.resolve("db/migration");
    Files.writeString(migration.resolve("V9001__add_note.sql"),
        "alter table tasker.tasks add column note text;\n");
    Files.writeString(migration.resolve("V9002__build_index.sql"), """
        drop index concurrently if exists tasker.tasks_by_note;
        create index concurrently tasks_by_note on tasker.tasks (note);
        select 1 / count(*) from tasker.template_pauses;
        """);
    Files.writeString(migration.resolve("V9002__build_index.sql.conf"),
        "executeInTransaction=false\n");

    Program.Ended failed = installAgain("rights_dba");
    assertThat(failed.status()).isNotZero();
    assertThat(failed.output()).contains("division by zero");
    assertThat(applied()).as("what was done before stays").isEqualTo("9001");
    Files.writeString(migration.resolve("V9002__build_index.sql"),
        Files.readString(migration.resolve("V9002__build_index.sql"))
            .replaceFirst("select 1 .*", ""));
    Program.Ended upgrade = installAgain("rights_dba");

    assertThat(upgrade.status()).as(upgrade.output()).isZero();
    assertThat(applied()).isEqualTo("9001 9002");
    assertThat(installAgain("rights_dba").output()).doesNotContain("build index");
  }

  private static String applied() throws SQLException {
    try (Connection connection = as("postgres").getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select string_agg(h.version, ' ' "
            + "order by h.version) from tasker.flyway_schema_history h where h.version > '9'")) {
      row.next();
      return row.getString(1);
    }
  }

  private static String function(String name, String arguments, String result) {
    return "create or replace function tasker." + name + "(" + arguments + ")\nreturns " + result
        + "\nlanguage sql\nset search_path = ''\nas $$ select 1 $$;\n";
  }

  @Test
  void a_version_that_cannot_be_applied_changes_nothing() throws SQLException, IOException {
    beginInstalled();
    run("rights_dba", "grant tasker_server to rights_app");
    Path routines = folder.resolve("db/routine");
    Path first = routines.resolve("engine/R__aa_new_function.sql");
    Files.createDirectories(first.getParent());
    Files.writeString(first,
        function("aa_new", "", "int"));
    Files.writeString(routines.resolve("engine/R__zz_broken.sql"), "select 1 / 0;\n");

    Program.Ended upgrade = installAgain("rights_dba");

    assertThat(upgrade.status()).isNotZero();
    assertThat(upgrade.output()).contains("division by zero");
    assertThatThrownBy(() -> run("rights_app", "select tasker.aa_new()"))
        .hasMessageContaining("does not exist");
    assertThat(missing("rights_app", "serve")).isEmpty();
  }

  @Test
  void what_hardening_lacks_is_said_before_it_changes_anything() throws SQLException, IOException {
    run("postgres", "alter database " + DATABASE + " owner to postgres",
        "create schema tasker authorization rights_owner",
        "create schema pgmq authorization rights_owner");
    copyFiles();
    Program.Ended refused = installAgain("rights_dba");
    assertThat(refused.status()).isNotZero();
    assertThat(refused.output())
        .contains("grant create on database " + DATABASE + " to rights_owner;");

    run("postgres", "grant create on database " + DATABASE + " to rights_owner");

    assertThat(installAgain("rights_dba").status()).isZero();
  }

  /**
   * With this version, as psql has installed it: the first test that wants it has it installed in
   * the base, of which the database of each is a copy.
   */
  private void beginInstalled() throws SQLException, IOException {
    copyFiles();
    if (installed == null) {
      aside("create database " + BASE + " owner rights_owner");
      installed = installAgain("rights_dba", BASE);
    }
    assertThat(installed.status()).as(installed.output()).isZero();
    aside("drop database " + DATABASE, "create database " + DATABASE
        + " owner rights_owner template " + BASE + " strategy file_copy");
  }

  private void copyFiles() throws IOException {
    Program.PSQL.require();
    Path db = CHECKOUT.resolve("db");
    try (Stream<Path> files = Files.walk(db)) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve("db").resolve(db.relativize(file).toString()));
      }
    }
  }

  private Program.Ended installAgain(String user) throws IOException {
    return installAgain(user, DATABASE);
  }

  private Program.Ended installAgain(String user, String database) throws IOException {
    Path db = folder.resolve("db");
    Files.writeString(db.resolve("install.sql"), InstallScript.of(db, Versions.of(CHECKOUT)));
    BaseDataSource source = (BaseDataSource) as(user);
    return Program.PSQL.run(folder, Map.of(), List.of("-X", "-h", source.getServerNames()[0], "-p",
        Integer.toString(source.getPortNumbers()[0]), "-U", user, "-d", database, "-v",
        "owner=rights_owner", "-v", "hardened=yes", "-f", "db/install.sql"));
  }
}
