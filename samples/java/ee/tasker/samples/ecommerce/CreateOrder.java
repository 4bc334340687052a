package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.time.Clock;
import java.time.LocalDate;
import java.util.Locale;

/**
 * Stores the order once payment and stock are confirmed. Delivery is promised within seven days.
 */
@ApplicationScoped
@Handles("ecommerce.CreateOrder")
public class CreateOrder implements StepHandler {
  private static final int DELIVERY_DAYS = 7;
  private final Clock clock;

  public CreateOrder() {
    this(Clock.systemUTC());
  }

  public CreateOrder(Clock clock) {
    this.clock = clock;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    Fields cart = Fields.of("validate_cart", step.resultObject("validate_cart"));
    Fields payment = Fields.of("process_payment", step.resultObject("process_payment"));
    Fields inventory = Fields.of("update_inventory", step.resultObject("update_inventory"));
    JsonObjectBuilder order = Json.createObjectBuilder()
        .add("order_id", StableId.of("ORD-", 10, step.taskUuid()).toUpperCase(Locale.ROOT))
        .add("status", "confirmed")
        .add("total", cart.number("total"))
        .add("transaction_id", payment.text("transaction_id"))
        .add("reservation_count", inventory.array("reservations").size())
        .add("estimated_delivery", LocalDate.now(clock).plusDays(DELIVERY_DAYS).toString());
    step.input("shipping_address").ifPresent(address -> order.add("shipping_address", address));
    return StepOutcome.success(order.build());
  }
}
