package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the console, without a browser. */
class ConsoleFilesTest {
  private static final Path CONSOLE = Path.of("src", "main", "webapp", "console");
  private static final Path VENDOR = CONSOLE.resolve("vendor");

  private static List<JsonObject> vendored(Path folder) throws IOException {
    try (var reader = Json.createReader(Files.newBufferedReader(folder.resolve("vendored.json")))) {
      return reader.readObject().getJsonArray("files").getValuesAs(JsonObject.class);
    }
  }

  private static List<Path> own(String ending) throws IOException {
    try (Stream<Path> files = Files.walk(CONSOLE)) {
      return files.filter(file -> file.toString().endsWith(ending) && !file.startsWith(VENDOR))
          .toList();
    }
  }

  @Test
  void files_of_others_are_listed_with_their_version_licence_and_digest() throws Exception {
    for (Path folder : List.of(VENDOR, Path.of("tests/it/src/test/resources/console"))) {
      for (JsonObject file : vendored(folder)) {
        byte[] digest = MessageDigest.getInstance("SHA-256")
            .digest(Files.readAllBytes(folder.resolve(file.getString("file"))));
        assertThat(HexFormat.of().formatHex(digest)).as(file.getString("file"))
            .isEqualTo(file.getString("sha256"));
        assertThat(file.getString("version")).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(file.getString("licence")).isNotBlank();
      }
      Set<String> listed = vendored(folder).stream().map(file -> file.getString("file"))
          .collect(Collectors.toSet());
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(
            files.map(file -> file.getFileName().toString())
                .filter(name -> name.matches(".*\\.(js|css|woff2)")))
            .containsExactlyInAnyOrderElementsOf(listed);
      }
    }
    assertThat(Files.readString(VENDOR.resolve("licences.txt"))).contains("Preact", "dagre",
        "Apache License 2.0", "PatternFly", "SIL Open Font License");
  }

  /** What becomes markup only in htm's templates can hold no markup of a task. */
  @Test
  void nothing_makes_markup_or_code_out_of_text_and_nothing_names_another_host() throws Exception {
    assertThat(own(".js")).hasSizeGreaterThan(10);
    for (Path file : own(".js")) {
      assertThat(Files.readString(file)).as("%s", file).doesNotContain("innerHTML", "outerHTML",
          "insertAdjacentHTML", "document.write",
          "eval(",
          "new Function", "http://", "https://", "sessionStorage");
      // What a reader chose for the browser, and nothing else, is kept in it.
      assertThat(Files.readString(file).contains("localStorage")).as("%s", file)
          .isEqualTo(file.endsWith("preferences.js"));
    }
    assertThat(Files.readString(CONSOLE.resolve("preferences.js")))
        .contains(
            "const DEFAULTS = { zone: \"local\", letters: true, theme: \"system\", density: \"dense\" };");
    assertThat(Files.readString(CONSOLE.resolve("index.html")))
        .doesNotContain("style=", "onclick", "<style").containsOnlyOnce("<script")
        .doesNotContain("https://");
    for (Path file : own(".css")) {
      assertThat(Files.readString(file)).doesNotContain("@import", "url(");
    }
  }

  private static String vendoredStyles() throws IOException {
    StringBuilder all = new StringBuilder();
    for (JsonObject file : vendored(VENDOR)) {
      if (file.getString("file").endsWith(".css")) {
        all.append(Files.readString(VENDOR.resolve(file.getString("file"))));
      }
    }
    return all.toString();
  }

  /** Pages are made of components, sizes and colours of tokens, and each token is there. */
  @Test
  void pages_have_no_styles_of_their_own_and_every_token_exists() throws Exception {
    assertThat(own(".css")).containsExactly(CONSOLE.resolve("console.css"));
    String styles = Files.readString(CONSOLE.resolve("console.css"));
    String all = vendoredStyles() + styles;
    Matcher used = Pattern.compile("var\\((--[\\w-]+)").matcher(styles);
    while (used.find()) {
      assertThat(all).as(used.group(1)).contains(used.group(1) + ":");
    }
    for (Path file : own(".js")) {
      if (file.startsWith(CONSOLE.resolve("pages"))) {
        assertThat(Files.readString(file)).as("%s", file).doesNotContain("style=", "#fff", "px;");
      }
    }
  }

  /** What PatternFly has is not drawn a second time. */
  @Test
  void styles_by_hand_stay_below_fourteen_kilobytes() throws Exception {
    assertThat(Files.size(CONSOLE.resolve("console.css"))).isLessThan(14_000);
  }

  @Test
  void every_style_sheet_is_loaded_and_every_class_of_patternfly_that_is_used_is_in_one()
      throws Exception {
    String page = Files.readString(CONSOLE.resolve("index.html"));
    String styles = vendoredStyles();
    for (JsonObject file : vendored(VENDOR)) {
      if (file.getString("file").endsWith(".css")) {
        assertThat(page).contains("href=\"vendor/" + file.getString("file") + "\"");
      }
    }
    Set<String> classes = new TreeSet<>();
    for (Path file : own(".js")) {
      Matcher matcher = Pattern.compile("pf-(?:v6-[cl]|m)-[\\w-]+").matcher(Files.readString(file));
      while (matcher.find()) {
        classes.add(matcher.group());
      }
    }
    assertThat(classes).hasSizeGreaterThan(30)
        .allMatch(name -> styles.contains("." + name + " ") || styles.contains("." + name + ",")
            || styles.contains("." + name + ":") || styles.contains("." + name + ".")
            || styles.contains("." + name + ")"));
  }

  /** What a reader sees or hears stands in the file of texts, and nowhere else. */
  @Test
  void every_word_stands_in_the_file_of_texts() throws Exception {
    Pattern words = Pattern.compile(
        "(?<![=\\s-])>([^<>$`{}=;()|&?]*[A-Za-z]{2,}[^<>$`{}=;()|&?]*)<[/a-z$]"
            + "|\\s(?:title|aria-label|aria-valuetext|placeholder|label|hint|alt|confirm|keep|sentence)"
            + "=(?:\"([^\"$]*[A-Za-z]{2}[^\"]*)\"|\\$\\{[\"`][^\"`$]*[A-Za-z]{2})");
    assertThat(words.matcher("html`<p>${a} of them</p>`").find()).isFalse();
    assertThat(words.matcher("html`<p>Not here</p>`").find()).isTrue();
    assertThat(words.matcher("html`<a title=\"Close it\">`").find()).isTrue();
    assertThat(words.matcher("html`<a title=${`Close ${it}`}>`").find()).isTrue();
    for (Path file : own(".js")) {
      if (!file.endsWith("texts.js")) {
        assertThat(words.matcher(Files.readString(file)).results().map(hit -> hit.group()))
            .as("%s", file).isEmpty();
      }
    }
  }

  @Test
  void every_module_that_is_imported_exists() throws Exception {
    Pattern imported = Pattern.compile("(?:from |import\\()\"(\\.[^\"]+)\"");
    for (Path file : own(".js")) {
      Matcher matcher = imported.matcher(Files.readString(file));
      while (matcher.find()) {
        assertThat(file.getParent().resolve(matcher.group(1)).normalize()).exists();
      }
    }
  }

  @Test
  void every_text_that_is_used_exists() throws Exception {
    Set<String> used = new TreeSet<>();
    for (Path file : own(".js")) {
      Matcher matcher = Pattern.compile("\\bt\\.([A-Za-z]+)\\b").matcher(Files.readString(file));
      while (matcher.find()) {
        used.add(matcher.group(1));
      }
    }
    Set<String> there = new TreeSet<>();
    Matcher matcher = Pattern.compile("(?m)^  ([A-Za-z]+): |(?<=[,{] )([A-Za-z]+): (?=[\"(])")
        .matcher(Files.readString(CONSOLE.resolve("texts.js")));
    while (matcher.find()) {
      there.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
    assertThat(there).containsAll(used);
  }
}
