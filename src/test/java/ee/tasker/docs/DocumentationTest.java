package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.config.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents list is what the sources have. */
class DocumentationTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "ee", "tasker");

  /** Every key that the reader reads is one of the table, which the page is made from. */
  @Test
  void settings_are_read_by_their_table_only() {
    String reader = text(SOURCES.resolve("platform/config/SettingsReader.java"));

    assertThat(Setting.values()).hasSizeGreaterThan(50)
        .allSatisfy(setting -> assertThat(reader).contains("Setting." + setting.name()));
    assertThat(find("\\(\"tasker\\.[a-z.-]+\"", reader)).isEmpty();
  }

  /**
   * Columns keep the names of the tables, for {@code using}; what goes into a document has the name
   * that the REST interface uses.
   */
  @Test
  void documents_made_in_the_database_use_the_names_of_the_rest_interface() {
    // Invariants name rows of tables, for people who look them up there.
    Stream<String> made = files(Path.of("db", "routine"), ".sql").stream()
        .filter(file -> !file.getParent().endsWith("proof"))
        .flatMap(file -> find("jsonb?_build_object\\((?:[^()]|\\([^()]*\\))*",
            text(file).replaceAll("--.*", ""))
            .map(found -> file.getFileName() + ": " + found.group()));

    assertThat(made).hasSizeGreaterThan(50)
        .allSatisfy(document -> assertThat(document).doesNotContainPattern(
            "'(workflow_step_uuid|named_step_uuid|named_task_uuid|namespace_name|task_name|template_name|step_name|current_state|task_version|next_cursor)',\\s"));
  }

  @Test
  void everything_that_a_handler_can_ask_is_documented_with_its_type() {
    String document = text(Path.of("docs", "reference", "handler-api.md"));

    assertThat(ee.tasker.handler.StepContext.class.getMethods()).hasSizeGreaterThan(15)
        .allSatisfy(method -> assertThat(document)
            .contains(
                "`" + method.getGenericReturnType().getTypeName()
                    .replaceAll("[a-z]+\\.(?=[a-zA-Z])", "") + " " + method.getName() + "("));
  }

  @Test
  void every_sqlstate_of_ours_is_explained() {
    Set<String> raised = new TreeSet<>();
    files(Path.of("db"), ".sql").forEach(file -> find("errcode = '(TK\\d+)'", text(file))
        .forEach(found -> raised.add(found.group(1))));

    assertThat(raised).isNotEmpty()
        .allSatisfy(state -> assertThat(text(Path.of("docs", "sql.md")))
            .contains("| `" + state + "` |"));
  }

  @Test
  void links_between_documents_lead_somewhere() {
    Stream
        .concat(Stream.of(Path.of("README.md"), Path.of("CHANGELOG.md")),
            files(Path.of("docs"), ".md").stream())
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

  /** A section that moves to another page takes its links along, and their texts are forgotten. */
  @Test
  void links_that_name_a_page_lead_to_it_and_below_is_on_the_same_page() {
    List<String> wrong = new ArrayList<>();
    Stream.concat(Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")),
        files(Path.of("docs"), ".md").stream())
        .forEach(document -> find("\\[([\\w/-]+\\.md|below|above)]\\(([^)#:\\s]+)[^)]*\\)",
            text(document))
            .filter(link -> link.group(1).endsWith(".md") ? !link.group(2).endsWith(link.group(1))
                : !document.endsWith(link.group(2)))
            .forEach(link -> wrong.add(document + ": " + link.group())));

    assertThat(wrong).isEmpty();
  }

  /** A stranger finds the deciding file in one step from the source map. */
  @Test
  void the_source_map_links_each_function_and_class_that_it_names_to_its_file() {
    List<MatchResult> links = find(
        "\\[`([A-Za-z_]+)`\\]\\(\\.\\./((?:db/routine|src/main)/[^)]+)\\)",
        text(Path.of("docs", "source-map.md"))).toList();

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

  private static Stream<MatchResult> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }
}
