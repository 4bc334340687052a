package ee.tasker.insight;

import ee.tasker.platform.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;

/** Calls the functions of the database that tell how it is. */
@Dependent
class InsightGateway {
  @Inject
  private SqlFunctions sql;

  JsonObject getInstallationStatus() {
    return sql.object("get_installation_status()");
  }
}
