package ee.tasker.samples.approvals;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import java.util.List;

/** Collects the approvals of the branches that were taken; without one the purchase is rejected. */
@ApplicationScoped
@Handles("approvals.RecordApproval")
public class RecordApproval implements StepHandler {
  private static final List<String> APPROVALS = List.of("approve_by_rule", "approve_by_manager",
      "approve_by_director");

  @Override
  public StepOutcome handle(StepContext step) {
    JsonArrayBuilder names = Json.createArrayBuilder();
    APPROVALS.stream().flatMap(name -> step.result(name).stream())
        .forEach(approval -> names.add(approval.asJsonObject().getString("approved_by")));
    JsonArray approvedBy = names.build();
    return StepOutcome.success(Json.createObjectBuilder()
        .add("status", approvedBy.isEmpty() ? "rejected" : "approved")
        .add("approved_by", approvedBy).build());
  }
}
