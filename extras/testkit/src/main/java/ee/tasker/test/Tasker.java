package ee.tasker.test;

import ee.tasker.handler.HandlerResolver;
import ee.tasker.handler.StepHandler;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.schedule.FirePlan;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.step.StepSpec;
import ee.tasker.template.TemplateReader;
import ee.tasker.template.TemplateReading;
import ee.tasker.template.TemplateScan;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * An engine for one test: the product's own SQL functions in an empty PostgreSQL database, one
 * worker that runs handlers on the thread of the test, and a
 * clock that stands still until the test moves it. Not for several threads at once.
 *
 * <p>The database decides all that it decides in production: which steps are ready, retries and
 * their times, decisions, cancels, recovery. Templates are read
 * and checked, contexts and results are checked against their schemas, and exceptions become
 * outcomes by the code of the server. What is missing is the rest
 * of the server: REST, CDI, JTA, time-outs of handlers by interruption, and the duties that servers
 * see to in turns (SLA, staleness, retention).
 */
public final class Tasker implements AutoCloseable {
  /** What compares the times in rows with the database's clock; time is virtual here. */
  private static final List<String> CLOCK = List.of("time_is_that_of_its_move",
      "nothing_is_dated_in_the_future", "lease_ends_within_a_day",
      "retry_waits_as_long_as_was_decided", "wakeup_is_within_reach");
  private static final int LEASE_SECONDS = 60;
  private static final int MOST_ROUNDS = 100_000;

  private final UUID worker = UUID.randomUUID();
  private final Database database;
  private final Sql sql;
  private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private final Handlers handlers = new Handlers();
  private final Map<String, Workflow> workflows = new LinkedHashMap<>();
  private final Map<UUID, StepSpec> steps = new HashMap<>();
  private final Map<UUID, Story> stories = new HashMap<>();
  private Instant now = start;
  private boolean isRunning;

  private Tasker() {
    database = new Database();
    sql = new Sql(database.dataSource());
  }

  /**
   * A new engine, for tests without {@link TaskerTest}. The first one of a JVM starts PostgreSQL
   * and creates the schema, which takes some seconds.
   *
   * @return to be closed by the caller
   */
  public static Tasker open() {
    return new Tasker();
  }

  /**
   * Registers a template.
   *
   * @param template its text, YAML or JSON
   * @throws IllegalArgumentException with all problems and their lines and columns, if it is not a
   *   valid template
   */
  public Workflow workflow(String template) {
    TemplateScan scan = TemplateReader.scan(template);
    if (scan.hasExpressions()) {
      sql.array("select tasker.check_expressions(cast(? as jsonb), cast(? as jsonb))", scan.graph(),
          scan.expressions())
          .getValuesAs(JsonObject.class)
          .forEach(found -> scan.refuse(found.getInt("index"), found.getString("pointer"),
              found.getString("message"), Json.text(found, "unknown_step")));
    }
    if (scan.conclude() instanceof TemplateReading.Invalid invalid) {
      throw new IllegalArgumentException(invalid.problems().stream().map(Object::toString)
          .collect(Collectors.joining("\n  ", "not a valid template:\n  ", "")));
    }
    Workflow workflow = new Workflow(this, ((TemplateReading.Read) scan.conclude()).template(),
        template);
    workflows.put(workflow.key().toString(), workflow);
    return workflow;
  }

  /** The same, for the text of a file. */
  public Workflow workflow(Path file) {
    try {
      return workflow(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the template " + file.toAbsolutePath(), e);
    }
  }

  /**
   * The same, for a resource on the class path, as {@code META-INF/tasker-templates} lists it.
   *
   * @param resource without a slash at the beginning
   */
  public Workflow workflowResource(String resource) {
    ClassLoader loader = Optional.ofNullable(Thread.currentThread().getContextClassLoader())
        .orElse(Tasker.class.getClassLoader());
    try (InputStream stream = loader.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new IllegalArgumentException(
            "there is no resource " + resource + " on the class path");
      }
      return workflow(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + resource, e);
    }
  }

  /**
   * A handler for the steps of every workflow; one that {@link Workflow#with(String, StepHandler) a
   * workflow has} goes before it.
   */
  public Tasker with(String callable, StepHandler handler) {
    handlers.add(callable, handler);
    return this;
  }

  /** The same, under the name of its class and those of {@link ee.tasker.handler.Handles}. */
  public Tasker with(StepHandler handler) {
    handlers.add(handler);
    return this;
  }

  /** A resolver for the steps of every workflow. */
  public Tasker withResolver(String name, HandlerResolver resolver) {
    handlers.add(name, resolver);
    return this;
  }

  /** What time it is in this test; whole seconds at its beginning. */
  public Instant now() {
    return now;
  }

  /**
   * Moves the clock, and runs what becomes due on the way, each thing at its time.
   *
   * @throws IllegalArgumentException for a negative duration
   */
  public void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("the clock cannot be set back: " + duration);
    }
    Instant end = now.plus(duration);
    runUntilIdle();
    for (Instant due = nextDue(); due != null && !due.isAfter(end); due = nextDue()) {
      moveTo(due);
    }
    now = end;
    runUntilIdle();
  }

  /** Runs all steps that can run now, one after the other, and does not move the clock. */
  public void runUntilIdle() {
    if (isRunning) {
      throw new IllegalStateException(
          "a handler cannot run other steps or move the clock: it is part of a run");
    }
    isRunning = true;
    try {
      for (int round = 0; round < MOST_ROUNDS; round++) {
        JsonArray claimed = sql.array("select tasker.claim_steps(?, 1, null, ?, ?)", worker,
            LEASE_SECONDS, now);
        if (!claimed.isEmpty()) {
          execute(claimed);
        } else if (sql
            .object("select tasker.advance_due_tasks(?, 1000, 0, ?, ?)", worker, LEASE_SECONDS, now)
            .getInt("tasks") == 0) {
          if (!validateChildren() && !fireSchedules()) {
            return;
          }
        }
      }
    } finally {
      isRunning = false;
    }
    throw new IllegalStateException("the workflows do not come to rest: " + MOST_ROUNDS
        + " steps ran without the clock being moved");
  }

  /** What a server does with schedules that are due; false when there is none. */
  private boolean fireSchedules() {
    JsonArray due = sql.object("select tasker.take_due_schedules(100, ?)", now)
        .getJsonArray("schedules");
    if (due.isEmpty()) {
      return false;
    }
    JsonArrayBuilder plans = Json.build().createArrayBuilder();
    due.getValuesAs(JsonObject.class)
        .forEach(schedule -> plans.add(FirePlan.of(schedule, now, this::version)));
    for (JsonObject fire : sql
        .object("select tasker.fire_schedules(cast(? as jsonb), ?, 0, ?, ?)", plans.build(), worker,
            LEASE_SECONDS, now)
        .getJsonArray("fires").getValuesAs(JsonObject.class)) {
      Json.text(fire, "task_uuid").map(UUID::fromString)
          .ifPresent(task -> story(task).add(clockTime(), "",
              "submitted by a schedule for " + fire.getString("fire_at")));
    }
    return true;
  }

  /**
   * The version that a server would choose: the highest that is registered, unless the schedule
   * names one.
   */
  private String version(JsonObject schedule, Instant fire) {
    String name = schedule.getString("namespace") + "/" + schedule.getString("template_name");
    Workflow workflow = Json.text(schedule, "template_version")
        .map(version -> workflows.get(name + ":" + version))
        .or(() -> workflows.values().stream()
            .filter(each -> (each.key().namespace() + "/" + each.key().name()).equals(name))
            .max(Comparator.comparing(Tasker::sortableVersion)))
        .orElseThrow(() -> Problem.of(404, "unknown-template", "there is no template " + name));
    workflow.violations(FirePlan.context(schedule, fire)).stream().findFirst()
        .ifPresent(violation -> {
          throw Problem.of(400, "invalid-context",
              "the context does not fit the input schema of template " + workflow.key()
                  + ": context"
                  + violation.pointer() + ": " + violation.message());
        });
    return workflow.key().version();
  }

  private static String sortableVersion(Workflow workflow) {
    return Stream.of(workflow.key().version().split("\\."))
        .map(part -> String.format(Locale.ROOT, "%10s", part))
        .collect(Collectors.joining("."));
  }

  /**
   * Makes a schedule. From now on its fire times submit tasks when the clock is moved over them.
   *
   * @param schedule as {@code POST /v1/schedules} takes it, in JSON
   * @throws IllegalArgumentException if a member is wrong, its template is not registered, or the
   *   context does not fit it
   */
  public ScheduleRun schedule(String schedule) {
    JsonObject given = ScheduleRun.members(Json.parseObject(schedule));
    try {
      JsonObject reply = sql.object(
          "select tasker.save_schedule(cast(? as jsonb), 'test', 'new schedule', p_now => ?)",
          FirePlan.first(given, now, this::version), now);
      if (!reply.getString("outcome").equals("created")) {
        throw new IllegalArgumentException(
            "the schedule is refused: " + reply.getString("message"));
      }
      return new ScheduleRun(this, Json.uuid(reply, "schedule_uuid"));
    } catch (Problem problem) {
      throw new IllegalArgumentException("the schedule is refused: " + problem.getMessage(),
          problem);
    }
  }

  /** The same, for the text of a file. */
  public ScheduleRun schedule(Path file) {
    try {
      return schedule(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the schedule " + file.toAbsolutePath(), e);
    }
  }

  Workflow workflow(String namespace, String name, String version) {
    return workflows.get(Workflow.key(namespace, name, version).toString());
  }

  /**
   * The contexts of child tasks whose templates have a schema, as a server validates them; false
   * when there is none.
   */
  private boolean validateChildren() {
    JsonArray unchecked = sql
        .array(
            "select coalesce(jsonb_agg(jsonb_build_object('task_uuid', t.task_uuid, 'namespace', ns.name, 'name', nt.name, "
                + "'version', nt.version, 'context', c.context)), '[]') from tasker.tasks t join tasker.task_contexts c on c.task_uuid = t.task_uuid "
                + "join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid "
                + "join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid where not t.context_checked and t.completed_at is null");
    JsonArrayBuilder verdicts = Json.build().createArrayBuilder();
    for (JsonObject task : unchecked.getValuesAs(JsonObject.class)) {
      Workflow workflow = workflows
          .get(Workflow
              .key(task.getString("namespace"), task.getString("name"), task.getString("version"))
              .toString());
      JsonArrayBuilder violations = Json.build().createArrayBuilder();
      workflow.violations(task.getJsonObject("context")).forEach(violation -> violations
          .add(Json.build().createObjectBuilder().add("field", "context" + violation.pointer())
              .add("message", violation.message())));
      verdicts.add(Json.build().createObjectBuilder().add("task_uuid", task.getString("task_uuid"))
          .add("violations", violations));
    }
    if (!unchecked.isEmpty()) {
      sql.object("select tasker.start_validated_tasks(cast(? as jsonb), ?, 0, ?, ?)",
          verdicts.build(), worker, LEASE_SECONDS, now);
    }
    return !unchecked.isEmpty();
  }

  /**
   * The promises of the engine, checked over the whole database of this test: {@code
   * tasker.check_history()} without what compares times with the real clock.
   *
   * @throws AssertionError with what is broken
   */
  public void checkHistory() {
    List<String> broken = sql
        .array(
            "select coalesce(jsonb_agg(invariant || ': ' || violations || ' ' || coalesce(examples::text, '')), '[]') "
                + "from tasker.check_history() where violations > 0 and not invariant = any (string_to_array(?, ','))",
            String.join(",", CLOCK))
        .stream().map(Object::toString).toList();
    if (!broken.isEmpty()) {
      throw new AssertionError("broken promises:\n  " + String.join("\n  ", broken));
    }
  }

  /** The database of this test, for statements of the test itself. */
  public DataSource dataSource() {
    return database.dataSource();
  }

  @Override
  public void close() {
    sql.close();
    database.close();
  }

  Sql sql() {
    return sql;
  }

  Story story(UUID task) {
    return stories.computeIfAbsent(task, uuid -> new Story());
  }

  String clockTime() {
    return Story.elapsed(Duration.between(start, now));
  }

  /** Runs steps, and those that the database answers results with, until none is left in hand. */
  private void execute(JsonArray first) {
    for (JsonArray claimed = first; !claimed.isEmpty();) {
      JsonObject document = claimed.getJsonObject(0);
      ClaimedStep step = ClaimedStep.of(document,
          steps.computeIfAbsent(ClaimedStep.templateStepUuid(document), this::spec));
      Optional<JsonValue> result = Optional.ofNullable(attempt(step));
      claimed = result.isEmpty() ? JsonValue.EMPTY_JSON_ARRAY : complete(step, result.get());
    }
  }

  private JsonArray complete(ClaimedStep step, JsonValue result) {
    JsonObject reply = sql.object(
        "select tasker.complete_steps(jsonb_build_array(cast(? as jsonb)), ?, p_claim_limit => 1, "
            + "p_lease_seconds => ?, p_claim_from_queues => true, p_now => ?)",
        result, worker, LEASE_SECONDS, now);
    if (!reply.getJsonArray("refused").isEmpty()) {
      story(step.key().taskUuid()).add(clockTime(), step.name(),
          "the result is refused: " + reply.getJsonArray("refused"));
    }
    return reply.getJsonArray("claimed_steps");
  }

  /** @return null when the worker is gone before it could submit a result */
  private JsonValue attempt(ClaimedStep step) {
    StepSpec spec = step.definition();
    Workflow workflow = workflows
        .get(Workflow.key(spec.namespace(), spec.taskName(), spec.taskVersion()).toString());
    StepHandler handler = workflow.handlers().find(spec).or(() -> handlers.find(spec)).orElse(null);
    Attempt attempt = new Attempt(this, step, handler, workflow.fault(step.name()));
    return attempt.run()
        .map(result -> (JsonValue) new StepSeals(Sealing.SEALS).seal(spec, result).toJson())
        .orElse(null);
  }

  void take(Duration time) {
    now = now.plus(time);
  }

  private StepSpec spec(UUID uuid) {
    return StepSpec.of(sql.array("select tasker.get_step_definitions(array[cast(? as uuid)])", uuid)
        .getJsonObject(0));
  }

  /**
   * When something happens by itself next; null if nothing does. A fire time that is queued waits
   * for the tasks of its schedule, and not for the clock.
   */
  Instant nextDue() {
    Instant fire = sql.instant("select min(case when exists (select from tasker.schedule_fires f "
        + "join tasker.tasks t on t.task_uuid = f.task_uuid where f.schedule_uuid = s.schedule_uuid and f.is_open "
        + "and t.completed_at is null and t.state <> 'blocked_by_failures') then s.next_due_at else s.wake_at end) "
        + "from tasker.schedules s where s.wake_at is not null");
    Instant task = nextDueOfTasks();
    return fire == null || task != null && task.isBefore(fire) ? task : fire;
  }

  /** The same without schedules. */
  Instant nextDueOfTasks() {
    return sql.instant("select min(d.at) from ("
        + "select s.next_retry_at as at from tasker.workflow_steps s where s.state = 'waiting_for_retry' "
        + "union all select s.lease_expires_at from tasker.workflow_steps s where s.state = 'in_progress' "
        + "union all select w.due_at from tasker.step_waits w where w.state = 'open' "
        + "union all select t.start_at from tasker.tasks t where t.is_delayed and t.completed_at is null "
        + "union all select greatest(t.start_at, t.created_at) + n.max_duration from tasker.tasks t "
        + "join tasker.named_tasks n on n.named_task_uuid = t.named_task_uuid where t.completed_at is null and t.timed_out_at is null "
        + "and t.cancel_requested_at is null and t.state <> 'blocked_by_failures' "
        + "union all select t.cancel_force_at from tasker.tasks t where t.completed_at is null) d");
  }

  /** Sets the clock to a time at which something is due, and runs it. */
  void moveTo(Instant due) {
    now = due.isAfter(now) ? due : now;
    runUntilIdle();
    Instant next = nextDue();
    if (next != null && !next.isAfter(now)) {
      // Recovery begins when a lease has ended, and not at its end.
      now = now.plusSeconds(1);
      runUntilIdle();
      next = nextDue();
      if (next != null && !next.isAfter(now.minusSeconds(1))) {
        throw new IllegalStateException(
            "what was due at " + next + " did not happen; it is " + now);
      }
    }
  }
}
