package ee.tasker.rest.http;

import ee.tasker.platform.Author;
import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

/** Reads who asks for a change, and why: {@code requested_by} and {@code reason}. */
public final class Authors {
  private Authors() {
  }

  /** Of a valid body that says it. */
  public static Author of(JsonObject body) {
    return new Author(body.getString("requested_by"), body.getString("reason"));
  }

  /**
   * Of a valid body that need not say it.
   *
   * @param actor  the caller
   * @param reason without one in the body
   */
  public static Author of(JsonObject body, String actor, String reason) {
    return new Author(body.getString("requested_by", actor), body.getString("reason", reason));
  }

  /** Of a request without a body, from its parameters. */
  public static Author of(String requestedBy, String reason) {
    JsonObjectBuilder given = Json.build().createObjectBuilder();
    Filters.add(given, "requested_by", requestedBy);
    Filters.add(given, "reason", reason);
    return of(BodySchema.of("ScheduleAction").read(given.build()));
  }
}
