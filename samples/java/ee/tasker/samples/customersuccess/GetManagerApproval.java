package ee.tasker.samples.customersuccess;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Records who approved. The manager of this sample approves everything; the context may disable the
 * review with
 * {@code requires_approval: false}.
 */
@ApplicationScoped
@Handles("customer_success.GetManagerApproval")
public class GetManagerApproval implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields policy = Fields.of("check_refund_policy", step.resultObject("check_refund_policy"));
    boolean isAsked = policy.flag("requires_approval", true)
        && Fields.of("context", step.input()).flag("requires_approval", true);
    return StepOutcome.success(Json.createObjectBuilder()
        .add("approval_id", StableId.of("appr_", 12, step.taskUuid()))
        .add("approved", true)
        .add("approval_required", isAsked)
        .add("approved_by", !isAsked ? "policy"
            : policy.text("approval_path").equals("manager_review") ? "manager" : "team_lead")
        .build());
  }
}
