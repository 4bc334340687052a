package ee.tasker.template;

import ee.tasker.template.model.TemplateKey;
import java.util.List;

/** What came of registering a template. */
public sealed interface Registration {

  /** @param warnings what the template needs and the installation has not, a sentence each */
  record Registered(TemplateKey key, List<String> warnings) implements Registration {}

  /** The same content was there already. */
  record Unchanged(TemplateKey key, List<String> warnings) implements Registration {}

  /** The key is taken by other content: a change needs a new version. */
  record Conflict(TemplateKey key) implements Registration {}

  /** Another namespace has the same name but for its case. */
  record NamespaceTaken(String message) implements Registration {}

  record Invalid(List<TemplateProblem> problems) implements Registration {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
