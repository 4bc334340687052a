package ee.tasker.operation;

import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.UUID;

/** Calls the SQL functions for approvals. */
@Dependent
class ApprovalGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  JsonObject listApprovals(JsonObject filter, Approver by, int limit, String after) {
    return sql.answer("list_approvals(cast(? as jsonb), ?, cast(? as jsonb), ?, cast(? as text))",
        filter, by.name(), by.rights(), limit, after).asJsonObject();
  }

  /** @return JSON null when there is none, or the caller may not see it */
  JsonValue getApprovalDocument(UUID approval, Approver by) {
    return sql.json("get_approval_document(cast(? as uuid), ?, cast(? as jsonb))", approval,
        by.name(), by.rights());
  }

  private void beginAction(Approver by) {
    sql.run("begin_action(cast(? as text))", by.name());
  }

  JsonObject claimApproval(UUID approval, Approver by) {
    beginAction(by);
    return sql.object("claim_approval(cast(? as uuid), ?, cast(? as jsonb), cast(? as uuid))",
        approval, by.name(), by.rights(), server.uuid());
  }

  JsonObject unclaimApproval(UUID approval, Approver by) {
    beginAction(by);
    return sql.object("unclaim_approval(cast(? as uuid), ?, cast(? as jsonb), cast(? as uuid))",
        approval, by.name(), by.rights(), server.uuid());
  }

  JsonObject delegateApproval(UUID approval, Approver by, String to, String note) {
    beginAction(by);
    return sql.object(
        "delegate_approval(cast(? as uuid), ?, ?, cast(? as text), cast(? as jsonb), cast(? as uuid))",
        approval, by.name(), to, note, by.rights(), server.uuid());
  }

  /** The values have been validated. */
  JsonObject decideApproval(UUID approval, Approver by, boolean approved, JsonObject values,
      String comment) {
    beginAction(by);
    return sql.object(
        "decide_approval(cast(? as uuid), ?, ?, cast(cast(? as text) as jsonb), cast(? as text), true, cast(? as jsonb), cast(? as uuid))",
        approval, by.name(), approved, values, comment,
        by.rights(), server.uuid());
  }
}
