package ee.tasker.samples;

import ee.tasker.handler.StepContext;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A step that no engine runs: what a handler reads is what the test says. */
final class StepStub implements StepContext {
  private final String stepName;
  private UUID taskUuid = UUID.nameUUIDFromBytes("a task".getBytes(StandardCharsets.UTF_8));
  private UUID correlationId = UUID
      .nameUUIDFromBytes("a correlation".getBytes(StandardCharsets.UTF_8));
  private int attempt = 1;
  private int maxAttempts = 3;
  private JsonObject input = JsonValue.EMPTY_JSON_OBJECT;
  private JsonObject config = JsonValue.EMPTY_JSON_OBJECT;
  private JsonObject stepInputs = JsonValue.EMPTY_JSON_OBJECT;
  private final Map<String, JsonValue> results = new LinkedHashMap<>();
  private JsonValue checkpoint;

  private StepStub(String stepName) {
    this.stepName = stepName;
  }

  static StepStub named(String stepName) {
    return new StepStub(stepName);
  }

  static StepStub withInput(String json) {
    return named("a_step").context(json);
  }

  static JsonObject json(String text) {
    return Json.createReader(new StringReader(text.replace('\'', '"'))).readObject();
  }

  StepStub ofTask(UUID task, UUID correlation) {
    taskUuid = task;
    correlationId = correlation;
    return this;
  }

  StepStub attempt(int number, int allowed) {
    attempt = number;
    maxAttempts = allowed;
    return this;
  }

  StepStub context(String json) {
    return context(json(json));
  }

  StepStub context(JsonObject object) {
    input = object;
    return this;
  }

  StepStub config(JsonObject object) {
    config = object;
    return this;
  }

  StepStub stepInputs(String json) {
    stepInputs = json(json);
    return this;
  }

  StepStub result(String step, String json) {
    return result(step, json(json));
  }

  StepStub result(String step, JsonValue value) {
    results.put(step, value);
    return this;
  }

  StepStub checkpointed(JsonValue progress) {
    checkpoint = progress;
    return this;
  }

  @Override
  public UUID taskUuid() {
    return taskUuid;
  }

  @Override
  public UUID stepUuid() {
    return UUID.nameUUIDFromBytes((taskUuid + stepName).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String stepName() {
    return stepName;
  }

  @Override
  public String namespace() {
    return "a_namespace";
  }

  @Override
  public String taskName() {
    return "a_task";
  }

  @Override
  public String taskVersion() {
    return "1.0.0";
  }

  @Override
  public UUID correlationId() {
    return correlationId;
  }

  @Override
  public Optional<UUID> parentCorrelationId() {
    return Optional.empty();
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public int maxAttempts() {
    return maxAttempts;
  }

  @Override
  public JsonObject input() {
    return input;
  }

  @Override
  public JsonObject stepInputs() {
    return stepInputs;
  }

  @Override
  public JsonObject config() {
    return config;
  }

  @Override
  public Set<String> dependencyNames() {
    return Set.copyOf(results.keySet());
  }

  @Override
  public Optional<JsonValue> result(String step) {
    return Optional.ofNullable(results.get(step));
  }

  @Override
  public Optional<JsonValue> checkpoint() {
    return Optional.ofNullable(checkpoint);
  }

  @Override
  public void checkpoint(JsonValue progress) {
    checkpoint = progress;
  }

  @Override
  public void heartbeat() {
    // no lease to renew
  }

  @Override
  public boolean isCancelRequested() {
    return false;
  }
}
