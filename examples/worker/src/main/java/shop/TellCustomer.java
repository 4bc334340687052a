package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** A mail system knows no keys: its step runs once or is left to an operator, as the template says. */
@ApplicationScoped
@Handles("shop.TellCustomer")
public class TellCustomer implements StepHandler {

  @Inject
  private Payments mails;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    mails.mail(Payments.nameOf(step.input()));
    return StepOutcome.success();
  }
}
