package ee.tasker.rest.work;

import ee.tasker.engine.model.Outcome;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.remote.Poll;
import ee.tasker.remote.WorkerResult;
import ee.tasker.rest.http.Members;
import ee.tasker.step.StepResult;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Reads the requests of external workers, and reports all violations together. */
final class WorkerReader {
  static final int MOST_STEPS = 100;
  static final int LONGEST_WAIT_SECONDS = 60;
  static final Set<String> STATES = Set.of("healthy", "degraded", "paused");
  private static final String ERROR = "error";
  private static final String RESULT = "result";
  private static final String CHECKPOINT = "checkpoint";
  private static final String CHECKPOINTS = "checkpoints";
  /** A result is as long as a request may be. */
  private static final int MOST_NAMES = 20;
  private static final String AFTER = "after_ms";
  private static final int MOST_HELD = 10_000;
  private static final int LONGEST_NAME = 128;
  private static final int LONGEST_DECISION = 1_000;
  private static final int LONGEST_HANDLER = 500;
  private static final int LONGEST_TYPE = 200;
  private static final long LONGEST_TIME_MS = StepOutcome.LONGEST_DELAY.toMillis();

  private WorkerReader() {
  }

  /** @param namespaces null for all */
  record Registration(JsonObject document, UUID workerUuid, List<String> namespaces) {
  }

  static Registration registration(JsonObject body) {
    Members members = new Members(body);
    UUID given = members.uuid("worker_uuid");
    String name = members.text("name", LONGEST_NAME);
    Integer capacity = members.required("capacity", members.number("capacity", 1, 10_000), 1);
    List<String> handlers = members.texts("handlers", 1_000, LONGEST_HANDLER);
    List<String> resolvers = members.texts("resolvers", 100, LONGEST_HANDLER);
    List<String> namespaces = members.texts("namespaces", 100, LONGEST_HANDLER);
    Integer heartbeat = members.number("heartbeat_seconds", 1, 300);
    if (handlers == null && !members.has("handlers") && !members.has("resolvers")) {
      members.wrong("handlers", "is required");
    }
    members.check();
    UUID uuid = given == null ? UUID.randomUUID() : given;
    JsonObjectBuilder document = Json.build().createObjectBuilder()
        .add("worker_uuid", uuid.toString()).add("name", name)
        .add("capacity", capacity)
        .add("handlers", Json.build().createArrayBuilder(handlers == null ? List.of() : handlers));
    Members.addGiven(document, "resolvers", resolvers);
    Members.addGiven(document, "namespaces", namespaces);
    Members.addGiven(document, "heartbeat_seconds", heartbeat);
    return new Registration(document.build(), uuid, namespaces);
  }

  static Poll poll(JsonObject body, UUID worker, String owner, Optional<Set<String>> namespaces) {
    Members members = new Members(body);
    Poll poll = poll(members, worker, owner, namespaces,
        members.number("wait_seconds", 0, LONGEST_WAIT_SECONDS));
    members.check();
    return poll;
  }

  private static Poll poll(Members members, UUID worker, String owner,
      Optional<Set<String>> namespaces, Integer waitSeconds) {
    Integer max = members.number("max", 1, MOST_STEPS);
    return new Poll(worker, owner, namespaces, max == null ? 1 : max,
        Optional.ofNullable(members.optionalText("request_id", LONGEST_NAME)),
        Duration.ofSeconds(waitSeconds == null ? 0 : waitSeconds));
  }

  /** @param next null when the worker does not ask for steps */
  record Results(List<WorkerResult> results, Poll next) {
  }

  /** @param longest of a single result, in bytes */
  static Results results(JsonObject body, int longest, UUID worker, String owner,
      Optional<Set<String>> namespaces) {
    Members members = new Members(body);
    if (!members.has("results")) {
      members.wrong("results", "is required");
    } else if (body.get("results") instanceof JsonArray array && array.isEmpty()) {
      members.wrong("results", "must not be empty");
    }
    List<WorkerResult> results = new ArrayList<>();
    Set<UUID> named = new HashSet<>();
    for (Members each : members.each("results", MOST_STEPS)) {
      WorkerResult result = result(each, longest);
      if (!named.add(result.stepUuid()) && each.has("step_uuid")) {
        each.wrong("step_uuid", "must be named once");
      }
      results.add(result);
    }
    Poll next = null;
    if (members.has("claims")) {
      Members claims = members.members("claims");
      next = poll(claims, worker, owner, namespaces, null);
      claims.refuseOthers();
    }
    members.check();
    return new Results(results, next);
  }

  private static WorkerResult result(Members members, int longest) {
    UUID step = members.required("step_uuid", members.uuid("step_uuid"), new UUID(0, 0));
    Integer handoff = members.required("handoff", members.number("handoff", 1, Integer.MAX_VALUE),
        0);
    String outcome = members.word("outcome", WorkerResult.OUTCOMES);
    JsonValue result = JsonValue.NULL;
    if (members.has(RESULT)) {
      result = members.anything(RESULT);
      JsonbCheck.tooLong(result, longest).ifPresent(complaint -> members.wrong(RESULT, complaint));
      if (!Set.of(Outcome.SUCCESS.word(), Outcome.CANCELLED.word()).contains(outcome)) {
        members.wrong(RESULT, "is allowed for " + Outcome.SUCCESS + " and " + Outcome.CANCELLED);
      }
    }
    Long took = members.longNumber("execution_time_ms", 0, LONGEST_TIME_MS);
    JsonValue error = error(members, outcome, longest);
    List<String> decision = members.texts("decision", LONGEST_DECISION, LONGEST_NAME);
    if (members.has("decision") && !Outcome.SUCCESS.word().equals(outcome)) {
      members.wrong("decision", "is allowed for " + Outcome.SUCCESS);
    }
    JsonArray batches = null;
    if (members.has("batches")) {
      if (members.anything("batches") instanceof JsonArray cursors) {
        batches = cursors;
      } else {
        members.wrong("batches", "must be an array");
      }
      if (!Outcome.SUCCESS.word().equals(outcome)) {
        members.wrong("batches", "is allowed for " + Outcome.SUCCESS);
      }
    }
    Optional<StepResult.Yield> yield = readYield(members, outcome);
    members.refuseOthers();
    return new WorkerResult(step, handoff, outcome, result, error,
        Optional.ofNullable(took).map(Duration::ofMillis), Optional.ofNullable(decision),
        Optional.ofNullable(batches), yield);
  }

  private static Optional<StepResult.Yield> readYield(Members members, String outcome) {
    boolean isYield = Outcome.YIELDED.word().equals(outcome);
    JsonValue checkpoint = members.has(CHECKPOINT) ? members.anything(CHECKPOINT) : null;
    Long after = members.longNumber(AFTER, 0, LONGEST_TIME_MS);
    if (!isYield) {
      if (checkpoint != null) {
        members.wrong(CHECKPOINT, "is allowed for " + Outcome.YIELDED);
      }
      if (after != null) {
        members.wrong(AFTER, "is allowed for " + Outcome.YIELDED);
      }
      return Optional.empty();
    }
    return Optional.of(new StepResult.Yield(Optional.ofNullable(checkpoint),
        Duration.ofMillis(after == null ? 0 : after)));
  }

  private static JsonValue error(Members members, String outcome, int longest) {
    boolean isRetryable = Outcome.RETRYABLE_FAILURE.word().equals(outcome);
    boolean isFailure = isRetryable || Outcome.PERMANENT_FAILURE.word().equals(outcome);
    Long retryAfter = members.longNumber("retry_after_ms", 0, LONGEST_TIME_MS);
    if (retryAfter != null && !isRetryable) {
      members.wrong("retry_after_ms", "is allowed for " + Outcome.RETRYABLE_FAILURE);
    }
    if (!members.has(ERROR)) {
      if (isFailure) {
        members.wrong(ERROR, "is required for a failure");
      }
      return JsonValue.NULL;
    }
    if (!isFailure && !Outcome.CANCELLED.word().equals(outcome)) {
      members.wrong(ERROR, "is allowed for failures and " + Outcome.CANCELLED);
    }
    // What a failure says is no reason to refuse it: a step that would be tried again would end.
    Members given = members.cleaned(ERROR);
    String type = given.cutText("type", LONGEST_TYPE, "Error");
    JsonObjectBuilder error = StepResult.error(type,
        given.cutText("message", StepResult.LONGEST_MESSAGE, type));
    JsonObject details = given.object("details");
    given.refuseOthers();
    if (details != null) {
      JsonbCheck.tooLong(details, longest)
          .ifPresent(complaint -> given.wrong("details", complaint));
      error.add("details", details);
    }
    Members.addGiven(error, "delay_ms", retryAfter);
    return error.build();
  }

  record Beat(JsonArray steps, String state) {
  }

  static Beat beat(JsonObject body) {
    Members members = new Members(body);
    String state = members.word("state", STATES, "healthy");
    JsonArrayBuilder steps = Json.build().createArrayBuilder();
    for (Members each : members.each("steps", MOST_HELD)) {
      UUID step = each.required("step_uuid", each.uuid("step_uuid"), new UUID(0, 0));
      Integer handoff = each.required("handoff", each.number("handoff", 1, 999_999_999), 0);
      each.refuseOthers();
      steps.add(Json.build().createObjectBuilder().add("step_uuid", step.toString()).add("handoff",
          handoff));
    }
    members.check();
    return new Beat(steps.build(), state);
  }

  /** @return objects with {@code step_uuid}, {@code handoff} and {@code checkpoint} */
  static JsonArray checkpoints(JsonObject body) {
    Members members = new Members(body);
    List<Members> given = members.each(CHECKPOINTS, MOST_STEPS);
    if (!members.has(CHECKPOINTS)) {
      members.wrong(CHECKPOINTS, "is required");
    } else if (body.get(CHECKPOINTS) instanceof JsonArray array && array.isEmpty()) {
      members.wrong(CHECKPOINTS, "must not be empty");
    }
    Set<UUID> named = new HashSet<>();
    JsonArrayBuilder checkpoints = Json.build().createArrayBuilder();
    for (Members each : given) {
      UUID step = each.required("step_uuid", each.uuid("step_uuid"), new UUID(0, 0));
      Integer handoff = each.required("handoff", each.number("handoff", 1, Integer.MAX_VALUE), 0);
      JsonValue checkpoint = each.anything(CHECKPOINT);
      if (checkpoint == JsonValue.NULL) {
        each.wrong(CHECKPOINT, "must not be null");
      }
      if (!named.add(step) && each.has("step_uuid")) {
        each.wrong("step_uuid", "must be named once");
      }
      each.refuseOthers();
      checkpoints.add(Json.build().createObjectBuilder().add("step_uuid", step.toString())
          .add("handoff", handoff)
          .add(CHECKPOINT, checkpoint == null ? JsonValue.NULL : checkpoint));
    }
    members.check();
    return checkpoints.build();
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
