package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** Reads the order with the shop's JPA, outside of a transaction. */
@ApplicationScoped
@Handles("shop.Weigh")
public class Weigh implements StepHandler {

  @PersistenceContext
  private EntityManager database;

  @Override
  public StepOutcome handle(StepContext step) {
    CustomerOrder order = database.find(CustomerOrder.class, step.input().getJsonNumber("order_id").longValueExact());
    if (order == null) {
      throw new PermanentStepException("NotThere", "there is no such order");
    }
    int grams = order.quantity() * step.config().getInt("grams_each");
    return StepOutcome.success(Json.createObjectBuilder().add("grams", grams).build());
  }
}
