package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.util.List;

/** Reserves each line of the cart in the only warehouse. */
@ApplicationScoped
@Handles("ecommerce.UpdateInventory")
public class UpdateInventory implements StepHandler {
  private static final String WAREHOUSE = "WH-EAST-01";

  @Override
  public StepOutcome handle(StepContext step) {
    List<Fields> lines = Fields.of("validate_cart", step.resultObject("validate_cart"))
        .objects("items");
    JsonArrayBuilder reservations = Json.createArrayBuilder();
    int reserved = 0;
    for (int line = 0; line < lines.size(); line++) {
      int quantity = lines.get(line).integer("quantity");
      reserved += quantity;
      reservations.add(Json.createObjectBuilder()
          .add("reservation_id", StableId.of("res_", 12, step.taskUuid(), line))
          .add("sku", lines.get(line).text("sku"))
          .add("warehouse", WAREHOUSE)
          .add("stock_change", -quantity));
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("reservations", reservations)
        .add("reserved_count", reserved)
        .build());
  }
}
