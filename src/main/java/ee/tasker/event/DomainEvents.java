package ee.tasker.event;

import ee.tasker.handler.DomainEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.UUID;

/**
 * Reads domain events: what results of steps mean to others, as their templates declare it. Each
 * method is one transaction of its own. Thread-safe.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class DomainEvents {
  private static final int BATCH = 1_000;
  private static final String TOPIC = "topic";
  private static final int LEASE_SECONDS = 30;
  private static final int PAGE = 200;

  @Inject
  private EventGateway gateway;

  /**
   * Gives committed events their places in the feed, which readers wait for; what another
   * transaction is placing comes later.
   */
  public void sequence() {
    gateway.sequenceEvents(BATCH);
  }

  /**
   * Events for observers in servers.
   *
   * @param position where to read on
   * @param hasMore  whether more may be there already
   */
  record Observed(long position, boolean hasMore, List<DomainEvent> events) {
  }

  /**
   * The end of the feed.
   *
   * @param position that of the last event that has a place
   * @param bound    no event has ever had a later place, those that were deleted included
   */
  record End(long position, long bound) {
  }

  End end() {
    return gateway.getEndOfFeed();
  }

  /** The next events of delivery_mode fast or broadcast. */
  Observed observed(long after) {
    return gateway.getObservedEvents(BATCH, after);
  }

  /**
   * A part of the feed.
   *
   * @param position where to read on
   * @param hasMore  whether more may be there already
   */
  record Page(long position, boolean hasMore, List<JsonObject> events) {
  }

  /** The events behind a position, for streams. */
  Page page(JsonObject filter, int limit, long after) {
    return gateway.getPage(filter, limit, after);
  }

  /**
   * What a server has to send to the topic next.
   *
   * @param isClaimed whether this server sends at present
   * @param position  the position of the feed after it
   * @param failures  attempts in a row that have failed before
   */
  record Claimed(boolean isClaimed, long position, int failures, List<JsonObject> events) {
  }

  /** Takes or extends the lease of a server for the topic. */
  Claimed claimForTopic(UUID server) {
    return gateway.claimEventConsumer(TOPIC, server, LEASE_SECONDS, PAGE);
  }

  /**
   * @param failure why not everything was sent; null when it was
   * @return whether the server still has the lease
   */
  boolean sentToTopic(UUID server, long position, String failure) {
    return gateway.recordEventDelivery(TOPIC, server, position, failure);
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
