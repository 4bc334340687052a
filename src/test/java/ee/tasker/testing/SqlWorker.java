package ee.tasker.testing;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * A worker in plain SQL: claims, completes and, as its own fallback poller, advances due tasks. Its
 * clock is the
 * database's until {@link #at} sets it.
 */
public final class SqlWorker implements AutoCloseable {
  private final Sql sql;
  private final UUID uuid;
  private Instant now;
  private List<String> namespaces;

  private SqlWorker(Sql sql, UUID uuid) {
    this.sql = sql;
    this.uuid = uuid;
  }

  /** A worker whose every call is a transaction. */
  public static SqlWorker open() {
    return open(UUID.randomUUID());
  }

  /** A worker with that key, every call of which is a transaction. */
  public static SqlWorker open(UUID uuid) {
    return new SqlWorker(Sql.open(), uuid);
  }

  /** A worker inside the transaction of a session. */
  public static SqlWorker in(Sql session) {
    return new SqlWorker(session, UUID.randomUUID());
  }

  public UUID uuid() {
    return uuid;
  }

  /** From now on the calls of this worker are made at that time; null: by the database's clock. */
  public SqlWorker at(Instant time) {
    now = time;
    return this;
  }

  public SqlWorker forNamespaces(String... names) {
    namespaces = List.of(names);
    return this;
  }

  /** Claims up to that many steps, with the default lease of 60 seconds. */
  public List<Claim> claim(int limit) {
    return claims(
        sql.array("select tasker.claim_steps(?, ?, ?, 60, ?)", uuid, limit, namespaces, now));
  }

  /** Claims the one step that there must be. */
  public Claim claimOne() {
    List<Claim> claims = claim(1);
    if (claims.size() != 1) {
      throw new AssertionError("there was no step to claim");
    }
    return claims.get(0);
  }

  /** Submits results and lets the orchestrator's part run in the same transaction. */
  public JsonObject complete(Result... results) {
    return complete(0, Arrays.asList(results));
  }

  public JsonObject complete(int claimLimit, Collection<Result> results) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    results.forEach(result -> array.add(result.json()));
    return sql.object("select tasker.complete_steps(?, ?, p_claim_limit => ?, p_now => ?)",
        array.build(), uuid, claimLimit, now);
  }

  /** Submits as a server does that has only the worker's role. */
  public JsonObject submitResults(Result... results) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    Arrays.asList(results).forEach(result -> array.add(result.json()));
    return sql.object("select tasker.complete_steps(?, ?, p_settle => false, p_now => ?)",
        array.build(), uuid, now);
  }

  /** One run of the fallback poller. */
  public JsonObject advance() {
    return sql.object("select tasker.advance_due_tasks(?, 1000, p_now => ?)", uuid, now);
  }

  /**
   * Claims and succeeds until there is nothing to claim; returns the steps in the order of their
   * claims.
   */
  public List<Claim> runToTheEnd() {
    List<Claim> done = new ArrayList<>();
    for (List<Claim> claims = claim(100); !claims.isEmpty(); claims = claim(100)) {
      complete(0, claims.stream().map(Claim::success).toList());
      done.addAll(claims);
    }
    return done;
  }

  public static List<Claim> claims(JsonArray claimedSteps) {
    return claimedSteps.stream().map(value -> {
      JsonObject a = value.asJsonObject();
      return new Claim(UUID.fromString(a.getString("step_uuid")),
          UUID.fromString(a.getString("task_uuid")), a.getInt("handoff"), a);
    }).toList();
  }

  @Override
  public void close() {
    sql.close();
  }

  /** A step that this worker may run. */
  public record Claim(UUID step, UUID task, int handoff, JsonObject claimedStep) {
    public int attempt() {
      return claimedStep.getInt("attempt");
    }

    public Result success() {
      return success("{}");
    }

    public Result success(String json) {
      return result("success")
          .add("result", Json.createReader(new java.io.StringReader(json)).readValue()).build();
    }

    public Result successAfter(int milliseconds) {
      return result("success").add("execution_time_ms", jakarta.json.Json.createValue(milliseconds))
          .add("result", jakarta.json.JsonValue.EMPTY_JSON_OBJECT).build();
    }

    /** The success of a decision that chose these steps. */
    public Result decided(String... names) {
      JsonArrayBuilder chosen = Json.createArrayBuilder();
      Arrays.asList(names).forEach(chosen::add);
      return decided(chosen.build());
    }

    /** The same with anything as the choice. */
    public Result decided(jakarta.json.JsonValue choice) {
      return result("success").add("result", jakarta.json.JsonValue.EMPTY_JSON_OBJECT)
          .add("decision", choice).build();
    }

    /** The success of a batchable step with these cursors, JSON texts. */
    public Result batches(String... cursors) {
      return batches(
          Json.createReader(new java.io.StringReader("[" + String.join(",", cursors) + "]"))
              .readValue());
    }

    /** The same with anything as the cursors. */
    public Result batches(jakarta.json.JsonValue cursors) {
      return result("success").add("result", jakarta.json.JsonValue.EMPTY_JSON_OBJECT)
          .add("batches", cursors).build();
    }

    /** The same with the numbers 1 to width as cursors. */
    public Result batches(int width) {
      JsonArrayBuilder cursors = Json.createArrayBuilder();
      java.util.stream.IntStream.rangeClosed(1, width).forEach(cursors::add);
      return batches(cursors.build());
    }

    public Result retryableFailure() {
      return result("retryable_failure").add("error", error()).build();
    }

    /** A failure after which the other side asked for a delay. */
    public Result retryableFailure(int delayMs) {
      return result("retryable_failure").add("error", error().add("delay_ms", delayMs)).build();
    }

    public Result permanentFailure() {
      return result("permanent_failure").add("error", error()).build();
    }

    public Result permanentFailure(String message) {
      return result("permanent_failure").add("error", error().add("message", message)).build();
    }

    /** Goes on later; checkpoint is a JSON text, null to keep the latest one. */
    public Result yielded(String checkpoint, long afterMs) {
      ResultBuilder yield = result("yielded").add("after_ms", Json.createValue(afterMs));
      return (checkpoint == null ? yield
          : yield.add("checkpoint",
              Json.createReader(new java.io.StringReader(checkpoint)).readValue()))
          .build();
    }

    public Result cancelled() {
      return result("cancelled").build();
    }

    /** The same step as another handoff. */
    public Claim asHandoff(int other) {
      return new Claim(step, task, other, claimedStep);
    }

    private static JsonObjectBuilder error() {
      return Json.createObjectBuilder().add("type", "Test").add("message", "as the test wants it");
    }

    private ResultBuilder result(String outcome) {
      return new ResultBuilder(Json.createObjectBuilder().add("step_uuid", step.toString())
          .add("task_uuid", task.toString())
          .add("handoff", handoff).add("outcome", outcome).add("execution_time_ms", 1));
    }
  }

  private record ResultBuilder(JsonObjectBuilder json) {
    ResultBuilder add(String key, jakarta.json.JsonValue value) {
      json.add(key, value);
      return this;
    }

    ResultBuilder add(String key, JsonObjectBuilder value) {
      json.add(key, value);
      return this;
    }

    Result build() {
      return new Result(json.build());
    }
  }

  /** What complete_steps takes for one step. */
  public record Result(JsonObject json) {}
}
