package ee.tasker.samples.analytics;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Sums over movements, as every table of the report shows them. */
record Totals(int rows, long ordered, long shipped, BigDecimal sales, BigDecimal cost) {
  static final Totals NONE = new Totals(0, 0, 0, BigDecimal.ZERO, BigDecimal.ZERO);
  private static final int RATE_DECIMALS = 4;

  static Totals of(Movement movement) {
    return new Totals(1, movement.ordered(), movement.shipped(), movement.sales(), movement.cost());
  }

  static Totals of(JsonObject written) {
    return new Totals(written.getInt("row_count"),
        written.getJsonNumber("units_ordered").longValueExact(),
        written.getJsonNumber("units_shipped").longValueExact(),
        written.getJsonNumber("sales").bigDecimalValue(),
        written.getJsonNumber("cost").bigDecimalValue());
  }

  Totals plus(Totals other) {
    return new Totals(rows + other.rows, ordered + other.ordered, shipped + other.shipped,
        sales.add(other.sales), cost.add(other.cost));
  }

  /** Adds the sums, the margin and the share of ordered units that were shipped. */
  JsonObjectBuilder addTo(JsonObjectBuilder object) {
    return object
        .add("row_count", rows)
        .add("units_ordered", ordered)
        .add("units_shipped", shipped)
        .add("fill_rate", rate(shipped, ordered))
        .add("sales", sales)
        .add("cost", cost)
        .add("margin", sales.subtract(cost));
  }

  JsonObjectBuilder asJson() {
    return addTo(Json.createObjectBuilder());
  }

  /** Four decimals, rounded half up; 0 for an empty set. */
  static BigDecimal rate(long part, long whole) {
    return whole == 0
        ? BigDecimal.ZERO
        : BigDecimal.valueOf(part).divide(BigDecimal.valueOf(whole), RATE_DECIMALS,
            RoundingMode.HALF_UP);
  }
}
