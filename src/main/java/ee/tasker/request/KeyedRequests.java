package ee.tasker.request;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The component's facade. Thread-safe. */
@ApplicationScoped
public class KeyedRequests {
  /** How long a request waits for a concurrent request with the same key. */
  private static final int WAIT_MS = 5_000;

  @Inject
  private RequestGateway gateway;

  @Inject
  private Settings settings;

  /**
   * Executes a request and stores its response, in one transaction that {@code effect} joins; or
   * returns the stored
   * response. When {@code effect} throws, nothing is changed or stored, and the key can be used
   * again.
   *
   * @throws Problem 422 idempotency-key-reused when the key was used for another request, 409
   *   request-in-progress while a
   *     request with the same key is still running
   */
  @Transactional(rollbackOn = Exception.class)
  public IdempotentResponse once(KeyedRequest request, Callable<IdempotentResponse> effect)
      throws Exception {
    KeyClaim claim = gateway.claimIdempotencyKey(request,
        settings.idempotencyRetention().toSeconds(), WAIT_MS);
    if (claim instanceof KeyClaim.Replay replay) {
      return replay.response();
    }
    if (claim instanceof KeyClaim.OtherRequest) {
      throw new Problem(422, "idempotency-key-reused",
          "the Idempotency-Key was used for another request; a new request needs a new key",
          List.of(), Map.of());
    }
    if (claim instanceof KeyClaim.Busy) {
      throw new Problem(409, "request-in-progress",
          "a request with the same Idempotency-Key is still being answered; try again in a while",
          List.of(), Map.of("retry_after_seconds", 1));
    }
    IdempotentResponse answer = effect.call();
    gateway.saveIdempotentResponse(request, answer);
    return answer;
  }

  /** @return how many keys were purged, at most {@code limit} */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public int purge(int limit) {
    return gateway.purgeIdempotencyKeys(settings.idempotencyRetention().toSeconds(), limit);
  }
}
