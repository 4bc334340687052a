package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonBuilderFactory;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;

/**
 * Turns raw rows into {@link Movement}s: day numbers become months ({@code
 * handler.initialization.day_zero} is the date
 * before day 1), and rows that ship more than was ordered or were not ordered at all are left out
 * and counted.
 */
@ApplicationScoped
@Handles("analytics.TransformInventory")
public class TransformInventory implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    LocalDate dayZero = LocalDate
        .parse(Fields.of("initialization", step.config()).text("day_zero"));
    JsonObject table = step.resultObject("extract_inventory");
    List<String> columns = table.getJsonArray("columns").getValuesAs(JsonString::getString);
    JsonBuilderFactory builders = Json.createBuilderFactory(Map.of());
    JsonArrayBuilder rows = builders.createArrayBuilder();
    int kept = 0;
    int dropped = 0;
    for (JsonArray raw : table.getJsonArray("rows").getValuesAs(JsonArray.class)) {
      Movement movement = movement(columns, raw, dayZero);
      if (movement.ordered() < 1 || movement.missing() < 0) {
        dropped++;
      } else {
        rows.add(movement.row(builders));
        kept++;
      }
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("row_count", kept)
        .add("dropped_rows", dropped)
        .add("columns", Json.createArrayBuilder(Movement.COLUMNS))
        .add("rows", rows)
        .build());
  }

  private static Movement movement(List<String> columns, JsonArray raw, LocalDate dayZero) {
    String month = dayZero.plusDays(raw.getInt(columns.indexOf("time_id"))).toString().substring(0,
        "1997-01".length());
    return new Movement(month,
        raw.getInt(columns.indexOf("warehouse_id")),
        raw.getInt(columns.indexOf("product_id")),
        raw.getInt(columns.indexOf("units_ordered")),
        raw.getInt(columns.indexOf("units_shipped")),
        raw.getJsonNumber(columns.indexOf("warehouse_sales")).bigDecimalValue(),
        raw.getJsonNumber(columns.indexOf("warehouse_cost")).bigDecimalValue(),
        raw.getInt(columns.indexOf("supply_time")));
  }
}
