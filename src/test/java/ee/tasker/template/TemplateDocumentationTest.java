package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What {@code docs/templates.md} shows is what happens. */
class TemplateDocumentationTest {

  private static List<String> blocks(String language) throws IOException {
    var document = Files.readString(Path.of("docs", "templates.md"));
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(document)
        .results()
        .map(block -> block.group(1)).toList();
  }

  @Test
  void the_example_is_a_template_that_can_run() throws IOException {
    var template = Templates.read(blocks("yaml").get(0));

    assertThat(template.forEnvironment("test").steps())
        .allSatisfy(step -> assertThat(step.options().timeoutSeconds()).hasValue(5));
  }

  @Test
  void the_broken_example_has_the_problems_that_are_shown() throws IOException {
    var examples = blocks("yaml");
    assertThat(Templates.problemsOf(examples.get(examples.size() - 1)))
        .containsExactlyElementsOf(blocks("text").get(0).lines().toList());
  }
}
