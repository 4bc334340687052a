package ee.tasker.template.model;

/**
 * How work is split into batches.
 *
 * @param batchSize      items in a batch, 1000 by default
 * @param parallelism    concurrent batches, 10 by default
 * @param cursorField    the field that orders the items, {@code id} by default
 * @param workerTemplate the {@code batch_worker} step that processes one batch
 */
public record BatchConfig(int batchSize, int parallelism, String cursorField, String workerTemplate,
    FailureStrategy failureStrategy) {
  public static final int DEFAULT_BATCH_SIZE = 1_000;
  public static final int DEFAULT_PARALLELISM = 10;
  public static final String DEFAULT_CURSOR_FIELD = "id";

  public BatchConfig {
    Checks.range(batchSize, "batch_config.batch_size", 1, Limits.BATCH_SIZE);
    Checks.range(parallelism, "batch_config.parallelism", 1, Limits.PARALLELISM);
    Checks.text(cursorField, "batch_config.cursor_field", Limits.WORD);
    Checks.text(workerTemplate, "batch_config.worker_template", Limits.STEP_NAME);
    Checks.present(failureStrategy, "batch_config.failure_strategy");
  }
}
