package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;

/**
 * The provider keeps keys: the step may run again, and charges once. The step's token is such a key. A request that is repeated after
 * a restore of the database makes a new task, with other tokens, but has the reference that it had: so that is the key where there is one.
 */
@ApplicationScoped
@Handles("shop.Charge")
public class Charge implements StepHandler {

  @Inject
  private Payments payments;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    String key = step.input().getString("reference", step.idempotencyToken());
    String receipt = payments.charge(key, Payments.nameOf(step.input()));
    return StepOutcome.success(Json.createObjectBuilder().add("receipt", receipt).build());
  }
}
