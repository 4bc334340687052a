package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.util.Map;
import java.util.TreeMap;

/** What each warehouse shipped and earned. */
@ApplicationScoped
@Handles("analytics.SumByWarehouse")
public class SumByWarehouse implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Map<Integer, Totals> warehouses = new TreeMap<>();
    Movement.of(step)
        .forEach(each -> warehouses.merge(each.warehouse(), Totals.of(each), Totals::plus));
    JsonArrayBuilder lines = Json.createArrayBuilder();
    warehouses.forEach((warehouse, totals) -> lines
        .add(totals.addTo(Json.createObjectBuilder().add("warehouse_id", warehouse))));
    return StepOutcome.success(Json.createObjectBuilder().add("warehouses", lines).build());
  }
}
