package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.sql.Routines;
import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.release.RoutineParts;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Once;
import ee.tasker.testing.TestDatabase;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Upgrades of the functions, views and triggers: a version is there as a whole, or the one before
 * it is. Each test begins with this version, as its owner installed it, and installs others that
 * are made of its files.
 */
@DatabaseTest
class RoutinesTest {
  private static final String BASE = "routines_base";
  private static final String DATABASE = "routines_upgraded";
  private static final String VERSION = "0.1.0";
  private static final Path DB = Path.of(System.getProperty("tasker.checkout", "."), "db");
  private static final Once<RoutineParts> OUR_PARTS = new Once<>(
      () -> parts(DB, VERSION, DB.resolveSibling("src/main/java")));
  private static final Map<String, Routines> OURS = new ConcurrentHashMap<>();

  /** All that an upgrade may change, as one text. */
  private static final String FINGERPRINT = """
      select md5(string_agg(o.line, chr(10) order by o.line)) from (
        select pg_get_functiondef(p.oid) || p.proowner || coalesce(p.proacl::text, '') as line
        from pg_proc p where p.pronamespace = 'tasker'::regnamespace
        union all
        select c.relname || pg_get_viewdef(c.oid) || c.relowner || coalesce(c.relacl::text, '')
        from pg_class c where c.relkind = 'v' and c.relnamespace::regnamespace::text !~ '^pg_|^info'
        union all
        select pg_get_triggerdef(t.oid) from pg_trigger t where not t.tgisinternal
        union all
        select conrelid::regclass || pg_get_constraintdef(k.oid) from pg_constraint k
        where k.connamespace = 'tasker'::regnamespace and k.contype = 'c'
        union all
        select r::text from tasker.installed_routines r
        union all
        select i::text from tasker.installations i) o""";

  @TempDir
  private Path folder;

  @BeforeAll
  static void installBase() throws SQLException {
    aside("create role routines_owner login", "create role routines_user login",
        "create role routines_other login",
        "create database " + BASE + " owner routines_owner");
    SchemaInstaller.flyway(TestDatabase.get().database(BASE, "routines_owner")).migrate();
    ours(VERSION).install(TestDatabase.get().database(BASE, "routines_owner"));
    TestDatabase.guard(TestDatabase.get().database(BASE, "routines_owner"));
  }

  @AfterAll
  static void dropBase() throws SQLException {
    aside("drop database " + BASE + " with (force)", "drop role routines_owner",
        "drop role routines_user", "drop role routines_other");
  }

  @BeforeEach
  void copy() throws SQLException, IOException {
    aside("create database " + DATABASE + " owner routines_owner template " + BASE
        + " strategy file_copy");
    try (Stream<Path> files = Files.walk(DB)) {
      for (Path file : files.filter(each -> each.startsWith(DB.resolve("routine"))
          || each.startsWith(DB.resolve("migration")) || each.equals(DB)).toList()) {
        Files.createDirectories(folder.resolve(DB.relativize(file).toString()).getParent());
        if (Files.isRegularFile(file)) {
          Files.copy(file, folder.resolve(DB.relativize(file).toString()));
        }
      }
    }
  }

  @AfterEach
  void drop() throws SQLException {
    aside("drop database " + DATABASE + " with (force)");
  }

  private static void aside(String... statements) throws SQLException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static DataSource owner() {
    return TestDatabase.get().database(DATABASE, "routines_owner");
  }

  private static void run(String user, String... statements) throws SQLException {
    try (Connection connection = TestDatabase.get().database(DATABASE, user).getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String value(String query) throws SQLException {
    return values(query).get(0);
  }

  private static List<String> values(String query) throws SQLException {
    try (Connection connection = TestDatabase.get().database(DATABASE, "postgres").getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    }
  }

  /** This version, under another number if wanted; its files are read once. */
  private static Routines ours(String version) {
    return OURS.computeIfAbsent(version, number -> {
      RoutineParts parts = OUR_PARTS.get();
      JsonObject manifest = Json.createReader(new StringReader(parts.manifest())).readObject();
      return new Routines(
          Json.createObjectBuilder(manifest).add("version", number).build().toString(),
          parts.texts());
    });
  }

  private static RoutineParts parts(Path db, String version, Path... sources) {
    try {
      return RoutineParts.of(db, version, sources);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The version that the files of this test make. Which of its functions the application calls
   * matters only where it is compared with a newer one.
   */
  private Routines version(String version) {
    RoutineParts parts = parts(folder, version);
    return new Routines(parts.manifest(), parts.texts());
  }

  private Routines next() {
    return version("0.2.0");
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(folder.resolve("routine").resolve(file), text);
  }

  private void change(String file, UnaryOperator<String> change) throws IOException {
    Path path = folder.resolve("routine").resolve(file);
    String before = Files.readString(path);
    String after = change.apply(before);
    assertThat(after).isNotEqualTo(before);
    Files.writeString(path, after);
  }

  private static String function(String name, String arguments, String result, String body) {
    return "create or replace function tasker." + name + "(" + arguments + ")\nreturns " + result
        + "\nlanguage sql\nas $$ " + body + " $$;\n";
  }

  @Test
  void nothing_is_done_where_this_version_is_installed() throws SQLException {
    String before = value(FINGERPRINT);
    String written = "select max(xmin::text::bigint)::text from pg_proc "
        + "where pronamespace = 'tasker'::regnamespace";
    String last = value(written);

    assertThat(ours(VERSION).compare(owner()).pending()).isZero();
    assertThat(ours(VERSION).install(owner())).isZero();

    assertThat(value(FINGERPRINT)).isEqualTo(before);
    assertThat(value(written)).isEqualTo(last);
  }

  @Test
  void only_what_differs_is_installed_and_the_version_recorded() throws Exception {
    change("engine/R__tell_end_of_task.sql", text -> text.replace("declare", "declare\n"));

    assertThat(next().compare(owner()).pending()).isOne();
    assertThat(next().install(owner())).isOne();

    assertThat(value("select string_agg(version, ', ' order by installation) "
        + "from tasker.installations")).isEqualTo("0.1.0, 0.2.0");
    assertThat(next().compare(owner()).pending()).isZero();
  }

  @Test
  void a_function_that_was_renamed_or_removed_is_gone_with_its_triggers() throws Exception {
    write("engine/R__old_name.sql", function("old_name", "", "int", "select 1"));
    write("engine/R__removed.sql", """
        create or replace function tasker.removed()
        returns trigger
        language plpgsql
        as $$ begin return null; end $$;
        create or replace trigger is_removed after insert on tasker.tasks
          for each row execute function tasker.removed();
        """);
    version("0.1.1").install(owner());
    assertThat(value("select tasker.old_name()")).isEqualTo("1");
    assertThat(value("select count(*) from pg_trigger where tgname = 'is_removed'"))
        .isEqualTo("1");

    Files.delete(folder.resolve("routine/engine/R__removed.sql"));
    Files.delete(folder.resolve("routine/engine/R__old_name.sql"));
    write("engine/R__new_name.sql", function("new_name", "", "int", "select 2"));
    next().install(owner());

    assertThat(value("select tasker.new_name()")).isEqualTo("2");
    assertThat(value("select to_regproc('tasker.old_name')::text")).isNull();
    assertThat(value("select to_regproc('tasker.removed')::text")).isNull();
    assertThat(value("select count(*) from pg_trigger where tgname = 'is_removed'"))
        .isEqualTo("0");
  }

  @Test
  void a_removed_function_alone_is_a_difference() throws Exception {
    write("engine/R__removed.sql", function("removed", "", "int", "select 1"));
    version("0.1.1").install(owner());

    assertThat(ours("0.1.2").compare(owner()).pending()).isOne();
    ours("0.1.2").install(owner());

    assertThat(value("select to_regproc('tasker.removed')::text")).isNull();
    assertThat(ours("0.1.2").compare(owner()).pending()).isZero();
  }

  @Test
  void a_changed_signature_keeps_the_grants_that_an_administrator_made() throws Exception {
    write("engine/R__counted.sql", function("counted", "p_a int", "int", "select p_a"));
    version("0.1.1").install(owner());
    run("routines_owner", "revoke all on function tasker.counted(int) from public",
        "grant execute on function tasker.counted(int) to routines_user with grant option",
        "grant execute on function tasker.counted(int) to routines_other",
        "grant usage on schema tasker to routines_user, routines_other");
    String grants = "select string_agg(a.grantee::regrole || ' ' || a.is_grantable, ', ' "
        + "order by a.grantee::regrole::text) from pg_proc p, aclexplode(p.proacl) a "
        + "where p.proname = 'counted'";
    String before = value(grants);

    write("engine/R__counted.sql",
        function("counted", "p_a int, p_b text default 'b'", "text", "select p_a || p_b"));
    next().install(owner());

    assertThat(value("select tasker.counted(1)")).isEqualTo("1b");
    assertThat(value(grants)).isEqualTo(before).contains("routines_user true",
        "routines_other false");
    run("routines_user", "select tasker.counted(1)");
  }

  @Test
  void a_function_that_guards_and_triggers_use_takes_them_down_and_puts_them_back()
      throws Exception {
    write("engine/R__is_fine.sql", function("is_fine", "p_a text", "boolean", "select true")
        .replace("language sql", "language sql immutable"));
    version("0.1.1").install(owner());
    String guard = value("""
        select string_agg(table_name || '.' || guard, ', ' order by table_name, guard)
        from tasker.list_guards() where trigger is null""").split(", ")[0];
    String table = guard.split("\\.")[0];
    String name = guard.split("\\.")[1];
    run("routines_owner", "alter table tasker." + table + " drop constraint " + name,
        "alter table tasker." + table + " add constraint " + name
            + " check (tasker.is_fine('a')) not valid");

    write("engine/R__is_fine.sql", function("is_fine", "p_a text, p_b int default 1", "boolean",
        "select true").replace("language sql", "language sql immutable"));
    next().install(owner());

    assertThat(value("select tasker.has_guard('" + table + "', '" + name + "')")).isEqualTo("t");
  }

  @Test
  void a_view_with_other_columns_keeps_its_grants_and_the_views_of_others() throws Exception {
    run("postgres", "create schema reports", "create view reports.mine with (security_barrier) as "
        + "select dlq_reason, pending from tasker.v_dlq_dashboard",
        "comment on view reports.mine is 'of an administrator'",
        "create view reports.second as select * from reports.mine",
        "grant usage on schema reports, tasker to routines_user",
        "grant select on reports.second to routines_user",
        "alter view reports.mine owner to routines_owner",
        "grant usage, create on schema reports to routines_owner",
        "alter view reports.second owner to routines_owner");
    run("routines_owner", "grant select on tasker.v_dlq_dashboard to routines_user",
        "grant select (pending) on tasker.v_dlq_dashboard to routines_other");

    change("recovery/R__z_views.sql",
        text -> text.replace("count(*) as total_entries,", "count(*)::text as entries,"));
    next().install(owner());

    run("routines_user", "select entries from tasker.v_dlq_dashboard",
        "select pending from reports.second");
    assertThat(value("select has_column_privilege('routines_other', 'tasker.v_dlq_dashboard', "
        + "'pending', 'select')")).isEqualTo("t");
    assertThat(value("select has_column_privilege('routines_other', 'tasker.v_dlq_dashboard', "
        + "'entries', 'select')")).isEqualTo("f");
    assertThat(value("select array_to_string(reloptions, '') || obj_description(oid) "
        + "from pg_class where relname = 'mine'"))
        .isEqualTo("security_barrier=trueof an administrator");
  }

  @Test
  void a_view_of_others_that_cannot_be_put_back_is_named_and_nothing_changes() throws Exception {
    run("postgres", "create schema reports authorization routines_owner");
    run("routines_owner",
        "create view reports.mine as select total_entries from tasker.v_dlq_dashboard");
    String before = value(FINGERPRINT);
    change("recovery/R__z_views.sql",
        text -> text.replace("count(*) as total_entries,", "count(*) as entries,"));

    assertThatThrownBy(() -> next().install(owner()))
        .hasMessageContaining("the view reports.mine cannot be put back")
        .hasMessageContaining("total_entries");

    assertThat(value(FINGERPRINT)).isEqualTo(before);
  }

  @Test
  void what_else_depends_on_a_change_is_named_and_nothing_changes() throws Exception {
    run("postgres", "create schema reports authorization routines_owner");
    run("routines_owner",
        "create materialized view reports.kept as select * from tasker.v_dlq_dashboard");
    String before = value(FINGERPRINT);
    change("recovery/R__z_views.sql",
        text -> text.replace("count(*) as total_entries,", "count(*) as entries,"));

    assertThatThrownBy(() -> next().install(owner()))
        .hasMessageContaining("materialized view reports.kept");

    assertThat(value(FINGERPRINT)).isEqualTo(before);
  }

  @Test
  void a_failure_in_the_middle_leaves_all_as_it_was() throws Exception {
    write("engine/R__removed.sql", function("removed", "", "int", "select 1"));
    version("0.1.1").install(owner());
    String before = value(FINGERPRINT);
    Files.delete(folder.resolve("routine/engine/R__removed.sql"));
    write("engine/R__added.sql", function("added", "", "int", "select 1"));
    change("recovery/R__z_views.sql",
        text -> text.replace("count(*) as total_entries,", "count(*) as entries,"));
    write("engine/R__z_broken.sql", "select 1 / 0;\n");

    assertThatThrownBy(() -> next().install(owner()))
        .hasMessageContaining("engine/R__z_broken.sql").hasMessageContaining("division by zero")
        .hasMessageContaining("the database is as it was");

    assertThat(value(FINGERPRINT)).isEqualTo(before);
    assertThat(value("select tasker.removed()")).isEqualTo("1");
  }

  @Test
  void a_part_that_creates_less_than_it_lists_is_named() throws Exception {
    String text = function("added", "", "int", "select 1");
    write("engine/R__added.sql", text);
    RoutineParts parts = parts(folder, "0.2.0");
    assertThat(parts.texts()).contains(text);
    Routines less = new Routines(parts.manifest(), parts.texts().replace(text, "select 1;\n"));
    String before = value(FINGERPRINT);

    assertThatThrownBy(() -> less.install(owner()))
        .hasMessageContaining("has not created what its manifest lists: function added");

    assertThat(value(FINGERPRINT)).isEqualTo(before);
  }

  @Test
  void what_is_missing_although_it_was_installed_comes_back() throws SQLException {
    run("routines_owner", "drop trigger events_follow_dead_letters on tasker.tasks_dlq",
        "drop view tasker.v_dlq_dashboard");

    assertThat(ours(VERSION).compare(owner()).pending()).isEqualTo(2);
    assertThat(ours(VERSION).install(owner())).isEqualTo(2);

    assertThat(ours(VERSION).compare(owner()).pending()).isZero();
  }

  @Test
  void of_several_servers_that_start_together_one_installs() throws Exception {
    write("engine/R__added.sql", function("added", "", "int", "select 1"));
    change("recovery/R__z_views.sql", text -> text.replace("as total_entries", "as entries"));
    // Long enough that all are there before the first has ended.
    write("engine/R__slow.sql", "select pg_sleep(1);\n");
    Routines next = next();
    Callable<Integer> server = () -> next.install(owner());
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      int installed = 0;
      for (Future<Integer> each : threads.invokeAll(List.of(server, server, server, server))) {
        installed += each.get();
      }
      assertThat(installed).isEqualTo(3);
    } finally {
      threads.shutdown();
    }
    assertThat(value("select count(*) from tasker.installations")).isEqualTo("2");
  }

  @Test
  void an_older_server_recognises_a_newer_database_and_what_it_cannot_call() throws Exception {
    change("recovery/R__z_views.sql", text -> text.replace("as total_entries", "as entries"));
    next().install(owner());

    Routines.Comparison compatible = ours(VERSION).compare(owner());
    assertThat(compatible.isNewer()).isTrue();
    assertThat(compatible.installed()).contains("0.2.0");
    assertThat(compatible.notCallable()).isEmpty();
    // A release is newer than its snapshot; neither than itself, nor than what follows.
    assertThat(ours("0.2.0-SNAPSHOT").compare(owner()).isNewer()).isTrue();
    assertThat(ours("0.2.0").compare(owner()).isNewer()).isFalse();
    assertThat(ours("0.10.0").compare(owner()).isNewer()).isFalse();

    change("worker/R__drain_worker.sql",
        text -> text.replaceFirst("p_[a-z_]+ ", "p_renamed "));
    version("0.3.0").install(owner());

    assertThat(ours(VERSION).compare(owner()).notCallable()).contains("drain_worker");
  }

  @Test
  void a_database_with_later_tables_is_newer_whatever_its_functions_are() throws Exception {
    run("routines_owner", """
        insert into tasker.flyway_schema_history (installed_rank, version, description, type,
          script, installed_by, execution_time, success)
        values (1000, '0999', 'later', 'SQL', 'none', 'test', 0, true)""");

    assertThat(ours(VERSION).compare(owner()).isNewer()).isTrue();
    assertThat(ours("9.0.0").compare(owner()).isNewer()).isTrue();
  }

  @Test
  void an_older_version_is_never_installed_over_a_newer_one() throws Exception {
    next().install(owner());
    String before = value(FINGERPRINT);
    change("recovery/R__z_views.sql", text -> text.replace("as total_entries", "as entries"));

    assertThatThrownBy(() -> version(VERSION).install(owner()))
        .hasMessageContaining("the database has version 0.2.0 and this is version 0.1.0");

    assertThat(value(FINGERPRINT)).isEqualTo(before);
  }

  @Test
  void a_table_that_is_held_for_long_delays_the_installation_and_no_other_call()
      throws Exception {
    change("engine/R__tell_end_of_task.sql",
        text -> text.replace("after update of state on tasker.tasks",
            "after  update of state on tasker.tasks"));
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (Connection holder = owner().getConnection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("lock table tasker.tasks in row exclusive mode");
      Future<Integer> upgrade = threads.submit(() -> next().install(owner()));
      long longest = 0;
      long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      Set<String> waits = new HashSet<>();
      // A wait ends when it has lasted for half a second; then the installation tries again.
      while (waits.size() < 3 && System.nanoTime() < end) {
        waits.addAll(values("select query_start::text from pg_stat_activity "
            + "where datname = current_database() and wait_event_type = 'Lock'"));
        long asked = System.nanoTime();
        run("routines_owner", "set lock_timeout = '3s'",
            "begin; lock table tasker.tasks in row exclusive mode; rollback");
        longest = Math.max(longest, System.nanoTime() - asked);
        LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
      }
      assertThat(waits).as("waits of the installation").hasSizeGreaterThanOrEqualTo(3);
      assertThat(upgrade.isDone()).isFalse();
      assertThat(Duration.ofNanos(longest)).isLessThan(Duration.ofSeconds(1));
      holder.rollback();
      assertThat(upgrade.get()).isOne();
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void a_thousand_calls_a_second_go_on_while_all_functions_are_replaced() throws Exception {
    try (Stream<Path> files = Files.walk(folder.resolve("routine"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".sql")).toList()) {
        // All functions, views and triggers are other ones.
        String text = Files.readString(file);
        Files.writeString(file, "-- Next.\n" + text.replaceAll(
            "(?m)^create or replace trigger (\\w+)", "create or replace trigger  $1"));
      }
    }
    run("routines_owner", """
        select tasker.register_template('{"namespace_name": "routines", "name": "one",
          "version": "1.0.0", "content_hash": "-", "identity_strategy": "always_unique",
          "steps": [{"name": "a", "handler": {"callable": "none"}}]}')""");
    int callers = 5;
    AtomicBoolean ends = new AtomicBoolean();
    AtomicLong calls = new AtomicLong();
    AtomicLong longestLock = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(callers + 1);
    try {
      List<Future<Long>> longest = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        longest.add(threads.submit(() -> call(ends, calls, 1_000 / callers)));
      }
      threads.submit(() -> watchLocks(ends, longestLock));
      LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
      long before = calls.get();
      long begin = System.nanoTime();
      int installed = next().install(owner());
      long took = System.nanoTime() - begin;
      LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
      ends.set(true);
      long stop = 0;
      for (Future<Long> each : longest) {
        stop = Math.max(stop, each.get());
      }
      System.out.printf(
          "%d parts in %d ms beside %d calls a second: the longest stop %d ms, lock %d ms%n",
          installed, took / 1_000_000, before / 2, stop / 1_000_000, longestLock.get());
      assertThat(installed).isGreaterThan(560);
      assertThat(before).as("calls in two seconds").isGreaterThan(100);
      assertThat(longestLock.get()).as("milliseconds that a call waited for a lock")
          .isLessThan(1_000);
    } finally {
      ends.set(true);
      threads.shutdown();
    }
  }

  /** @return the longest call in nanoseconds; any that fails fails the test */
  private static long call(AtomicBoolean ends, AtomicLong calls, int rate) throws SQLException {
    long longest = 0;
    long pause = Duration.ofSeconds(1).toNanos() / rate;
    try (Connection connection = owner().getConnection();
        Statement statement = connection.createStatement()) {
      for (long due = System.nanoTime(); !ends.get(); due += pause) {
        LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
        long asked = System.nanoTime();
        // One in five inserts rows of tables with triggers; the others are small.
        statement.execute(asked / pause % 5 == 0
            ? "select tasker.submit_task('routines', 'one', '1.0.0', '{}')"
            : "select tasker.heartbeat('00000000-0000-7000-8000-" + String.format("%012d",
                Thread.currentThread().getId()) + "', 'caller', 'worker', 1, 0)");
        calls.incrementAndGet();
        longest = Math.max(longest, System.nanoTime() - asked);
      }
    }
    return longest;
  }

  /** The calls that wait for the installation, and for how long. */
  private static Void watchLocks(AtomicBoolean ends, AtomicLong longest) throws SQLException {
    while (!ends.get()) {
      long waited = Long.parseLong(value("""
          select coalesce(max(extract(epoch from clock_timestamp() - a.query_start) * 1000), 0)::bigint
          from pg_stat_activity a
          where a.datname = current_database() and a.wait_event_type = 'Lock'
            and a.query ~ '^select tasker.(heartbeat|submit_task)\\('"""));
      longest.accumulateAndGet(waited, Math::max);
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
    return null;
  }
}
