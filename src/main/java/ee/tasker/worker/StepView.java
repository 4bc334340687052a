package ee.tasker.worker;

import ee.tasker.handler.StaleAttemptException;
import ee.tasker.handler.StepContext;
import ee.tasker.platform.Storable;
import ee.tasker.step.Assignment;
import ee.tasker.step.Steps;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What the handler sees of its step. Results of farther ancestors are fetched when the first of them is asked for. */
final class StepView implements StepContext {
  private final RunningStep running;
  private final Assignment assignment;
  private final Steps steps;
  private volatile JsonObject ancestorResults;
  private volatile Optional<JsonValue> checkpoint;

  StepView(RunningStep running, Steps steps) {
    this.running = running;
    this.assignment = running.assignment();
    this.steps = steps;
    this.checkpoint = assignment.checkpoint();
  }

  @Override
  public UUID taskUuid() {
    return assignment.key().taskUuid();
  }

  @Override
  public UUID stepUuid() {
    return assignment.key().stepUuid();
  }

  @Override
  public String stepName() {
    return assignment.definition().name();
  }

  @Override
  public String namespace() {
    return assignment.definition().namespace();
  }

  @Override
  public String taskName() {
    return assignment.definition().taskName();
  }

  @Override
  public String taskVersion() {
    return assignment.definition().taskVersion();
  }

  @Override
  public UUID correlationId() {
    return assignment.correlationId();
  }

  @Override
  public Optional<UUID> parentCorrelationId() {
    return assignment.parentCorrelationId();
  }

  @Override
  public Optional<String> traceParent() {
    String traced = running.span().traceParent();
    return traced == null ? assignment.traceParent() : Optional.of(traced);
  }

  @Override
  public int attempt() {
    return assignment.key().attempt();
  }

  @Override
  public int maxAttempts() {
    return assignment.maxAttempts();
  }

  @Override
  public JsonObject input() {
    return assignment.context();
  }

  @Override
  public JsonObject stepInputs() {
    return assignment.inputs();
  }

  @Override
  public JsonObject config() {
    return assignment.definition().initialization();
  }

  @Override
  public Set<String> dependencyNames() {
    return assignment.definition().ancestors();
  }

  @Override
  public Optional<JsonValue> result(String stepName) {
    JsonValue direct = assignment.results().get(stepName);
    if (direct != null) {
      return Optional.of(direct);
    }
    if (!dependencyNames().contains(stepName)) {
      return Optional.empty();
    }
    if (ancestorResults == null) {
      ancestorResults = steps.ancestorResults(stepUuid());
    }
    return Optional.ofNullable(ancestorResults.get(stepName));
  }

  @Override
  public Optional<JsonValue> checkpoint() {
    return checkpoint;
  }

  @Override
  public void checkpoint(JsonValue progress) {
    Storable.complaint(progress).ifPresent(complaint -> {
      throw new IllegalArgumentException("checkpoint " + complaint);
    });
    if (!steps.saveCheckpoint(assignment.key(), progress)) {
      running.markLost();
      throw new StaleAttemptException(stepUuid(), attempt());
    }
    checkpoint = Optional.of(progress);
  }

  @Override
  public void heartbeat() {
    if (!steps.renew(assignment.key())) {
      running.markLost();
      throw new StaleAttemptException(stepUuid(), attempt());
    }
  }

  @Override
  public boolean isCancelRequested() {
    return running.isCancelRequested() || running.isLost();
  }
}
