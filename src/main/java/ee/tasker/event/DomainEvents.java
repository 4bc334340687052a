package ee.tasker.event;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;

/**
 * Reads domain events: what results of steps mean to others, as their templates declare it. Each method is one transaction of its own. Thread-safe.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class DomainEvents {
  private static final int BATCH = 1_000;

  @Inject
  private EventGateway gateway;

  /** Gives committed events their places in the feed, which readers wait for; what another transaction is placing comes later. */
  public void sequence() {
    gateway.sequenceEvents(BATCH);
  }

  /**
   * A page of the feed in its order, as CloudEvents.
   *
   * @param after the position behind which it begins; 0 for the oldest
   */
  public JsonObject list(JsonObject filter, int limit, long after) {
    return gateway.listDomainEvents(filter, limit, after);
  }
}
