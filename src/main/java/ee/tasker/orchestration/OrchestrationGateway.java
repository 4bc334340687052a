package ee.tasker.orchestration;

import ee.tasker.platform.ServerIdentity;
import ee.tasker.platform.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

/** Calls the orchestrator's functions of the database. */
@Dependent
class OrchestrationGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  JsonObject advanceDueTasks(int limit, int claimLimit, long leaseSeconds) {
    return sql.object("advance_due_tasks(cast(? as uuid), ?, ?, cast(? as int))", server.uuid(), limit, claimLimit, leaseSeconds);
  }

  JsonObject processStepResults(int limit, int claimLimit, long leaseSeconds) {
    return sql.object("process_step_results(cast(? as uuid), ?, ?, cast(? as int))", server.uuid(), limit, claimLimit, leaseSeconds);
  }

  JsonArray makeHistoryPartitions() {
    return sql.array("make_history_partitions()");
  }
}
