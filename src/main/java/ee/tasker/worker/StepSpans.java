package ee.tasker.worker;

import ee.tasker.engine.model.Outcome;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import ee.tasker.step.StepSpec;
import ee.tasker.tracing.TraceSpan;
import ee.tasker.tracing.Tracing;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.Map;

/**
 * The span of each attempt: a child in the trace of the task's request, or the root of a new trace
 * when there is none.
 */
@ApplicationScoped
class StepSpans {
  @Inject
  private Tracing tracing;

  TraceSpan start(ClaimedStep step) {
    if (!tracing.isOn()) {
      return TraceSpan.NONE;
    }
    StepSpec definition = step.definition();
    return tracing.start("tasker.step " + step.name(), step.traceParent().orElse(null), Map.of(
        "tasker.task.uuid", step.key().taskUuid(),
        "tasker.step.uuid", step.key().stepUuid(),
        "tasker.step.name", step.name(),
        "tasker.namespace", definition.namespace(),
        "tasker.template", definition.taskName(),
        "tasker.template.version", definition.taskVersion(),
        "tasker.handler", definition.handler(),
        "tasker.attempt", (long) step.attempt(),
        "tasker.correlation_id", step.correlationId()));
  }

  static void end(TraceSpan span, StepResult result) {
    if (result.error() instanceof JsonObject error && result.outcome() != Outcome.CANCELLED) {
      span.fail(result.outcome().word(), error.getString("type", ""),
          error.getString("message", ""));
    } else {
      span.end(result.outcome().word());
    }
  }
}
