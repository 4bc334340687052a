package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;

/** Writes to the shop's table in the transaction that records the step's result: an order is shipped exactly once. */
@ApplicationScoped
@Handles("shop.Ship")
public class Ship implements StepHandler {

  @Inject
  private ShopDatabase database;

  @Override
  public boolean isTransactional() {
    return true;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    long order = step.input().getJsonNumber("order_id").longValueExact();
    JsonObject weighed = step.resultObject("weigh");
    if (database.update("update shop.orders set grams = ?, shipped_at = now() where order_id = ? and shipped_at is null", weighed.getInt("grams"), order) != 1) {
      throw new PermanentStepException("NotThere", "there is no order " + order + " to be shipped");
    }
    return StepOutcome.success(Json.createObjectBuilder().add("order_id", order).build());
  }
}
