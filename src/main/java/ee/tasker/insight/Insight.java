package ee.tasker.insight;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;

/** The component's door. Only reads. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Insight {
  @Inject
  private InsightGateway gateway;

  /** @return as {@code tasker.get_installation_status}: the schema's version and how many servers are alive */
  public JsonObject installationStatus() {
    return gateway.getInstallationStatus();
  }
}
