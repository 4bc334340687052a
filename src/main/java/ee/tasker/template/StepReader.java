package ee.tasker.template;

import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.CompensateWhen;
import ee.tasker.template.model.Compensation;
import ee.tasker.template.model.HandlerReference;
import ee.tasker.template.model.LimitedUnit;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.OnNone;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepOverride;
import ee.tasker.template.model.StepType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads one element of {@code steps}. {@link StepGraphCheck} performs the checks across steps. */
final class StepReader {
  /** Keys that say how a handler is run, or what its result must be. */
  private static final List<String> NEEDS_A_HANDLER = List.of("handler", "retry", "timeout_seconds",
      "queue_timeout_seconds",
      "result_schema",
      "concurrency");
  /** The same for a step with a child task, whose failure may be followed by another child. */
  private static final List<String> NOT_OF_A_CHILD = List.of("handler", "queue_timeout_seconds",
      "result_schema", "concurrency");

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
    var rulesPlace = keys.find("rules");
    var decision = DecisionReader.read(keys, name);
    var waits = WaitReader.read(keys, name, type);
    var batchPlace = keys.find("batch_config");
    var batch = batchPlace.flatMap(Located::keys).map(place -> BatchReader.read(place, name, type));
    var hasItems = type == StepType.BATCHABLE && batch.filter(BatchReader::hasItems).isPresent();
    var needsNoHandler = rulesPlace.isPresent() || hasItems || waits.place().isPresent();
    var handlerPlace = needsNoHandler ? keys.find("handler") : keys.require("handler");
    var handler = handlerPlace.flatMap(Located::keys).flatMap(StepReader::handler);
    var onNonePlace = keys.find("on_none");
    var onNone = onNonePlace.flatMap(value -> value.oneOf(OnNone.class)).orElse(OnNone.SKIP);
    var parents = keys.find("dependencies", "depends_on").flatMap(Located::list).orElse(List.of());
    var dependencies = dependencies(name, parents);
    var system = keys.find("system_dependency").flatMap(value -> value.word(Limits.WORD));
    var defaults = waits.isChild() ? RetryPolicy.OF_A_CHILD : RetryPolicy.DEFAULT;
    var retry = RetryReader.read(keys).map(given -> given.applyTo(defaults, "")).orElse(defaults);
    var options = StepOptionsForm.read(keys);
    var queueTimeout = RetryReader.number(keys, "queue_timeout_seconds", 1,
        Limits.QUEUE_TIMEOUT_SECONDS);
    List<StepDraft.Expression> payloads = new ArrayList<>();
    var events = EventReader.published(keys, name.map(Named::name), payloads);
    var resultSchema = keys.find("result_schema").flatMap(Located::schema);
    var concurrency = ConcurrencyReader.read(keys, LimitedUnit.STEPS);
    var compensationPlace = keys.find("compensation");
    var compensation = compensationPlace.flatMap(Located::keys).flatMap(StepReader::compensation);
    keys.refuseOthers();

    compensationPlace
        .filter(place -> name.filter(named -> named.name().length() > Limits.COMPENSATED_STEP_NAME)
            .isPresent())
        .ifPresent(place -> name.orElseThrow().place()
            .refuse("must be at most " + Limits.COMPENSATED_STEP_NAME
                + " characters, because the name of the compensation continues it"));
    typePlace.filter(place -> type.needsDependencies() && parents.isEmpty())
        .ifPresent(place -> place.refuse("a step of this type needs at least one dependency"));
    batchPlace.filter(place -> !type.takesBatchConfig()).ifPresent(place -> place.refuse(
        "belongs only to steps of type batchable or batch_worker"));
    rulesPlace.filter(place -> type != StepType.DECISION)
        .ifPresent(place -> place.refuse("belongs only to steps of type decision"));
    if (rulesPlace.isPresent()) {
      for (var key : NEEDS_A_HANDLER) {
        keys.find(key).ifPresent(place -> place
            .refuse("a decision by rules runs no handler, so it must not have this key"));
      }
    } else if (waits.isChild()) {
      for (var key : NOT_OF_A_CHILD) {
        keys.find(key).ifPresent(place -> place
            .refuse("a step with a child task runs no handler, so it must not have this key"));
      }
    } else if (waits.place().isPresent() && handlerPlace.isEmpty()) {
      for (var key : NEEDS_A_HANDLER) {
        keys.find(key).ifPresent(
            place -> place.refuse("a step that waits and has no handler must not have this key"));
      }
    }
    if (hasItems) {
      for (var key : NEEDS_A_HANDLER) {
        keys.find(key)
            .ifPresent(place -> place.refuse(
                "a batchable step with batch_config.items runs no handler, so it must not have this key"));
      }
    }
    if (type == StepType.BATCH_WORKER) {
      name.filter(named -> named.name().length() > Limits.BATCH_WORKER_NAME)
          .ifPresent(named -> named.place().refuse(
              "must be at most " + Limits.BATCH_WORKER_NAME
                  + " characters, because the names of the workers continue it"));
    }
    onNonePlace.filter(place -> type != StepType.DEFERRED_CONVERGENCE)
        .ifPresent(place -> place.refuse("belongs only to steps of type deferred_convergence"));
    List<StepDraft.Expression> expressions = new ArrayList<>(decision.expressions());
    batch.ifPresent(read -> expressions.addAll(read.expressions()));
    expressions.addAll(waits.expressions());
    expressions.addAll(payloads);
    return new StepDraft(keys.mapping(), name, type, dependencies,
        batch.flatMap(BatchReader::worker), decision.choices(), expressions, waits.signal(), retry,
        () -> new StepDefinition(name.orElseThrow().name(), description, type, handler,
            List.copyOf(dependencies.keySet()), system, retry, options, queueTimeout, events,
            batch.map(BatchReader::config), resultSchema, concurrency, decision.rules().get(),
            waits.definition().get(), onNone, compensation));
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

  private static Optional<Compensation> compensation(Keys keys) {
    var handler = keys.require("handler").flatMap(Located::keys).flatMap(StepReader::handler);
    var retry = RetryReader.read(keys).map(given -> given.applyTo(Compensation.DEFAULT_RETRY, ""))
        .orElse(Compensation.DEFAULT_RETRY);
    var timeout = RetryReader.number(keys, "timeout_seconds", 1, Limits.TIMEOUT_SECONDS);
    var when = keys.find("when").flatMap(value -> value.oneOf(CompensateWhen.class))
        .orElse(CompensateWhen.COMPLETE);
    keys.refuseOthers();
    return handler.map(reference -> new Compensation(reference, retry, timeout, when));
  }

  private static Optional<HandlerReference> handler(Keys keys) {
    var callable = keys.require("callable").flatMap(value -> value.word(Limits.CALLABLE));
    var method = keys.find("method").flatMap(value -> value.word(Limits.METHOD));
    var resolver = keys.find("resolver").flatMap(value -> value.word(Limits.RESOLVER));
    var initialization = initialization(keys);
    keys.refuseOthers();
    return callable.map(name -> new HandlerReference(name,
        method.orElse(HandlerReference.DEFAULT_METHOD), resolver, initialization));
  }

  /** Any object, key to JSON text; empty when absent. */
  static SortedMap<String, String> initialization(Keys handler) {
    SortedMap<String, String> entries = new TreeMap<>();
    handler.find("initialization")
        .flatMap(place -> place.keys().isPresent() ? place.json() : Optional.empty())
        .ifPresent(value -> value.asJsonObject()
            .forEach((key, part) -> entries.put(key, CanonicalJson.write(part))));
    return entries;
  }
}
