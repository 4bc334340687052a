package ee.tasker.template;

import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.BatchConfig;
import ee.tasker.template.model.FailureStrategy;
import ee.tasker.template.model.HandlerReference;
import ee.tasker.template.model.LimitedUnit;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepOverride;
import ee.tasker.template.model.StepType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads one element of {@code steps}. {@link StepGraphCheck} performs the checks across steps. */
final class StepReader {
  private final Keys keys;

  private StepReader(Keys keys) {
    this.keys = keys;
  }

  /** Empty, and a problem, when it is not a mapping. */
  static Optional<StepDraft> read(Located step) {
    return step.keys().map(keys -> new StepReader(keys).read());
  }

  private StepDraft read() {
    var name = name();
    var description = keys.find("description").flatMap(Located::description);
    var typePlace = keys.find("type", "step_type");
    var type = typePlace.flatMap(value -> value.oneOf(StepType.class)).orElse(StepType.STANDARD);
    var handler = keys.require("handler").flatMap(Located::keys).flatMap(StepReader::handler);
    var parents = keys.find("dependencies", "depends_on").flatMap(Located::list).orElse(List.of());
    var dependencies = dependencies(name, parents);
    var system = keys.find("system_dependency").flatMap(value -> value.word(Limits.WORD));
    var retry = RetryReader.read(keys).map(given -> given.applyTo(RetryPolicy.DEFAULT, ""))
        .orElse(RetryPolicy.DEFAULT);
    var timeout = RetryReader.number(keys, "timeout_seconds", 1, Limits.TIMEOUT_SECONDS);
    var events = EventReader.published(keys);
    var batchPlace = keys.find("batch_config");
    var batch = batchPlace.flatMap(Located::keys).map(StepReader::batch);
    var resultSchema = keys.find("result_schema").flatMap(Located::schema);
    var concurrency = ConcurrencyReader.read(keys, LimitedUnit.STEPS);
    keys.refuseOthers();

    typePlace.filter(place -> type.needsDependencies() && parents.isEmpty())
        .ifPresent(place -> place.refuse("a step of this type needs at least one dependency"));
    batchPlace.filter(place -> !type.takesBatchConfig()).ifPresent(place -> place.refuse(
        "belongs only to steps of type batchable or batch_worker"));
    return new StepDraft(keys.mapping(), name, type, dependencies, batch.flatMap(BatchDraft::worker), retry,
        () -> new StepDefinition(name.orElseThrow().name(), description, type, handler.orElseThrow(),
            List.copyOf(dependencies.keySet()), system, retry, timeout, events, batch.map(BatchDraft::config),
            resultSchema, concurrency));
  }

  private Optional<Named> name() {
    return keys.require("name").flatMap(place -> place.word(Limits.STEP_NAME)
        .flatMap(name -> name.equals(StepOverride.ALL)
            ? place.refuse("must not be ALL: environments use it for all steps")
            : Optional.of(new Named(name, place))));
  }

  /** Each parent and the position that names it, in document order. */
  private static Map<String, Located> dependencies(Optional<Named> name, List<Located> elements) {
    Map<String, Located> parents = new LinkedHashMap<>();
    elements.forEach(element -> element.word(Limits.STEP_NAME).ifPresent(parent -> {
      if (name.filter(own -> own.name().equals(parent)).isPresent()) {
        element.refuse("the step must not depend on itself");
      } else if (parents.putIfAbsent(parent, element) != null) {
        element.refuse("the dependency on \"" + parent + "\" appears twice");
      }
    }));
    return parents;
  }

  private static Optional<HandlerReference> handler(Keys keys) {
    var callable = keys.require("callable").flatMap(value -> value.word(Limits.CALLABLE));
    var method = keys.find("method").flatMap(value -> value.word(Limits.METHOD));
    var resolver = keys.find("resolver").flatMap(value -> value.word(Limits.RESOLVER));
    var initialization = initialization(keys);
    keys.refuseOthers();
    return callable.map(name -> new HandlerReference(name, method.orElse(HandlerReference.DEFAULT_METHOD), resolver,
        initialization));
  }

  /** Any object, key to JSON text; empty when absent. */
  static SortedMap<String, String> initialization(Keys handler) {
    SortedMap<String, String> entries = new TreeMap<>();
    handler.find("initialization").flatMap(place -> place.keys().isPresent() ? place.json() : Optional.empty())
        .ifPresent(value -> value.asJsonObject().forEach((key, part) -> entries.put(key, CanonicalJson.write(part))));
    return entries;
  }

  private record BatchDraft(Optional<Named> worker, Optional<FailureStrategy> strategy, int size, int parallelism,
      String cursorField) {
    BatchConfig config() {
      return new BatchConfig(size, parallelism, cursorField, worker.orElseThrow().name(),
          strategy.orElse(FailureStrategy.CONTINUE_ON_FAILURE));
    }
  }

  private static BatchDraft batch(Keys keys) {
    var draft = new BatchDraft(
        keys.require("worker_template").flatMap(place -> place.word(Limits.STEP_NAME).map(name -> new Named(name, place))),
        keys.find("failure_strategy").flatMap(value -> value.oneOf(FailureStrategy.class)),
        RetryReader.number(keys, "batch_size", 1, Limits.BATCH_SIZE).orElse(BatchConfig.DEFAULT_BATCH_SIZE),
        RetryReader.number(keys, "parallelism", 1, Limits.PARALLELISM).orElse(BatchConfig.DEFAULT_PARALLELISM),
        keys.find("cursor_field").flatMap(value -> value.word(Limits.WORD)).orElse(BatchConfig.DEFAULT_CURSOR_FIELD));
    keys.refuseOthers();
    return draft;
  }
}
