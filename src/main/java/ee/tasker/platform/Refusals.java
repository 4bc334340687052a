package ee.tasker.platform;

import ee.tasker.platform.Problem.Violation;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Maps the outcome {@code refused} of a SQL function to a problem: 404 for objects that do not
 * exist, 403 when another caller
 * has to do it, 409 when the current state does not allow the request.
 */
public final class Refusals {
  private static final String NOT_FOUND = "-not-found";

  private record Known(int status, String code) {
  }

  private static final List<Known> KNOWN = List.of(
      new Known(400, "invalid-request"),
      new Known(409, "step-not-movable"),
      new Known(409, "attempt-has-changed"),
      new Known(409, "task-already-ended"),
      new Known(409, "task-is-being-cancelled"),
      new Known(409, "task-already-replaced"),
      new Known(409, "task-not-blocked"),
      new Known(409, "steps-in-flight"),
      new Known(409, "step-already-done"),
      new Known(409, "nothing-to-retry"),
      new Known(409, "fork-not-possible"),
      new Known(409, "task-erased"),
      new Known(409, "task-not-erasable"),
      new Known(409, "token-expired"),
      new Known(409, "set-has-changed"),
      new Known(409, "bulk-action-not-running"),
      new Known(409, "dead-letter-closed"),
      new Known(409, "last-administrator"),
      new Known(409, "signal-not-known"),
      new Known(409, "signal-id-taken"),
      new Known(409, "too-many-signals"),
      new Known(409, "too-many-views"),
      new Known(403, "not-permitted"),
      new Known(403, "four-eyes"),
      new Known(403, "not-a-candidate"),
      new Known(409, "approval-taken"),
      new Known(409, "approval-decided"),
      new Known(409, "approval-ended"),
      new Known(409, "schedule-exists"),
      new Known(409, "schedule-version-changed"),
      new Known(409, "fire-failed"),
      new Known(409, "webhook-exists"),
      new Known(409, "webhook-version-changed"),
      new Known(409, "too-many-webhooks"),
      new Known(409, "delivery-not-movable"),
      new Known(413, "payload-too-large"));

  private Refusals() {
  }

  /** The word for what the function did; empty for a document that has none. */
  public static String outcome(JsonObject reply) {
    return reply.getString("outcome", "");
  }

  /**
   * @param notFound the problem for a missing object, which is also the one for an object that the
   *   caller may not see
   * @return the answer, if it is not a refusal
   */
  public static JsonObject check(JsonObject reply, Supplier<Problem> notFound) {
    if (!"refused".equals(outcome(reply))) {
      return reply;
    }
    String code = reply.getString("code");
    if (code.endsWith(NOT_FOUND)) {
      throw notFound.get();
    }
    int status = KNOWN.stream().filter(known -> known.code().equals(code)).findFirst()
        .orElseThrow(
            () -> new IllegalStateException("unknown refusal code from the database: " + code))
        .status();
    String message = reply.getString("message");
    List<Violation> violations = Json.text(reply, "field")
        .map(field -> List.of(new Violation(field, message))).orElse(List.of());
    Map<String, Object> extras = new HashMap<>();
    for (String extra : List.of("state", "task_state")) {
      JsonValue value = reply.get(extra);
      if (value instanceof JsonString text) {
        extras.put(extra, text.getString());
      }
    }
    String detail = violations.isEmpty() ? message : violations.get(0).field() + ": " + message;
    throw new Problem(status, code, detail, violations, extras);
  }
}
