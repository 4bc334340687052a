package ee.tasker.webhook;

import java.util.List;
import java.util.UUID;

/**
 * A delivery that this server has claimed.
 *
 * @param claim   of which the result is reported
 * @param attempt from 1
 * @param eventId stays the same over all attempts, servers and replays
 * @param seconds the time of the attempt, since 1970, by the clock of the database
 * @param body    the CloudEvent
 */
record Delivery(UUID uuid, int claim, UUID webhook, String url, List<String> secrets,
    int timeoutSeconds, int attempt, UUID eventId, long seconds, String body) {
  Delivery {
    secrets = List.copyOf(secrets);
  }

  @Override
  public String toString() {
    return "Delivery[" + uuid + " of webhook " + webhook + "]";
  }

  /**
   * What became of it.
   *
   * @param status            null without an answer
   * @param failure           why there is no answer; null when there is one
   * @param response          the beginning of the body of the answer
   * @param retryAfterSeconds null when the receiver does not say
   * @param isReleased        whether it was not sent at all, for a reason of this server
   */
  record Result(Delivery delivery, Integer status, String failure, String response,
      Long retryAfterSeconds, long durationMs, boolean isReleased) {
    static Result released(Delivery delivery) {
      return new Result(delivery, null, null, null, null, 0, true);
    }

    static Result failed(Delivery delivery, String failure, long durationMs) {
      return new Result(delivery, null, failure, null, null, durationMs, false);
    }
  }

  /**
   * Deliveries that this server has claimed.
   *
   * @param hasMore     whether there may be more right now
   * @param nextDueInMs until the next delivery that waits is due; null for none
   */
  record Claimed(List<Delivery> deliveries, boolean hasMore, Long nextDueInMs) {
  }
}
