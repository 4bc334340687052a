package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.Json;
import ee.tasker.platform.config.Setting;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.testing.FunctionHeader;
import ee.tasker.testing.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The reference is made from its source: SQL functions and tables from their comments, REST and
 * problems from the OpenAPI document, state machines from the rules, settings and log events from
 * their enums, metrics from the sources that make them, keys of templates from their schema.
 * {@code -Ddocs.write=true} writes the pages anew; without it, this test compares them.
 */
class ReferenceTest {
  private static final Path REFERENCE = Path.of("docs", "reference");
  private static final Path TEMPLATE_SCHEMA = Path.of("src", "main", "resources", "META-INF",
      "tasker", "template.schema.json");
  private static final String MADE = "<!-- made by ReferenceTest: change the source, then"
      + " ./mvnw test -pl src -am -Dtest=ReferenceTest -Ddocs.write=true -->\n";
  @Test
  void functions_for_users_exist() {
    String page = text(REFERENCE.resolve("sql-functions.md"));

    assertThat(FunctionHeader.PUBLIC).hasSizeGreaterThan(100).doesNotHaveDuplicates()
        .allSatisfy(name -> assertThat(page).contains("**[`" + name + "`]("));
  }

  @Test
  void sql_functions_are_those_of_their_files() {
    StringBuilder page = new StringBuilder("# Reference of the SQL functions\n\n")
        .append("Which functions are there, what are their arguments, and which file decides?\n")
        .append("The last column is the function's comment; its file has locks, errors and what it")
        .append(" returns.\nThose in bold are for you: [SQL](../sql.md).\n");
    try (Stream<Path> rooms = Files.list(Path.of("db", "routine"))) {
      for (Path room : rooms.filter(Files::isDirectory).sorted().toList()) {
        page.append("\n## ").append(room.getFileName())
            .append("\n\n| Function | Returns | What it does or gives |\n|---|---|---|\n");
        for (Path file : files(room, ".sql")) {
          functions(file, page);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(Pattern.compile("(?m)^\\| .*\\[`\\w+`]\\(").matcher(page).results().count())
        .as("functions in the reference").isEqualTo(
            files(Path.of("db", "routine"), ".sql").stream()
                .mapToLong(
                    file -> find("create or replace function tasker\\.\\w+", text(file)).count())
                .sum());
    made("sql-functions.md", page.toString());
  }

  private static void functions(Path file, StringBuilder page) {
    String sql = text(file);
    for (FunctionHeader function : FunctionHeader.in(sql)) {
      Matcher comment = Pattern
          .compile("comment on function tasker\\." + function.name()
              + "\\([^;]*?\\)\\s+is\\s+((?:'(?:[^']|'')*'\\s*)+);")
          .matcher(sql);
      String does = comment.find() ? literal(comment.group(1)) : "";
      String bold = function.isPublic() ? "**" : "";
      page.append("| ").append(bold).append("[`").append(function.name()).append("`](../../")
          .append(slashed(file)).append(")").append(bold).append(arguments(function))
          .append(" | ")
          .append(cell(function.returns() == null ? "its out arguments" : function.returns()))
          .append(" | ").append(cell(does)).append(" |\n");
    }
  }

  private static String arguments(FunctionHeader function) {
    return function.arguments().isEmpty() ? "" : function.arguments().stream()
        .map(each -> "`" + each.text() + (each.isOptional() ? "`?" : "`"))
        .collect(Collectors.joining(", ", " ", ""));
  }

  @Test
  void tables_are_those_of_their_comments() {
    Map<String, String> tables = new TreeMap<>();
    Map<String, Map<String, String>> columns = new TreeMap<>();
    for (Path file : files(Path.of("db", "migration"), ".sql")) {
      find("create (?:unlogged )?table tasker\\.([a-z_]+) \\(", text(file))
          .forEach(found -> tables.putIfAbsent(found.group(1), ""));
      find("comment on table tasker\\.([a-z_]+) is\\s+((?:'(?:[^']|'')*'\\s*)+);", text(file))
          .forEach(found -> tables.put(found.group(1), literal(found.group(2))));
      find("comment on column tasker\\.([a-z_]+)\\.([a-z_0-9]+) is\\s+((?:'(?:[^']|'')*'\\s*)+);",
          text(file))
          .forEach(found -> columns.computeIfAbsent(found.group(1), name -> new LinkedHashMap<>())
              .put(found.group(2), literal(found.group(3))));
    }
    assertThat(tables).hasSizeGreaterThan(40);
    StringBuilder page = new StringBuilder("# Reference of the tables\n\n")
        .append("What does a table or column of schema `tasker` mean?\n")
        .append("These are the comments that `\\d+` shows; [the schema](../../db/schema.sql) has")
        .append(" types, keys and constraints, [the data model](../data-model.md) the rows of a")
        .append(" task.\n");
    tables.forEach((table, comment) -> {
      page.append("\n## ").append(table).append("\n\n").append(sentences(comment)).append("\n");
      if (columns.containsKey(table)) {
        page.append("\n| Column | Meaning |\n|---|---|\n");
        columns.get(table).forEach((column, meaning) -> page.append("| `").append(column)
            .append("` | ").append(cell(meaning)).append(" |\n"));
      }
    });
    made("tables.md", page.toString());
  }

  @Test
  @SuppressWarnings("unchecked")
  void rest_is_that_of_the_openapi_document() {
    Map<String, Object> document = openApi();
    Map<String, StringBuilder> groups = new LinkedHashMap<>();
    for (Map<String, Object> tag : (List<Map<String, Object>>) document.get("tags")) {
      groups.put((String) tag.get("name"), new StringBuilder());
    }
    int operations = 0;
    for (Map.Entry<String, Object> path : ((Map<String, Object>) document.get("paths"))
        .entrySet()) {
      for (Map.Entry<String, Object> method : ((Map<String, Object>) path.getValue()).entrySet()) {
        if (method.getKey().matches("get|post|put|patch|delete")) {
          Map<String, Object> operation = (Map<String, Object>) method.getValue();
          operations++;
          groups.get(((List<String>) operation.get("tags")).get(0))
              .append(operation(method.getKey(), path.getKey(), operation));
        }
      }
    }
    assertThat(operations).isGreaterThan(90);
    StringBuilder page = new StringBuilder("# Reference of the REST interface\n\n")
        .append("Which operations are there, what do they do, and which permission do they need?\n")
        .append(
            "Every server has the whole contract, with all parameters, schemas and examples, at")
        .append(" `/openapi` and `/openapi.yaml`.\n[REST](../rest.md) has the rules that hold for")
        .append(" all operations, [problems](problems.md) the codes of refusals.\n");
    groups.forEach((tag, text) -> page.append("\n## ").append(tag).append("\n").append(text));
    made("rest.md", page.toString());
  }

  @SuppressWarnings("unchecked")
  private static String operation(String method, String path, Map<String, Object> operation) {
    String description = String.valueOf(operation.getOrDefault("description", "")).strip()
        .replaceAll("(?m)^(#+) ", "");
    Object permission = operation.get("x-permission");
    return "\n### " + operation.get("summary") + "\n\n`" + method.toUpperCase(Locale.ROOT) + " "
        + path + "`" + (permission == null ? "" : " · permission `" + permission + "`")
        + " · answers " + ((Map<String, Object>) operation.get("responses")).keySet().stream()
            .filter(status -> status.startsWith("2")).collect(Collectors.joining(", "))
        + "\n" + (description.isEmpty() ? "" : "\n" + description.replace("<", "&lt;") + "\n");
  }

  @Test
  void state_machines_are_those_of_the_rules_tables() {
    Path file = Path.of("docs", "state-machines.md");
    String migrations = files(Path.of("db", "migration"), ".sql").stream().map(Sources::text)
        .collect(Collectors.joining("\n"));
    String page = text(file);
    for (String kind : List.of("task", "workflow_step")) {
      String rules = find("insert into tasker\\." + kind + "_transition_rules [^;]+;", migrations)
          .map(MatchResult::group).collect(Collectors.joining());
      List<MatchResult> moves = find(
          "\\((null|'[a-z_]+'),\\s+'([a-z_]+)',\\s+'([a-z_]+)',\\s+'([^']+)'\\)", rules).toList();
      assertThat(moves).hasSizeGreaterThan(20);
      String table = "| From | To | Actor | Meaning |\n|---|---|---|---|\n"
          + moves.stream().map(move -> "| " + state(move.group(1), "–") + " | `" + move.group(2)
              + "` | " + move.group(3) + " | " + move.group(4) + " |\n")
              .collect(Collectors.joining());
      Map<String, Set<String>> arrows = new LinkedHashMap<>();
      moves.forEach(move -> arrows
          .computeIfAbsent(
              ("null".equals(move.group(1)) ? "[*]" : move.group(1).replace("'", "")) + " --> "
                  + move.group(2),
              arrow -> new TreeSet<>())
          .add(move.group(3)));
      String diagram = arrows.entrySet().stream()
          .map(arrow -> "  " + arrow.getKey() + " : " + String.join(", ", arrow.getValue()) + "\n")
          .collect(Collectors.joining());
      page = between(page, kind, "```mermaid\nstateDiagram-v2\n" + diagram + "```\n\n" + table);
    }
    write(file, page);
  }

  @Test
  void settings_are_those_of_their_table() {
    StringBuilder table = new StringBuilder(
        "| Key | Environment | Default | Range | Meaning |\n|---|---|---|---|---|\n");
    for (Setting setting : Setting.values()) {
      table.append("| `").append(setting.key()).append("` | `").append(setting.variable())
          .append("` | ").append(setting.fallback().map(value -> "`" + value + "`").orElse("–"))
          .append(" | ").append(setting.range()).append(" | ").append(cell(setting.meaning()))
          .append(" |\n");
    }
    made(Path.of("docs", "configuration.md"), "settings", table);
  }

  @Test
  void log_events_are_those_of_their_catalogue() {
    StringBuilder table = new StringBuilder(
        "| Id | Level | Sentence | What to do |\n|---|---|---|---|\n");
    for (LogEvent event : LogEvent.values()) {
      assertThat(event.advice()).as("what to do after %s", event.id()).isNotBlank();
      table.append("| `").append(event.id()).append("` | ").append(event.level()).append(" | ")
          .append(cell(event.sentence())).append(" | ").append(cell(fromReference(event.advice())))
          .append(" |\n");
    }
    made(REFERENCE.resolve("log-events.md"), "log events", table);
  }

  /** Name, kind, labels and help, as the sources that make a metric name them. */
  @Test
  void metrics_are_those_of_the_sources() {
    StringBuilder table = new StringBuilder(
        "| Metric | Kind | Of | Meaning |\n|---|---|---|---|\n");
    Set<String> names = new TreeSet<>();
    for (String source : List.of("insight/SystemMeters", "insight/TemplateMeters",
        "platform/sql/Meters", "platform/sql/ConnectionWaits", "rest/MetricsServlet")) {
      find("(\\w+)\\(\\)?\\s*(?:\\.name\\(\\s*)?\"(tasker_\\w+)\"(?:,|\\)\\s*\\.help\\()"
          + "\\s*((?:\"[^\"]*\"[\\s+]*)+)[,)](?:[^;]*?labelNames\\(\"(\\w+)\"\\))?",
          text(Path.of("src", "main", "java", "ee", "tasker", source + ".java")))
          .forEach(metric -> {
            String maker = metric.group(1);
            String label = switch (maker) {
              case "byState" -> "{state}";
              case "byQueue" -> "{queue}";
              case "byConsumer" -> "{consumer}";
              case "byTemplate", "counterByTemplate" -> "{namespace, template}";
              case "byTemplateAndState" -> "{namespace, template, state}";
              case "byTemplateAndOutcome" -> "{namespace, template, outcome}";
              default -> metric.group(4) == null ? "" : "{" + metric.group(4) + "}";
            };
            String kind = metric.group(2).endsWith("_duration_seconds")
                || metric.group(2).endsWith("_wait_seconds")
                || metric.group(2).endsWith("_delay_seconds") ? "histogram"
                    : metric.group(2).endsWith("_function_seconds") ? "summary"
                        : metric.group(2).endsWith("_total") || "counter".equals(maker) ? "counter"
                            : "gauge";
            String name = metric.group(2)
                + ("counter".equals(kind) && !metric.group(2).endsWith("_total") ? "_total" : "");
            boolean isOfServer = !source.startsWith("insight") || name.startsWith("tasker_worker");
            names.add(name);
            table.append("| `").append(name).append(label).append("` | ").append(kind)
                .append(" | ").append(isOfServer ? "server" : "system").append(" | ")
                .append(cell(metric.group(3).replaceAll("\"[\\s+]*\"", "").replace("\"", "")))
                .append(" |\n");
          });
      Stream<MatchResult> all = find("\"(tasker_\\w+)\"",
          text(Path.of("src", "main", "java", "ee", "tasker", source + ".java")));
      assertThat(all.map(found -> found.group(1)))
          .allSatisfy(name -> assertThat(names).as(name + " in the table")
              .containsAnyOf(name, name + "_total"));
    }
    made(REFERENCE.resolve("metrics.md"), "metrics", table);
  }

  @Test
  @SuppressWarnings("unchecked")
  void problems_are_those_of_the_openapi_document() {
    Map<String, Object> schemas = (Map<String, Object>) ((Map<String, Object>) openApi()
        .get("components")).get("schemas");
    List<Map<String, Object>> codes = (List<Map<String, Object>>) ((Map<String, Object>) schemas
        .get("Problem")).get("x-codes");
    assertThat(codes).hasSizeGreaterThan(50);
    StringBuilder table = new StringBuilder("| Status | `code` | When |\n|---|---|---|\n");
    codes.stream()
        .sorted(Comparator.comparing((Map<String, Object> code) -> (Integer) code.get("status"))
            .thenComparing(code -> (String) code.get("code")))
        .forEach(code -> table.append("| ").append(code.get("status")).append(" | `")
            .append(code.get("code")).append("` | ").append(cell((String) code.get("meaning")))
            .append(" |\n"));
    made(REFERENCE.resolve("problems.md"), "problems", table);
  }

  @Test
  @SuppressWarnings("unchecked")
  void keys_of_templates_are_those_of_their_schema() {
    Map<String, Object> schema = (Map<String, Object>) yaml(TEMPLATE_SCHEMA);
    Map<String, Object> kinds = new LinkedHashMap<>((Map<String, Object>) schema.get("$defs"));
    kinds.put("template", schema);
    Set<String> shown = new TreeSet<>();
    for (String page : List.of("templates", "approvals", "subworkflows", "compensation")) {
      Path file = Path.of("docs", page + ".md");
      for (MatchResult mark : find("<!-- made: (keys of ([a-z_, ]+)) -->", text(file)).toList()) {
        StringBuilder table = new StringBuilder(
            "| Key | Type and limits | Default | Effect |\n|---|---|---|---|\n");
        for (String kind : mark.group(2).split(", ")) {
          shown.add(kind);
          keys((Map<String, Object>) kinds.get(kind), table);
        }
        made(file, mark.group(1), table);
      }
    }
    assertThat(shown).isEqualTo(kinds.keySet());
  }

  @SuppressWarnings("unchecked")
  private static void keys(Map<String, Object> kind, StringBuilder table) {
    List<String> required = (List<String>) kind.getOrDefault("required", List.of());
    ((Map<String, Map<String, Object>>) kind.get("properties")).forEach((name, key) -> {
      if (!key.containsKey("x-alias-of")) {
        Map<String, String> links = (Map<String, String>) key.getOrDefault("x-links", Map.of());
        table.append("| `").append(key.getOrDefault("x-key", name)).append("`")
            .append(key.containsKey("x-alias") ? " (or `" + key.get("x-alias") + "`)" : "")
            .append(" | ").append(cell(linked(type(key), links))).append(" | ")
            .append(required.contains(name) ? "required" : cell(linked(fallback(key), links)))
            .append(" | ").append(cell(linked((String) key.get("description"), links)))
            .append(" |\n");
      }
    });
  }

  @SuppressWarnings("unchecked")
  private static String type(Map<String, Object> key) {
    if (key.containsKey("x-type")) {
      return (String) key.get("x-type");
    }
    if (key.containsKey("enum")) {
      return ((List<String>) key.get("enum")).stream().map(word -> "`" + word + "`")
          .collect(Collectors.joining(", "));
    }
    if (key.containsKey("minimum")) {
      return key.get("minimum") + " to " + key.get("maximum");
    }
    assertThat(key.get("type")).as(key.toString()).isIn("boolean", "string", "object");
    return (String) key.get("type");
  }

  private static String fallback(Map<String, Object> key) {
    Object value = key.get("default");
    return key.containsKey("x-default") ? (String) key.get("x-default")
        : value == null ? "–" : "`" + value + "`";
  }

  private static String linked(String text, Map<String, String> links) {
    String linked = text;
    for (Map.Entry<String, String> link : links.entrySet()) {
      linked = linked.replaceFirst(
          "(?<![\\w\\[])(`?)" + Pattern.quote(link.getKey()) + "(`?)(?![\\w\\]])",
          "[$1" + Matcher.quoteReplacement(link.getKey()) + "$2](" + link.getValue() + ")");
    }
    return linked;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> openApi() {
    return (Map<String, Object>) yaml(
        Path.of("src", "main", "resources", "META-INF", "tasker", "openapi.yaml"));
  }

  /** What the tests of the clients take for a claimed step is what the contract says it is. */
  @Test
  void claimed_step_of_the_clients_is_the_example_of_the_contract() {
    Object found = yaml(Path.of("src", "main", "resources", "META-INF", "tasker", "openapi.yaml"));
    for (String member : List.of("paths", "/v1/workers/{worker_uuid}/claims", "post", "responses",
        "200", "content", "application/json", "example", "steps")) {
      found = ((Map<?, ?>) found).get(member);
    }
    @SuppressWarnings("unchecked")
    Map<String, Object> step = (Map<String, Object>) ((List<?>) found).get(0);
    write(Path.of("clients", "claimed_step.json"),
        Json.build().createObjectBuilder(step).build().entrySet().stream()
            .map(member -> "  \"" + member.getKey() + "\": " + member.getValue())
            .collect(Collectors.joining(",\n", "{\n", "\n}\n")));
  }

  /** Of YAML or JSON, which is YAML. */
  private static Object yaml(Path file) {
    return new Load(LoadSettings.builder().build()).loadFromString(text(file));
  }

  /** The links of a text begin in docs; those of a page in its folder. */
  private static String fromReference(String text) {
    return text.replaceAll("]\\(reference/", "](").replaceAll("]\\((?=[a-z-]+\\.md)", "](../")
        .replaceAll("]\\(\\.\\./(?=(?:metrics|log-events|problems|servers|permissions|rest"
            + "|invariants|handler-api|tables)\\.md)", "](");
  }

  private static void made(Path file, String name, CharSequence text) {
    write(file, between(text(file), name, text.toString()));
  }

  private static String state(String literal, String creation) {
    return "null".equals(literal) ? creation : "`" + literal.replace("'", "") + "`";
  }

  private static String between(String page, String name, String text) {
    String begin = "<!-- made: " + name + " -->\n";
    int from = page.indexOf(begin);
    int to = page.indexOf("<!-- end: " + name + " -->");
    assertThat(from).as(begin).isNotNegative();
    return page.substring(0, from) + begin + text + page.substring(to);
  }

  private static void made(String name, String text) {
    write(REFERENCE.resolve(name), MADE + "\n" + text);
  }

  private static void write(Path file, String text) {
    if (Boolean.getBoolean("docs.write")) {
      try {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    assertThat(text(file)).as(file + " is not what its source makes; " + MADE).isEqualTo(text);
  }

  /** The text of one literal of SQL, or of several that follow each other. */
  private static String literal(String sql) {
    return sql.strip().replaceAll("'\\s*\\n\\s*'", "").replaceAll("^'|'$", "")
        .replace("''", "'");
  }

  private static String sentences(String comment) {
    return comment.replaceAll("\\s+", " ").replace("<", "&lt;").strip();
  }

  private static String cell(String text) {
    return text.replaceAll("\\s+", " ").replace("|", "\\|").replace("<", "&lt;").strip();
  }

  private static String slashed(Path file) {
    return file.toString().replace('\\', '/');
  }

  private static Stream<MatchResult> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }
}
