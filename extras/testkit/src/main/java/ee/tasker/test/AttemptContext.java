package ee.tasker.test;

import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.worker.ClaimedStepContext;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;

/** The view of a step that its handler gets. */
final class AttemptContext extends ClaimedStepContext {
  private final Tasker tasker;
  private final int handoff;

  AttemptContext(Tasker tasker, ClaimedStep step) {
    super(step, new StepSeals(Sealing.SEALS));
    this.tasker = tasker;
    this.handoff = step.key().handoff();
  }

  @Override
  protected JsonObject fetchAncestorResults() {
    return tasker.sql().object("select tasker.get_ancestor_results(?)", stepUuid());
  }

  @Override
  protected boolean saveCheckpoint(JsonValue sealed) {
    return tasker.sql().flag("select tasker.save_checkpoint(?, ?, cast(? as jsonb))", stepUuid(),
        handoff, sealed);
  }

  @Override
  public List<JsonObject> signals() {
    return tasker.sql().array("select tasker.get_signal_documents(?, true)", taskUuid())
        .getValuesAs(JsonObject.class);
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
