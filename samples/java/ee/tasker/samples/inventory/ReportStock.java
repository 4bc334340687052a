package ee.tasker.samples.inventory;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** What the stock is worth, in one sentence. */
@ApplicationScoped
@Handles("inventory.ReportStock")
public class ReportStock implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields count = Fields.of("result", step.resultObject("count_rows"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("text", count.number("stock") + " pieces in " + count.number("rows") + " rows")
        .build());
  }
}
