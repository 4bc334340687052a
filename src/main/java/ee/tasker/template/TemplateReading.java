package ee.tasker.template;

import ee.tasker.template.model.TemplateDefinition;
import java.util.List;

/** What came of reading a template. */
public sealed interface TemplateReading {

  /** The text is a valid template. */
  record Read(TemplateDefinition template) implements TemplateReading {}

  /** It is not: all problems that could be found, in the order of the text, at least one. */
  record Invalid(List<TemplateProblem> problems) implements TemplateReading {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
