package ee.tasker.faults;

import ee.tasker.release.RoutineParts;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jboss.shrinkwrap.api.asset.FileAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;

/**
 * A version after this one, made of this one as a developer would make it: two migrations, every
 * function, view and trigger with another text, an internal function that has another name, one
 * for users with one more argument, a view with another column, and a function that servers call, whose new
 * form has another name and argument while the old one stays for a version as a wrapper.
 */
final class NextVersion {
  static final String VERSION = "99.1.0";

  private static final String CLASSES = "WEB-INF/classes/db/";
  private static final String HEADER_END = "as $$\n";
  private static final String TABLES = """
      alter table tasker.tasks add column next_note text;
      create table tasker.next_notes (task_uuid uuid primary key, note text not null);
      """;
  /**
   * In no transaction: an index without a lock, and a backfill of a slice in each transaction. Can
   * be repeated from wherever it was ended.
   */
  private static final String SLICES = """
      drop index concurrently if exists tasker.tasks_by_next_note;
      create index concurrently tasks_by_next_note on tasker.tasks (next_note)
        where next_note is not null;

      do $slices$
      declare
        v_last uuid := '00000000-0000-0000-0000-000000000000';
        v_tasks uuid[];
      begin
        loop
          v_tasks := array(select t.task_uuid from tasker.tasks t
                           where t.task_uuid > v_last order by t.task_uuid limit %d);
          exit when v_tasks = '{}';
          insert into tasker.next_notes (task_uuid, note)
          select n.task_uuid, 'made by an earlier version' from unnest(v_tasks) n(task_uuid)
          on conflict do nothing;
          v_last := v_tasks[cardinality(v_tasks)];
          commit;
        end loop;
      end
      $slices$;
      """;

  /** Small, so that a few tasks are several slices. */
  private static final int SLICE = 50;

  private final Map<String, String> files = new HashMap<>();
  private final Path folder;
  private final int slice;

  private NextVersion(Path folder, int slice) {
    this.folder = folder;
    this.slice = slice;
  }

  /** All of {@code db}, beside the sources that its script of installation is made of. */
  static Path db() throws IOException {
    return db(SLICE);
  }

  private static Path db(int slice) throws IOException {
    NextVersion next = new NextVersion(
        Path.of(System.getProperty("tasker.it.folder"), "next", "db"), slice);
    delete(next.folder);
    Path db = checkout().resolve("db");
    for (String part : List.of("install", "optional")) {
      copy(db.resolve(part), next.folder.resolve(part));
    }
    next.write();
    Path sources = next.folder.resolveSibling("src");
    if (!Files.isSymbolicLink(sources)) {
      Files.createSymbolicLink(sources, checkout().resolve("src"));
    }
    return next.folder;
  }

  /** All files of a folder. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copied = to.resolve(from.relativize(file).toString());
        Files.createDirectories(copied.getParent());
        Files.copy(file, copied);
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The WAR, a file that is written again. */
  static Path war() {
    return war(SLICE);
  }

  /** @param slice tasks that are filled in a transaction */
  static Path war(int slice) {
    try {
      NextVersion next = new NextVersion(db(slice), slice);
      RoutineParts parts = RoutineParts.of(next.folder, VERSION,
          checkout().resolve("src/main/java"));
      return TestServer.warWith("tasker-next.war", war -> war
          .add(new StringAsset(parts.manifest()), CLASSES + "routines.json")
          .add(new StringAsset(parts.texts()), CLASSES + "routines.sql")
          .add(new FileAsset(next.folder.resolve("migration/V9001__add_notes.sql").toFile()),
              CLASSES + "migration/V9001__add_notes.sql")
          .add(new FileAsset(next.folder.resolve("migration/V9002__fill_notes.sql").toFile()),
              CLASSES + "migration/V9002__fill_notes.sql")
          .add(new FileAsset(next.folder.resolve("migration/V9002__fill_notes.sql.conf").toFile()),
              CLASSES + "migration/V9002__fill_notes.sql.conf"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path checkout() {
    return Path.of(System.getProperty("tasker.checkout"));
  }

  private void write() throws IOException {
    read();
    change();
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
  }

  private void read() throws IOException {
    Path db = checkout().resolve("db");
    for (String part : List.of("routine", "migration")) {
      try (Stream<Path> found = Files.walk(db.resolve(part))) {
        for (Path file : found.filter(file -> file.toString().endsWith(".sql")).toList()) {
          files.put(db.relativize(file).toString().replace('\\', '/'), Files.readString(file));
        }
      }
    }
  }

  private void change() {
    files.put("migration/V9001__add_notes.sql", TABLES);
    files.put("migration/V9002__fill_notes.sql", SLICES.formatted(slice));
    files.put("migration/V9002__fill_notes.sql.conf", "executeInTransaction=false\n");
    replaceAll("\\bmay_be_retried\\b", "may_be_tried_again");
    move("may_be_retried", "may_be_tried_again");
    change("get_retry_delay", text -> text
        .replace("get_retry_delay(p_error jsonb)",
            "get_retry_delay(p_error jsonb, p_longest_ms bigint default null)")
        .replace("get_retry_delay(jsonb)", "get_retry_delay(jsonb, bigint)"));
    change("z_views", text -> text.replaceFirst("count\\(\\*\\) as total_entries,",
        "count(*) as total_entries, 0 as next_entries,"));
    renameWithWrapper();
    files.replaceAll((file, text) -> file.startsWith("routine/")
        ? text.replace("execute function", "/* next */ execute function") + "-- the next version\n"
        : text);
  }

  /** Servers of the version before call the wrapper, with the arguments that they know. */
  private void renameWithWrapper() {
    String file = fileOf("claim_steps");
    String old = files.get(file);
    String named = Pattern.compile("\\bclaim_steps\\b").matcher(old).replaceAll("claim_steps_next");
    files.put(file.replace("R__claim_steps", "R__claim_steps_next"), expectChanged(named, named
        .replace("  p_now           timestamptz default null)",
            "  p_note          text        default null,\n"
                + "  p_now           timestamptz default null)")
        .replace("(uuid, int, text[], int, timestamptz)",
            "(uuid, int, text[], int, text, timestamptz)")));
    int body = old.indexOf(HEADER_END) + HEADER_END.length();
    files.put(file, old.substring(0, body) + """
        begin
          return tasker.claim_steps_next(
            p_server_uuid, p_limit, p_namespaces, p_lease_seconds, null, p_now);
        end
        """ + old.substring(old.indexOf("$$;", body)));
  }

  private void replaceAll(String expression, String replacement) {
    Pattern pattern = Pattern.compile(expression);
    files.replaceAll((file, text) -> file.startsWith("routine/")
        ? pattern.matcher(text).replaceAll(Matcher.quoteReplacement(replacement))
        : text);
  }

  private void move(String name, String newName) {
    String file = fileOf(name);
    files.put(file.replace("R__" + name, "R__" + newName), files.remove(file));
  }

  private void change(String name, UnaryOperator<String> change) {
    files.compute(fileOf(name), (file, text) -> expectChanged(text, change.apply(text)));
  }

  private static String expectChanged(String text, String changed) {
    if (changed.equals(text)) {
      throw new IllegalStateException("the text to change is no longer in: " + text);
    }
    return changed;
  }

  private String fileOf(String name) {
    return files.keySet().stream().filter(file -> file.endsWith("/R__" + name + ".sql")).findAny()
        .orElseThrow(() -> new IllegalStateException("there is no function " + name));
  }
}
