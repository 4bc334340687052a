package ee.tasker.rest.http;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import jakarta.json.JsonObjectBuilder;

/** Reads who asks for a change, and why: {@code requested_by} and {@code reason}. */
public final class Authors {
  private Authors() {
  }

  /** Reads the last members of a body and checks all. */
  public static Author of(Members members) {
    String by = members.text("requested_by", ActionReader.WHO);
    String reason = members.text("reason", ActionReader.WHY);
    members.check();
    return new Author(by, reason);
  }

  /**
   * The same where the request need not say it.
   *
   * @param actor  the caller
   * @param reason without one in the body
   */
  public static Author of(Members members, String actor, String reason) {
    String by = members.optionalText("requested_by", ActionReader.WHO);
    String why = members.optionalText("reason", ActionReader.WHY);
    members.check();
    return new Author(by == null ? actor : by, why == null ? reason : why);
  }

  /** Of a request without a body, from its parameters. */
  public static Author of(String requestedBy, String reason) {
    JsonObjectBuilder given = Json.build().createObjectBuilder();
    Filters.add(given, "requested_by", requestedBy);
    Filters.add(given, "reason", reason);
    return of(new Members(given.build()));
  }
}
