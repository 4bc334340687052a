package ee.tasker.testing;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Builds templates and tasks for tests: {@code Dag.diamond().inNamespace("orders").started()}.
 * Settings that belong to a
 * step apply to the step named last. Every task is one of its own unless {@link #identity} says
 * otherwise. Equal graphs
 * share a template.
 */
public final class Dag {
  private static final class Step {
    private String events;
    private final List<String> parents = new ArrayList<>();
    private final JsonObjectBuilder retry = Json.createObjectBuilder();
    private Integer timeoutSeconds;
    private Integer queueTimeoutSeconds;
    private String handler = "test.handler";
    private String method;
    private String type;
    private String rules;
    private String waits;
    private boolean runsOnNone;
    private String batchConfig;
    private String resultSchema;
    private final List<JsonObject> policies = new ArrayList<>();
  }

  private final Map<String, Step> steps = new LinkedHashMap<>();
  private Step current;
  private String namespace = "orders";
  private String identity = "always_unique";
  private String reuse;
  private String searchAttributes;
  private String output;
  private String version = "1";
  private boolean continueOnError;
  private String inputSchema;
  private Integer slaMinutes;
  private Integer cancelGraceSeconds;
  private final List<JsonObject> policies = new ArrayList<>();
  private String context = "{}";
  private final Map<String, Object> options = new LinkedHashMap<>();
  private final Map<String, Object> lifecycleKeys = new LinkedHashMap<>();

  private Dag() {}

  /** A graph that begins with one step; more are added with {@link #step}. */
  public static Dag of(String firstStep) {
    return new Dag().step(firstStep);
  }

  /** s1 → s2 → … */
  public static Dag linear(int length) {
    Dag dag = new Dag();
    for (int i = 1; i <= length; i++) {
      dag.step("s" + i);
      if (i > 1) {
        dag.dependsOn("s" + (i - 1));
      }
    }
    return dag;
  }

  /** a → b, c → d */
  public static Dag diamond() {
    return of("a").step("b").dependsOn("a").step("c").dependsOn("a").step("d").dependsOn("b", "c");
  }

  /** start → w1 … wN → end */
  public static Dag fanOut(int width) {
    Dag dag = of("start");
    String[] workers = new String[width];
    for (int i = 0; i < width; i++) {
      workers[i] = "w" + (i + 1);
      dag.step(workers[i]).dependsOn("start");
    }
    return dag.step("end").dependsOn(workers);
  }

  /** N steps that have nothing to do with each other: p1 … pN. */
  public static Dag parallel(int width) {
    Dag dag = new Dag();
    for (int i = 1; i <= width; i++) {
      dag.step("p" + i);
    }
    return dag;
  }

  /** Layers in which every step depends on every one of the layer before: l1_1 … */
  public static Dag layered(int layers, int width) {
    Dag dag = new Dag();
    for (int layer = 1; layer <= layers; layer++) {
      for (int i = 1; i <= width; i++) {
        dag.step("l" + layer + "_" + i);
        for (int parent = 1; layer > 1 && parent <= width; parent++) {
          dag.dependsOn("l" + (layer - 1) + "_" + parent);
        }
      }
    }
    return dag;
  }

  public Dag step(String name) {
    current = new Step();
    if (steps.put(name, current) != null) {
      throw new IllegalArgumentException("there is a step " + name + " already");
    }
    return this;
  }

  public Dag dependsOn(String... parents) {
    current.parents.addAll(List.of(parents));
    return this;
  }

  public Dag maxAttempts(int attempts) {
    current.retry.add("max_attempts", attempts);
    return this;
  }

  public Dag notRetryable() {
    current.retry.add("retryable", false);
    return this;
  }

  /** {@code lifecycle.cancel_grace_seconds} */
  public Dag cancelGraceSeconds(int seconds) {
    cancelGraceSeconds = seconds;
    return this;
  }

  /** {@code retry.on_worker_lost: abandon} */
  public Dag abandonedWhenLost() {
    current.retry.add("on_worker_lost", "abandon");
    return this;
  }

  public Dag backoff(String kind, int baseMs, int maxMs) {
    current.retry.add("backoff", kind).add("backoff_base_ms", baseMs).add("max_backoff_ms", maxMs);
    return this;
  }

  /** A decision whose handler chooses. */
  public Dag decision() {
    current.type = "decision";
    return this;
  }

  /**
   * A decision without a handler: {@code {"rules": [{"when": …, "then": […]}], "otherwise": […]}}.
   */
  public Dag decidedBy(String json) {
    current.rules = json;
    return decision();
  }

  /**
   * Waits before its handler runs: {@code {"wait": {"for": "PT3H"}}} or {@code {"signal": {"name":
   * …}}}.
   */
  public Dag waiting(String json) {
    current.waits = json;
    return this;
  }

  /** Waits and has no handler. */
  public Dag waitingOnly(String json) {
    current.handler = null;
    return waiting(json);
  }

  /** A compensation with that handler and so many attempts. */
  public Dag compensatedBy(String callable, int attempts) {
    return waiting("{\"compensation\": {\"handler\": {\"callable\": \"" + callable
        + "\"}, \"retry\": {\"max_attempts\": " + attempts
        + ", \"backoff_base_ms\": 1, \"max_backoff_ms\": 1}}}");
  }

  /** A batchable step whose handler returns the cursors. */
  public Dag batchable() {
    current.type = "batchable";
    return this;
  }

  /**
   * A batchable step without a handler: each batch gets that many of the items that the path gives.
   */
  public Dag batchesOf(String items, int size) {
    current.batchConfig = Json.createObjectBuilder().add("items", items).add("batch_size", size)
        .build().toString();
    return batchable();
  }

  /**
   * The workers of the batchable step that it depends on: {@code {"parallelism": 2,
   * "failure_strategy": "fail_fast"}}.
   */
  public Dag batchWorker(String json) {
    current.type = "batch_worker";
    current.batchConfig = json;
    return this;
  }

  public Dag convergence() {
    current.type = "deferred_convergence";
    return this;
  }

  /** A deferred convergence with {@code on_none: run}. */
  public Dag convergenceThatRuns() {
    current.runsOnNone = true;
    return convergence();
  }

  public Dag handler(String callable) {
    current.handler = callable;
    return this;
  }

  public Dag handler(String callable, String method) {
    current.method = method;
    return handler(callable);
  }

  public Dag queueTimeoutSeconds(int seconds) {
    current.queueTimeoutSeconds = seconds;
    return this;
  }

  public Dag timeoutSeconds(int seconds) {
    current.timeoutSeconds = seconds;
    return this;
  }

  /** A concurrency policy of the step named last: {@code {"limit": 2, "key": "/customer"}}. */
  public Dag stepPolicy(String json) {
    current.policies.add(object(json));
    return this;
  }

  /** A concurrency policy of the whole template. */
  public Dag policy(String json) {
    policies.add(object(json));
    return this;
  }

  private static JsonObject object(String json) {
    return Json.createReader(new java.io.StringReader(json)).readObject();
  }

  public Dag inNamespace(String name) {
    namespace = name;
    return this;
  }

  public Dag version(String newVersion) {
    version = newVersion;
    return this;
  }

  public Dag identity(String strategy) {
    identity = strategy;
    return this;
  }

  /** When a task may take over the identity of an earlier one. */
  public Dag reuse(String rule) {
    reuse = rule;
    return this;
  }

  /** The values of the context by which its tasks are found: an object with paths by name. */
  public Dag searchAttributes(String json) {
    searchAttributes = json;
    return this;
  }

  /** What the step publishes: an array. */
  public Dag publishes(String json) {
    current.events = json;
    return this;
  }

  /** The mapping that makes the output of its tasks. */
  public Dag output(String json) {
    output = json;
    return this;
  }

  public Dag continueOnError() {
    continueOnError = true;
    return this;
  }

  public Dag withInputSchema() {
    return inputSchema("{\"type\": \"object\"}");
  }

  public Dag inputSchema(String json) {
    inputSchema = json;
    return this;
  }

  /** Of the current step. */
  public Dag resultSchema(String json) {
    current.resultSchema = json;
    return this;
  }

  /** Another key of {@code lifecycle}: a number, a word, a flag or a list of words. */
  public Dag lifecycle(String key, Object value) {
    lifecycleKeys.put(key, value);
    return this;
  }

  public Dag slaMinutes(int minutes) {
    slaMinutes = minutes;
    return this;
  }

  public Dag context(String json) {
    context = json;
    return this;
  }

  public Dag priority(int points) {
    options.put("priority", points);
    return this;
  }

  public Dag optionNumber(String key, int value) {
    options.put(key, value);
    return this;
  }

  public Dag option(String key, String value) {
    options.put(key, value);
    return this;
  }

  /** Registers the template, if it is not there yet. */
  public Template registered() {
    try (Sql sql = Sql.open()) {
      JsonObject template = normalForm();
      JsonObject answer = sql.object("select tasker.register_template(?)", template);
      if (answer.getString("outcome").equals("conflict")) {
        throw new IllegalStateException(
            "template " + template.getString("name") + " is there with other content");
      }
      return new Template(UUID.fromString(answer.getString("template_uuid")), namespace,
          template.getString("name"), version);
    }
  }

  /** A task in state pending: created, its roots not handed off. */
  public Task submitted() {
    return submit(false);
  }

  /** A task whose roots are on the queue. */
  public Task started() {
    return submit(true);
  }

  /** As many tasks in one batch, started. */
  public List<Task> started(int count) {
    return batch(count, true);
  }

  /** As many tasks in one batch, in state pending. */
  public List<Task> submitted(int count) {
    return batch(count, false);
  }

  private List<Task> batch(int count, boolean start) {
    Template template = registered();
    JsonArrayBuilder requests = Json.createArrayBuilder();
    for (int i = 0; i < count; i++) {
      requests.add(request(template));
    }
    try (Sql sql = Sql.open()) {
      List<Task> tasks = sql
          .object("select tasker.submit_tasks(?, p_start => ?)", requests.build(), start)
          .getJsonArray("verdicts")
          .stream()
          .map(v -> new Task(UUID.fromString(v.asJsonObject().getString("task_uuid")), template))
          .toList();
      // Tests that count reads must not count these later, when the session happens to end.
      sql.text("select pg_stat_force_next_flush()::text");
      return tasks;
    }
  }

  private Task submit(boolean start) {
    Template template = registered();
    try (Sql sql = Sql.open()) {
      JsonObject verdict = sql.object("select tasker.submit_tasks(?, p_start => ?)",
          Json.createArrayBuilder().add(request(template)).build(), start).getJsonArray("verdicts")
          .getJsonObject(0);
      if (!verdict.getString("verdict").equals("created")) {
        throw new IllegalStateException("not created: " + verdict);
      }
      return new Task(UUID.fromString(verdict.getString("task_uuid")), template);
    }
  }

  /** The request for a task of the template, as submit_tasks takes it. */
  public JsonObject request(Template template) {
    JsonObjectBuilder request = Json.createObjectBuilder()
        .add("namespace", template.namespace()).add("name", template.name())
        .add("version", template.version())
        .add("context", Json.createReader(new java.io.StringReader(context)).readObject());
    options.forEach((key, value) -> {
      if (value instanceof Integer number) {
        request.add(key, number);
      } else {
        request.add(key, value.toString());
      }
    });
    return request.build();
  }

  /** What register_template takes; the name is made from the content. */
  public JsonObject normalForm() {
    JsonArrayBuilder list = Json.createArrayBuilder();
    steps.forEach((name, step) -> {
      JsonObjectBuilder json = Json.createObjectBuilder()
          .add("name", name)
          .add("dependencies", Json.createArrayBuilder(step.parents))
          .add("retry", Json.createObjectBuilder(step.retry.build()));
      if (step.batchConfig != null) {
        json.add("batch_config", object(step.batchConfig));
      }
      if (step.rules == null && step.handler != null
          && !("batchable".equals(step.type) && step.batchConfig != null)) {
        json.add("handler", handler(step));
      } else if (step.rules != null) {
        json.addAll(Json.createObjectBuilder(object(step.rules)));
      }
      if (step.waits != null) {
        json.addAll(Json.createObjectBuilder(object(step.waits)));
      }
      if (step.events != null) {
        json.add("publishes_events",
            Json.createReader(new java.io.StringReader(step.events)).readArray());
      }
      if (step.type != null) {
        json.add("type", step.type);
      }
      if (step.runsOnNone) {
        json.add("on_none", "run");
      }
      if (step.resultSchema != null) {
        json.add("result_schema", object(step.resultSchema));
      }
      if (step.queueTimeoutSeconds != null) {
        json.add("queue_timeout_seconds", step.queueTimeoutSeconds);
      }
      if (step.timeoutSeconds != null) {
        json.add("timeout_seconds", step.timeoutSeconds);
      }
      if (!step.policies.isEmpty()) {
        json.add("concurrency", Json.createArrayBuilder(step.policies));
      }
      JsonObject built = json.build();
      // The builder of an object is empty after build, and a graph may be built twice.
      step.retry.addAll(Json.createObjectBuilder(built.getJsonObject("retry")));
      list.add(built);
    });
    JsonObjectBuilder lifecycle = Json.createObjectBuilder().add("on_step_error",
        continueOnError ? "continue" : "stop");
    lifecycleKeys.forEach((key, value) -> {
      if (value instanceof Boolean flag) {
        lifecycle.add(key, flag);
      } else if (value instanceof Integer number) {
        lifecycle.add(key, number);
      } else if (value instanceof List<?> words) {
        lifecycle.add(key, Json.createArrayBuilder(words));
      } else {
        lifecycle.add(key, value.toString());
      }
    });
    if (slaMinutes != null) {
      lifecycle.add("sla_minutes", slaMinutes);
    }
    if (cancelGraceSeconds != null) {
      lifecycle.add("cancel_grace_seconds", cancelGraceSeconds);
    }
    JsonObjectBuilder template = Json.createObjectBuilder()
        .add("namespace_name", namespace).add("version", version).add("identity_strategy", identity)
        .add("lifecycle", lifecycle).add("steps", list);
    if (reuse != null) {
      template.add("reuse", reuse);
    }
    if (searchAttributes != null) {
      template.add("search_attributes",
          Json.createReader(new java.io.StringReader(searchAttributes)).readObject());
    }
    if (output != null) {
      template.add("output", object(output));
    }
    if (inputSchema != null) {
      template.add("input_schema", object(inputSchema));
    }
    if (!policies.isEmpty()) {
      template.add("concurrency", Json.createArrayBuilder(policies));
    }
    JsonObject content = template.build();
    String hash = sha256(content.toString());
    return Json.createObjectBuilder(content).add("name", "dag_" + hash.substring(0, 16))
        .add("content_hash", hash).build();
  }

  private static JsonObjectBuilder handler(Step step) {
    JsonObjectBuilder handler = Json.createObjectBuilder().add("callable", step.handler);
    return step.method == null ? handler : handler.add("method", step.method);
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A registered template. */
  public record Template(UUID uuid, String namespace, String name, String version) {}

  /** A submitted task. */
  public record Task(UUID uuid, Template template) {
    /** The step of that name. */
    public UUID step(String name) {
      try (Sql sql = Sql.open()) {
        UUID step = sql.uuid(
            "select s.workflow_step_uuid from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
                + "where s.task_uuid = ? and coalesce(s.name, n.name) = ?",
            uuid, name);
        if (step == null) {
          throw new IllegalArgumentException("the task has no step " + name);
        }
        return step;
      }
    }
  }
}
