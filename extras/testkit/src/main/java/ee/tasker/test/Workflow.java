package ee.tasker.test;

import ee.tasker.handler.HandlerResolver;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.Json;
import ee.tasker.task.TaskRequest;
import ee.tasker.template.ContextSchema;
import ee.tasker.template.TemplateJson;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.TemplateDefinition;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * A registered template with the handlers that a test gives it, and the failures that the test
 * wants. Methods that change it return it.
 */
public final class Workflow {
  private final Tasker tasker;
  private final TemplateDefinition template;
  private final Optional<ContextSchema> inputSchema;
  private final Handlers handlers = new Handlers();
  private final Map<String, Deque<Fault>> faults = new HashMap<>();

  Workflow(Tasker tasker, TemplateDefinition template, String text) {
    this.tasker = tasker;
    this.template = template;
    this.inputSchema = template.inputSchema().map(ContextSchema::compile);
    JsonObject document = Json.build().createObjectBuilder(TemplateJson.toJson(template))
        .add("content_hash", TemplateJson.contentHash(template)).add("source_text", text).build();
    JsonObject reply = tasker.sql().object("select tasker.register_template(cast(? as jsonb))",
        document);
    switch (reply.getString("outcome")) {
      case "registered", "unchanged" -> {
        // As a server answers it without a word.
      }
      case "conflict" -> throw new IllegalArgumentException(
          key() + " is registered with other content already; a change needs a new version");
      default -> throw new IllegalArgumentException(reply.getString("message", reply.toString()));
    }
  }

  static TemplateKey key(String namespace, String name, String version) {
    return new TemplateKey(namespace, name, version);
  }

  TemplateKey key() {
    return template.key();
  }

  Handlers handlers() {
    return handlers;
  }

  /** @param callable {@code handler.callable} of the steps that it is for */
  public Workflow with(String callable, StepHandler handler) {
    handlers.add(callable, handler);
    return this;
  }

  /** The same, under the name of its class and those of {@link ee.tasker.handler.Handles}. */
  public Workflow with(StepHandler handler) {
    handlers.add(handler);
    return this;
  }

  /** @param name {@code handler.resolver} of the steps that it is for */
  public Workflow withResolver(String name, HandlerResolver resolver) {
    handlers.add(name, resolver);
    return this;
  }

  /** The next attempts of the step end like this, and its handler is not called. */
  public Workflow failing(String step, int attempts, StepOutcome outcome) {
    return faulty(step, attempts, () -> new Fault.Returned(outcome));
  }

  /**
   * The next attempts of the step run into its {@code timeout_seconds}; that much time passes, and
   * its handler is not called.
   */
  public Workflow timingOut(String step, int attempts) {
    return faulty(step, attempts, Fault.TimedOut::new);
  }

  /**
   * In the next attempts of the step the server dies before it calls the handler. Another server
   * finds that out when the lease has ended, after a minute.
   */
  public Workflow crashingBefore(String step, int attempts) {
    return faulty(step, attempts, () -> new Fault.Crash(false));
  }

  /**
   * In the next attempts of the step the server dies after the handler has returned, and before its
   * result is stored: what the handler did, it does again.
   */
  public Workflow crashingAfter(String step, int attempts) {
    return faulty(step, attempts, () -> new Fault.Crash(true));
  }

  private Workflow faulty(String step, int attempts, Supplier<Fault> fault) {
    if (template.steps().stream().noneMatch(definition -> definition.name().equals(step))) {
      throw new IllegalArgumentException(key() + " has no step " + step + "; its steps: "
          + template.steps().stream().map(StepDefinition::name).toList());
    }
    Deque<Fault> next = faults.computeIfAbsent(step, name -> new ArrayDeque<>());
    for (int i = 0; i < attempts; i++) {
      next.add(fault.get());
    }
    return this;
  }

  /** Null for an attempt that is left to the handler. */
  Fault fault(String step) {
    Deque<Fault> next = faults.get(step);
    return next == null ? null : next.poll();
  }

  /**
   * A request for a task of this workflow, for what {@link #submit(JsonObject)} has no parameter
   * for.
   */
  public TaskRequest request() {
    return TaskRequest.of(key().namespace(), key().name(), key().version());
  }

  /** A task with an empty context. */
  public TaskRun submit() {
    return submit(JsonValue.EMPTY_JSON_OBJECT);
  }

  /**
   * A task of this workflow. None of its steps has run; {@link TaskRun#run()} and {@link
   * Tasker#runUntilIdle()} run them.
   *
   * @throws IllegalArgumentException if the context does not fit the template's input schema
   */
  public TaskRun submit(JsonObject context) {
    return submit(request().context(context));
  }

  /** The same, for a context in JSON. */
  public TaskRun submit(String context) {
    return submit(Json.parseObject(context));
  }

  /**
   * The same.
   *
   * @return the existing task if the request is a duplicate
   */
  public TaskRun submit(TaskRequest request) {
    List<ContextSchema.Violation> violations = violations(request.context());
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(
          "the context does not fit the input schema of template " + key() + ": context"
              + violations.get(0).pointer() + ": " + violations.get(0).message());
    }
    JsonObject verdict = tasker.sql()
        .object(
            "select tasker.submit_tasks(jsonb_build_array(cast(? as jsonb)), p_context_checked => true, p_now => ?)",
            sealed(request).toJson(), tasker.now())
        .getJsonArray("verdicts").getJsonObject(0);
    if (!List.of("created", "duplicate").contains(verdict.getString("verdict"))) {
      throw new IllegalArgumentException(
          "the task is refused: " + verdict.getString("verdict")
              + Json.text(verdict, "field").map(f -> " " + f).orElse("")
              + Json.text(verdict, "message").map(message -> ": " + message).orElse(""));
    }
    UUID uuid = Json.uuid(verdict, "task_uuid");
    boolean isDuplicate = verdict.getString("verdict").equals("duplicate");
    tasker.story(uuid).add(tasker.clockTime(), "",
        (isDuplicate ? "submitted again " : "submitted ") + request.context());
    return new TaskRun(tasker, this, uuid, isDuplicate);
  }

  private TaskRequest sealed(TaskRequest request) {
    return inputSchema.map(schema -> request.context(Sealing.SEALS
        .seal(request.context(), schema.sealed(), request.namespace()).asJsonObject()))
        .orElse(request);
  }

  List<ContextSchema.Violation> violations(JsonObject context) {
    return inputSchema.map(schema -> schema.validate(context).complaints()).orElse(List.of());
  }

  @Override
  public String toString() {
    return key().toString();
  }
}
