package ee.tasker.task;

import ee.tasker.platform.Problem;
import ee.tasker.platform.Problem.Violation;
import ee.tasker.template.KnownTemplate;
import ee.tasker.template.Templates;
import ee.tasker.template.model.TemplateKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Checks a request before it reaches the database: its template, and its context against the input
 * schema.
 */
@ApplicationScoped
public class RequestCheck {
  @Inject
  private Templates templates;

  /**
   * @return the request with its version; the latest one when it names none
   * @throws Problem 404 unknown-template
   */
  public TaskRequest complete(TaskRequest request) {
    return request.template().isPresent() ? request
        : request.of(templates.latest(request.namespace(), request.name())
            .orElseThrow(() -> unknown(request)));
  }

  /**
   * @param request with a version
   * @return its template
   * @throws Problem 404 unknown-template, 400 invalid-context, 422 not-validated
   */
  public KnownTemplate check(TaskRequest request) {
    KnownTemplate template = request.template().flatMap(templates::find)
        .orElseThrow(() -> unknown(request));
    template.inputSchema().ifPresent(schema -> schema.require(request.context(), "context",
        () -> Problem.of(400, "invalid-context",
            "the context does not fit the input schema of template " + template.key())));
    return template;
  }

  static Problem unknownTask(UUID task) {
    return Problem.of(404, "task-not-found", "there is no task " + task);
  }

  static Problem unknown(TaskRequest request) {
    String asked = request.template().map(TemplateKey::toString)
        .orElse(request.namespace() + "/" + request.name());
    return new Problem(404, "unknown-template", "there is no template " + asked,
        List.of(new Violation("name", "there is no template " + asked)), Map.of());
  }
}
