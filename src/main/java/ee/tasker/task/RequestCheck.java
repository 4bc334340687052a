package ee.tasker.task;

import ee.tasker.document.SealedPlaces;
import ee.tasker.document.Seals;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Problem.Violation;
import ee.tasker.template.ContextSchema;
import ee.tasker.template.KnownTemplate;
import ee.tasker.template.Templates;
import ee.tasker.template.model.TemplateKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Checks a request before it reaches the database: its template, and its context against the input
 * schema.
 */
@ApplicationScoped
public class RequestCheck {
  @Inject
  private Templates templates;

  @Inject
  private Seals seals;

  /** @param request whose context may be stored: what the template seals in it is sealed */
  public record Checked(TaskRequest request, KnownTemplate template) {
  }

  /**
   * @return the request with its version; the latest one when it names none
   * @throws Problem 404 unknown-template
   */
  public TaskRequest complete(TaskRequest request) {
    return completion().apply(request);
  }

  /** {@link #complete} for the requests of one call, which asks once for each template. */
  public UnaryOperator<TaskRequest> completion() {
    Map<List<String>, TemplateKey> latest = new HashMap<>();
    return request -> request.template().isPresent() ? request
        : request.of(latest.computeIfAbsent(List.of(request.namespace(), request.name()),
            name -> templates.latest(request.namespace(), request.name())
                .orElseThrow(() -> unknown(request))));
  }

  /**
   * The same without asking the database, where the latest version was asked for before: a
   * submission then finds out whether it still is, and is {@link
   * ee.tasker.engine.reply.SubmissionVerdict.Superseded} when it is not.
   *
   * @throws Problem 404 unknown-template
   */
  public TaskRequest presume(TaskRequest request) {
    return request.template().isPresent() ? request
        : templates.lastKnown(request.namespace(), request.name()).map(request::checkedFor)
            .orElseGet(() -> complete(request));
  }

  /**
   * @param request with a version; what is sealed in its context already is opened for the check
   * @throws Problem 404 unknown-template, 400 invalid-context, 422 not-validated, 503
   *   document-key-missing, 409 document-not-opened
   */
  public Checked check(TaskRequest request) {
    KnownTemplate template = request.template().flatMap(templates::find)
        .orElseThrow(() -> unknown(request));
    if (template.inputSchema().isEmpty()) {
      return new Checked(request, template);
    }
    JsonObject context = template.inputSchema().get().accept(request.context(), seals,
        request.namespace(), "context", () -> Problem.of(400, "invalid-context",
            "the context does not fit the input schema of template " + template.key()))
        .asJsonObject();
    return new Checked(context == request.context() ? request : request.context(context),
        template);
  }

  /**
   * The context as it may be stored before there is a request: sealed, and not checked.
   *
   * @throws Problem 404 unknown-template, 400 when the member is sealed, 503 document-key-missing
   */
  public JsonObject sealed(TaskRequest request, Optional<String> memberForTime) {
    KnownTemplate template = request.template().flatMap(templates::find)
        .orElseThrow(() -> unknown(request));
    SealedPlaces places = template.inputSchema().map(ContextSchema::sealed)
        .orElse(SealedPlaces.NONE);
    memberForTime.filter(places::concerns).ifPresent(member -> {
      throw Problem.invalid("time_member", "must not be a member of the context that is sealed");
    });
    return seals.seal(request.context(), places, request.namespace()).asJsonObject();
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
