package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * The same in the transaction of the result: the effect is there exactly once, however many
 * attempts there were, and without a token.
 */
@ApplicationScoped
@Handles("testing.TransactionalEffect")
public class TransactionalEffect extends Effect {

  @Override
  public boolean isTransactional() {
    return true;
  }
}
