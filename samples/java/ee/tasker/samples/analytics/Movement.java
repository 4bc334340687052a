package ee.tasker.samples.analytics;

import ee.tasker.handler.StepContext;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonBuilderFactory;
import java.math.BigDecimal;
import java.util.List;

/**
 * One delivery from a warehouse to a store.
 *
 * @param month      as {@code 1997-01}
 * @param supplyDays from order to delivery
 */
record Movement(String month, int warehouse, int product, int ordered, int shipped,
    BigDecimal sales, BigDecimal cost, int supplyDays) {

  /** The rows that {@link TransformInventory} kept. */
  static List<Movement> of(StepContext step) {
    return step.resultObject("transform_inventory").getJsonArray("rows")
        .getValuesAs(JsonArray.class).stream()
        .map(Movement::of)
        .toList();
  }

  private static Movement of(JsonArray row) {
    return new Movement(row.getString(0), row.getInt(1), row.getInt(2), row.getInt(3),
        row.getInt(4), row.getJsonNumber(5).bigDecimalValue(),
        row.getJsonNumber(6).bigDecimalValue(), row.getInt(7));
  }

  static final List<String> COLUMNS = List.of("month", "warehouse_id", "product_id",
      "units_ordered", "units_shipped",
      "warehouse_sales", "warehouse_cost", "supply_days");

  JsonArrayBuilder row(JsonBuilderFactory builders) {
    return builders.createArrayBuilder()
        .add(month).add(warehouse).add(product).add(ordered).add(shipped).add(sales).add(cost)
        .add(supplyDays);
  }

  int missing() {
    return ordered - shipped;
  }
}
