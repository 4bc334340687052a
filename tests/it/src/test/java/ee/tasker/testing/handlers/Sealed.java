package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;

/**
 * Sees the account of the context, of the results before it, of the signals and of its checkpoint,
 * and says of each how long it is: only an open one has letters. Fails with the account in its
 * message if its configuration says so.
 */
@ApplicationScoped
@Handles("testing.Sealed")
public class Sealed implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    String account = step.input().getString("iban");
    if (step.config().containsKey("fails")) {
      throw new IllegalArgumentException("no money on " + account);
    }
    if (step.checkpoint().isEmpty()) {
      step.checkpoint(Json.createObjectBuilder().add("account", account).build());
      return StepOutcome.retryable("Again", "seen " + account);
    }
    JsonObjectBuilder lengths = Json.createObjectBuilder()
        .add("iban", account).add("context", account.length())
        .add("checkpoint", length(step.checkpoint().get(), "account"));
    step.signals().forEach(signal -> lengths.add("signal", length(signal.get("payload"), "tan")));
    step.result("check").ifPresent(result -> lengths.add("result", length(result, "iban")));
    return StepOutcome.success(lengths.build());
  }

  private static int length(JsonValue document, String member) {
    return ((JsonObject) document).get(member) instanceof JsonString text
        ? text.getString().length() : -1;
  }
}
