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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
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

  /** A registration names handlers, resolvers or both. */
  static void checkRegistration(JsonObject body, Violations violations) {
    if (Members.isAbsent(body, "handlers") && Members.isAbsent(body, "resolvers")) {
      violations.add("handlers", "is required");
    }
  }

  static Registration registration(JsonObject body) {
    List<String> handlers = Members.texts(body, "handlers");
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
    BodySchema.of("WorkerResults").check(body,
        (asked, violations) -> checkSteps(asked, "results", violations,
            (prefix, given) -> checkResult(prefix, given, longest, violations)));
    return new Results(body.getJsonArray("results").getValuesAs(WorkerReader::result),
        body.get("claims") instanceof JsonObject claims
            ? poll(claims, worker, owner, namespaces) : null);
  }

  /** Unless the array itself is wrong: that each step is named once, and rules for each of them. */
  private static void checkSteps(JsonObject body, String member, Violations violations,
      BiConsumer<String, JsonObject> rules) {
    if (violations.has(member) || !(body.get(member) instanceof JsonArray all)) {
      return;
    }
    Set<UUID> named = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) instanceof JsonObject given) {
        String prefix = member + "/" + i + "/";
        String step = given.getString("step_uuid", null);
        if (Members.isUuid(step) && !named.add(UUID.fromString(step))) {
          violations.add(prefix + "step_uuid", "must be named once");
        }
        rules.accept(prefix, given);
      }
    }
  }

  private static void checkResult(String prefix, JsonObject given, int longest,
      Violations violations) {
    JsonbCheck.tooLong(given.getOrDefault(RESULT, JsonValue.NULL), longest)
        .ifPresent(complaint -> violations.add(prefix + RESULT, complaint));
    if (given.get(ERROR) instanceof JsonObject error
        && error.get("details") instanceof JsonObject details) {
      JsonbCheck.complaint(JsonbCheck.cleaned(details), longest)
          .ifPresent(complaint -> violations.add(prefix + "error/details", complaint));
    }
    if (violations.has(prefix + "outcome")) {
      return;
    }
    String outcome = given.getString("outcome", "");
    given.forEach((name, value) -> {
      List<Outcome> allowed = value == JsonValue.NULL ? null : ALLOWED.get(name);
      if (allowed != null && allowed.stream().noneMatch(each -> each.word().equals(outcome))) {
        violations.add(prefix + name, "is allowed for "
            + allowed.stream().map(Outcome::word).collect(Collectors.joining(" and ")));
      }
    });
    if (Members.isAbsent(given, ERROR)
        && FAILURES.stream().anyMatch(each -> each.word().equals(outcome))) {
      violations.add(prefix + ERROR, "is required for a failure");
    }
  }

  private static WorkerResult result(JsonObject given) {
    String outcome = given.getString("outcome");
    return new WorkerResult(Json.uuid(given, "step_uuid"), given.getInt("handoff"), outcome,
        given.getOrDefault(RESULT, JsonValue.NULL), error(given),
        millis(given, "execution_time_ms"),
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
  private static JsonValue error(JsonObject given) {
    if (!(given.get(ERROR) instanceof JsonObject error)) {
      return JsonValue.NULL;
    }
    String type = cut(error, "type", LONGEST_TYPE, "Error");
    JsonObjectBuilder read = StepResult.error(type,
        cut(error, "message", StepResult.LONGEST_MESSAGE, type));
    if (error.get("details") instanceof JsonObject details) {
      read.add("details", JsonbCheck.cleaned(details));
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
    BodySchema.of("WorkerCheckpoints").check(body,
        (asked, violations) -> checkSteps(asked, "checkpoints", violations, (prefix, given) -> {
          if (given.get(CHECKPOINT) == JsonValue.NULL) {
            violations.add(prefix + CHECKPOINT, "must not be null");
          }
        }));
    return body.getJsonArray("checkpoints");
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
