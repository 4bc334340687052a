package ee.tasker.release;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Writes {@code install.sql}: plain psql that installs the schema, or upgrades it, where servers
 * may not. It applies the migrations that a database lacks, in the order in which a server would,
 * records them as Flyway does, and installs the functions by the scripts that a server uses, so
 * that a server finds nothing pending afterwards.
 */
public final class InstallScript {

  private static final Pattern VERSIONED = Pattern.compile("V(\\d+)__(.+)\\.sql");

  /**
   * A file of {@code db}.
   *
   * @param file    relative to {@code db}
   * @param script  as Flyway names it: relative to the folder in which it searches
   */
  private record Migration(String file, String script, String version, String description,
      int checksum, boolean isInTransaction) {

    String title() {
      return version + " " + description;
    }
  }

  private InstallScript() {}

  /** @param db the folder with the migrations, beside which the script will be run */
  public static String of(Path db, String version) throws IOException {
    var script = new StringBuilder(HEAD.replace("{version}", version));
    for (var migration : versioned(db))
      script.append(step(migration));
    var routines = RoutineParts.of(db, version, db.resolveSibling("src/main/java"));
    // Quoted by dollars, so that psql finds no variables in it.
    script.append("begin;\ndo $do$ begin perform set_config('tasker.manifest', $manifest$")
        .append(routines.manifest()).append("$manifest$, true); end $do$;\n")
        .append("\\ir install/prepare.sql\n");
    for (var part : routines.parts())
      if (!part.isAlwaysLate())
        script.append(step(db, part, false));
    script.append("\\ir install/drop.sql\n");
    for (var part : routines.parts())
      script.append(step(db, part, true));
    return script.append("\\ir install/finish.sql\n").append(TAIL).toString();
  }

  /** A function runs early if it only gets a new body, and late if it was dropped. */
  private static String step(Path db, RoutineParts.Part part, boolean isLate) throws IOException {
    var list = isLate ? "late" : "pending";
    var condition = isMember(list, part)
        + (isLate || part.isAlwaysLate() ? "" : " and not " + isMember("late", part));
    var file = db.resolve("routine").resolve(part.file());
    var isWhole = Files.isRegularFile(file) && Files.readString(file).equals(part.text());
    return "select " + condition + " as pending \\gset\n\\if :pending\n\\echo "
        + literal(part.title()) + "\n"
        + (isWhole ? "\\ir " + literal("routine/" + part.file()) + "\n" : part.text())
        + "\\endif\n";
  }

  private static String isMember(String list, RoutineParts.Part part) {
    return "current_setting('tasker." + list + "')::jsonb ? " + literal(part.file());
  }

  private static final String HEAD = """
      -- Tasker EE {version}: installs the schema in a database, or upgrades it, with psql. Made by
      -- the build. For installations whose servers log in without the right to change anything.
      --
      --   psql -d tasker -v owner=tasker_owner -v hardened=yes -f db/install.sql
      --
      -- owner     the role that is to own everything; the login itself unless given. It needs
      --           CREATE on the database, or, without hardened, two schemas: tasker and pgmq
      -- hardened  if given, optional/hardened-grants.sql is run in the same transaction, so that
      --           logins with the role tasker_server can run servers, before and after
      --
      -- Each migration is a transaction of its own, so that no table is locked for longer than one
      -- takes, and so are all functions together; what fails changes nothing, what was done before
      -- stays, and the whole may be repeated at will. While other transactions hold a table that
      -- changes it fails after half a second, with "lock timeout": run it again.
      \\set ON_ERROR_STOP on
      \\set QUIET on
      set client_min_messages = warning;
      \\if :{?owner}
      set role :"owner";
      \\endif
      set check_function_bodies = off;
      set search_path = tasker, pg_catalog;
      begin;
      select to_regnamespace('tasker') is null as missing \\gset
      \\if :missing
      create schema tasker;
      \\endif
      select to_regclass('tasker.flyway_schema_history') is null as missing \\gset
      \\if :missing
      create table tasker.flyway_schema_history (
        installed_rank integer not null,
        version varchar(50),
        description varchar(200) not null,
        type varchar(20) not null,
        script varchar(1000) not null,
        checksum integer,
        installed_by varchar(100) not null,
        installed_on timestamp not null default now(),
        execution_time integer not null,
        success boolean not null,
        constraint flyway_schema_history_pk primary key (installed_rank));
      create index flyway_schema_history_s_idx on tasker.flyway_schema_history (success);
      \\endif
      \\ir migration/beforeMigrate__pgmq_can_be_used.sql
      commit;
      """;

  /** Neither another run nor a server that migrates comes between. */
  private static final String BEGIN = """
      begin;
      lock table tasker.flyway_schema_history in exclusive mode;
      """;

  private static final String TAIL = """
      reset role;
      \\if :{?hardened}
      \\ir optional/hardened-grants.sql
      \\endif
      commit;
      reset search_path;
      reset check_function_bodies;
      reset client_min_messages;
      \\echo The schema is up to date.
      """;

  /** One that is repeatable and in no transaction is recorded in one of its own. */
  private static String step(Migration migration) {
    var run = "\\ir '" + migration.file() + "'\n";
    return BEGIN + "select not exists (select from tasker.flyway_schema_history h"
        + " where h.version = " + literal(migration.version()) + ") as pending \\gset\n"
        + "\\if :pending\n\\echo " + literal(migration.title()) + "\n"
        + (migration.isInTransaction() ? "set local lock_timeout = '500ms';\n" + run
            : "commit;\n" + run + BEGIN)
        + "insert into tasker.flyway_schema_history (installed_rank, version, description,\n"
        + "    type, script, checksum, installed_by, execution_time, success)\n"
        + "  select coalesce(max(h.installed_rank), 0) + 1, "
        + literal(migration.version()) + ", "
        + literal(migration.description()) + ", 'SQL', " + literal(migration.script()) + ", "
        + migration.checksum() + ", current_user, 0, true\n"
        + "  from tasker.flyway_schema_history h\n"
        + "  having not exists (select from tasker.flyway_schema_history r where r.version = "
        + literal(migration.version()) + ");\n\\endif\ncommit;\n";
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static List<Migration> versioned(Path db) throws IOException {
    var found = new ArrayList<Migration>();
    for (var file : files(db, "migration")) {
      Matcher name = VERSIONED.matcher(file.getFileName().toString());
      if (name.matches())
        found.add(migration(db, "migration", file, name.group(1), name.group(2)));
    }
    found.sort(Comparator.comparing(migration -> Integer.parseInt(migration.version())));
    return found;
  }

  private static List<Path> files(Path db, String folder) throws IOException {
    try (var files = Files.walk(db.resolve(folder))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static Migration migration(Path db, String folder, Path file, String version,
      String description) throws IOException {
    return new Migration(slashes(db.relativize(file)),
        slashes(db.resolve(folder).relativize(file)), version, description.replace('_', ' '),
        checksum(file), !isOutsideTransactions(file));
  }

  /** As Flyway is told beside the file. */
  private static boolean isOutsideTransactions(Path file) throws IOException {
    var options = file.resolveSibling(file.getFileName() + ".conf");
    return Files.exists(options)
        && Files.readString(options).strip().equals("executeInTransaction=false");
  }

  private static String slashes(Path path) {
    return path.toString().replace('\\', '/');
  }

  /** As Flyway does: of the lines, whatever ends them. */
  private static int checksum(Path file) throws IOException {
    var checksum = new CRC32();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (var line = lines.readLine(); line != null; line = lines.readLine())
        checksum.update(line.getBytes(StandardCharsets.UTF_8));
    }
    return (int) checksum.getValue();
  }
}
