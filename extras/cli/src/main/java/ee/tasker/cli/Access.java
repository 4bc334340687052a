package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.UUID;

/** Users, keys and grants. */
final class Access {
  private Access() {}

  static int createUser(Invocation in) {
    JsonObjectBuilder body = withGrants(in);
    if (in.flag("--password-stdin")) {
      body.add("password", in.terminal().line());
    }
    return General.sent(in, body.build());
  }

  static int createKey(Invocation in) {
    JsonObjectBuilder body = withGrants(in);
    in.integer("--expires-in-days")
        .ifPresent(days -> body.add("expires_in_seconds", Math.multiplyExact(days, 86_400L)));
    return General.sent(in, body.build());
  }

  private static JsonObjectBuilder withGrants(Invocation in) {
    JsonObjectBuilder body = Json.createObjectBuilder(in.command().body(in));
    if (in.flag("--grant")) {
      JsonArrayBuilder grants = Json.createArrayBuilder();
      in.texts("--grant").forEach(grant -> grants.add(granted(grant)));
      body.add("grants", grants);
    }
    return body;
  }

  /**
   * {@code operator}, {@code tasks:create@orders}: what has a colon is a permission, else it is a
   * role.
   */
  static JsonObject granted(String text) {
    int at = text.indexOf('@');
    String what = at < 0 ? text : text.substring(0, at);
    if (what.isEmpty() || at == text.length() - 1) {
      throw new UsageException(
          "A grant is a role or permission, with @NAMESPACE unless it is for all: operator, tasks:create@orders; not \""
              + text + "\"");
    }
    JsonObjectBuilder granted = Json.createObjectBuilder()
        .add(what.contains(":") ? "permission" : "role", what);
    return at < 0 ? granted.build() : granted.add("namespace", text.substring(at + 1)).build();
  }

  static int grant(Invocation in) {
    if (in.flag("--user") == in.flag("--key")) {
      throw new UsageException("Either --user or --key is required");
    }
    JsonObjectBuilder body = Json.createObjectBuilder(in.command().body(in));
    granted(in.required("GRANT")).forEach(body::add);
    return General.sent(in, body.build());
  }

  static int password(Invocation in) {
    String password = in.flag("--stdin") ? in.terminal().line()
        : in.terminal().askSecret("New password: ");
    if (password.isEmpty()) {
      throw new UsageException("No password was given: type it, or pass it with --stdin");
    }
    return change(in, Json.createObjectBuilder().add("password", password).build());
  }

  static int enabled(Invocation in, boolean enabled) {
    return change(in, Json.createObjectBuilder().add("enabled", enabled).build());
  }

  private static int change(Invocation in, JsonObject body) {
    in.print(in.client().send(Call.of(Operation.CHANGE_USER)
        .path("user_uuid", userUuid(in, in.required("USER"))).body(body)).json());
    return Exit.DONE;
  }

  /** The user of this name, or UUID. */
  private static String userUuid(Invocation in, String user) {
    try {
      return UUID.fromString(user).toString();
    } catch (IllegalArgumentException e) {
      return in.client().send(Call.of(Operation.LIST_USERS)).json().getJsonArray("users")
          .getValuesAs(JsonObject.class).stream()
          .filter(each -> each.getString("name").equalsIgnoreCase(user)).findFirst()
          .map(each -> each.getString("user_uuid"))
          .orElseThrow(() -> new NotFoundException("There is no user \"" + user + "\""));
    }
  }
}
