package ee.tasker.testing;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/** Prints, once per JVM, how to repeat the order in which the methods of each test class run. */
public final class OrderSeed implements TestExecutionListener {
  private static final AtomicBoolean IS_PRINTED = new AtomicBoolean();

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    String seed = System.getProperty("junit.jupiter.execution.order.random.seed");
    if (seed != null && !IS_PRINTED.getAndSet(true)) {
      System.out.println("Order of the test methods: -Dtest.order.seed=" + seed);
    }
  }
}
