package ee.tasker.samples.microservices;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.util.Locale;
import java.util.Set;

/**
 * Creates the account. The user name is the local part of the email address; some names are
 * reserved.
 */
@ApplicationScoped
@Handles("microservices.CreateUserAccount")
public class CreateUserAccount implements StepHandler {
  private static final Set<String> RESERVED = Set.of("admin", "root", "system", "support", "test");

  @Override
  public StepOutcome handle(StepContext step) {
    Fields context = Fields.of("context", step.input());
    String email = context.text("email").toLowerCase(Locale.ROOT);
    int at = email.indexOf('@');
    if (at < 1 || at == email.length() - 1) {
      throw context.wrong("email",
          "must be an address with a name, @ and a domain, but is " + email);
    }
    String fullName = context.text("full_name");
    if (fullName.codePointCount(0, fullName.length()) < 2) {
      throw context.wrong("full_name", "must have at least 2 characters");
    }
    String username = email.substring(0, at);
    if (RESERVED.contains(username)) {
      return StepOutcome.permanent("ReservedUsername",
          "the user name " + username + " is reserved");
    }
    JsonObjectBuilder account = Json.createObjectBuilder()
        .add("user_id", StableId.of("user_", 12, step.taskUuid()))
        .add("username", username)
        .add("email", email)
        .add("full_name", fullName)
        .add("plan", Plan.of(context).word())
        .add("source", context.optionalText("source").orElse("web"))
        .add("status", "pending");
    context.optionalText("phone").ifPresent(phone -> account.add("phone", phone));
    return StepOutcome.success(account.build());
  }
}
