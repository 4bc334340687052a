package ee.tasker.samples;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Amounts in a currency with two decimals, rounded half up. */
public final class Money {
  public static final BigDecimal ZERO = cents(BigDecimal.ZERO);

  private Money() {
  }

  public static BigDecimal cents(BigDecimal amount) {
    return amount.setScale(2, RoundingMode.HALF_UP);
  }
}
