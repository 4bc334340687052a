package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;

/**
 * The component's facade for retention policies. It purges nothing: housekeeping does. Thread-safe.
 */
@ApplicationScoped
@Transactional
public class Retention {
  private static final Log LOG = Log.of(Retention.class);

  @Inject
  private OperationGateway gateway;

  @Inject
  private ActingCaller caller;

  /** @return as {@code tasker.get_retention_document} */
  public JsonObject status() {
    return gateway.getRetentionDocument();
  }

  /** @return as {@code tasker.get_retention_preview}: what a purge would delete now */
  public JsonObject preview() {
    return gateway.getRetentionPreview();
  }

  /**
   * @param policy     namespace, template and state, each possibly null, and keep_days, null to
   *   keep forever
   * @param removed    whether to remove the policy of that scope instead
   * @param dryRun     report what the policy would purge, and change nothing
   * @return as {@code tasker.set_retention_policy}
   * @throws Problem 404 template-not-found or retention-policy-not-found
   */
  public JsonObject set(Policy policy, boolean removed, boolean dryRun, String by, String reason) {
    JsonObject reply = Refusals
        .check(gateway.setRetentionPolicy(policy, removed, dryRun, by, reason),
            () -> removed
                ? Problem.of(404, "retention-policy-not-found", "no such retention policy")
                : Operations.templateNotFound());
    if (!dryRun) {
      LOG.write(LogEvent.OPERATOR_ACTED, "action",
          removed ? "remove_retention_policy" : "set_retention_policy", "namespace",
          policy.namespace(),
          "template", policy.template(), "state", policy.state(), "keep_days", policy.keepDays(),
          "by", caller.actor(by), "claimed_actor", caller.claimedActor(by), "reason", reason);
    }
    return reply;
  }

  /** @param keepDays null to keep forever */
  public record Policy(String namespace, String template, String state, Integer keepDays) {
  }
}
