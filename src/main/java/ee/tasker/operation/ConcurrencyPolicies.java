package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.UUID;

/**
 * The component's facade for reading concurrency policies and changing their limits at run time.
 * Thread-safe.
 */
@ApplicationScoped
@Transactional
public class ConcurrencyPolicies {
  private static final Log LOG = Log.of(ConcurrencyPolicies.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private ActingCaller caller;

  /**
   * @param filter as {@code tasker.list_concurrency_policies} expects it
   * @param entries how many holders and waiters to return per policy
   */
  public JsonArray list(JsonObject filter, int entries) {
    return gateway.listConcurrencyPolicies(filter, entries);
  }

  /**
   * Admits the waiters that may now start, in this transaction; the database notifies the servers.
   *
   * @param limit null restores the template's limit; 0 admits nothing
   * @return the policy after the change
   * @throws Problem 404 concurrency-policy-not-found
   */
  public JsonObject setLimit(UUID policy, Integer limit, String by, String reason) {
    JsonObject reply = Refusals.check(gateway.setConcurrencyLimit(policy, limit, by),
        () -> notFound(policy));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "set_concurrency_limit", "policy", policy,
        "namespace", reply.getString("namespace"),
        "template", reply.getString("name"), "limit", limit, "by", caller.actor(by),
        "claimed_actor", caller.claimedActor(by), "reason", reason);
    return reply;
  }

  public static Problem notFound(UUID policy) {
    return Problem.of(404, "concurrency-policy-not-found",
        "there is no concurrency policy " + policy);
  }
}
