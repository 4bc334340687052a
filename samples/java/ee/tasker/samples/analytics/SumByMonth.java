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

/** What left the warehouses in each month. */
@ApplicationScoped
@Handles("analytics.SumByMonth")
public class SumByMonth implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Map<String, Totals> months = new TreeMap<>();
    Movement.of(step).forEach(each -> months.merge(each.month(), Totals.of(each), Totals::plus));
    JsonArrayBuilder lines = Json.createArrayBuilder();
    months.forEach(
        (month, totals) -> lines.add(totals.addTo(Json.createObjectBuilder().add("month", month))));
    return StepOutcome.success(Json.createObjectBuilder().add("months", lines).build());
  }
}
