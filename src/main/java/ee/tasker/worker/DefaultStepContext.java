package ee.tasker.worker;

import ee.tasker.dispatch.RunningStep;
import ee.tasker.handler.BatchResult;
import ee.tasker.handler.StaleAttemptException;
import ee.tasker.handler.StepContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.step.Steps;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The view of a step that its handler gets. The results of indirect ancestors are fetched when the
 * handler first reads one of them.
 */
final class DefaultStepContext implements StepContext {
  private final RunningStep running;
  private final ClaimedStep claimedStep;
  private final Steps steps;
  private final StepSeals seals;
  private volatile JsonObject ancestorResults;
  private volatile Optional<JsonValue> checkpoint;

  /** @param opened what the handler may see of the running step */
  DefaultStepContext(RunningStep running, ClaimedStep opened, Steps steps, StepSeals seals) {
    this.running = running;
    this.claimedStep = opened;
    this.steps = steps;
    this.seals = seals;
    this.checkpoint = claimedStep.checkpoint();
  }

  @Override
  public UUID taskUuid() {
    return claimedStep.key().taskUuid();
  }

  @Override
  public UUID stepUuid() {
    return claimedStep.key().stepUuid();
  }

  @Override
  public String stepName() {
    return claimedStep.name();
  }

  @Override
  public String namespace() {
    return claimedStep.definition().namespace();
  }

  @Override
  public String taskName() {
    return claimedStep.definition().taskName();
  }

  @Override
  public String taskVersion() {
    return claimedStep.definition().taskVersion();
  }

  @Override
  public UUID correlationId() {
    return claimedStep.correlationId();
  }

  @Override
  public Optional<UUID> parentCorrelationId() {
    return claimedStep.parentCorrelationId();
  }

  @Override
  public Optional<String> traceParent() {
    String traced = running.span().traceParent();
    return traced == null ? claimedStep.traceParent() : Optional.of(traced);
  }

  @Override
  public int attempt() {
    return claimedStep.attempt();
  }

  @Override
  public int maxAttempts() {
    return claimedStep.maxAttempts();
  }

  @Override
  public String idempotencyToken() {
    return claimedStep.idempotencyToken();
  }

  @Override
  public JsonObject input() {
    return claimedStep.context();
  }

  @Override
  public JsonObject stepInputs() {
    return claimedStep.inputs();
  }

  @Override
  public JsonObject config() {
    return claimedStep.definition().initialization();
  }

  @Override
  public Set<String> dependencyNames() {
    Set<String> ancestors = claimedStep.definition().ancestors();
    // A parent that was added to the task is none that the template knows.
    return ancestors.containsAll(claimedStep.results().keySet()) ? ancestors
        : Stream.concat(ancestors.stream(), claimedStep.results().keySet().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Override
  public Optional<JsonValue> result(String stepName) {
    JsonValue direct = claimedStep.results().get(stepName);
    if (direct != null) {
      return Optional.of(direct);
    }
    if (ancestorResults == null) {
      ancestorResults = open(steps.ancestorResults(stepUuid())).asJsonObject();
    }
    return Optional.ofNullable(ancestorResults.get(stepName));
  }

  @Override
  public Iterable<BatchResult> batchResults(String stepName) {
    return () -> new BatchPages(
        (after, limit) -> steps.ancestorBatchResults(stepUuid(), stepName, after, limit)
            .map(page -> open(page).asJsonArray()),
        stepName);
  }

  @Override
  public Optional<JsonValue> checkpoint() {
    return checkpoint;
  }

  @Override
  public void checkpoint(JsonValue progress) {
    JsonValue sealed = seals.sealCheckpoint(claimedStep.definition(), progress);
    Checkpoints.complaint(sealed).ifPresent(complaint -> {
      throw new IllegalArgumentException(complaint);
    });
    if (!steps.saveCheckpoint(claimedStep.key(), sealed)) {
      running.markLost();
      throw new StaleAttemptException(stepUuid(), attempt());
    }
    checkpoint = Optional.of(progress);
  }

  @Override
  public List<JsonObject> signals() {
    return steps.signals(taskUuid()).stream().map(signal -> open(signal).asJsonObject()).toList();
  }

  private JsonValue open(JsonValue document) {
    return seals.open(claimedStep.definition(), document);
  }

  @Override
  public void heartbeat() {
    if (!steps.renew(claimedStep.key())) {
      running.markLost();
      throw new StaleAttemptException(stepUuid(), attempt());
    }
  }

  @Override
  public boolean isCancelRequested() {
    return running.isCancelRequested() || running.isLost();
  }
}
