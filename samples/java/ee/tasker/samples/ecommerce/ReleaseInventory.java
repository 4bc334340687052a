package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;

/** Compensates {@link UpdateInventory}: releases each reservation of its result. */
@ApplicationScoped
@Handles("ecommerce.ReleaseInventory")
public class ReleaseInventory implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonArrayBuilder released = Json.createArrayBuilder();
    Fields.of("result", step.stepInputs().getJsonObject("result")).objects("reservations")
        .forEach(reservation -> released.add(reservation.text("reservation_id")));
    return StepOutcome.success(Json.createObjectBuilder().add("released", released).build());
  }
}
