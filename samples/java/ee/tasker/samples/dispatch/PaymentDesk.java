package ee.tasker.samples.dispatch;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Four steps of one template, one class. {@code handler.method} can name each public method that
 * takes a
 * {@link StepContext} and returns a {@link StepOutcome}; without it, {@link #handle} is called.
 */
@ApplicationScoped
@Handles("dispatch.PaymentDesk")
public class PaymentDesk implements StepHandler {

  /** The default method. */
  @Override
  public StepOutcome handle(StepContext step) {
    return called("call", step);
  }

  public StepOutcome validate(StepContext step) {
    if (Fields.of("context", step.input()).number("amount").signum() <= 0) {
      return StepOutcome.permanent("ValidationError", "amount must be more than 0");
    }
    return called("validate", step);
  }

  public StepOutcome process(StepContext step) {
    return called("process", step);
  }

  public StepOutcome refund(StepContext step) {
    return called("refund", step);
  }

  private static StepOutcome called(String method, StepContext step) {
    return StepOutcome.success(Json.createObjectBuilder()
        .add("invoked_method", method)
        .add("amount", Fields.of("context", step.input()).number("amount"))
        .build());
  }
}
