package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The products with the most units ordered but not shipped; {@code handler.initialization.top} sets
 * how many.
 */
@ApplicationScoped
@Handles("analytics.FindShortfalls")
public class FindShortfalls implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    int top = Fields.of("initialization", step.config()).integer("top");
    List<Movement> incomplete = Movement.of(step).stream().filter(each -> each.missing() > 0)
        .toList();
    Map<Integer, Integer> missing = new TreeMap<>();
    incomplete.forEach(each -> missing.merge(each.product(), each.missing(), Integer::sum));
    JsonArrayBuilder worst = Json.createArrayBuilder();
    missing.entrySet().stream()
        .sorted(Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()))
        .limit(top)
        .forEach(each -> worst.add(Json.createObjectBuilder()
            .add("product_id", each.getKey())
            .add("missing_units", each.getValue())));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("short_rows", incomplete.size())
        .add("missing_units", missing.values().stream().mapToInt(Integer::intValue).sum())
        .add("worst_products", worst)
        .build());
  }
}
