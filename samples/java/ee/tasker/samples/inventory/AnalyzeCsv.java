package ee.tasker.samples.inventory;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes a cursor {@code {start, end}} for each {@code batch_size} rows behind the header, counted
 * from 1.
 */
@ApplicationScoped
@Handles("inventory.AnalyzeCsv")
public class AnalyzeCsv implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    int size = Fields.of("initialization", step.config()).integer("batch_size");
    int rows = (int) Fields.of("context", step.input()).text("csv").lines().count() - 1;
    List<JsonObject> cursors = IntStream.iterate(1, start -> start <= rows, start -> start + size)
        .mapToObj(start -> Json.createObjectBuilder().add("start", start)
            .add("end", Math.min(start + size - 1, rows)).build())
        .toList();
    return StepOutcome.batches(
        Json.createObjectBuilder().add("rows", rows).add("batches", cursors.size()).build(),
        cursors);
  }
}
