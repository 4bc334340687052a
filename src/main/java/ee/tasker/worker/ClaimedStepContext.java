package ee.tasker.worker;

import ee.tasker.handler.StaleAttemptException;
import ee.tasker.handler.StepContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a handler reads of its claimed step and of the step's template, the same in a server and in
 * the test kit. The results of indirect ancestors are fetched when the handler first reads one of
 * them.
 */
public abstract class ClaimedStepContext implements StepContext {
  private final ClaimedStep step;
  private final StepSeals seals;
  private volatile JsonObject ancestorResults;
  private volatile Optional<JsonValue> checkpoint;

  /** @param opened what the handler may see of the step */
  protected ClaimedStepContext(ClaimedStep opened, StepSeals seals) {
    this.step = opened;
    this.seals = seals;
    this.checkpoint = opened.checkpoint();
  }

  /** Those of all ancestors, by name; what is sealed in them is opened here. */
  protected abstract JsonObject fetchAncestorResults();

  /** @return whether the step is still that of this attempt */
  protected abstract boolean saveCheckpoint(JsonValue sealed);

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
    Set<String> ancestors = step.definition().ancestors();
    // A parent that was added to the task is none that the template knows.
    return ancestors.containsAll(step.results().keySet()) ? ancestors
        : Stream.concat(ancestors.stream(), step.results().keySet().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Override
  public Optional<JsonValue> result(String stepName) {
    JsonValue direct = step.results().get(stepName);
    if (direct != null) {
      return Optional.of(direct);
    }
    if (ancestorResults == null) {
      ancestorResults = open(fetchAncestorResults()).asJsonObject();
    }
    return Optional.ofNullable(ancestorResults.get(stepName));
  }

  @Override
  public Optional<JsonValue> checkpoint() {
    return checkpoint;
  }

  @Override
  public void checkpoint(JsonValue progress) {
    JsonValue sealed = seals.sealCheckpoint(step.definition(), progress);
    Checkpoints.complaint(sealed).ifPresent(complaint -> {
      throw new IllegalArgumentException(complaint);
    });
    if (!saveCheckpoint(sealed)) {
      throw new StaleAttemptException(stepUuid(), attempt());
    }
    checkpoint = Optional.of(progress);
  }

  /** A document of this step, or of its task, as the handler may see it. */
  protected final JsonValue open(JsonValue document) {
    return seals.open(step.definition(), document);
  }
}
