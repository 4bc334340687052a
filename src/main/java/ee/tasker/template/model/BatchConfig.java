package ee.tasker.template.model;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * How work is split into batches, and how their workers run.
 *
 * @param items          a path to the items, of a batchable step without a handler
 * @param batchSize      items in a batch: 1 by default with {@code items}, otherwise 1000 and only
 *   a hint to the handler
 * @param parallelism    workers in flight at once on all servers together, 10 by default
 * @param cursorField    the field that orders the items, {@code id} by default
 * @param workerTemplate the {@code batch_worker} step that processes one batch
 * @param tolerate       how many workers may fail before the batch does, for {@link
 *   FailureStrategy#ISOLATE}
 */
public record BatchConfig(Optional<String> items, int batchSize, int parallelism,
    String cursorField, String workerTemplate, FailureStrategy failureStrategy,
    OptionalInt tolerate) {
  public static final int DEFAULT_BATCH_SIZE = 1_000;
  public static final int DEFAULT_BATCH_SIZE_OF_ITEMS = 1;
  public static final int DEFAULT_PARALLELISM = 10;
  public static final String DEFAULT_CURSOR_FIELD = "id";

  public BatchConfig {
    Checks.present(items, "batch_config.items");
    items.ifPresent(path -> Checks.text(path, "batch_config.items", Limits.EXPRESSION));
    Checks.range(batchSize, "batch_config.batch_size", 1, Limits.BATCH_SIZE);
    Checks.range(parallelism, "batch_config.parallelism", 1, Limits.PARALLELISM);
    Checks.text(cursorField, "batch_config.cursor_field", Limits.WORD);
    Checks.text(workerTemplate, "batch_config.worker_template", Limits.STEP_NAME);
    Checks.present(failureStrategy, "batch_config.failure_strategy");
    Checks.range(tolerate, "batch_config.tolerate", 0, Limits.BATCHES_PER_STEP);
    Checks.require(tolerate.isEmpty() || failureStrategy == FailureStrategy.ISOLATE,
        "batch_config.tolerate must be absent, because failure_strategy is " + failureStrategy);
  }
}
