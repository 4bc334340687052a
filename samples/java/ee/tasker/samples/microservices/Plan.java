package ee.tasker.samples.microservices;

import ee.tasker.samples.Fields;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;

/** What a user can subscribe to. */
enum Plan {
  STARTER("0.00", 0, 1000),
  PROFESSIONAL("29.99", 14, 50000),
  ENTERPRISE("99.99", 30, -1);

  final BigDecimal monthlyPrice;
  final int trialDays;
  /** Calls a month; −1 is without limit. */
  final int apiCallLimit;

  Plan(String monthlyPrice, int trialDays, int apiCallLimit) {
    this.monthlyPrice = new BigDecimal(monthlyPrice);
    this.trialDays = trialDays;
    this.apiCallLimit = apiCallLimit;
  }

  /** Starter when the object names none. */
  static Plan of(Fields fields) {
    String word = fields.optionalText("plan").orElse(STARTER.word());
    return Arrays.stream(values())
        .filter(plan -> plan.word().equals(word))
        .findFirst()
        .orElseThrow(() -> fields.wrong("plan",
            "must be starter, professional or enterprise, but is " + word));
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
