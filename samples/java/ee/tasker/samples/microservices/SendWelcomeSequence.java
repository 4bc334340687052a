package ee.tasker.samples.microservices;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.util.ArrayList;
import java.util.List;

/** Welcome, verification and an in-app message; with a trial also the day on which it ends. */
@ApplicationScoped
@Handles("microservices.SendWelcomeSequence")
public class SendWelcomeSequence implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields account = Fields.of("create_user_account", step.resultObject("create_user_account"));
    Fields billing = Fields.of("setup_billing_profile", step.resultObject("setup_billing_profile"));
    Fields preferences = Fields.of("initialize_preferences",
        step.resultObject("initialize_preferences"));
    List<String> kinds = new ArrayList<>(List.of("welcome_email", "verification", "in_app"));
    if (billing.integer("trial_days") > 0) {
      kinds.add("trial_reminder");
    }
    JsonArrayBuilder messages = Json.createArrayBuilder();
    for (String kind : kinds) {
      messages.add(Json.createObjectBuilder()
          .add("message_id", StableId.of("msg_", 12, account.text("user_id"), kind))
          .add("kind", kind)
          .add("status", "sent"));
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("recipient", account.text("email"))
        .add("theme", preferences.text("theme"))
        .add("messages", messages)
        .add("message_count", kinds.size())
        .build());
  }
}
