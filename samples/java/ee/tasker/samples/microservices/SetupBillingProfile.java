package ee.tasker.samples.microservices;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Opens a billing profile with the price, trial and limit of the plan. */
@ApplicationScoped
@Handles("microservices.SetupBillingProfile")
public class SetupBillingProfile implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields account = Fields.of("create_user_account", step.resultObject("create_user_account"));
    Plan plan = Plan.of(account);
    return StepOutcome.success(Json.createObjectBuilder()
        .add("billing_id", StableId.of("bill_", 12, account.text("user_id")))
        .add("plan", plan.word())
        .add("monthly_price", plan.monthlyPrice)
        .add("trial_days", plan.trialDays)
        .add("api_call_limit", plan.apiCallLimit)
        .add("status", plan.trialDays > 0 ? "trial" : "active")
        .build());
  }
}
