package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Delivery times: the count of each duration, and the mean. */
@ApplicationScoped
@Handles("analytics.CountSupplyTimes")
public class CountSupplyTimes implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    List<Movement> movements = Movement.of(step);
    Map<Integer, Integer> counts = new TreeMap<>();
    movements.forEach(each -> counts.merge(each.supplyDays(), 1, Integer::sum));
    JsonArrayBuilder lines = Json.createArrayBuilder();
    counts.forEach((days, count) -> lines.add(Json.createObjectBuilder()
        .add("supply_days", days)
        .add("row_count", count)
        .add("share", Totals.rate(count, movements.size()))));
    long allDays = movements.stream().mapToLong(Movement::supplyDays).sum();
    return StepOutcome.success(Json.createObjectBuilder()
        .add("mean_supply_days", Totals.rate(allDays, movements.size()))
        .add("distribution", lines)
        .build());
  }
}
