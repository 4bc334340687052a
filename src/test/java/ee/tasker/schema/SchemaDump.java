package ee.tasker.schema;

import ee.tasker.testing.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Schema {@code tasker} as its catalogue tells it, as one text for readers: types, tables with all
 * that belongs to them, columns of views,
 * functions by room with who calls them. The same on all supported releases of PostgreSQL. Months
 * of the history are left out, since
 * they depend on the day, and schema {@code pgmq}, which may be an extension.
 */
final class SchemaDump {
  static final Path FILE = checkout().resolve("db/schema.sql");

  private static final int WIDTH = 100;
  private static final String CLAUSES = "(?<=,) | (?=(?:returns|AND|OR|CHECK|REFERENCES|ON|WHERE"
      + "|USING|FOR|EXECUTE|THEN|ELSE|WHEN|INCLUDE|DEFAULT|=|<>|~|IS|WITH|not|generated|#>>|default) )|(?<==) ";
  private static final Pattern CALL_IN_SQL = Pattern
      .compile("\\btasker\\.(v_[a-z_]+|[a-z][a-z_0-9]*(?=\\s*\\())");
  /** The beginning of a text in Java: the call that a gateway makes, or one within a statement. */
  private static final Pattern CALL_IN_JAVA = Pattern
      .compile("\"([a-z][a-z_0-9]*)\\(|(?<!@code )(?<!\\* )\\btasker\\.([a-z][a-z_0-9]*)\\(");

  private final Sql sql;
  private final Map<String, Set<String>> callers = new TreeMap<>();
  private final StringBuilder text = new StringBuilder();

  private SchemaDump(Sql sql) {
    this.sql = sql;
  }

  static String of(Sql sql) {
    SchemaDump dump = new SchemaDump(sql);
    dump.head();
    dump.findCallers();
    dump.types();
    dump.tables();
    dump.views();
    dump.functions();
    return dump.text.toString();
  }

  private static Path checkout() {
    return Path.of(System.getProperty("tasker.checkout", "."));
  }

  private void head() {
    line(
        "-- Schema tasker as the migrations make it, for readers: nothing runs this file. Columns,");
    line(
        "-- constraints and indexes come from db/migration, functions from db/routine/<room>. Made by");
    line("-- SchemaDump from the catalogue; SchemaDumpTest fails when it differs. Written anew by");
    line("--   ./mvnw test -pl src -am -Dtest=SchemaDumpTest -Dschema.write=true");
    line(
        "-- Not here: the monthly partitions of the two transition tables, and schema pgmq, which may");
    line("-- be an extension.");
  }

  private void types() {
    title("Types");
    for (Map<String, Object> type : sql.rows(
        """
        select t.typname as name, obj_description(t.oid, 'pg_type') as comment,
               case when t.typtype = 'e'
                 then 'enum (' || (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) || ')'
                 else '(' || (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
                              from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) || ')' end as definition
        from pg_type t left join pg_class c on c.oid = t.typrelid
        where t.typnamespace = 'tasker'::regnamespace and (t.typtype = 'e' or c.relkind = 'c') order by t.typtype desc, t.typname""")) {
      comment(type.get("comment"));
      wrapped("create type tasker." + type.get("name") + " as ", type.get("definition") + ";");
    }
  }

  private void tables() {
    title("Tables");
    for (Map<String, Object> table : sql.rows("""
        select c.oid::bigint as id, c.relname as name, obj_description(c.oid, 'pg_class') as comment, pg_get_partkeydef(c.oid) as partitions,
               case c.relpersistence when 'u' then 'unlogged ' else '' end as persistence,
               (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o) as options
        from pg_class c where c.relnamespace = 'tasker'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relname <> 'flyway_schema_history' order by c.relname collate "C\"""")) {
      Long id = (Long) table.get("id");
      text.append('\n');
      comment(table.get("comment"));
      line("create " + table.get("persistence") + "table tasker." + table.get("name") + " (");
      columns(id);
      line(")" + (table.get("partitions") == null ? "" : " partition by " + table.get("partitions"))
          + (table.get("options") == null ? "" : "\nwith (" + table.get("options") + ")") + ";");
      sql.texts("""
          select pg_get_indexdef(i.indexrelid) || ';' from pg_index i join pg_class x on x.oid = i.indexrelid
          where i.indrelid = ?::oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
          order by x.relname collate "C\"""", id).forEach(this::line);
      sql.texts(
          """
          select pg_get_triggerdef(t.oid) || ';' from pg_trigger t where t.tgrelid = ?::oid and not t.tgisinternal order by t.tgname""",
          id)
          .forEach(this::line);
    }
  }

  private void columns(Long table) {
    List<Map<String, Object>> columns = sql.rows("""
        select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, col_description(a.attrelid, a.attnum) as comment,
               case when a.attnotnull then ' not null' else '' end
               || case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
                       when a.attidentity <> '' then ' generated always as identity'
                       when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid, true) else '' end as rest
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = ?::oid and a.attnum > 0 and not a.attisdropped order by a.attnum""",
        table);
    List<String> constraints = sql.texts(
        """
        select 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid, true) from pg_constraint k
        where k.conrelid = ?::oid and k.contype in ('p', 'u', 'f', 'c', 'x') order by strpos('pufcx', k.contype::text), k.conname collate "C\"""",
        table);
    int name = columns.stream().mapToInt(column -> column.get("name").toString().length()).max()
        .orElse(0);
    for (int i = 0; i < columns.size(); i++) {
      Map<String, Object> column = columns.get(i);
      if (column.get("comment") != null) {
        wrapped("  -- ", column.get("comment").toString());
      }
      line("  " + pad(column.get("name").toString(), name) + " " + column.get("type")
          + column.get("rest")
          + (i < columns.size() - 1 || !constraints.isEmpty() ? "," : ""));
    }
    for (int i = 0; i < constraints.size(); i++) {
      line("  " + constraints.get(i) + (i < constraints.size() - 1 ? "," : ""));
    }
  }

  private void views() {
    title("Views");
    for (Map<String, Object> view : sql.rows(
        """
        select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
               (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
        from pg_class c where c.relnamespace = 'tasker'::regnamespace and c.relkind = 'v' order by c.relname""")) {
      comment(view.get("comment"));
      wrapped("view tasker." + view.get("name") + " ", "(" + view.get("columns") + ");");
      calledBy(view.get("name").toString(), "  -- read by ");
    }
  }

  private void findCallers() {
    sql.rows("select c.relname as name, pg_get_viewdef(c.oid) as body from pg_class c "
        + "where c.relnamespace = 'tasker'::regnamespace and c.relkind = 'v'")
        .forEach(
            view -> called(CALL_IN_SQL, view.get("body").toString(), view.get("name").toString()));
    sql.rows(
        "select p.proname as name, p.prosrc as body from pg_proc p where p.pronamespace = 'tasker'::regnamespace")
        .forEach(
            function -> called(CALL_IN_SQL, function.get("body").toString().replaceAll("--.*", ""),
                function.get("name").toString()));
    sql.rows(
        "select p.proname as name, 'trigger of ' || c.relname as trigger from pg_trigger t join pg_proc p on p.oid = t.tgfoid "
            + "join pg_class c on c.oid = t.tgrelid where p.pronamespace = 'tasker'::regnamespace and not t.tgisinternal and not c.relispartition")
        .forEach(trigger -> callers
            .computeIfAbsent(trigger.get("name").toString(), none -> new TreeSet<>())
            .add(trigger.get("trigger").toString()));
    sources().forEach((name, source) -> called(CALL_IN_JAVA, source, name));
  }

  private void functions() {
    Map<String, Set<String>> rooms = rooms();
    List<Map<String, Object>> functions = sql.rows("""
        select p.proname as name, obj_description(p.oid, 'pg_proc') as comment,
               pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
               case p.provolatile when 'i' then ', immutable' when 's' then ', stable' else '' end as volatility
        from pg_proc p where p.pronamespace = 'tasker'::regnamespace order by p.proname""");
    Map<String, Map<String, Object>> byName = new LinkedHashMap<>();
    functions.forEach(function -> byName.put(function.get("name").toString(), function));
    rooms.forEach((room, names) -> {
      title("Functions: " + room);
      names.stream().map(byName::get).forEach(this::function);
    });
  }

  private void function(Map<String, Object> function) {
    String name = function.get("name").toString();
    comment(function.get("comment"));
    wrapped("function tasker." + name + "(",
        function.get("arguments") + ") returns " + function.get("result")
            + function.get("volatility") + ";");
    calledBy(name, "  -- called by ");
  }

  private void calledBy(String name, String begin) {
    Set<String> known = callers.getOrDefault(name, Set.of());
    wrapped(begin,
        known.isEmpty() ? "no function or class: for manual use" : String.join(", ", known));
  }

  /** Collects callers by name from the sources; leaves out functions that call themselves. */
  private void called(Pattern pattern, String source, String caller) {
    for (Matcher call = pattern.matcher(source); call.find();) {
      String name = call.group(call.groupCount() > 1 && call.group(1) == null ? 2 : 1);
      if (!name.equals(caller)) {
        callers.computeIfAbsent(name, none -> new TreeSet<>()).add(caller);
      }
    }
  }

  private static Map<String, String> sources() {
    Map<String, String> sources = new TreeMap<>();
    files("src/main/java", ".java").forEach(
        file -> sources.put(file.getFileName().toString().replace(".java", ""), read(file)));
    return sources;
  }

  /** The functions of each room by the files there; those that a migration creates are in none. */
  private Map<String, Set<String>> rooms() {
    Map<String, Set<String>> rooms = new TreeMap<>();
    Set<String> rest = new TreeSet<>(
        sql.texts("select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace"));
    files("db/routine", ".sql").forEach(file -> {
      Matcher made = Pattern.compile("(?m)^create or replace function tasker\\.([a-z_0-9]+)")
          .matcher(read(file));
      while (made.find()) {
        rooms.computeIfAbsent(file.getParent().getFileName().toString(), none -> new TreeSet<>())
            .add(made.group(1));
        rest.remove(made.group(1));
      }
    });
    if (!rest.isEmpty()) {
      rooms.put("made by db/migration", rest);
    }
    return rooms;
  }

  private static List<Path> files(String folder, String end) {
    try (Stream<Path> files = Files.walk(checkout().resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(end)).sorted()
          .collect(Collectors.toCollection(ArrayList::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void title(String title) {
    text.append("\n\n-- ").append(title).append("\n-- ").append("-".repeat(title.length()))
        .append("\n");
  }

  private void comment(Object comment) {
    if (comment != null) {
      wrapped("-- ", comment.toString());
    }
  }

  /**
   * Lines of at most WIDTH characters: comments go on as comments, everything else is broken after
   * commas or before a word that begins a clause, and indented.
   */
  private void wrapped(String begin, String words) {
    boolean isComment = begin.strip().startsWith("--");
    String next = isComment ? begin.substring(0, begin.indexOf("--")) + "--   "
        : begin.isBlank() ? begin + "    " : "    ";
    StringBuilder line = new StringBuilder(begin);
    boolean isFirst = true;
    for (String word : words.replaceAll("\\s+", " ").strip()
        .split(isComment ? " " : CLAUSES)) {
      if (!isFirst && line.length() + 1 + word.length() > WIDTH) {
        put(line.toString());
        line = new StringBuilder(next).append(word);
      } else {
        line.append(isFirst ? "" : " ").append(word);
      }
      isFirst = false;
    }
    put(line.toString());
  }

  private static String pad(String word, int width) {
    return word + " ".repeat(width - word.length());
  }

  private void line(String line) {
    if (line.length() > WIDTH && !line.strip().startsWith("--")) {
      int indent = line.length() - line.stripLeading().length();
      wrapped(line.substring(0, indent), line.substring(indent));
    } else {
      put(line);
    }
  }

  private void put(String line) {
    text.append(line.stripTrailing()).append('\n');
  }
}
