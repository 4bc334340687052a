package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Returns by what its task is known elsewhere. Fails when the context says so, to leave a line in
 * the log.
 */
@ApplicationScoped
@Handles("testing.Trace")
public class Trace implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    if (step.input("fail").isPresent()) {
      return StepOutcome.permanent("Refused", "as the context wants it");
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("correlation_id", step.correlationId().toString())
        .add("trace_parent", step.traceParent().orElse("none")).build());
  }
}
