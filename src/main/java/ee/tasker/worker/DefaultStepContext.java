package ee.tasker.worker;

import ee.tasker.dispatch.RunningStep;
import ee.tasker.handler.BatchResult;
import ee.tasker.handler.StaleAttemptException;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Optional;

/** The view of a step that its handler gets in a server. */
final class DefaultStepContext extends ClaimedStepContext {
  private final RunningStep running;
  private final Steps steps;

  /** @param opened what the handler may see of the running step */
  DefaultStepContext(RunningStep running, ClaimedStep opened, Steps steps, StepSeals seals) {
    super(opened, seals);
    this.running = running;
    this.steps = steps;
  }

  @Override
  public Optional<String> traceParent() {
    String traced = running.span().traceParent();
    return traced == null ? super.traceParent() : Optional.of(traced);
  }

  @Override
  protected JsonObject fetchAncestorResults() {
    return steps.ancestorResults(stepUuid());
  }

  @Override
  public Iterable<BatchResult> batchResults(String stepName) {
    return () -> new BatchPages(
        (after, limit) -> steps.ancestorBatchResults(stepUuid(), stepName, after, limit)
            .map(page -> open(page).asJsonArray()),
        stepName);
  }

  @Override
  protected boolean saveCheckpoint(JsonValue sealed) {
    return marked(steps.saveCheckpoint(key(), sealed));
  }

  @Override
  public List<JsonObject> signals() {
    return steps.signals(taskUuid()).stream().map(signal -> open(signal).asJsonObject()).toList();
  }

  @Override
  public void heartbeat() {
    if (!marked(steps.renew(key()))) {
      throw new StaleAttemptException(stepUuid(), attempt());
    }
  }

  /** Remembers that the step is not ours any more. */
  private boolean marked(boolean isOurs) {
    if (!isOurs) {
      running.markLost();
    }
    return isOurs;
  }

  private StepKey key() {
    return running.claimedStep().key();
  }

  @Override
  public boolean isCancelRequested() {
    return running.isCancelRequested() || running.isLost();
  }
}
