package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.Money;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.math.BigDecimal;
import java.util.List;

/**
 * Validates the items and prices the cart: 8 % tax on the subtotal, shipping 9.99 below a subtotal
 * of 100.00 and free from
 * there. Every failure is permanent, since the same cart would be rejected again.
 */
@ApplicationScoped
@Handles("ecommerce.ValidateCart")
public class ValidateCart implements StepHandler {
  private static final BigDecimal TAX_RATE = new BigDecimal("0.08");
  private static final BigDecimal SHIPPING = new BigDecimal("9.99");
  private static final BigDecimal FREE_SHIPPING_FROM = new BigDecimal("100.00");

  @Override
  public StepOutcome handle(StepContext step) {
    Fields context = Fields.of("context", step.input());
    String email = context.text("customer_email");
    List<Fields> items = context.objects("items");
    if (items.isEmpty()) {
      throw context.wrong("items", "is empty: there is nothing to order");
    }

    JsonArrayBuilder lines = Json.createArrayBuilder();
    BigDecimal subtotal = Money.ZERO;
    int itemCount = 0;
    for (Fields item : items) {
      JsonObject line = line(item);
      lines.add(line);
      subtotal = subtotal.add(line.getJsonNumber("line_total").bigDecimalValue());
      itemCount += line.getInt("quantity");
    }
    BigDecimal tax = Money.cents(subtotal.multiply(TAX_RATE));
    BigDecimal shipping = subtotal.compareTo(FREE_SHIPPING_FROM) >= 0 ? Money.ZERO : SHIPPING;

    return StepOutcome.success(Json.createObjectBuilder()
        .add("customer_email", email)
        .add("items", lines)
        .add("item_count", itemCount)
        .add("subtotal", subtotal)
        .add("tax", tax)
        .add("shipping", shipping)
        .add("total", subtotal.add(tax).add(shipping))
        .build());
  }

  private static JsonObject line(Fields item) {
    int quantity = item.integer("quantity");
    if (quantity < 1) {
      throw item.wrong("quantity", "must be at least 1, but is " + quantity);
    }
    BigDecimal unitPrice = item.number("unit_price");
    if (unitPrice.signum() <= 0) {
      throw item.wrong("unit_price", "must be more than 0, but is " + unitPrice);
    }
    return Json.createObjectBuilder()
        .add("sku", item.text("sku"))
        .add("name", item.text("name"))
        .add("quantity", quantity)
        .add("unit_price", unitPrice)
        .add("line_total", Money.cents(unitPrice.multiply(BigDecimal.valueOf(quantity))))
        .build();
  }
}
