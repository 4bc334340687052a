package ee.tasker.testing.handlers;

import ee.tasker.handler.StepContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The ledger for handlers that run in a transaction: what it writes stays, whether or not that
 * commits.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.NOT_SUPPORTED)
public class Witness {
  @Inject
  private Ledger ledger;

  public void saw(StepContext step, String effect) throws SQLException {
    ledger.write(step, effect);
  }

  public boolean isReleased(UUID task) throws SQLException {
    return ledger.isReleased(task);
  }
}
