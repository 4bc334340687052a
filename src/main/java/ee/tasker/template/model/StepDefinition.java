package ee.tasker.template.model;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One step of a template.
 *
 * @param name             unique in the template, 1 to 128 characters, not {@code ALL}
 * @param handler         empty for a decision by rules and a batchable step with items, and
 *   possibly for a step that waits
 * @param dependencies     names of the parents, in document order, each once
 * @param options          what an environment may override, besides the handler and the retries
 * @param queueTimeoutSeconds how long an offer may wait for a worker; empty for no limit
 * @param resultSchema     JSON Schema of the result, as JSON text
 * @param concurrency      how many instances of this step may be active, across all tasks
 * @param rules           how a decision without a handler chooses
 * @param waitFor         what the step waits for after its parents; without a handler that
 *   completes it
 * @param compensation    how its effect is undone, once it is complete
 * @param onNone          what becomes of a deferred convergence none of whose parents was created
 */
public record StepDefinition(String name, Optional<String> description, StepType type,
    Optional<HandlerReference> handler, List<String> dependencies,
    Optional<String> systemDependency, RetryPolicy retry, StepOptions options,
    OptionalInt queueTimeoutSeconds, List<EventDeclaration> publishesEvents,
    Optional<BatchConfig> batchConfig, Optional<String> resultSchema,
    List<ConcurrencyPolicy> concurrency, Optional<DecisionRules> rules, Optional<StepWait> waitFor,
    OnNone onNone, Optional<Compensation> compensation) {

  public StepDefinition {
    Checks.text(name, "step.name", Limits.STEP_NAME);
    Checks.require(!name.equals(StepOverride.ALL),
        "step.name must not be ALL: environments use it for all steps");
    Checks.present(description, "step.description");
    Checks.present(type, "step.type");
    Checks.present(handler, "step.handler");
    Checks.present(dependencies, "step.dependencies");
    dependencies = List.copyOf(dependencies);
    Checks.require(new HashSet<>(dependencies).size() == dependencies.size(),
        "step.dependencies of " + name + " must not repeat a step");
    Checks.require(!dependencies.contains(name),
        "step.dependencies of " + name + " must not name the step itself");
    Checks.require(!type.needsDependencies() || !dependencies.isEmpty(),
        "step.dependencies of " + name + " must not be empty, because its type is " + type);
    Checks.present(systemDependency, "step.system_dependency");
    Checks.present(retry, "step.retry");
    Checks.present(options, "step.options");
    Checks.range(queueTimeoutSeconds, "step.queue_timeout_seconds", 1,
        Limits.QUEUE_TIMEOUT_SECONDS);
    Checks.present(publishesEvents, "step.publishes_events");
    publishesEvents = List.copyOf(publishesEvents);
    Checks.present(batchConfig, "step.batch_config");
    Checks.require(batchConfig.isEmpty() || type.takesBatchConfig(),
        "step.batch_config of " + name + " must be absent, because its type is " + type);
    Checks.present(resultSchema, "step.result_schema");
    concurrency = ConcurrencyPolicy.distinct(concurrency, "step.concurrency");
    Checks.present(rules, "step.rules");
    Checks.require(rules.isEmpty() || type == StepType.DECISION,
        "step.rules of " + name + " must be absent, because its type is " + type);
    Checks.present(waitFor, "step.wait");
    Checks.require(
        waitFor.isEmpty() || type == StepType.STANDARD || type == StepType.DEFERRED_CONVERGENCE,
        "step.wait of " + name + " must be absent, because its type is " + type);
    var hasItems = batchConfig.flatMap(BatchConfig::items).isPresent();
    Checks.require(!hasItems || type == StepType.BATCHABLE,
        "step.batch_config.items of " + name + " must be absent, because its type is " + type);
    Checks.require(
        rules.isPresent() || hasItems ? handler.isEmpty() && waitFor.isEmpty()
            : handler.isPresent() || waitFor.isPresent(),
        "step " + name
            + " must have a handler or a wait, or rules or batch_config.items and neither of them");
    Checks.require(type != StepType.BATCH_WORKER || name.length() <= Limits.BATCH_WORKER_NAME,
        "step.name of a batch_worker must be at most " + Limits.BATCH_WORKER_NAME
            + " characters, but is " + name);
    Checks.present(onNone, "step.on_none");
    Checks.require(onNone == OnNone.SKIP || type == StepType.DEFERRED_CONVERGENCE,
        "step.on_none of " + name + " must be skip, because its type is " + type);
    Checks.present(compensation, "step.compensation");
    Checks.require(compensation.isEmpty() || name.length() <= Limits.COMPENSATED_STEP_NAME,
        "step.name of a step with a compensation must be at most " + Limits.COMPENSATED_STEP_NAME
            + " characters, but is " + name);
    Checks.require(concurrency.stream().allMatch(policy -> policy.counts() == LimitedUnit.STEPS),
        "step.concurrency of " + name + " must count steps");
  }

  /** The same step in an environment. */
  StepDefinition with(Optional<HandlerReference> otherHandler, RetryPolicy otherRetry,
      StepOptions otherOptions) {
    return new StepDefinition(name, description, type, otherHandler, dependencies, systemDependency,
        otherRetry, otherOptions, queueTimeoutSeconds, publishesEvents, batchConfig, resultSchema,
        concurrency, rules, waitFor, onNone, compensation);
  }
}
