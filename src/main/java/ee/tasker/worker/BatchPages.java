package ee.tasker.worker;

import ee.tasker.handler.BatchResult;
import ee.tasker.handler.PermanentStepException;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The results of a batch, read by page while a handler iterates over them. */
final class BatchPages implements Iterator<BatchResult> {
  private static final int PAGE = 200;

  /** Reads the results behind a number; empty when there is no such batch. */
  interface Source {
    Optional<JsonArray> read(int after, int limit);
  }

  private final Source source;
  private final String stepName;
  private JsonArray page = JsonArray.EMPTY_JSON_ARRAY;
  private int next;
  private int last;
  private boolean isOver;

  BatchPages(Source source, String stepName) {
    this.source = source;
    this.stepName = stepName;
  }

  @Override
  public boolean hasNext() {
    if (next == page.size() && !isOver) {
      page = source.read(last, PAGE).orElseThrow(
          () -> new PermanentStepException("MissingBatch",
              "this step follows from no batch step " + stepName));
      next = 0;
      // A page of long results is shorter than it may be.
      isOver = page.isEmpty();
    }
    return next < page.size();
  }

  @Override
  public BatchResult next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    JsonObject result = page.getJsonObject(next++);
    last = result.getInt("batch_number");
    return BatchResult.of(result);
  }
}
