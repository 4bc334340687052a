package ee.tasker.samples.microservices;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Sets a new user's defaults; paying users also get the weekly report. */
@ApplicationScoped
@Handles("microservices.InitializePreferences")
public class InitializePreferences implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields account = Fields.of("create_user_account", step.resultObject("create_user_account"));
    Plan plan = Plan.of(account);
    return StepOutcome.success(Json.createObjectBuilder()
        .add("user_id", account.text("user_id"))
        .add("theme", "system")
        .add("notifications", Json.createObjectBuilder()
            .add("email", true)
            .add("sms", account.has("phone"))
            .add("weekly_report", plan.monthlyPrice.signum() > 0))
        .build());
  }
}
