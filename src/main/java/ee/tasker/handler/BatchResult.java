package ee.tasker.handler;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;

/**
 * What became of one batch; see {@link StepContext#batchResults(String)}. A batch that an operator
 * resolved has neither result nor error.
 *
 * @param batchId as in the inputs of the worker, such as {@code 001}
 * @param result  empty for a batch that failed
 * @param error   {@code {type, message, …}} of a batch that failed
 */
public record BatchResult(String batchId, Optional<JsonValue> result, Optional<JsonObject> error) {

  /** Reads {@code {batch_id, result}} or {@code {batch_id, error}}. */
  public static BatchResult of(JsonObject json) {
    return new BatchResult(json.getString("batch_id"), Optional.ofNullable(json.get("result")),
        Optional.ofNullable(json.getJsonObject("error")));
  }
}
