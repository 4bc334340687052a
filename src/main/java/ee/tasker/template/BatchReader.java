package ee.tasker.template;

import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.BatchConfig;
import ee.tasker.template.model.FailureStrategy;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.StepType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads {@code batch_config}.
 *
 * @param worker      {@code worker_template} and its position
 * @param expressions the path to the items, if there is one
 */
record BatchReader(Optional<Named> worker, Optional<String> items, List<Expression> expressions,
    Optional<FailureStrategy> strategy, OptionalInt size, int parallelism, String cursorField,
    OptionalInt tolerate) {

  static BatchReader read(Keys keys, Optional<Named> step, StepType type) {
    List<Expression> expressions = new ArrayList<>();
    var itemsPlace = keys.find("items");
    itemsPlace.filter(place -> type == StepType.BATCH_WORKER)
        .ifPresent(place -> place.refuse("belongs to the batchable step"));
    var items = itemsPlace.flatMap(place -> place.word(Limits.EXPRESSION).map(path -> {
      expressions.add(new Expression(step.map(Named::name), "list", path, place));
      return path;
    }));
    var worker = keys.require("worker_template")
        .flatMap(place -> place.word(Limits.STEP_NAME).map(name -> new Named(name, place)));
    var strategy = keys.find("failure_strategy")
        .flatMap(value -> value.oneOf(FailureStrategy.class));
    var tolerate = RetryReader.number(keys, "tolerate", 0, Limits.BATCHES_PER_STEP);
    keys.find("tolerate").filter(
        place -> strategy.orElse(FailureStrategy.CONTINUE_ON_FAILURE) != FailureStrategy.ISOLATE)
        .ifPresent(place -> place.refuse("belongs to failure_strategy isolate"));
    var read = new BatchReader(worker, items, expressions, strategy,
        RetryReader.number(keys, "batch_size", 1, Limits.BATCH_SIZE),
        RetryReader.number(keys, "parallelism", 1, Limits.PARALLELISM)
            .orElse(BatchConfig.DEFAULT_PARALLELISM),
        keys.find("cursor_field").flatMap(value -> value.word(Limits.WORD))
            .orElse(BatchConfig.DEFAULT_CURSOR_FIELD),
        tolerate);
    keys.refuseOthers();
    return read;
  }

  /** Also when the path could not be read. */
  boolean hasItems() {
    return items.isPresent();
  }

  /** May be called only when the template has no problem. */
  BatchConfig config() {
    return new BatchConfig(items,
        size.orElse(items.isPresent() ? BatchConfig.DEFAULT_BATCH_SIZE_OF_ITEMS
            : BatchConfig.DEFAULT_BATCH_SIZE),
        parallelism, cursorField, worker.orElseThrow().name(),
        strategy.orElse(FailureStrategy.CONTINUE_ON_FAILURE), tolerate);
  }
}
