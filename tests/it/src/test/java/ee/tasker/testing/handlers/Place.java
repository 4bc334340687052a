package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import io.opentelemetry.api.trace.Span;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

/**
 * Returns where it is in its trace: as its context says it, and as the server's OpenTelemetry does
 * where there is one. Its configuration has how
 * often it throws before that ({@code throws}), whether it fails permanently ({@code refuses}), and
 * a template to submit ({@code submits}).
 */
@ApplicationScoped
@Handles("testing.Place")
public class Place implements StepHandler {
  @Inject
  private TaskSubmissions submissions;

  @Override
  public StepOutcome handle(StepContext step) {
    if (step.attempt() <= step.config().getInt("throws", 0)) {
      throw new RetryableStepException("ThrownOnPurpose",
          "attempt " + step.attempt() + " is one to throw");
    }
    if (step.config().getBoolean("refuses", false)) {
      return StepOutcome.permanent("Refused", "as the template wants it");
    }
    JsonObjectBuilder place = Json.createObjectBuilder()
        .add("trace_parent", step.traceParent().orElse("none")).add("current_span", currentSpan());
    if (step.config().containsKey("submits")) {
      place.add("submitted",
          submissions.submit(TaskRequest.of("testing", step.config().getString("submits"), "1.0.0"))
              .taskUuid().toString());
    }
    return StepOutcome.success(place.build());
  }

  private static String currentSpan() {
    try {
      return Span.current().getSpanContext().getSpanId();
    } catch (NoClassDefFoundError absent) {
      return "no OpenTelemetry";
    }
  }
}
