package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/migrating-from-tasker-core.md} tells the truth about both of its templates. */
class MigrationDocumentTest {

  private static List<String> blocks(String kind) throws Exception {
    return Pattern.compile("(?ms)^```" + kind + "\\n(.*?)^```$")
        .matcher(Files.readString(Path.of("docs", "migrating-from-tasker-core.md")))
        .results()
        .map((MatchResult found) -> found.group(1)).filter(text -> !text.isBlank()).toList();
  }

  @Test
  void template_before_is_refused_with_the_hints_and_the_one_after_is_taken() throws Exception {
    List<String> templates = blocks("yaml");
    String hints = Pattern.compile("(?ms)^```\\n(\\d.*?)^```$")
        .matcher(Files.readString(Path.of("docs", "migrating-from-tasker-core.md")))
        .results()
        .map(found -> found.group(1)).findFirst().orElseThrow();

    assertThat(templates).hasSize(2);
    assertThat(problemsOf(templates.get(0))).containsExactlyElementsOf(hints.lines().toList());
    assertThat(TemplateReader.read(templates.get(1))).isInstanceOf(TemplateReading.Read.class);
  }
}
