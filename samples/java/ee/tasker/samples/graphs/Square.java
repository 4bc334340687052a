package ee.tasker.samples.graphs;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigInteger;

/**
 * Squares the product of its operands: of one parent a square, of several a convergence. See {@link
 * Operands}.
 */
@ApplicationScoped
@Handles("graphs.Square")
public class Square implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    BigInteger product = Operands.of(step).stream().reduce(BigInteger.ONE, BigInteger::multiply);
    return Operands.result(product.multiply(product));
  }
}
