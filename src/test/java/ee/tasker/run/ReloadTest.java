package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The parts of the inner loop that need no server: the compiler's messages, what counts as a change
 * of methods, and replacing them.
 */
class ReloadTest {
  @TempDir
  private Path folder;

  private final SourceCompiler compiler = new SourceCompiler(List.of());

  private Path source(String body) throws IOException {
    return Files.writeString(folder.resolve("Clock.java"), body);
  }

  private static String clock(String members, String said) {
    return """
        public class Clock {
          %s
          static String text() {
            return %s;
          }
          public static void main(String[] arguments) throws Exception {
            while (true) {
              java.nio.file.Files.writeString(java.nio.file.Path.of(arguments[0]), text());
              Thread.sleep(20);
            }
          }
        }
        """.formatted(members, said);
  }

  private String skeleton(String text) throws IOException {
    Path file = source(text);
    return compiler.skeletons(List.of(file)).get(file);
  }

  @Test
  void error_has_its_file_line_column_and_the_line_itself() throws Exception {
    Path file = source(clock("", "\"a\" + nam"));

    List<String> errors = compiler.compile(List.of(file), folder.resolve("classes"),
        path -> path.getFileName().toString());

    assertThat(errors).singleElement().asString()
        .startsWith("Clock.java:4:18: error: cannot find symbol\n").contains("nam\n")
        .endsWith("\n        return \"a\" + nam;\n                     ^");
  }

  @Test
  void every_error_is_told_and_nothing_when_there_is_none() throws Exception {
    Path file = source("class Clock { int a = \"x\"; int b = \"y\"; }");
    assertThat(compiler.compile(List.of(file), folder.resolve("classes"), Path::toString))
        .hasSize(2);
    assertThat(compiler.compile(List.of(source(clock("", "\"a\""))), folder.resolve("classes"),
        Path::toString)).isEmpty();
    assertThat(folder.resolve("classes/Clock.class")).exists();
  }

  @Test
  void only_what_runs_when_it_is_called_may_differ() throws Exception {
    String before = skeleton(clock("int n() { return 1; }", "\"a\""));

    assertThat(skeleton(clock("int n() { int a = 2; return a; }", "\"b\""))).isEqualTo(before);
    assertThat(skeleton(clock("int n() { return 1; } int m() { return 1; }", "\"a\"")))
        .as("a method more").isNotEqualTo(before);
    assertThat(skeleton(clock("long n() { return 1; }", "\"a\""))).as("another type")
        .isNotEqualTo(before);
    for (String member : List.of("int n = %s;", "Clock() { System.exit(%s); }",
        "static { System.exit(%s); }",
        "@Deprecated void start() { System.exit(%s); }",
        "@SuppressWarnings(\"%s\") int n() { return 1; }")) {
      assertThat(skeleton(clock(member.formatted(1), "\"a\""))).as(member)
          .isNotEqualTo(skeleton(clock(member.formatted(2), "\"a\"")));
    }
  }

  @Test
  void methods_of_a_running_process_are_replaced_all_or_none() throws Exception {
    Path classes = folder.resolve("classes");
    Path said = folder.resolve("said");
    compiler.compile(List.of(source(clock("", "\"one\""))), classes, Path::toString);
    Process process = new ProcessBuilder(ServerProcess.java(), "-cp", classes.toString(), "Clock",
        said.toString()).inheritIO().start();
    try {
      TaskerClient.until("it runs", Duration.ofSeconds(60), () -> says(said, "one"));
      HotSwap hotSwap = new HotSwap(folder);

      compiler.compile(List.of(source(clock("", "\"two\""))), folder.resolve("second"),
          Path::toString);
      assertThat(hotSwap.replace(process.pid(), folder.resolve("second"))).isTrue();
      TaskerClient.until("it runs the new code", Duration.ofSeconds(60), () -> says(said, "two"));

      compiler.compile(
          List.of(source(clock("static String more() { return \"three\"; }", "more()"))),
          folder.resolve("third"),
          Path::toString);
      assertThat(hotSwap.replace(process.pid(), folder.resolve("third"))).as("a method was added")
          .isFalse();
      assertThat(process.isAlive()).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static boolean says(Path file, String text) {
    try {
      return Files.exists(file) && Files.readString(file).equals(text);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void files_of_editors_and_builds_are_not_watched() throws Exception {
    for (String file : List.of("src/main/java/a/A.java", "src/main/java/a/.A.java.swp",
        "src/main/java/a/A.java~",
        "src/main/resources/a/t.yaml", "src/main/resources/target/t.yaml",
        "src/main/resources/a.properties")) {
      Files.createDirectories(folder.resolve(file).getParent());
      Files.writeString(folder.resolve(file), "");
    }
    Properties build = new Properties();
    build.setProperty("tasker.dev", "true");
    build.setProperty("tasker.dev.project", folder.toString());
    DevProject project = DevProject.from(folder, build).orElseThrow();

    assertThat(project.snapshot().keySet()).extracting(project::shown).containsExactlyInAnyOrder(
        Path.of("src/main/java/a/A.java").toString(),
        Path.of("src/main/resources/a/t.yaml").toString(),
        Path.of("src/main/resources/a.properties").toString());
  }
}
