package ee.tasker.event;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Reads events. Each method is one call in its own transaction. Thread-safe. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Events {

  @Inject
  private EventGateway gateway;

  /**
   * The result of one read.
   *
   * @param until   the position afterwards
   * @param bound   the oldest transaction that was running at that time
   * @param horizon the first transaction that had not begun
   */
  record Batch(long until, long bound, long horizon, List<Event.Move> moves) {
    boolean isBehind() {
      return until < bound;
    }
  }

  /** The current transaction bounds, without events. */
  Batch now() {
    return batch(gateway.getEvents(Position.BEGINNING, 0L, List.of(), null));
  }

  /**
   * @param limit     the last bound to read; null for as far as the database allows
   * @param taskUuids null for all tasks
   * @param span      the maximum number of transactions to read
   */
  Batch read(Position after, Long limit, Collection<UUID> taskUuids, Long span) {
    return batch(
        gateway.getEvents(after, after.isWithin() ? Long.valueOf(after.until()) : limit, taskUuids,
            after.isWithin() ? null : span));
  }

  private static Batch batch(JsonObject reply) {
    return new Batch(number(reply, "until"), number(reply, "bound"), number(reply, "horizon"),
        reply.getJsonArray("events").getValuesAs(JsonObject.class).stream().map(Event.Move::of)
            .toList());
  }

  private static long number(JsonObject reply, String member) {
    return reply.getJsonNumber(member).longValue();
  }

  /** @return the number of history ranges that were summarised */
  public int summarize() {
    return gateway.summarizeHistory();
  }
}
