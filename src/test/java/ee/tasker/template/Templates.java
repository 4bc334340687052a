package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.TemplateDefinition;
import java.util.List;

/** Templates for tests, and what came of reading them in few words. */
final class Templates {
  private Templates() {}

  /** The three lines every template begins with. */
  static final String HEAD = """
      name: order
      namespace_name: shop
      version: 1.0.0
      """;

  /** A template with these lines as its steps; the first is line 5 of the text. */
  static String withSteps(String steps) {
    return HEAD + "steps:\n" + steps;
  }

  /** A template with these top-level keys, beginning at line 4, and one step. */
  static String withKeys(String keys) {
    return HEAD + keys + "steps:\n- {name: only, handler: {callable: h}}\n";
  }

  static TemplateDefinition read(String text) {
    var reading = TemplateReader.read(text);
    assertThat(reading).isInstanceOf(TemplateReading.Read.class);
    return ((TemplateReading.Read) reading).template();
  }

  static StepDefinition readStep(String steps) {
    return read(withSteps(steps)).steps().get(0);
  }

  /** Every problem as {@code line:column path: message}. */
  static List<String> problemsOf(String text) {
    var reading = TemplateReader.read(text);
    assertThat(reading).isInstanceOf(TemplateReading.Invalid.class);
    return ((TemplateReading.Invalid) reading).problems().stream().map(TemplateProblem::toString)
        .toList();
  }
}
