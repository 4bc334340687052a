package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.UUID;

/** The component's door for looking at concurrency policies and changing their limits at run time. Thread-safe. */
@ApplicationScoped
@Transactional
public class ConcurrencyPolicies {
  private static final Log LOG = Log.of(ConcurrencyPolicies.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private ActingCaller caller;

  /** @param filter as {@code tasker.list_concurrency_policies} takes it @param entries how many holders and waiters to show of each */
  public JsonArray list(JsonObject filter, int entries) {
    return gateway.listConcurrencyPolicies(filter, entries);
  }

  /**
   * Those who may start now are let in, in this transaction; the database tells the servers of them.
   *
   * @param limit null goes back to the template's; 0 lets nothing start
   * @return the policy as it is afterwards
   * @throws Problem 404 concurrency-policy-not-found
   */
  public JsonObject setLimit(UUID policy, Integer limit, String by, String reason) {
    JsonObject reply = Refusals.check(gateway.setConcurrencyLimit(policy, limit, by), () -> notFound(policy));
    LOG.write(LogEvent.OPERATOR_ACTED, "action", "set_concurrency_limit", "policy", policy, "namespace", reply.getString("namespace"),
        "template", reply.getString("name"), "limit", limit, "by", caller.actor(by), "claimed_actor", caller.claimedActor(by), "reason",
        reason);
    return reply;
  }

  public static Problem notFound(UUID policy) {
    return Problem.of(404, "concurrency-policy-not-found", "there is no concurrency policy " + policy);
  }
}
