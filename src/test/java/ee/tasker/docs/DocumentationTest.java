package ee.tasker.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents list is what the sources have. */
class DocumentationTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "ee", "tasker");

  @Test
  void every_setting_is_in_the_table_with_its_default_and_range() {
    String document = text(Path.of("docs", "configuration.md"));
    String reader = text(SOURCES.resolve("platform/SettingsReader.java"));
    Set<String> read = new TreeSet<>(
        find("\"(tasker\\.[a-z.-]+)\"", reader).map(found -> found.group(1)).toList());
    Set<String> described = new TreeSet<>(
        find("(?m)^\\| `(tasker\\.[a-z.-]+)` \\| `([A-Z_]+)`", document)
            .map(found -> found.group(1)).toList());

    assertThat(described).isEqualTo(read).hasSizeGreaterThan(15);
    assertThat(find("(?m)^\\| `(tasker\\.[a-z.-]+)` \\| `([A-Z_]+)`", document))
        .allSatisfy(found -> assertThat(found.group(2))
            .isEqualTo(found.group(1).replaceAll("[^a-z0-9]", "_").toUpperCase(Locale.ROOT)));
    assertThat(find(
        "(?:seconds|number)\\(\"(tasker\\.[a-z.-]+)\", ([0-9_]+), ([0-9_]+), ([0-9_]+)\\)", reader))
        .isNotEmpty()
        .allSatisfy(found -> assertThat(
            document.lines().filter(line -> line.startsWith("| `" + found.group(1) + "`")))
            .singleElement()
            .asString().contains("`" + plain(found.group(2)) + "`",
                plain(found.group(3)) + " to " + plain(found.group(4))));
  }

  @Test
  void every_log_event_is_in_the_catalogue() {
    List<String> events = find("\\(\"(TK\\d+)\", Level\\.([A-Z]+),\\s+\"([^\"]+)\"\\)",
        text(SOURCES.resolve("platform/LogEvent.java")))
        .map(found -> "| `" + found.group(1) + "` | " + found.group(2) + " | " + found.group(3)
            + " |")
        .toList();

    assertThat(events).hasSizeGreaterThan(15);
    assertThat(
        text(Path.of("docs", "operations.md")).lines().filter(line -> line.startsWith("| `TK"))
            .map(line -> line.replaceAll("\\|[^|]*\\|$", "|")))
        .containsExactlyElementsOf(events);
  }

  @Test
  void the_state_machines_are_those_of_the_rules_tables() {
    String document = text(Path.of("docs", "state-machines.md"));
    String migrations = files(Path.of("db", "migration")).map(DocumentationTest::text)
        .collect(Collectors.joining("\n"));

    for (String kind : List.of("task", "workflow_step")) {
      String rules = find("insert into tasker\\." + kind + "_transition_rules [^;]+;", migrations)
          .map(MatchResult::group)
          .collect(Collectors.joining());
      List<MatchResult> moves = find(
          "\\((null|'[a-z_]+'),\\s+'([a-z_]+)',\\s+'([a-z_]+)',\\s+'([^']+)'\\)", rules).toList();
      String section = document
          .substring(document.indexOf("## " + (kind.equals("task") ? "Task" : "Step")));
      section = section.contains("\n## ") ? section.substring(0, section.indexOf("\n## "))
          : section;

      assertThat(moves).hasSizeGreaterThan(20);
      assertThat(section.lines().filter(line -> line.startsWith("| `") || line.startsWith("| – |")))
          .containsExactlyInAnyOrderElementsOf(moves.stream()
              .map(move -> "| " + from(move, "–", "`") + " | `" + move.group(2) + "` | "
                  + move.group(3) + " | " + move.group(4) + " |")
              .toList());
      assertThat(section.lines().map(String::strip)
          .filter(line -> line.contains(" --> ") && !line.endsWith("--> [*]"))
          .map(line -> line.replaceAll(" *:.*", "")))
          .containsExactlyInAnyOrderElementsOf(
              moves.stream().map(move -> from(move, "[*]", "") + " --> " + move.group(2)).distinct()
                  .toList());
    }
  }

  @Test
  void every_function_is_in_the_list() {
    String document = text(Path.of("docs", "sql-functions.md"));
    Set<String> functions = new TreeSet<>();
    files(Path.of("db", "routine")).forEach(
        file -> find("(?m)^create or replace function tasker\\.([a-z_0-9]+)", text(file))
            .forEach(found -> functions.add(found.group(1))));

    assertThat(functions).hasSizeGreaterThan(60)
        .allSatisfy(function -> assertThat(document).contains("`" + function + "("));
    assertThat(find("(?m)^\\| `([a-z_0-9]+)\\(", document).map(found -> found.group(1))
        .filter(name -> !name.startsWith("pgmq.")))
        .isNotEmpty().allSatisfy(name -> assertThat(functions).contains(name));
  }

  /**
   * Columns keep the names of the tables, for {@code using}; what goes into a document has the name
   * that the REST interface uses.
   */
  @Test
  void documents_made_in_the_database_use_the_names_of_the_rest_interface() {
    // Invariants name rows of tables, for people who look them up there.
    Stream<String> made = files(Path.of("db", "routine"))
        .filter(file -> !file.getParent().endsWith("proof"))
        .flatMap(file -> find("jsonb?_build_object\\((?:[^()]|\\([^()]*\\))*",
            text(file).replaceAll("--.*", ""))
            .map(found -> file.getFileName() + ": " + found.group()));

    assertThat(made).hasSizeGreaterThan(50)
        .allSatisfy(document -> assertThat(document).doesNotContainPattern(
            "'(workflow_step_uuid|named_step_uuid|named_task_uuid|namespace_name|task_name|template_name|step_name|current_state|task_version|next_cursor)',\\s"));
  }

  @Test
  void every_operation_is_in_the_table_of_the_rest_page() {
    String table = text(Path.of("docs", "rest.md")).lines().filter(line -> line.startsWith("| `"))
        .collect(Collectors.joining("\n"));
    Set<String> missing = new TreeSet<>();
    int operations = 0;
    String path = null;
    for (String line : text(
        Path.of("src", "main", "resources", "META-INF", "tasker", "openapi.yaml")).lines()
        .toList()) {
      if (line.matches("  /.*:")) {
        path = line.strip().replaceAll(":$", "");
      } else if (path != null && path.startsWith("/v1/")
          && line.matches("    (get|post|put|patch|delete):")) {
        String method = line.strip().replace(":", "").toUpperCase(Locale.ROOT);
        String place = path;
        operations++;
        if (table.lines()
            .noneMatch(row -> row.contains(method)
                && find("/v1/[^ `]*", row).anyMatch(found -> found.group().equals(place)))) {
          missing.add(method + " " + path);
        }
      }
    }

    assertThat(operations).isGreaterThan(40);
    assertThat(missing).isEmpty();
  }

  @Test
  void everything_that_a_handler_can_ask_is_documented_with_its_type() {
    String document = text(Path.of("docs", "handlers.md"));

    assertThat(ee.tasker.handler.StepContext.class.getMethods()).hasSizeGreaterThan(15)
        .allSatisfy(method -> assertThat(document)
            .contains(
                "`" + method.getGenericReturnType().getTypeName()
                    .replaceAll("[a-z]+\\.(?=[a-zA-Z])", "") + " " + method.getName() + "("));
  }

  @Test
  void every_sqlstate_of_ours_is_explained() {
    Set<String> raised = new TreeSet<>();
    files(Path.of("db")).forEach(file -> find("errcode = '(TK\\d+)'", text(file))
        .forEach(found -> raised.add(found.group(1))));

    assertThat(raised).isNotEmpty()
        .allSatisfy(state -> assertThat(text(Path.of("docs", "sql-functions.md")))
            .contains("| `" + state + "` |"));
  }

  @Test
  void every_table_is_in_the_data_model() {
    Set<String> tables = new TreeSet<>();
    files(Path.of("db", "migration")).forEach(
        file -> find("create (?:unlogged )?table tasker\\.([a-z_]+) \\(", text(file))
            .forEach(found -> tables.add(found.group(1))));

    assertThat(tables).hasSizeGreaterThan(14)
        .allSatisfy(table -> assertThat(text(Path.of("docs", "data-model.md")))
            .contains("`" + table + "`"));
  }

  @Test
  void links_between_documents_lead_somewhere() {
    Stream.concat(Stream.of(Path.of("README.md"), Path.of("CHANGELOG.md")), files(Path.of("docs")))
        .forEach(document -> find("\\]\\(([^)#:\\s]+)(?:#([^)]*))?\\)",
            text(document).replaceAll("(?s)```.*?```", "")).forEach(link -> {
              Path target = document.toAbsolutePath().getParent().resolve(link.group(1))
                  .normalize();
              assertThat(target).as(document + " links " + link.group()).exists();
              if (link.group(2) != null) {
                assertThat(
                    find("(?m)^#+ (.+)$", text(target)).map(heading -> anchor(heading.group(1))))
                    .as(document + " links " + link.group())
                    .contains(link.group(2));
              }
            }));
  }

  /** A stranger finds the deciding file in one step from the architecture. */
  @Test
  void the_architecture_links_each_function_and_class_that_it_names_to_its_file() {
    List<MatchResult> links = find(
        "\\[`([A-Za-z_]+)`\\]\\(\\.\\./((?:db/routine|src/main)/[^)]+)\\)",
        text(Path.of("docs", "architecture.md"))).toList();

    assertThat(links).allSatisfy(
        link -> assertThat(link.group(2)).matches(".*/(R__)?" + link.group(1) + "\\.(sql|java)"));
    assertThat(links).extracting(link -> link.group(1)).contains("calculate_backoff_delay",
        "settle_steps", "heartbeat",
        "claim_queued_steps", "take_messages", "claim_offered_steps", "complete_steps",
        "submit_tasks");
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  private static String from(MatchResult move, String creation, String quote) {
    return "null".equals(move.group(1)) ? creation : quote + move.group(1).replace("'", "") + quote;
  }

  private static String plain(String number) {
    return number.replace("_", "");
  }

  private static Stream<MatchResult> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }

  private static Stream<Path> files(Path folder) {
    try (var files = Files.walk(folder)) {
      return new ArrayList<>(
          files.filter(file -> file.toString().matches(".*\\.(sql|md|java)")).sorted().toList())
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
