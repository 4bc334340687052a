package ee.tasker.test;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A task of a test. What it answers is read from the database each time. {@link
 * TaskAssert#assertThat} begins what a test expects of it.
 */
public final class TaskRun {
  private static final String OPERATOR = "test";
  private static final int MOST_MOVES = 10_000;

  private final Tasker tasker;
  private final Workflow workflow;
  private final UUID uuid;
  private final boolean isDuplicate;

  /**
   * A step as it is now.
   *
   * @param state  as SQL and REST spell it
   * @param result JSON null while there is none
   * @param error  {@code {type, message, …}} of the latest failure; JSON null while there is none
   */
  public record Step(String name, UUID uuid, String state, int attempts, JsonValue result,
      JsonValue error) {}

  TaskRun(Tasker tasker, Workflow workflow, UUID uuid, boolean isDuplicate) {
    this.tasker = tasker;
    this.workflow = workflow;
    this.uuid = uuid;
    this.isDuplicate = isDuplicate;
  }

  /**
   * Runs everything until this task has ended or is blocked, and moves the clock over each wait:
   * for a retry, a timer, or a server whose lease has to end. Returns
   * earlier if nothing that moves the clock could help.
   */
  public TaskRun run() {
    tasker.runUntilIdle();
    for (int moves = 0; !state().isTerminalOrBlocked(); moves++) {
      // Schedules always have a next fire time: alone they do not help the task.
      Instant due = tasker.nextDueOfTasks() == null ? null : tasker.nextDue();
      if (due == null) {
        break;
      }
      if (moves == MOST_MOVES) {
        throw new IllegalStateException(
            "the task does not end: the clock was moved " + moves + " times\n" + story());
      }
      tasker.moveTo(due);
    }
    return this;
  }

  public UUID uuid() {
    return uuid;
  }

  /** Whether the request duplicated an earlier one, of which this is the task. */
  public boolean isDuplicate() {
    return isDuplicate;
  }

  public TaskState state() {
    return TaskState
        .of(tasker.sql().text("select t.state from tasker.tasks t where t.task_uuid = ?", uuid));
  }

  /** The steps that the task has now, by name, in the order of its template. */
  public Map<String, Step> steps() {
    return tasker.sql().array(
        "select coalesce(jsonb_agg(jsonb_build_object('name', coalesce(s.name, n.name), 'uuid', s.workflow_step_uuid, 'state', s.state, "
            + "'attempts', s.attempts, 'result', a.result, 'error', a.error) order by s.step_position, s.workflow_step_uuid), '[]') "
            + "from tasker.workflow_steps s join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid "
            + "left join tasker.workflow_step_result_audit a on a.workflow_step_uuid = s.workflow_step_uuid and a.sort_key = s.result_sort_key "
            + "where s.task_uuid = ?",
        uuid).getValuesAs(JsonObject.class).stream()
        .map(row -> new Step(row.getString("name"), Json.uuid(row, "uuid"), row.getString("state"),
            row.getInt("attempts"), row.get("result"), row.get("error")))
        .collect(
            Collectors.toMap(Step::name, step -> step, (one, other) -> one, LinkedHashMap::new));
  }

  /**
   * @throws IllegalArgumentException if the task has no such step: one downstream of a decision
   * exists only once it has been chosen
   */
  public Step step(String name) {
    return Optional.ofNullable(steps().get(name)).orElseThrow(() -> new IllegalArgumentException(
        "the task has no step " + name + "; its steps: " + steps().keySet()));
  }

  /** The result of a step as an object. */
  public JsonObject result(String step) {
    if (step(step).result() instanceof JsonObject result) {
      return result;
    }
    throw new IllegalArgumentException(
        "the result of step " + step + " is no object: " + step(step).result());
  }

  /**
   * The output of the task: what its template makes of the results, or those of the leaves.
   *
   * @throws IllegalStateException if the task has not ended well, or its output cannot be computed
   */
  public JsonObject output() {
    JsonObject document = tasker.sql().object("select coalesce(tasker.get_task_output(?), '{}')",
        uuid);
    if (document.get("output") instanceof JsonObject output) {
      return output;
    }
    throw new IllegalStateException("the task has no output: "
        + (document.isEmpty() ? "it is " + state() : document.get("error")));
  }

  /**
   * The latest child task that a step has submitted.
   *
   * @throws IllegalArgumentException if the step has submitted none
   */
  public TaskRun child(String step) {
    String child = tasker.sql().text(
        "select w.child_task_uuid from tasker.step_waits w where w.task_uuid = ? and w.workflow_step_uuid = ? "
            + "and w.kind = 'child' order by w.armed_at desc, w.wait_uuid desc limit 1",
        uuid, step(step).uuid());
    if (child == null) {
      throw new IllegalArgumentException("step " + step + " has submitted no task");
    }
    return new TaskRun(tasker, workflow, UUID.fromString(child), false);
  }

  /**
   * A domain event that a result of a step has published.
   *
   * @param data  what its readers get; JSON null when it cannot be computed
   * @param error what is wrong with the data; JSON null for nothing
   */
  public record Event(String name, String step, JsonValue data, JsonValue error) {
  }

  /** The domain events of the task so far, in their order. */
  public List<Event> events() {
    return tasker.sql().array(
        "select coalesce(jsonb_agg(jsonb_build_object('name', e.name, 'step', coalesce(s.name, n.name), 'data', e.data, 'error', e.error) "
            + "order by e.event_number), '[]') from tasker.domain_events e "
            + "join tasker.workflow_steps s on s.workflow_step_uuid = e.workflow_step_uuid "
            + "join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid where e.task_uuid = ?",
        uuid).getValuesAs(JsonObject.class).stream()
        .map(row -> new Event(row.getString("name"), row.getString("step"), row.get("data"),
            row.get("error")))
        .toList();
  }

  /**
   * The state of the compensation of the task: {@code asked}, {@code running}, {@code compensated}
   * or {@code incomplete}; empty without one.
   */
  public Optional<String> compensation() {
    return Optional.ofNullable(tasker.sql()
        .text("select c.state from tasker.task_compensations c where c.task_uuid = ?", uuid));
  }

  /** The steps that have been undone, in the order in which that was done. */
  public List<String> compensated() {
    // The clock of the test may have stood still: transactions tell the order, which are one after
    // the other here.
    return tasker.sql().array(
        "select coalesce(jsonb_agg(coalesce(s.name, n.name) order by cast(cast(a.xmin as text) as bigint)), '[]') "
            + "from tasker.workflow_steps u join tasker.workflow_steps s on s.workflow_step_uuid = u.compensates_step_uuid "
            + "join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid "
            + "join tasker.workflow_step_result_audit a on a.workflow_step_uuid = u.workflow_step_uuid and a.sort_key = u.result_sort_key and a.success "
            + "where u.task_uuid = ? and u.state = 'complete'",
        uuid).getValuesAs(JsonString.class).stream().map(JsonString::getString).toList();
  }

  /**
   * Sends a signal to the task. What follows runs with {@link #run()}.
   *
   * @param payload JSON
   * @throws IllegalArgumentException if the payload does not fit the schema of the signal
   * @throws IllegalStateException if the task does not take the signal, with the sentence that REST
   *   answers
   */
  public TaskRun signal(String name, String payload) {
    return signal(name, Json.parse(payload));
  }

  /** The same. */
  public TaskRun signal(String name, JsonValue payload) {
    String schema = tasker.sql()
        .text("select nullif(tasker.get_signal_schema(?, ?) -> 'schema', 'null')", uuid, name);
    JsonValue sealed = payload;
    if (schema != null) {
      ContextSchema compiled = ContextSchema.compile(schema);
      sealed = Sealing.SEALS.seal(payload, compiled.sealed(), "");
      compiled.validate(payload).complaints().stream().findFirst()
          .ifPresent(violation -> {
            throw new IllegalArgumentException(
                "the payload does not fit the schema of the signal " + name + ": payload"
                    + violation.pointer() + ": "
                    + violation.message());
          });
    }
    tell("signal " + name + " " + payload);
    done(tasker.sql().object(
        "select tasker.send_signals(array[cast(? as uuid)], ?, cast(? as jsonb), null, ?, true, null, ?)",
        uuid, name, sealed, OPERATOR, tasker.now()).getJsonArray("signals").getJsonObject(0));
    return this;
  }

  /**
   * Decides the approval for which a step of the task waits. What follows runs with {@link #run()}.
   *
   * @param by     who decides; a candidate by name, or with {@code roles}
   * @param values of the form, as JSON; null for none
   * @param roles  the roles of who decides
   * @throws IllegalArgumentException if the values do not fit the form
   * @throws IllegalStateException if no such step waits for an approval, or it cannot be decided
   *   so, with the sentence that REST answers
   */
  public TaskRun decide(String step, String by, boolean approved, String values, String... roles) {
    UUID stepUuid = step(step).uuid();
    JsonObject asked = tasker.sql()
        .object(
            "select coalesce((select jsonb_build_object('uuid', a.approval_uuid, 'form', n.wait_for -> 'form') "
                + "from tasker.approvals a join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid "
                + "join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid "
                + "where a.workflow_step_uuid = ? order by a.created_at desc, a.approval_uuid desc limit 1), '{}')",
            stepUuid);
    if (!asked.containsKey("uuid")) {
      throw new IllegalStateException("step " + step + " waits for no approval\n" + story());
    }
    JsonValue given = values == null ? null : Json.parse(values);
    if (asked.get("form") instanceof JsonObject form && (approved || given != null)) {
      ContextSchema compiled = ContextSchema.compile(form.toString());
      compiled.validate(given == null ? JsonValue.EMPTY_JSON_OBJECT : given).complaints().stream()
          .findFirst()
          .ifPresent(violation -> {
            throw new IllegalArgumentException(
                "the values do not fit the form of step " + step + ": values" + violation.pointer()
                    + ": " + violation.message());
          });
    }
    JsonValue sealed = given != null && asked.get("form") instanceof JsonObject form
        ? Sealing.SEALS.seal(given, ContextSchema.compile(form.toString()).sealed(), "") : given;
    tell((approved ? "approved " : "rejected ") + step + " by " + by);
    jakarta.json.JsonArrayBuilder groups = jakarta.json.Json.createArrayBuilder();
    java.util.List.of(roles).forEach(groups::add);
    done(tasker.sql().object(
        "select tasker.decide_approval(?, ?, cast(cast(? as text) as boolean), cast(cast(? as text) as jsonb), null, true, cast(? as jsonb), null, ?)",
        Json.uuid(asked, "uuid"), by, Boolean.toString(approved),
        sealed == null ? null : sealed.toString(),
        jakarta.json.Json.createObjectBuilder().add("groups", groups).build(), tasker.now()));
    return this;
  }

  /** Asks for the task to be cancelled; steps that run are asked to stop. */
  public TaskRun cancel(String reason) {
    tell("cancel requested: " + reason);
    done(tasker.sql().object(
        "select tasker.request_cancel(?, ?, ?, p_server_uuid => null, p_now => ?)", uuid, OPERATOR,
        reason, tasker.now()));
    return this;
  }

  /**
   * What an operator does after a failure: steps that failed start again, with all attempts. A task
   * in error is reopened.
   */
  public TaskRun retry(String reason) {
    return act("retry", reason);
  }

  /** Closes a blocked task as {@code resolved_manually}. */
  public TaskRun resolve(String reason) {
    return act("resolve", reason);
  }

  /** Closes a blocked task as {@code error}. */
  public TaskRun fail(String reason) {
    return act("fail", reason);
  }

  /** A step that failed or waits for a retry starts again, with all attempts. */
  public TaskRun retryStep(String step, String reason) {
    return act(step, "reset_for_retry", reason, JsonValue.EMPTY_JSON_OBJECT);
  }

  /** An operator says what the result of a step is; its successors see it. */
  public TaskRun completeStep(String step, JsonObject result, String reason) {
    return act(step, "complete_manually", reason,
        Json.build().createObjectBuilder().add("result", result).build());
  }

  /** A step counts as done without a result. */
  public TaskRun resolveStep(String step, String reason) {
    return act(step, "resolve_manually", reason, JsonValue.EMPTY_JSON_OBJECT);
  }

  private TaskRun act(String action, String reason) {
    tell(action + ": " + reason);
    done(tasker.sql().object("select tasker.act_on_task(?, ?, ?, ?, p_now => ?)", uuid, action,
        OPERATOR, reason, tasker.now()));
    return this;
  }

  private TaskRun act(String step, String action, String reason, JsonObject data) {
    tasker.story(uuid).add(tasker.clockTime(), step, action + ": " + reason);
    done(tasker.sql().object(
        "select tasker.act_on_step(?, ?, ?, ?, ?, cast(? as jsonb), p_now => ?)", uuid,
        step(step).uuid(), action, OPERATOR, reason, data, tasker.now()));
    return this;
  }

  private static void done(JsonObject reply) {
    if (List.of("refused", "already_ended").contains(reply.getString("outcome"))) {
      throw new IllegalStateException("refused: " + reply.getString("message", reply.toString()));
    }
  }

  private void tell(String what) {
    tasker.story(uuid).add(tasker.clockTime(), "", what);
  }

  /** What happened to the task, and how it is now, in words; assertions that fail end with it. */
  public String story() {
    StringBuilder text = new StringBuilder(
        "task " + uuid + " of " + workflow + ": " + state() + "\n");
    tasker.story(uuid).lines().forEach(line -> text.append("  ").append(line).append('\n'));
    steps().values()
        .forEach(step -> text.append(String.format(Locale.ROOT, "  %-33s %s, %d attempt%s%s%n",
            step.name(), step.state(), step.attempts(), step.attempts() == 1 ? "" : "s",
            step.error() == JsonValue.NULL ? "" : ", " + step.error())));
    if (!state().isTerminal()) {
      tasker.sql()
          .array(
              "select coalesce(jsonb_agg(e.step_name || ' ' || e.sentence), '[]') from tasker.explain_waiting(?, ?) e",
              uuid, tasker.now())
          .getValuesAs(JsonString.class)
          .forEach(sentence -> text.append("  why: ").append(sentence.getString()).append('\n'));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return story();
  }
}
