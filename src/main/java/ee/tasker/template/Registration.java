package ee.tasker.template;

import ee.tasker.template.model.TemplateKey;
import java.util.List;

/** The result of registering a template. */
public sealed interface Registration {

  /** @param warnings what the template needs but the installation lacks, one sentence each */
  record Registered(TemplateKey key, List<String> warnings) implements Registration {}

  /** The same content was registered already. */
  record Unchanged(TemplateKey key, List<String> warnings) implements Registration {}

  /** Other content is registered under this key: a change needs a new version. */
  record Conflict(TemplateKey key) implements Registration {}

  /** Another namespace has the same name except for case. */
  record NamespaceTaken(String message) implements Registration {}

  record Invalid(List<TemplateProblem> problems) implements Registration {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
