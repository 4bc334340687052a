package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.math.BigDecimal;

/**
 * Combines the four branches, and fails when two of them that summed the same rows in different
 * ways disagree: otherwise a
 * branch with incomplete data would go unnoticed.
 */
@ApplicationScoped
@Handles("analytics.ReportInventory")
public class ReportInventory implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonArray months = step.resultObject("sum_by_month").getJsonArray("months");
    JsonArray warehouses = step.resultObject("sum_by_warehouse").getJsonArray("warehouses");
    JsonObject shortfalls = step.resultObject("find_shortfalls");
    Totals totals = sum(months);
    if (!isSame(totals, sum(warehouses))) {
      return StepOutcome.permanent("BranchesDisagree",
          "months sum to " + totals + ", warehouses to " + sum(warehouses));
    }
    if (totals.ordered() - totals.shipped() != shortfalls.getInt("missing_units")) {
      return StepOutcome.permanent("BranchesDisagree",
          "ordered less shipped of " + totals + " is not the shortfall");
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("totals", totals.asJson())
        .add("by_month", months)
        .add("by_warehouse", warehouses)
        .add("shortfalls", shortfalls)
        .add("supply_times", step.resultObject("count_supply_times"))
        .build());
  }

  private static Totals sum(JsonArray lines) {
    return lines.getValuesAs(JsonObject.class).stream().map(Totals::of).reduce(Totals.NONE,
        Totals::plus);
  }

  private static boolean isSame(Totals one, Totals other) {
    return one.rows() == other.rows() && one.ordered() == other.ordered()
        && one.shipped() == other.shipped()
        && isSame(one.sales(), other.sales()) && isSame(one.cost(), other.cost());
  }

  private static boolean isSame(BigDecimal one, BigDecimal other) {
    return one.compareTo(other) == 0;
  }
}
