package ee.tasker.samples.microservices;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Activates the account and summarises what was set up. It reads direct and indirect ancestors. */
@ApplicationScoped
@Handles("microservices.UpdateUserStatus")
public class UpdateUserStatus implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields account = Fields.of("create_user_account", step.resultObject("create_user_account"));
    Fields billing = Fields.of("setup_billing_profile", step.resultObject("setup_billing_profile"));
    Fields welcome = Fields.of("send_welcome_sequence", step.resultObject("send_welcome_sequence"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("user_id", account.text("user_id"))
        .add("username", account.text("username"))
        .add("plan", billing.text("plan"))
        .add("billing_id", billing.text("billing_id"))
        .add("messages_sent", welcome.integer("message_count"))
        .add("account_status", "active")
        .build());
  }
}
