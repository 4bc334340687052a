package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** Persists an entity in the transaction that records the step's result: an order is shipped exactly once. */
@ApplicationScoped
@Handles("shop.Ship")
public class Ship implements StepHandler {

  @PersistenceContext
  private EntityManager database;

  @Override
  public boolean isTransactional() {
    return true;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    long order = step.input().getJsonNumber("order_id").longValueExact();
    database.persist(new Shipment(order, step.resultObject("weigh").getInt("grams")));
    return StepOutcome.success(Json.createObjectBuilder().add("order_id", order).build());
  }
}
