package ee.tasker.testing;

import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** An operator with a database connection: ann, who gives a reason for everything. */
public final class Operator {
  public static final String NAME = "ann";
  public static final String REASON = "the other side has fixed it";

  private final Sql sql = Sql.open();
  private Instant now;

  /** From now on the actions are done at that time; null: by the database's clock. */
  public Operator at(Instant time) {
    now = time;
    return this;
  }

  public JsonObject step(Dag.Task task, String step, String action, String data) {
    return sql.object("select tasker.act_on_step(?, ?, ?, ?, ?, ?, null, ?)", task.uuid(),
        task.step(step), action, NAME, REASON, data, now);
  }

  public JsonObject step(Dag.Task task, String step, String action) {
    return step(task, step, action, "{}");
  }

  public JsonObject task(UUID task, String action, String data) {
    return sql.object("select tasker.act_on_task(?, ?, ?, ?, ?, null, ?)", task, action, NAME,
        REASON, data, now);
  }

  public JsonObject task(Dag.Task task, String action) {
    return task(task.uuid(), action, "{}");
  }

  public JsonObject task(Dag.Task task, String action, String data) {
    return task(task.uuid(), action, data);
  }

  public String pause(String namespace, String name) {
    return sql.text("select tasker.pause_templates(?, ?, null, ?, ?) ->> 'outcome'", namespace,
        name, NAME, REASON);
  }

  public String resume(String namespace, String name) {
    return sql.text("select tasker.resume_templates(?, ?, null, ?, ?) ->> 'outcome'", namespace,
        name, NAME, REASON);
  }
}
