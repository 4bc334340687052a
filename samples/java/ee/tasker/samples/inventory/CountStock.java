package ee.tasker.samples.inventory;

import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.List;

/**
 * A loop over rows: reads {@code rows_at_once} of them, and yields with {@code {next_row, parts,
 * stock, value}} as its checkpoint until no row is left. A part that
 * is repeated after a crash begins with the sums of its checkpoint, so that no row counts twice.
 */
@ApplicationScoped
@Handles("inventory.CountStock")
public class CountStock implements StepHandler {
  private static final int PRICE = 3;
  private static final int STOCK = 4;
  private static final JsonObject BEGINNING = Json.createObjectBuilder().add("next_row", 1)
      .add("parts", 0).add("stock", 0).add("value", 0)
      .build();

  @Override
  public StepOutcome handle(StepContext step) {
    Fields progress = Fields.of("checkpoint",
        step.checkpoint().map(JsonValue::asJsonObject).orElse(BEGINNING));
    List<String> lines = Fields.of("context", step.input()).text("csv").lines().toList();
    int row = progress.integer("next_row");
    int end = Math.min(row + Fields.of("initialization", step.config()).integer("rows_at_once"),
        lines.size());
    BigDecimal stock = progress.number("stock");
    BigDecimal value = progress.number("value");
    for (; row < end; row++) {
      String[] cells = lines.get(row).split(",");
      BigDecimal pieces = number(cells, STOCK, row);
      stock = stock.add(pieces);
      value = value.add(pieces.multiply(number(cells, PRICE, row)));
    }
    int parts = progress.integer("parts") + 1;
    return row < lines.size()
        ? StepOutcome.yield(
            Json.createObjectBuilder().add("next_row", row).add("parts", parts).add("stock", stock)
                .add("value", value).build())
        : StepOutcome.success(
            Json.createObjectBuilder().add("rows", row - 1).add("parts", parts).add("stock", stock)
                .add("value", value).build());
  }

  private static BigDecimal number(String[] cells, int column, int row) {
    try {
      return new BigDecimal(cells[column].strip());
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new PermanentStepException("BadRow", "row " + row + " is not complete");
    }
  }
}
