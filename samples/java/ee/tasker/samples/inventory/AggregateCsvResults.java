package ee.tasker.samples.inventory;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.math.BigDecimal;

/** Sums up the batches, and names those that failed. */
@ApplicationScoped
@Handles("inventory.AggregateCsvResults")
public class AggregateCsvResults implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    BigDecimal rows = BigDecimal.ZERO;
    BigDecimal stock = BigDecimal.ZERO;
    BigDecimal value = BigDecimal.ZERO;
    JsonArrayBuilder failed = Json.createArrayBuilder();
    JsonObject batch = step.resultObject("process_csv_batch");
    for (JsonObject each : batch.getJsonArray("results").getValuesAs(JsonObject.class)) {
      if (each.containsKey("error")) {
        failed.add(each.getString("batch_id"));
      } else {
        Fields sums = Fields.of("result", each.getJsonObject("result"));
        rows = rows.add(sums.number("rows"));
        stock = stock.add(sums.number("stock"));
        value = value.add(sums.number("value"));
      }
    }
    return StepOutcome.success(
        Json.createObjectBuilder().add("rows", rows).add("stock", stock).add("value", value)
            .add("failed_batches", failed).build());
  }
}
