package ee.tasker.template;

import ee.tasker.template.model.TemplateDefinition;
import java.util.List;

/** The result of reading a template. */
public sealed interface TemplateReading {

  /** The text is a valid template. */
  record Read(TemplateDefinition template) implements TemplateReading {}

  /** The text is invalid: all problems that could be found, in document order, at least one. */
  record Invalid(List<TemplateProblem> problems) implements TemplateReading {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
