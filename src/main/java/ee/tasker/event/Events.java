package ee.tasker.event;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Reads what happened. Each method is one call and one transaction of its own. Thread-safe. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Events {

  @Inject
  private EventGateway gateway;

  /**
   * What was read in one go.
   *
   * @param until   the position afterwards
   * @param bound   the oldest transaction that ran at that time
   * @param horizon the first that had not begun
   */
  record Batch(long until, long bound, long horizon, List<Event.Move> moves) {
    boolean isBehind() {
      return until < bound;
    }
  }

  /** No events, and how far transactions are at this moment. */
  Batch now() {
    return batch(gateway.getEvents(Position.BEGINNING, 0L, List.of(), null));
  }

  /**
   * @param limit     how far at most, as a bound; null for as far as the database lets us
   * @param taskUuids null for all tasks
   * @param span      how many transactions at most
   */
  Batch read(Position after, Long limit, Collection<UUID> taskUuids, Long span) {
    return batch(
        gateway.getEvents(after, after.isWithin() ? Long.valueOf(after.until()) : limit, taskUuids, after.isWithin() ? null : span));
  }

  private static Batch batch(JsonObject reply) {
    return new Batch(number(reply, "until"), number(reply, "bound"), number(reply, "horizon"),
        reply.getJsonArray("events").getValuesAs(JsonObject.class).stream().map(Event.Move::of).toList());
  }

  private static long number(JsonObject reply, String member) {
    return reply.getJsonNumber(member).longValue();
  }

  /** @return how many ranges of history were summarised */
  public int summarize() {
    return gateway.summarizeHistory();
  }
}
