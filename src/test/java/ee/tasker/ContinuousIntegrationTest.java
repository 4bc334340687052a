package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of {@code .ci/run}, worked by its own functions with parts that do nothing. */
class ContinuousIntegrationTest {
  private static final List<String> PART = List.of("part", "begun", "end", "watch");
  private static final List<String> FUNCTIONS = Stream
      .concat(PART.stream(), Stream.of("beside", "ended", "work", "run")).toList();

  @TempDir
  private Path folder;

  private final String script = read(Path.of(".ci/run"));

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The functions of the script of these names, and the variables that they share. */
  private String functions(List<String> names) {
    StringBuilder text = new StringBuilder(
        "set -euo pipefail\nothers=()\nparts=$(mktemp)\nlist=()\naside=()\ntaken=$(mktemp -d)\n");
    for (String function : names) {
      Matcher found = Pattern.compile("(?ms)^" + function + "\\(\\) \\{$.*?^\\}$").matcher(script);
      assertThat(found.find()).as(function).isTrue();
      text.append(found.group()).append('\n');
    }
    return text.toString();
  }

  private int bash(String text) throws IOException, InterruptedException {
    ProcessBuilder bash = new ProcessBuilder("bash", "-c", text).directory(folder.toFile())
        .redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile());
    // What the run that these tests are part of was asked for.
    bash.environment().keySet().removeAll(List.of("CI_ALL", "CI_ONLY"));
    // What a piece of the script leaves there goes with the folder.
    bash.environment().put("TMPDIR", folder.toString());
    Process process = bash.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  /** @param failing the body of the part that fails, if any does */
  private int run(String... failing) throws IOException, InterruptedException {
    StringBuilder text = new StringBuilder(functions(FUNCTIONS)).append("passed() { :; }\n");
    for (int part = 0; part < 20; part++) {
      String name = "part_" + part;
      text.append(name).append("() { echo ").append(name).append(" >> ran; ")
          .append(List.of(failing).contains(name) ? "false" : "part $1 true").append("; }\n");
      text.append("list+=(").append(name).append(")\n");
    }
    assertThat(script).contains("beside 0 work \"$copy/tasker\" \"$@\"", "work . \"$@\"\n",
        "part \"what ran beside\" ended");
    // When it ends early, too: what still runs writes into the folder.
    text.append("trap wait EXIT\n");
    text.append("beside 0 work . an_option\nwork . an_option\npart \"what ran beside\" ended\n");
    return bash(text.toString());
  }

  private List<String> ran() throws IOException {
    return Files.readAllLines(folder.resolve("ran"));
  }

  @Test
  void two_workers_run_each_part_once() throws IOException, InterruptedException {
    assertThat(run()).as(() -> read(folder.resolve("out"))).isZero();

    assertThat(ran()).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void a_part_that_fails_fails_the_run_and_few_begin_after_it()
      throws IOException, InterruptedException {
    assertThat(run("part_3")).isNotZero();

    assertThat(ran()).doesNotContain("part_19");
  }

  // ---- What does not end

  private String one(String part) {
    return functions(PART) + "part stuck " + part + "\n";
  }

  /** No process has the file of {@link #sleeping} in its command line. */
  private void assertNothingRuns() throws IOException {
    String open = folder.toRealPath().resolve("running").toString();
    assertThat(ProcessHandle.allProcesses().map(process -> process.info().commandLine().orElse("")))
        .noneMatch(words -> words.contains(open));
  }

  private String sleeping() throws IOException {
    return "tail -f '" + Files.writeString(folder.toRealPath().resolve("running"), "") + "'";
  }

  @Test
  void what_a_part_leaves_running_is_named_and_ended_with_it()
      throws IOException, InterruptedException {
    String text = one("sh -c \"" + sleeping() + " & echo begun\"");

    assertThat(bash(text)).isZero();

    assertThat(read(folder.resolve("out"))).contains("begun\n", "left behind by stuck:\n",
        "tail -f ");
    assertNothingRuns();
  }

  /** What watches it is gone, and has not done what the script does when it ends. */
  @Test
  void parts_that_are_over_at_once_end_nothing_but_themselves()
      throws IOException, InterruptedException {
    assertThat(bash(functions(PART) + "trap 'echo the script has ended' EXIT\n"
        + "for n in $(seq 300); do part short true; done\n")).isZero();

    assertThat(read(folder.resolve("out"))).isEqualTo("the script has ended\n");
  }

  @Test
  void a_part_that_does_not_end_shows_its_threads_and_fails()
      throws IOException, InterruptedException {
    Path waiting = Files.writeString(folder.resolve("Waiting.java"), """
        class Waiting {
          public static void main(String[] words) throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
          }
        }
        """);
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    String text = "CI_PART_SECONDS=20\nexport JAVA_HOME='" + System.getProperty("java.home") + "'\n"
        + one("sh -c \"" + sleeping() + " & '" + java + "' '" + waiting + "'\"");

    assertThat(bash(text)).isNotZero();

    assertThat(read(folder.resolve("out"))).contains("stuck has not ended after 20 s; its threads:",
        "at Waiting.main(Waiting.java:3)", "ended:\n");
    assertNothingRuns();
  }

  // ---- What has passed

  /**
   * Two parts of a repository, each with a file that it depends on: one that prints what
   * {@code says} has, and one that is always run.
   */
  private String repository(String says) throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve(".ci"));
    Files.writeString(folder.resolve(".ci/passed"), "# parts\n");
    Files.writeString(folder.resolve("says"), says);
    Files.writeString(folder.resolve("other"), "");
    assertThat(bash("git init -q . && git add .ci says other && git -c user.name=a "
        + "-c user.email=a@example.org commit -qm first")).isZero();
    return functions(Stream.concat(PART.stream(),
        Stream.of("work", "run", "digest", "plan", "passed")).toList())
        + "text() { echo \"$1\"; }\n"
        + "core= faults= long_console= long_servers= long_requests= installing=\n"
        + "inputs() { [ $1 = site ] && echo says || echo other; }\n"
        + "verification() { part units true; }\nsite() { part site cat says; }\n"
        + "record=$PWD/.ci/passed\naside=()\nlist=(site)\nplan\nlist=(verification site)\nwork .\n"
        + "cat \"$parts\"\n";
  }

  private List<String> passedParts() throws IOException {
    return Files.readAllLines(folder.resolve(".ci/passed")).stream()
        .filter(line -> !line.startsWith("#")).map(line -> line.split(" ")[0]).toList();
  }

  private void assertRan(String... parts) {
    List<String> ran = read(folder.resolve("out")).lines()
        .filter(line -> line.matches(" *[0-9]+ s  .*"))
        .map(line -> line.replaceFirst(" *[0-9]+ s  ", "")).toList();
    assertThat(ran).containsExactly(parts);
  }

  @Test
  void what_has_passed_is_run_again_when_what_it_depends_on_has_changed()
      throws IOException, InterruptedException {
    String text = repository("one\n");

    assertThat(bash(text)).as(() -> read(folder.resolve("out"))).isZero();
    assertRan("units", "site");
    assertThat(passedParts()).containsExactly("site");

    bash(text);
    assertRan("units");
    assertThat(read(folder.resolve("out"))).containsPattern(
        "(?m)^[0-9a-f]{32} +site +has passed on 2[0-9-]{9}, in [0-9]+ s$");

    bash("CI_ALL=1\n" + text);
    assertRan("units", "site");
    bash("CI_ONLY=site\n" + text);
    assertRan("site");
    assertThat(bash("CI_ONLY='site sites'\n" + text)).isNotZero();
    assertThat(read(folder.resolve("out"))).isEqualTo("CI_ONLY: there is no part sites\n");

    Files.writeString(folder.resolve("says"), "two\n");
    bash("git -c user.name=a -c user.email=a@example.org commit -qam second");
    bash(text);
    assertRan("units", "site");
  }

  @Test
  void what_was_not_committed_or_passed_at_a_second_try_only_is_not_noted()
      throws IOException, InterruptedException {
    String text = repository("[WARNING] Flakes:\n");
    assertThat(bash(text)).isZero();
    assertRan("units", "site");
    assertThat(passedParts()).isEmpty();

    Files.writeString(folder.resolve("says"), "fine\n");
    bash(text);
    assertRan("units", "site");
    assertThat(passedParts()).isEmpty();
    assertThat(read(folder.resolve("out"))).contains("not committed");

    Files.delete(folder.resolve("other"));
    assertThat(bash("CI_ONLY=site\n" + text)).as(() -> read(folder.resolve("out"))).isZero();
    assertRan("site");
  }

  @Test
  void each_part_depends_on_files_that_exist() throws IOException, InterruptedException {
    Matcher lists = Pattern.compile("(?m)^(?:list|aside)=\\(([a-z_\\s$()]+?)\\)$").matcher(script);
    List<String> on = Stream.of(ServerKind.values()).filter(server -> server != ServerKind.LIBERTY)
        .map(server -> "on_" + server.id()).sorted().toList();
    assertThat(bash("cd '" + Path.of("").toAbsolutePath() + "'\n"
        + functions(List.of("on_others")) + "on_others\n")).isZero();
    assertThat(Files.readAllLines(folder.resolve("out"))).isEqualTo(on);
    List<String> parts = lists.results()
        .map(list -> list.group(1).replace("$(on_others)", String.join(" ", on)))
        .flatMap(list -> Stream.of(list.strip().split("\\s+"))).toList();
    assertThat(parts).contains("long_of_console", "models_of_the_protocol").containsAll(on);
    Matcher variables = Pattern.compile("(?m)^(core|installing)\\+?=.*$").matcher(script);
    StringBuilder text = new StringBuilder(functions(List.of("product", "inputs", "core_on")))
        .append(Pattern.compile("(?m)^(committed|helpers|classes|in_folders)\\(\\) \\{.*\\}$")
            .matcher(script).results().map(found -> found.group() + "\n")
            .reduce("", String::concat));
    variables.results().forEach(found -> text.append(found.group()).append('\n'));
    text.append("cd '").append(Path.of("").toAbsolutePath()).append("'\n");
    parts.forEach(part -> text.append("echo ").append(part)
        .append(" $(inputs ").append(part).append(" | wc -l)\n"));
    assertThat(bash(text.toString())).as(() -> read(folder.resolve("out"))).isZero();
    assertThat(Files.readAllLines(folder.resolve("out"))).hasSameSizeAs(parts)
        .allMatch(line -> line.matches("[a-z_]+ [1-9][0-9]+"));
  }

  /** The parts depend on few of the units' own files. */
  @Test
  void helpers_of_units_that_others_use_are_what_parts_depend_on()
      throws IOException, InterruptedException {
    String text = functions(List.of("product"))
        + Pattern.compile("(?m)^(committed|helpers)\\(\\) \\{.*\\}$").matcher(script).results()
            .map(found -> found.group() + "\n").reduce("", String::concat)
        + "cd '" + Path.of("").toAbsolutePath() + "'\nproduct\n";
    assertThat(bash(text)).isZero();
    List<String> files = Files.readAllLines(folder.resolve("out"));
    String others = sources("tests") + sources("tools/faults/src");

    try (Stream<Path> helpers = Files.walk(Path.of("src/test/java"))) {
      List<String> used = helpers.map(Path::toString)
          .filter(file -> file.matches(".*/[A-Za-z]+(?<!Test|package-info)\\.java"))
          .filter(file -> isUsed(file.replaceFirst("^src/test/java/", ""), others)).toList();
      assertThat(used).contains("src/test/java/ee/tasker/docs/Readme.java");
      assertThat(files).containsAll(used);
    }
  }

  private static String sources(String root) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(root))) {
      return files.filter(file -> file.toString().endsWith(".java"))
          .map(ContinuousIntegrationTest::read).collect(Collectors.joining("\n"));
    }
  }

  /** Imported, or named, which a class of the same package may do. */
  private static boolean isUsed(String helper, String others) {
    String name = helper.replaceFirst("\\.java$", "").replace('/', '.');
    String simple = name.substring(name.lastIndexOf('.') + 1);
    String inPackage = "package " + name.substring(0, name.lastIndexOf('.')) + ";";
    return others.contains("import " + name + ";") || others.contains("import static " + name + ".")
        || others.contains(inPackage)
            && Pattern.compile("\\b" + simple + "\\.[a-z]").matcher(others).find();
  }

  @ParameterizedTest
  @ValueSource(strings = {"core", "faults", "installing"})
  void classes_that_are_named_exist(String variable) throws IOException {
    String names = Pattern.compile("(?m)^" + variable + "\\+?=(.*)$").matcher(script).results()
        .map(line -> line.group(1)).collect(Collectors.joining());
    try (Stream<Path> files = Stream.concat(Files.walk(Path.of("tests/it/src/test/java")),
        Files.walk(Path.of("tools/faults/src/test/java")))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".java", "")))
          .contains(names.split(","));
    }
  }

  @Test
  void every_long_test_is_in_a_part() {
    assertThat(script).contains(
        "all_but \"$long_console\" \"$long_servers\" \"$long_requests\" \"$installing\"");
    for (String variable : List.of("$long_console", "$long_servers", "$long_requests",
        "$installing")) {
      assertThat(script).contains(" long \"" + variable);
    }
  }
}
