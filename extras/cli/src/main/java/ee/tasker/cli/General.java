package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;

/** Commands that only prepare a body, or print a text. */
final class General {
  private General() {}

  static int text(Invocation in) {
    Operation operation = in.command().operations().get(0);
    Call call = Call.of(operation).header("Accept",
        operation == Operation.GET_METRICS ? "text/plain" : "*/*");
    in.terminal().out().print(in.client().send(call).text());
    in.terminal().out().flush();
    return Exit.DONE;
  }

  static int health(Invocation in) {
    Operation operation = switch (in.text("--probe").orElse("")) {
      case "" -> Operation.GET_HEALTH;
      case "live" -> Operation.GET_LIVENESS;
      case "ready" -> Operation.GET_READINESS;
      case "started" -> Operation.GET_STARTUP;
      default -> throw new UsageException("--probe must be live, ready or started");
    };
    JsonObject health = in.client().send(Call.of(operation)).json();
    in.print(health);
    return health.getString("status", "DOWN").equals("UP") ? Exit.DONE : Exit.UNREACHABLE;
  }

  static int changeServer(Invocation in) {
    JsonObjectBuilder body = Json.createObjectBuilder(in.command().body(in));
    if (in.flag("--pause") && in.flag("--resume-all")) {
      throw new UsageException("--pause and --resume-all exclude each other");
    }
    if (in.flag("--pause") || in.flag("--resume-all")) {
      JsonArrayBuilder roles = Json.createArrayBuilder();
      in.texts("--pause").forEach(roles::add);
      body.add("paused_roles", roles);
    }
    in.text("--draining").ifPresent(draining -> {
      if (!draining.equals("true") && !draining.equals("false")) {
        throw new UsageException("--draining must be true or false");
      }
      body.add("draining", draining.equals("true"));
    });
    return sent(in, body.build());
  }

  static int limit(Invocation in) {
    String limit = in.required("N");
    if (!limit.equals("default") && !limit.matches("\\d{1,9}")) {
      throw new UsageException("N must be a number from 0 on, or default");
    }
    return sent(in, Json.createObjectBuilder(in.command().body(in))
        .add("limit",
            limit.equals("default") ? JsonValue.NULL : Json.createValue(Integer.parseInt(limit)))
        .build());
  }

  static int retention(Invocation in) {
    JsonObject body = in.command().body(in);
    if ((in.flag("--forever") ? 1 : 0) + (in.flag("--remove") ? 1 : 0)
        + (in.flag("--keep-days") ? 1 : 0) != 1) {
      throw new UsageException("One of --keep-days, --forever and --remove is required");
    }
    return sent(in,
        in.flag("--forever") ? Json.createObjectBuilder(body).addNull("keep_days").build() : body);
  }

  /** Sends the command's operation with its parameters and this body. */
  static int sent(Invocation in, JsonObject body) {
    in.print(in.client().send(in.command().call(in).body(body)).json());
    return Exit.DONE;
  }
}
