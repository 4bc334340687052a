package ee.tasker.rest.work;

import ee.tasker.engine.model.Outcome;
import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Violations;
import ee.tasker.remote.Poll;
import ee.tasker.remote.WorkerResult;
import ee.tasker.step.StepResult;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the valid requests of external workers, and checks what their schemas do not say. */
final class WorkerReader {
  private static final String ERROR = "error";
  private static final String RESULT = "result";
  private static final String DECISION = "decision";
  private static final String BATCHES = "batches";
  private static final String CHECKPOINT = "checkpoint";
  private static final String AFTER = "after_ms";
  private static final String RETRY_AFTER = "retry_after_ms";
  private static final int MOST_NAMES = 20;
  private static final int LONGEST_NAME = 128;
  private static final int LONGEST_TYPE = 200;
  private static final List<Outcome> FAILURES = List.of(Outcome.RETRYABLE_FAILURE,
      Outcome.PERMANENT_FAILURE);
  /** The outcomes that a member of a result is allowed for. */
  private static final Map<String, List<Outcome>> ALLOWED = Map.of(
      RESULT, those(each -> each.endsWell() || each == Outcome.CANCELLED),
      DECISION, those(Outcome::endsWell),
      BATCHES, those(Outcome::endsWell),
      CHECKPOINT, List.of(Outcome.YIELDED),
      AFTER, List.of(Outcome.YIELDED),
      RETRY_AFTER, List.of(Outcome.RETRYABLE_FAILURE),
      ERROR, those(each -> !each.commits()));

  private WorkerReader() {
  }

  private static List<Outcome> those(Predicate<Outcome> which) {
    return Stream.of(Outcome.values()).filter(which).toList();
  }

  /** @param namespaces null for all */
  record Registration(JsonObject document, UUID workerUuid, List<String> namespaces) {
  }

  static Registration registration(JsonObject body) {
    List<String> handlers = Members.texts(body, "handlers");
    if (handlers == null && Members.isAbsent(body, "resolvers")) {
      throw Problem.invalid("handlers", "is required");
    }
    UUID uuid = Json.optionalUuid(body, "worker_uuid").orElseGet(UUID::randomUUID);
    List<String> namespaces = Members.texts(body, "namespaces");
    JsonObjectBuilder document = Members.given(body, "name", "capacity", "heartbeat_seconds")
        .add("worker_uuid", uuid.toString())
        .add("handlers", Json.build().createArrayBuilder(handlers == null ? List.of() : handlers));
    Members.addGiven(document, "resolvers", Members.texts(body, "resolvers"));
    Members.addGiven(document, "namespaces", namespaces);
    return new Registration(document.build(), uuid, namespaces);
  }

  static Poll poll(JsonObject asked, UUID worker, String owner,
      Optional<Set<String>> namespaces) {
    return new Poll(worker, owner, namespaces, asked.getInt("max", 1),
        Json.text(asked, "request_id"), Duration.ofSeconds(asked.getInt("wait_seconds", 0)));
  }

  /** @param next null when the worker does not ask for steps */
  record Results(List<WorkerResult> results, Poll next) {
  }

  /** @param longest of a single result, in bytes */
  static Results results(JsonObject body, int longest, UUID worker, String owner,
      Optional<Set<String>> namespaces) {
    BodySchema.of("WorkerResults").check(body);
    Violations violations = new Violations();
    List<WorkerResult> results = new ArrayList<>();
    Set<UUID> named = new HashSet<>();
    for (JsonValue each : body.getJsonArray("results")) {
      String prefix = "results/" + results.size() + "/";
      WorkerResult result = result(prefix, each.asJsonObject(), longest, violations);
      checkNamedOnce(prefix, named.add(result.stepUuid()), violations);
      results.add(result);
    }
    violations.check();
    return new Results(results, body.get("claims") instanceof JsonObject claims
        ? poll(claims, worker, owner, namespaces) : null);
  }

  private static void checkNamedOnce(String prefix, boolean isFirst, Violations violations) {
    if (!isFirst) {
      violations.add(prefix + "step_uuid", "must be named once");
    }
  }

  private static WorkerResult result(String prefix, JsonObject given, int longest,
      Violations violations) {
    String outcome = given.getString("outcome");
    given.forEach((name, value) -> {
      List<Outcome> allowed = value == JsonValue.NULL ? null : ALLOWED.get(name);
      if (allowed != null && allowed.stream().noneMatch(each -> each.word().equals(outcome))) {
        violations.add(prefix + name, "is allowed for "
            + allowed.stream().map(Outcome::word).collect(Collectors.joining(" and ")));
      }
    });
    JsonValue result = given.getOrDefault(RESULT, JsonValue.NULL);
    JsonbCheck.tooLong(result, longest)
        .ifPresent(complaint -> violations.add(prefix + RESULT, complaint));
    if (Members.isAbsent(given, ERROR)
        && FAILURES.stream().anyMatch(each -> each.word().equals(outcome))) {
      violations.add(prefix + ERROR, "is required for a failure");
    }
    return new WorkerResult(Json.uuid(given, "step_uuid"), given.getInt("handoff"), outcome,
        result, error(prefix, given, longest, violations), millis(given, "execution_time_ms"),
        Optional.ofNullable(Members.texts(given, DECISION)),
        Optional.ofNullable(given.get(BATCHES) instanceof JsonArray cursors ? cursors : null),
        Outcome.YIELDED.word().equals(outcome) ? Optional.of(new StepResult.Yield(
            Optional.ofNullable(given.get(CHECKPOINT)).filter(value -> value != JsonValue.NULL),
            millis(given, AFTER).orElse(Duration.ZERO))) : Optional.empty());
  }

  private static Optional<Duration> millis(JsonObject given, String name) {
    return Members.isAbsent(given, name) ? Optional.empty()
        : Optional.of(Duration.ofMillis(given.getJsonNumber(name).longValueExact()));
  }

  /** What a failure says is no reason to refuse it: a step that would be tried again would end. */
  private static JsonValue error(String prefix, JsonObject given, int longest,
      Violations violations) {
    if (!(given.get(ERROR) instanceof JsonObject error)) {
      return JsonValue.NULL;
    }
    String type = cut(error, "type", LONGEST_TYPE, "Error");
    JsonObjectBuilder read = StepResult.error(type,
        cut(error, "message", StepResult.LONGEST_MESSAGE, type));
    if (error.get("details") instanceof JsonObject details) {
      JsonValue clean = JsonbCheck.cleaned(details);
      JsonbCheck.complaint(clean, longest)
          .ifPresent(complaint -> violations.add(prefix + "error/details", complaint));
      read.add("details", clean);
    }
    Members.addGiven(read, "delay_ms", given.get(RETRY_AFTER));
    return read.build();
  }

  /** A text that is cut when it is too long; the fallback for one that is blank. */
  private static String cut(JsonObject error, String name, int longest, String fallback) {
    String text = error.getString(name);
    return text.isBlank() ? fallback : JsonbCheck.cleaned(text, longest);
  }

  /** @return objects with {@code step_uuid}, {@code handoff} and {@code checkpoint} */
  static JsonArray checkpoints(JsonObject body) {
    BodySchema.of("WorkerCheckpoints").check(body);
    JsonArray checkpoints = body.getJsonArray("checkpoints");
    Violations violations = new Violations();
    Set<UUID> named = new HashSet<>();
    for (int i = 0; i < checkpoints.size(); i++) {
      JsonObject each = checkpoints.getJsonObject(i);
      String prefix = "checkpoints/" + i + "/";
      if (each.isNull(CHECKPOINT)) {
        violations.add(prefix + CHECKPOINT, "must not be null");
      }
      checkNamedOnce(prefix, named.add(Json.uuid(each, "step_uuid")), violations);
    }
    violations.check();
    return checkpoints;
  }

  /** @throws Problem 400 invalid-request unless there are 1 to 20 names */
  static List<String> stepNames(List<String> names) {
    if (names == null || names.isEmpty() || names.size() > MOST_NAMES) {
      throw Problem.invalid("name", "must be given 1 to " + MOST_NAMES + " times");
    }
    names.forEach(WorkerReader::stepName);
    return names;
  }

  /** @throws Problem 400 invalid-request */
  static String stepName(String name) {
    if (name == null || name.isBlank() || name.length() > LONGEST_NAME) {
      throw Problem.invalid("name",
          "must be the name of a step: 1 to " + LONGEST_NAME + " characters");
    }
    return name;
  }
}
