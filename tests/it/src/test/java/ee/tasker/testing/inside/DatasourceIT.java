package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ee.tasker.testing.Deployments;
import java.sql.Connection;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs inside the server. */
@ExtendWith(ArquillianExtension.class)
class DatasourceIT {

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(DatasourceIT.class);
  }

  @Test
  void datasource_reads_committed_data_as_tasker() throws Exception {
    try (var connection = datasource().getConnection();
        var rows = connection.createStatement().executeQuery("select current_user")) {
      rows.next();

      assertEquals("tasker", rows.getString(1));
      assertEquals(Connection.TRANSACTION_READ_COMMITTED, connection.getTransactionIsolation());
    }
  }

  /** The one way that all servers understand without a descriptor of their own. */
  private static DataSource datasource() throws Exception {
    return InitialContext.doLookup("jdbc/tasker");
  }
}
