package ee.tasker.message;

import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.Set;

/** Sends notifications in its own transaction. */
@ApplicationScoped
class Notifications {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public void send(Set<String> kinds) {
    sql.run("notify_servers(cast(? as uuid), cast(? as text[]))", server.uuid(),
        SqlFunctions.arrayText(kinds));
  }
}
