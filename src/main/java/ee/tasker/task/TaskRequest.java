package ee.tasker.task;

import ee.tasker.platform.Json;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A request to run a task. Immutable; every setter returns a changed copy.
 *
 * <p>The template's identity strategy decides whether the request duplicates an earlier one; an
 * idempotency key overrides the strategy.
 */
public final class TaskRequest {
  private static final Pattern TRACE_PARENT = Pattern
      .compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private final String namespace;
  private final String name;
  private final Optional<TemplateKey> template;
  private final JsonObject members;

  private TaskRequest(String namespace, String name, Optional<TemplateKey> template,
      JsonObject members) {
    this.namespace = namespace;
    this.name = name;
    this.template = template;
    this.members = members;
  }

  /**
   * For the highest release of the template that is registered when the request is submitted; the
   * {@link SubmittedTask} names it.
   */
  public static TaskRequest of(String namespace, String name) {
    JsonObject members = Json.build().createObjectBuilder()
        .add("namespace", namespace).add("name", name).add("context", JsonValue.EMPTY_JSON_OBJECT)
        .build();
    return new TaskRequest(namespace, name, Optional.empty(), members);
  }

  public static TaskRequest of(String namespace, String name, String version) {
    JsonObject members = Json.build().createObjectBuilder()
        .add("namespace", namespace).add("name", name).add("version", version)
        .add("context", JsonValue.EMPTY_JSON_OBJECT)
        .build();
    return new TaskRequest(namespace, name, Optional.of(new TemplateKey(namespace, name, version)),
        members);
  }

  /** Of valid members in the form of {@link #toJson}. */
  static TaskRequest of(JsonObject members) {
    String namespace = members.getString("namespace");
    String name = members.getString("name");
    return new TaskRequest(namespace, name,
        Json.text(members, "version").map(version -> new TemplateKey(namespace, name, version)),
        members);
  }

  public TaskRequest context(JsonObject context) {
    return with("context", context);
  }

  /** At most 128 characters, like {@link #sourceSystem} and {@link #reason}. */
  public TaskRequest initiator(String initiator) {
    return withText("initiator", initiator);
  }

  public TaskRequest sourceSystem(String sourceSystem) {
    return withText("source_system", sourceSystem);
  }

  public TaskRequest reason(String reason) {
    return withText("reason", reason);
  }

  public TaskRequest tags(List<String> tags) {
    return with("tags", Json.build().createArrayBuilder(tags).build());
  }

  /** −100 to 100, 0 by default. */
  public TaskRequest priority(int priority) {
    return with("priority", Json.provider().createValue(priority));
  }

  public TaskRequest correlationId(UUID correlationId) {
    return with("correlation_id", Json.string(correlationId.toString()));
  }

  public TaskRequest parentCorrelationId(UUID parentCorrelationId) {
    return with("parent_correlation_id", Json.string(parentCorrelationId.toString()));
  }

  /**
   * The trace that the task belongs to, in the form of the W3C Trace Context header {@code
   * traceparent}; handlers and log
   * lines receive it. When it is absent and the server creates spans, the current span is the
   * parent.
   *
   * @throws IllegalArgumentException when the text does not have that form
   */
  public TaskRequest traceParent(String traceParent) {
    if (!isTraceParent(traceParent)) {
      throw new IllegalArgumentException(
          "traceParent must be a W3C Trace Context traceparent, not " + traceParent);
    }
    return with("trace_parent", Json.string(traceParent));
  }

  /** Whether the text is a valid {@code traceparent}; ids of zeros only are invalid. */
  public static boolean isTraceParent(String text) {
    return text != null && TRACE_PARENT.matcher(text).matches();
  }

  /**
   * The task on whose behalf this one is submitted: a cancel of the parent can reach this task. The
   * parent must exist.
   */
  public TaskRequest parentTaskUuid(UUID parentTaskUuid) {
    return with("parent_task_uuid", Json.string(parentTaskUuid.toString()));
  }

  /**
   * The namespaces in which the caller may name a parent; a parent in any other namespace is
   * treated as unknown.
   */
  public TaskRequest parentIn(Set<String> namespaces) {
    JsonArrayBuilder names = Json.build().createArrayBuilder();
    namespaces.stream().sorted().forEach(names::add);
    return with("parent_namespaces", names.build());
  }

  public boolean hasParent() {
    return members.containsKey("parent_task_uuid");
  }

  public TaskRequest requestedAt(Instant requestedAt) {
    return with("requested_at", Json.string(requestedAt.toString()));
  }

  /**
   * When the task starts, at most ten years ahead; at once when it is past. Instead of {@link
   * #delay}.
   */
  public TaskRequest startAt(Instant startAt) {
    return with("start_at", Json.string(startAt.toString()));
  }

  /**
   * After which the task starts, in whole seconds of at most ten years. Instead of {@link
   * #startAt}.
   */
  public TaskRequest delay(Duration delay) {
    return with("delay_seconds", Json.provider().createValue(delay.toSeconds()));
  }

  /** At most 256 characters. */
  public TaskRequest idempotencyKey(String idempotencyKey) {
    return withText("idempotency_key", idempotencyKey, 256);
  }

  /**
   * The authenticated caller that submits the request; the {@link #initiator} is the name that the
   * request claims. At most 160 characters.
   */
  public TaskRequest submittedBy(String caller) {
    return withText("submitted_by", caller, 160);
  }

  public String namespace() {
    return namespace;
  }

  public String name() {
    return name;
  }

  /** Empty when the request names no version. */
  public Optional<TemplateKey> template() {
    return template;
  }

  /** The same request with a version. */
  TaskRequest of(TemplateKey known) {
    return new TaskRequest(namespace, name, Optional.of(known),
        Json.build().createObjectBuilder(members).add("version", known.version()).build());
  }

  /**
   * The same request, checked for what was the latest version a moment ago; the database finds the
   * latest one, and says when it is another.
   */
  TaskRequest checkedFor(TemplateKey presumed) {
    return new TaskRequest(namespace, name, Optional.of(presumed),
        Json.build().createObjectBuilder(members).add("checked_for", presumed.version()).build());
  }

  public JsonObject context() {
    return members.getJsonObject("context");
  }

  public Optional<String> idempotencyKey() {
    return Json.text(members, "idempotency_key");
  }

  boolean isTraced() {
    return members.containsKey("trace_parent");
  }

  /** The form that the SQL function {@code tasker.submit_tasks} reads. */
  public JsonObject toJson() {
    return members;
  }

  private TaskRequest withText(String key, String value) {
    return withText(key, value, 128);
  }

  private TaskRequest withText(String key, String value, int longest) {
    Objects.requireNonNull(value, key);
    if (value.length() > longest) {
      throw new IllegalArgumentException(
          key + " must have at most " + longest + " characters, not " + value.length());
    }
    return with(key, Json.string(value));
  }

  private TaskRequest with(String key, JsonValue value) {
    JsonObjectBuilder changed = Json.build().createObjectBuilder(members);
    return new TaskRequest(namespace, name, template, changed.add(key, value).build());
  }
}
