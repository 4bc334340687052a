package ee.tasker.testing.handlers;

import ee.tasker.handler.BatchResult;
import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Counts the batches of the step {@code work} by what became of them, and names the last. */
@ApplicationScoped
@Handles("testing.CountBatches")
public class CountBatches implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    int done = 0;
    int failed = 0;
    String last = "";
    for (BatchResult batch : step
        .batchResults(step.config("of").isPresent() ? "unknown" : "work")) {
      done += batch.result().isPresent() ? 1 : 0;
      failed += batch.error().isPresent() ? 1 : 0;
      last = batch.batchId();
    }
    return StepOutcome.success(Json.createObjectBuilder().add("done", done).add("failed", failed)
        .add("last", last).build());
  }
}
