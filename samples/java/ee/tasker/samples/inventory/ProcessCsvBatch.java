package ee.tasker.samples.inventory;

import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;
import java.util.List;

/**
 * Counts the rows of its cursor, their stock, and what it is worth. A row without a price or a
 * stock fails the batch.
 */
@ApplicationScoped
@Handles("inventory.ProcessCsvBatch")
public class ProcessCsvBatch implements StepHandler {
  private static final int PRICE = 3;
  private static final int STOCK = 4;

  @Override
  public StepOutcome handle(StepContext step) {
    Fields cursor = Fields.of("cursor", step.stepInputs().getJsonObject("cursor"));
    List<String> lines = Fields.of("context", step.input()).text("csv").lines().toList();
    int rows = 0;
    BigDecimal stock = BigDecimal.ZERO;
    BigDecimal value = BigDecimal.ZERO;
    for (int row = cursor.integer("start"); row <= cursor.integer("end"); row++) {
      String[] cells = lines.get(row).split(",");
      BigDecimal pieces = number(cells, STOCK, "stock", row);
      rows++;
      stock = stock.add(pieces);
      value = value.add(pieces.multiply(number(cells, PRICE, "price", row)));
    }
    return StepOutcome.success(Json.createObjectBuilder().add("rows", rows).add("stock", stock)
        .add("value", value).build());
  }

  private static BigDecimal number(String[] cells, int column, String name, int row) {
    try {
      return new BigDecimal(cells[column].strip());
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new PermanentStepException("BadRow", "row " + row + " has no " + name);
    }
  }
}
