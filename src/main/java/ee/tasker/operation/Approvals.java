package ee.tasker.operation;

import ee.tasker.document.Seals;
import ee.tasker.engine.reply.ActionReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.template.ContextSchema;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.UUID;

/**
 * The facade for approvals: users decide what a step waits for. Validates the values of a decision
 * against the form in the template; the SQL
 * functions decide everything else. All actions throw 404 approval-not-found where the caller may
 * not see the approval, 403 four-eyes and
 * not-a-candidate, and 409 approval-taken, approval-decided and approval-ended. Thread-safe.
 */
@ApplicationScoped
@Transactional
public class Approvals {
  @Inject
  private ApprovalGateway gateway;

  @Inject
  private Seals seals;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * A page: {@code {approvals, next}}.
   *
   * @param filter as {@code tasker.list_approvals} expects it
   * @param after  null for the first page, otherwise {@code next} of the previous page
   */
  public JsonObject list(JsonObject filter, Approver by, int limit, String after) {
    return gateway.listApprovals(filter, by, limit, after);
  }

  /** @throws Problem 404 approval-not-found */
  public JsonObject describe(UUID approval, Approver by) {
    return find(approval, by).orElseThrow(() -> notFound(approval));
  }

  private Optional<JsonObject> find(UUID approval, Approver by) {
    return gateway.getApprovalDocument(approval, by) instanceof JsonObject document
        ? Optional.of(document) : Optional.empty();
  }

  /** @return {@code {outcome, approval}}; outcome is done or unchanged */
  public JsonObject claim(UUID approval, Approver by) {
    return done(approval, gateway.claimApproval(approval, by));
  }

  /** @return {@code {outcome, approval}}; outcome is done or unchanged */
  public JsonObject unclaim(UUID approval, Approver by) {
    return done(approval, gateway.unclaimApproval(approval, by));
  }

  /**
   * @param to   the name of a user
   * @param note null when there is none
   * @return {@code {outcome, approval}}; outcome is done or unchanged
   */
  public JsonObject delegate(UUID approval, Approver by, String to, String note) {
    return done(approval, gateway.delegateApproval(approval, by, to, note));
  }

  /**
   * @param values  null when there are none, as for a rejection
   * @param comment null when there is none
   * @return {@code {outcome, approval}}; outcome is done, or duplicate when the caller had decided
   *   the same before
   * @throws Problem 400 invalid-values when the values violate the form; 422 not-validated; 413
   *   payload-too-large
   */
  public JsonObject decide(UUID approval, Approver by, boolean approved, JsonObject values,
      String comment) {
    JsonObject document = describe(approval, by);
    if ("open".equals(document.getString("state"))
        && document.get("form") instanceof JsonObject form && (approved || values != null)) {
      JsonObject accepted = ContextSchema.compile(form.toString())
          .accept(values == null ? JsonValue.EMPTY_JSON_OBJECT : values, seals,
              document.getString("namespace"), "values",
              () -> Problem.of(400, "invalid-values", "the values do not fit the form"))
          .asJsonObject();
      return done(approval, gateway.decideApproval(approval, by, approved,
          values == null ? null : accepted, comment));
    }
    return done(approval, gateway.decideApproval(approval, by, approved, values, comment));
  }

  private JsonObject done(UUID approval, JsonObject reply) {
    Refusals.check(reply, () -> notFound(approval));
    ActionReply moved = ActionReply.of(reply);
    afterCommit.run(() -> {
      workNotifier.acted(moved);
      // A step may wait for the next thing now, of which an orchestrator has to know the time.
      workNotifier.orchestrationQueued();
    });
    return Json.build().createObjectBuilder().add("outcome", Refusals.outcome(reply))
        .add("approval", reply.get("approval")).build();
  }

  public static Problem notFound(UUID approval) {
    return Problem.of(404, "approval-not-found", "there is no approval " + approval);
  }
}
