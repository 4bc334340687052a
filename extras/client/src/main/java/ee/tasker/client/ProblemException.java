package ee.tasker.client;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The server refused the request, with a problem of RFC 9457. Programs rely on {@link #code()};
 * {@code docs/reference/problems.md} lists the codes.
 */
public final class ProblemException extends TaskerException {
  private final int status;
  private final transient JsonObject problem;
  private final Duration retryAfter;

  ProblemException(int status, JsonObject problem, Duration retryAfter) {
    super(sentence(status, problem), null);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  private static String sentence(int status, JsonObject problem) {
    String title = problem.getString("title", "HTTP status " + status);
    return problem.containsKey("detail") ? title + ": " + problem.getString("detail", "") : title;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /**
   * The stable name of the problem, {@code task-not-found}; {@code refused} if the answer names
   * none.
   */
  public String code() {
    return problem.getString("code", "refused");
  }

  /** What is wrong, in a sentence. */
  public String detail() {
    return problem.getString("detail", getMessage());
  }

  /** All invalid fields; empty if the problem is not about fields. */
  public List<Violation> violations() {
    JsonValue violations = problem.get("violations");
    return violations == null || violations.getValueType() != JsonValue.ValueType.ARRAY ? List.of()
        : violations.asJsonArray().stream().filter(JsonObject.class::isInstance)
            .map(JsonValue::asJsonObject)
            .map(violation -> new Violation(violation.getString("field", ""),
                violation.getString("message", "")))
            .toList();
  }

  /** The existing task, with {@code duplicate-task}. */
  public Optional<UUID> task() {
    return problem.get("task_uuid") instanceof JsonString uuid
        ? Optional.of(UUID.fromString(uuid.getString())) : Optional.empty();
  }

  /** How long to wait before the next attempt, if the server says so. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** The whole problem. */
  public JsonObject problem() {
    return problem;
  }
}
