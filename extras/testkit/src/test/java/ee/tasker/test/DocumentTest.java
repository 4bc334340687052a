package ee.tasker.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The examples of docs/testing-workflows.md are code that runs: {@link GreetingTest} and its
 * template.
 */
class DocumentTest {
  private static final Path DOCUMENT = Path.of("../../docs/testing-workflows.md");

  @Test
  void the_java_of_the_document_is_that_of_the_test() throws IOException {
    String test = Files.readString(Path.of("src/test/java/ee/tasker/test/GreetingTest.java"));
    List<String> blocks = blocks("java");

    assertThat(blocks).isNotEmpty()
        .allSatisfy(block -> assertThat(squeezed(test)).contains(squeezed(block)));
  }

  @Test
  void the_template_of_the_document_is_that_of_the_test() throws IOException {
    assertThat(blocks("yaml"))
        .containsExactly(Files.readString(Path.of("src/test/resources/demo/greeting.yaml")));
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(DOCUMENT)).results()
        .map((MatchResult result) -> result.group(1)).toList();
  }

  /** Without white space: a document may break lines elsewhere. */
  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
  }
}
