package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

/**
 * What keeps the pages readable: their size, the question with which each opens, the words that
 * they avoid, and that the answers to 24 questions are at most two links from the start page.
 */
class PagesTest {
  private static final Path DOCS = Path.of("docs");
  private static final Path START = DOCS.resolve("README.md");
  private static final Path RESOURCES = Path.of("src/test/resources/ee/tasker/docs");
  private static final int PAGE = 15_000;
  /** Of what is written by hand, without reference and decision records. */
  private static final int ALL = 350_000;
  private static final long ALL_PICTURES = 5_000_000;
  /** Of a decision record: a page. */
  private static final int RECORD = 4 * 1024;
  /** A full stop, or its like, and the beginning of another sentence. */
  private static final Pattern TWO_SENTENCES = Pattern
      .compile("(?<!e\\.g)(?<!i\\.e)(?<!\\bvs)[\\p{L}\\d)*”\"][.!?](?:\\*\\*)? +(?=[A-Z(“])");

  @Test
  void no_page_is_longer_than_one_reads_and_all_together_are_an_evening() {
    long all = 0;
    List<String> longer = new ArrayList<>();
    Set<Path> reference = reference();
    for (Path page : withEntries()) {
      int size = written(page).getBytes(StandardCharsets.UTF_8).length;
      if (!reference.contains(page) && !page.endsWith("CHANGELOG.md")) {
        all += size;
        if (size > PAGE) {
          longer.add(page + ": " + size);
        }
      }
    }
    assertThat(longer).isEmpty();
    assertThat(all).isLessThanOrEqualTo(ALL);
  }

  /** Each page of the console in four forms, beside what it was before. */
  @Test
  void pictures_of_the_console_are_complete_linked_and_of_a_bounded_size() throws IOException {
    String page = text(DOCS.resolve("reference/console-pictures.md"));
    String pages = page + text(DOCS.resolve("console.md"));
    List<Path> pictures;
    try (Stream<Path> all = Files.list(DOCS.resolve("console"))) {
      pictures = all.sorted().toList();
    }
    long sum = 0;
    for (Path picture : pictures) {
      sum += Files.size(picture);
      assertThat(pages).as("%s is shown", picture).contains("console/" + picture.getFileName());
    }

    assertThat(sum).as("bytes of all pictures").isLessThan(ALL_PICTURES);
    List<String> rows = page.lines().filter(line -> line.contains("![now]")).toList();
    assertThat(rows).hasSizeGreaterThan(25).allSatisfy(row -> assertThat(row)
        .contains("![now](", "![dark](", "![narrow](", "![narrow and dark]("));
    assertThat(rows.stream().filter(row -> row.contains("![before]("))).hasSize(rows.size() - 1);
  }

  @Test
  void no_decision_record_is_longer_than_a_page_and_each_says_its_state() {
    List<Path> records = files(DOCS.resolve("adr"), ".md").stream()
        .filter(record -> !record.endsWith("README.md")).toList();

    assertThat(records).hasSizeGreaterThan(75).allSatisfy(record -> {
      assertThat(text(record).getBytes(StandardCharsets.UTF_8).length).as(record.toString())
          .isLessThanOrEqualTo(RECORD);
      assertThat(text(record)).as(record.toString()).containsPattern("(?m)^Status: ");
    });
  }

  @Test
  void each_line_of_the_source_has_one_sentence() {
    List<String> found = new ArrayList<>();
    for (Path page : withReadmes()) {
      int at = 0;
      for (String line : prose(withoutMade(text(page))).lines().toList()) {
        at++;
        if (!line.startsWith("|") && !line.startsWith("#") && !line.startsWith("    ")
            && TWO_SENTENCES.matcher(line.replaceAll("^ *\\d+\\. |\\[[^]]*]\\([^)]*\\)", "x"))
                .find()) {
          found.add(page + ":" + at + ": " + line);
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void every_page_opens_with_the_question_that_it_answers() {
    assertThat(pages()).hasSizeGreaterThan(35).allSatisfy(page -> {
      String opening = written(page).lines().filter(line -> !line.isBlank())
          .filter(line -> !line.startsWith("<!--")).skip(1).findFirst().orElse("");
      assertThat(opening).as(page + " opens with a question").endsWith("?");
    });
  }

  @Test
  void pages_avoid_the_words_of_the_style_file() {
    List<String> found = new ArrayList<>();
    List<String[]> rules = text(RESOURCES.resolve("style.txt")).lines()
        .filter(line -> line.contains(" => ")).map(line -> line.split(" => ", 2)).toList();
    assertThat(rules).hasSizeGreaterThan(25);
    for (Path page : withReadmes()) {
      String prose = prose(text(page));
      for (String[] rule : rules) {
        Pattern.compile(rule[0], Pattern.CASE_INSENSITIVE).matcher(prose).results()
            .forEach(match -> found.add(page + ":"
                + prose.substring(0, match.start()).lines().count() + ": " + match.group()
                + ": " + rule[1]));
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void every_page_is_linked_from_the_start_page_or_a_page_that_is() {
    Set<Path> reached = new TreeSet<>(Set.of(START));
    Set<Path> next = links(START);
    reached.addAll(next);
    next.stream().filter(Files::isRegularFile).filter(page -> page.startsWith(DOCS))
        .forEach(page -> reached.addAll(links(page)));

    assertThat(pages()).allSatisfy(page -> assertThat(reached).as(page + " is linked")
        .contains(page));
  }

  @Test
  void answers_to_24_questions_are_at_most_two_links_from_the_start_page() {
    List<String[]> questions = text(RESOURCES.resolve("questions.txt")).lines()
        .filter(line -> !line.startsWith("#")).map(line -> line.split(" \\| ")).toList();
    assertThat(questions.stream().filter(question -> question[0].equals("operator"))).hasSize(12);
    assertThat(questions.stream().filter(question -> question[0].equals("developer"))).hasSize(12);

    for (String[] question : questions) {
      Path page = START;
      String[] path = question[2].split(" > ");
      assertThat(path).as(question[1]).hasSizeLessThanOrEqualTo(2);
      for (String link : path) {
        Path to = DOCS.resolve(link);
        assertThat(links(page)).as("%s: %s links %s", question[1], page, to).contains(to);
        page = to;
      }
      String[] section = question[3].split("#");
      assertThat(page).as(question[1]).isEqualTo(DOCS.resolve(section[0]));
      assertThat(section.length == 1 ? text(page) : section(page, section[1])).as(question[1])
          .contains(question[4]);
    }
  }

  @Test
  void each_number_without_a_decision_record_is_explained_in_the_index() {
    String index = text(DOCS.resolve("adr/README.md"));
    List<String> holes = index.lines().filter(line -> line.startsWith("A hole is "))
        .flatMap(line -> Pattern.compile("\\d{4}").matcher(line).results())
        .map(MatchResult::group).toList();
    Set<String> numbers = files(DOCS.resolve("adr"), ".md").stream()
        .map(record -> record.getFileName().toString().substring(0, 4))
        .filter(number -> number.matches("\\d{4}")).collect(Collectors.toSet());
    int last = numbers.stream().mapToInt(Integer::parseInt).max().orElseThrow();

    assertThat(numbers).doesNotContainAnyElementsOf(holes);
    for (int number = 1; number <= last; number++) {
      assertThat(numbers.contains("%04d".formatted(number))
          || holes.contains("%04d".formatted(number)))
          .as("%04d is a record, or among the holes in docs/adr/README.md", number).isTrue();
    }
  }

  @Test
  void every_decision_record_is_in_the_index_with_its_state() {
    String index = text(DOCS.resolve("adr/README.md"));
    for (Path record : files(DOCS.resolve("adr"), ".md")) {
      String name = record.getFileName().toString();
      if (name.equals("README.md")) {
        continue;
      }
      String row = index.lines().filter(line -> line.matches("\\| \\[\\d+]\\(" + name + "\\) .*"))
          .findFirst()
          .orElse("");
      assertThat(row).as("the row of " + name).isNotEmpty();
      boolean isSuperseded = Pattern.compile("(?im)^Status.*superseded by")
          .matcher(text(record)).find();
      assertThat(row.contains("superseded")).as(row).isEqualTo(isSuperseded);
    }
  }

  private static String section(Path page, String anchor) {
    StringBuilder section = new StringBuilder();
    boolean isIn = false;
    int level = 0;
    boolean isCode = false;
    for (String line : text(page).lines().toList()) {
      isCode ^= line.startsWith("```");
      if (!isCode && line.startsWith("#")) {
        int depth = line.indexOf(' ');
        if (isIn && depth <= level) {
          break;
        }
        if (anchor(line.substring(depth + 1)).equals(anchor)) {
          isIn = true;
          level = depth;
        }
      }
      if (isIn) {
        section.append(line).append('\n');
      }
    }
    assertThat(section).as(page + "#" + anchor).isNotEmpty();
    return section.toString();
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  private static Set<Path> links(Path page) {
    return Pattern.compile("\\]\\(([^)#:\\s]+)(?:#[^)]*)?\\)").matcher(text(page)).results()
        .map((MatchResult link) -> page.getParent().resolve(link.group(1)).normalize())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Pages in which one looks something up: what the start page has below that heading. */
  private static Set<Path> reference() {
    Set<Path> reference = Pattern.compile("\\]\\(([^)#:\\s]+\\.md)")
        .matcher(section(START, "reference")).results()
        .map(link -> DOCS.resolve(link.group(1)).normalize())
        .collect(Collectors.toCollection(TreeSet::new));
    pages().stream().filter(page -> slashed(page).startsWith("docs/reference/"))
        .forEach(reference::add);
    return reference;
  }

  /** Without what is made or measured, which has sources of its own. */
  private static String written(Path page) {
    return withoutMade(text(page)).replaceAll("<!-- -->\n", "");
  }

  /** With a line of its own for each that is left out, so that lines can be counted. */
  private static String withoutMade(String page) {
    return Pattern.compile(
        "(?s)<!-- (?:made: |measured: |commands: )[^>]*-->.*?<!-- (?:end|/measured)[^>]*-->")
        .matcher(page)
        .replaceAll(made -> "<!-- -->\n".repeat((int) made.group().lines().count() - 1));
  }

  /** Code becomes blank, so that lines can still be counted. */
  private static String prose(String page) {
    StringBuilder prose = new StringBuilder();
    boolean isCode = false;
    for (String line : page.lines().toList()) {
      boolean isFence = line.startsWith("```");
      isCode ^= isFence;
      prose.append(isCode || isFence ? "" : line.replaceAll("`[^`]*`", "")).append('\n');
    }
    return prose.toString();
  }

  private static List<Path> pages() {
    return files(DOCS, ".md").stream()
        .filter(page -> !page.startsWith(DOCS.resolve("adr")) && !page.equals(START)
            && !page.startsWith(DOCS.resolve("site")) && !text(page).startsWith("<!-- made by"))
        .toList();
  }

  private static List<Path> withEntries() {
    return Stream.concat(
        Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md"), Path.of("CHANGELOG.md"), START),
        pages().stream()).toList();
  }

  /** Also those of clients, samples and examples. */
  private static List<Path> withReadmes() {
    return Stream.concat(withEntries().stream(), Stream.of("clients", "samples", "examples")
        .flatMap(folder -> files(Path.of(folder), "README.md").stream())
        .filter(page -> !slashed(page).contains("node_modules"))).toList();
  }

  private static String slashed(Path file) {
    return file.toString().replace('\\', '/');
  }
}
