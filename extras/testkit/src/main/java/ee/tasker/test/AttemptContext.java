package ee.tasker.test;

import ee.tasker.handler.StaleAttemptException;
import ee.tasker.handler.StepContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.worker.Checkpoints;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The view of a step that its handler gets. */
final class AttemptContext implements StepContext {
  private final Tasker tasker;
  private final ClaimedStep step;
  private Optional<JsonValue> checkpoint;

  AttemptContext(Tasker tasker, ClaimedStep step) {
    this.tasker = tasker;
    this.step = step;
    this.checkpoint = step.checkpoint();
  }

  @Override
  public UUID taskUuid() {
    return step.key().taskUuid();
  }

  @Override
  public UUID stepUuid() {
    return step.key().stepUuid();
  }

  @Override
  public String stepName() {
    return step.name();
  }

  @Override
  public String namespace() {
    return step.definition().namespace();
  }

  @Override
  public String taskName() {
    return step.definition().taskName();
  }

  @Override
  public String taskVersion() {
    return step.definition().taskVersion();
  }

  @Override
  public UUID correlationId() {
    return step.correlationId();
  }

  @Override
  public Optional<UUID> parentCorrelationId() {
    return step.parentCorrelationId();
  }

  @Override
  public Optional<String> traceParent() {
    return step.traceParent();
  }

  @Override
  public int attempt() {
    return step.attempt();
  }

  @Override
  public int maxAttempts() {
    return step.maxAttempts();
  }

  @Override
  public String idempotencyToken() {
    return step.idempotencyToken();
  }

  @Override
  public JsonObject input() {
    return step.context();
  }

  @Override
  public JsonObject stepInputs() {
    return step.inputs();
  }

  @Override
  public JsonObject config() {
    return step.definition().initialization();
  }

  @Override
  public Set<String> dependencyNames() {
    Set<String> names = new LinkedHashSet<>(step.definition().ancestors());
    names.addAll(step.results().keySet());
    return names;
  }

  @Override
  public Optional<JsonValue> result(String stepName) {
    JsonValue direct = step.results().get(stepName);
    return direct != null ? Optional.of(direct)
        : Optional.ofNullable(
            tasker.sql().object("select tasker.get_ancestor_results(?)", stepUuid()).get(stepName));
  }

  @Override
  public Optional<JsonValue> checkpoint() {
    return checkpoint;
  }

  @Override
  public List<JsonObject> signals() {
    return tasker.sql().array("select tasker.get_signal_documents(?, true)", taskUuid())
        .getValuesAs(JsonObject.class);
  }

  @Override
  public void checkpoint(JsonValue progress) {
    Checkpoints.complaint(progress).ifPresent(complaint -> {
      throw new IllegalArgumentException(complaint);
    });
    if (!tasker.sql().flag("select tasker.save_checkpoint(?, ?, cast(? as jsonb))", stepUuid(),
        step.key().handoff(),
        new StepSeals(Sealing.SEALS).sealCheckpoint(step.definition(), progress))) {
      throw new StaleAttemptException(stepUuid(), attempt());
    }
    checkpoint = Optional.of(progress);
  }

  /** Nothing to do: no time passes while a handler runs. */
  @Override
  public void heartbeat() {
  }

  @Override
  public boolean isCancelRequested() {
    return tasker.sql().flag(
        "select t.cancel_requested_at is not null from tasker.tasks t where t.task_uuid = ?",
        taskUuid());
  }
}
