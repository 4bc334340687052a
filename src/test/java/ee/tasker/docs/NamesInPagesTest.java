package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.config.Setting;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.run.ServerKind;
import ee.tasker.testing.Sources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * What pages name in code exists: operations, settings, functions of SQL and their arguments,
 * metrics, log events, problems, permissions and identifiers. What a page made of its source has is
 * right by itself; a sentence that was written by hand is not, after a rename.
 */
class NamesInPagesTest {
  private static final String SOURCES = "java|sql|sh|xml|yaml|yml|json|mjs|mts|js|ts|py|cli|toml"
      + "|properties|asadmin|options|pml|html|txt|Containerfile|Dockerfile|sample|tf|sub";
  private static final String IDENTIFIER = "(?<![\\w$-])(?:[a-z]+\\w*_\\w*[a-z0-9]"
      + "|[A-Za-z][a-z0-9]+[A-Z]\\w*)(?![\\w-])";
  private static final Set<String> FOREIGN = foreign();
  private static final List<String> TEXTS = sourceFiles().map(Sources::text).toList();
  private static final Set<String> WORDS = words();
  private static final Map<String, String> PAGES = pages();
  private static final Map<String, Map<String, Object>> OPERATIONS = operations();

  @Test
  void operations_of_rest_are_those_of_the_openapi_document() {
    // CloudEvents calls where an event comes from its source: an identifier, no address.
    Pattern path = Pattern.compile("(?:\\b(GET|POST|PUT|PATCH|DELETE) )?"
        + "(?:\\$BASE|https?:[\\w.:/-]+?)?(?<![\\w.-])(?<!\"source\":\")"
        + "(/v1(?:/[\\w{}$<>….*-]+(?::[a-z]+)?)+)");

    assertThat(found((code, wrong) -> path.matcher(code).results().forEach(use -> {
      String named = use.group(2).replaceAll("\\$\\w+|<\\w+>|\\{[^}]*}|…", "x");
      List<Map<String, Object>> paths = OPERATIONS.entrySet().stream()
          .filter(operation -> (operation.getKey() + "/").startsWith(named + "/")
              || named.matches(pattern(operation.getKey()))
              || use.group(1) == null && named.matches(pattern(operation.getKey()) + "/?\\*?"))
          .map(Map.Entry::getValue).toList();
      if (paths.isEmpty() || use.group(1) != null && paths.stream()
          .noneMatch(methods -> methods.containsKey(use.group(1).toLowerCase(Locale.ROOT)))) {
        wrong.add(use.group());
      }
    }))).isEmpty();
  }

  @Test
  void settings_and_variables_are_those_that_something_reads() {
    Set<String> keys = Arrays.stream(Setting.values()).map(Setting::key)
        .collect(Collectors.toSet());
    Set<String> variables = Arrays.stream(Setting.values()).map(Setting::variable)
        .collect(Collectors.toSet());
    String sources = String.join("\n", TEXTS);

    assertThat(found((code, wrong) -> {
      find("(?<![\\w./-])tasker(?:\\.[a-z][a-z0-9-]*){2,}(?![\\w(])", code).map(MatchResult::group)
          .filter(key -> !keys.contains(key) && keys.stream().noneMatch(
              setting -> setting.startsWith(key + ".")) && !sources.contains(key))
          .forEach(wrong::add);
      find("(?<![\\w{-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\\w)", code).map(MatchResult::group)
          .filter(variable -> !variables.contains(variable.replaceAll("_FILE$", ""))
              && !WORDS.contains(variable) && !WORDS.contains("WITHOUT_" + variable)
              && !FOREIGN.contains(variable))
          .forEach(wrong::add);
    })).isEmpty();
  }

  @Test
  void releases_of_servers_are_those_of_the_build() {
    String pom = text(Path.of("pom.xml"));
    List<String> releases = Stream.of(ServerKind.values())
        .map(server -> find("<" + server.id() + "\\.version>([^<]+)", pom).findFirst().orElseThrow()
            .group(1))
        .toList();

    assertThat(PAGES.get("docs/servers.md"))
        .contains("| tested release | " + String.join(" | ", releases) + " |");
    assertThat(PAGES.get("docs/tutorial.md")).contains("liberty-" + releases.get(0) + "/wlp");
  }

  /** In brackets behind the key: {@code (30)}, {@code (12 hours)}, {@code (a day; 0 for …)}. */
  @Test
  void defaults_of_settings_are_those_of_their_table() {
    Map<String, Long> units = Map.of("", 1L, "s", 1L, "hours", 3_600L, "day", 86_400L, "KiB",
        1_024L, "MiB", 1_048_576L);
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (Map.Entry<String, String> page : PAGES.entrySet()) {
      for (MatchResult use : find("`(tasker\\.[\\w.-]+)`\\]?(?:\\([^)]*\\.md[^)]*\\))? "
          + "\\((a|[\\d ]*\\d) ?(s|hours|day|KiB|MiB|)(?:\\)|; )", page.getValue()).toList()) {
        long said = ("a".equals(use.group(2)) ? 1 : Long.parseLong(use.group(2).replace(" ", "")))
            * units.get(use.group(3));
        for (Setting setting : Setting.values()) {
          if (setting.key().equals(use.group(1))) {
            compared++;
            if (!setting.fallback().equals(Optional.of(String.valueOf(said)))) {
              wrong.add(page.getKey() + ": " + use.group());
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(compared).isGreaterThan(10);
  }

  @Test
  void functions_of_sql_and_their_named_arguments_exist() {
    Map<String, String> functions = new TreeMap<>();
    files(Path.of("db"), ".sql").forEach(file -> find(
        "create or replace (?:function|procedure) tasker\\.(\\w+)\\(([^;]*?)\\)\\s*"
            + "(?:returns|language|as)",
        text(file)).forEach(made -> functions.merge(made.group(1), made.group(2), String::concat)));
    String schema = text(Path.of("db", "schema.sql"));
    String java = String.join("\n", TEXTS);

    assertThat(functions).hasSizeGreaterThan(400);
    assertThat(found((code, wrong) -> {
      find("\\btasker\\.(\\w+)\\(", code).forEach(use -> {
        String arguments = functions.get(use.group(1));
        if (arguments == null) {
          // A method of the test kit's variable of this name, perhaps.
          if (!java.contains(" " + use.group(1) + "(")) {
            wrong.add(use.group());
          }
        } else {
          find("\\b(p_\\w+)\\s*=>", code.substring(use.end())).map(named -> named.group(1))
              .filter(name -> !find("\\b" + name + "\\b", arguments).findAny().isPresent())
              .forEach(name -> wrong.add(use.group(1) + ": " + name));
        }
      });
      find("\\b(?:from|join|into|update|table) tasker\\.(\\w+)(?!\\w*\\()", code)
          .filter(use -> !schema.contains("tasker." + use.group(1)))
          .forEach(use -> wrong.add(use.group()));
    })).isEmpty();
  }

  @Test
  void metrics_and_codes_of_the_log_are_those_of_the_catalogues() {
    Set<String> metrics = find("`(tasker_\\w+)", text(Path.of("docs/reference/metrics.md")))
        .map(made -> made.group(1)).collect(Collectors.toSet());
    Set<String> codes = Arrays.stream(LogEvent.values()).map(LogEvent::id)
        .collect(Collectors.toSet());
    files(Path.of("db"), ".sql").forEach(file -> find("errcode = '(TK\\d+)'", text(file))
        .forEach(raised -> codes.add(raised.group(1))));

    assertThat(codes).hasSizeGreaterThan(60);
    assertThat(found((code, wrong) -> {
      find("\\btasker_[a-z_]+\\b", code).map(MatchResult::group)
          .filter(name -> !metrics.contains(name.replaceAll("_(bucket|count|sum)$", ""))
              && !metrics.contains(name) && !WORDS.contains(name))
          .forEach(wrong::add);
      find("\\bTK\\d+\\b", code).map(MatchResult::group).filter(name -> !codes.contains(name))
          .forEach(wrong::add);
    })).isEmpty();
  }

  @Test
  void problems_have_the_status_that_pages_say() {
    Map<String, String> problems = find("\\| (\\d+) \\| `([a-z-]+)`",
        text(Path.of("docs/reference/problems.md")))
        .collect(Collectors.toMap(row -> row.group(2), row -> row.group(1), (one, other) -> one));
    List<String> wrong = new ArrayList<>();

    assertThat(problems).hasSizeGreaterThan(50);
    PAGES.forEach((page, content) -> find(
        "\\b([45]\\d\\d) (?:\\(?`([a-z]+(?:-[a-z]+)*)`|([a-z]+(?:-[a-z]+)+)`)", content)
        .filter(use -> !use.group(1).equals(
            problems.get(use.group(2) == null ? use.group(3) : use.group(2))))
        .forEach(use -> wrong.add(page + ": " + use.group())));
    assertThat(wrong).isEmpty();
  }

  @Test
  void permissions_are_those_that_can_be_granted() {
    Set<String> permissions = files(Path.of("db"), ".sql").stream()
        .flatMap(file -> find("'([a-z]+:[a-z_]+)'", text(file))).map(made -> made.group(1))
        .collect(Collectors.toSet());
    Set<String> resources = permissions.stream().map(name -> name.replaceAll(":.*", ""))
        .collect(Collectors.toSet());

    assertThat(resources).contains("tasks", "steps", "dlq");
    assertThat(found((code, wrong) -> find("^([a-z]+):[a-z_]+$", code)
        .filter(use -> resources.contains(use.group(1)) && !permissions.contains(use.group()))
        .forEach(use -> wrong.add(use.group())))).isEmpty();
  }

  /**
   * Of several words: with an underscore, or a capital within. Those of others stand in a list.
   * Decision records are left out: they keep the names of their time, and of what was not chosen.
   */
  @Test
  void identifiers_occur_in_the_sources() {
    List<String> wrong = new ArrayList<>();

    PAGES.forEach((page, content) -> spans(page.contains("/adr/") ? "" : content, false)
        .forEach(code -> find(IDENTIFIER, code).map(MatchResult::group)
            .filter(name -> !WORDS.contains(name.replaceAll("^(tasker_\\w+)_total$", "$1"))
                && !WORDS.contains(name) && !FOREIGN.contains(name))
            .forEach(name -> wrong.add(page + ": " + name))));
    assertThat(wrong).isEmpty();
  }

  @Test
  void names_of_others_are_no_words_of_ours() {
    assertThat(FOREIGN).isNotEmpty();
    assertThat(FOREIGN.stream().filter(WORDS::contains)).isEmpty();
    assertThat(FOREIGN.stream()
        .filter(name -> PAGES.values().stream().noneMatch(page -> page.contains(name)))).isEmpty();
  }

  private static List<String> found(BiConsumer<String, List<String>> check) {
    List<String> found = new ArrayList<>();
    PAGES.forEach((page, content) -> spans(content, true).forEach(code -> {
      List<String> wrong = new ArrayList<>();
      check.accept(code, wrong);
      wrong.forEach(name -> found.add(page + ": " + name + " in " + code));
    }));
    return found;
  }

  /** What stands between backticks, and each line of a block of code. */
  private static List<String> spans(String page, boolean withBlocks) {
    List<String> spans = new ArrayList<>();
    boolean isBlock = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith("```")) {
        isBlock = !isBlock;
      } else if (isBlock && withBlocks) {
        spans.add(line);
      } else if (!isBlock) {
        find("`([^`]+)`", line).forEach(span -> spans.add(span.group(1)));
      }
    }
    return spans;
  }

  private static Map<String, String> pages() {
    Map<String, String> pages = new TreeMap<>();
    Stream.of("README.md", "CONTRIBUTING.md").map(Path::of)
        .forEach(page -> pages.put(page.toString(), text(page)));
    Stream.of("docs", "clients", "samples", "examples").map(Path::of)
        .flatMap(folder -> files(folder, ".md").stream())
        .filter(page -> !page.startsWith(Path.of("docs", "site")))
        .forEach(page -> pages.put(page.toString().replace('\\', '/'), text(page)));
    assertThat(pages).hasSizeGreaterThan(130);
    return pages;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Map<String, Object>> operations() {
    Map<String, Object> document = (Map<String, Object>) new Load(LoadSettings.builder().build())
        .loadFromString(text(Path.of("src/main/resources/META-INF/tasker/openapi.yaml")));
    return (Map<String, Map<String, Object>>) (Object) document.get("paths");
  }

  private static String pattern(String path) {
    return path.replaceAll("\\{[^}]*}", "[^/:]+");
  }

  private static Set<String> foreign() {
    return text(Path.of("src/test/resources/ee/tasker/docs/foreign-names.txt")).lines()
        .filter(line -> !line.startsWith("#")).flatMap(line -> Stream.of(line.split(" ")))
        .collect(Collectors.toSet());
  }

  private static Set<String> words() {
    Set<String> words = new HashSet<>();
    TEXTS.forEach(source -> find("[A-Za-z_][\\w]*", source).map(MatchResult::group)
        .forEach(word -> {
          words.add(word);
          // An attribute of the management bean.
          words.add(word.replaceAll("^get(?=[A-Z])", ""));
        }));
    sourceFiles().forEach(file -> words.addAll(
        List.of(file.toString().split("[.\\\\/-]"))));
    return words;
  }

  private static Stream<Path> sourceFiles() {
    return Stream.of("src", "db", "extras", "tests", "tools", "samples", "examples", "clients",
        "server-config", "deploy", ".ci", "docs/site")
        .flatMap(folder -> files(Path.of(folder), "").stream()).filter(Files::isRegularFile)
        .filter(file -> file.getFileName().toString().matches(".*\\.(?:" + SOURCES + ")|[^.]+"))
        .filter(file -> !file.toString().matches(".*(?:[\\\\/]target[\\\\/]"
            + "|foreign-names|package-lock).*"));
  }

  private static Stream<MatchResult> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }
}
