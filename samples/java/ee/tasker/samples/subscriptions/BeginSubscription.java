package ee.tasker.samples.subscriptions;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Begins the subscription at the end of the trial, whenever the step runs. */
@ApplicationScoped
@Handles("subscriptions.BeginSubscription")
public class BeginSubscription implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success(Json.createObjectBuilder()
        .add("subscription_id", StableId.of("sub_", 16, step.taskUuid()))
        .add("plan", Fields.of("context", step.input()).text("plan"))
        .add("begins_at",
            Fields.of("start_trial", step.resultObject("start_trial")).text("ends_at"))
        .build());
  }
}
