package ee.tasker.samples.subscriptions;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Tells the customer when the trial ends. The message id is the same on every attempt. */
@ApplicationScoped
@Handles("subscriptions.RemindCustomer")
public class RemindCustomer implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success(Json.createObjectBuilder()
        .add("message_id", StableId.of("msg_", 16, step.taskUuid()))
        .add("recipient", Fields.of("context", step.input()).text("customer"))
        .add("subject",
            "Your trial ends at "
                + Fields.of("start_trial", step.resultObject("start_trial")).text("ends_at"))
        .build());
  }
}
