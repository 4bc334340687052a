package ee.tasker.platform.sql;

import java.sql.Connection;
import java.util.Properties;
import javax.sql.DataSource;
import org.eclipse.persistence.config.SessionCustomizer;
import org.eclipse.persistence.exceptions.DatabaseException;
import org.eclipse.persistence.internal.sessions.UnitOfWorkImpl;
import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.DatasourceLogin;
import org.eclipse.persistence.sessions.JNDIConnector;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionEvent;
import org.eclipse.persistence.sessions.SessionEventAdapter;
import org.eclipse.persistence.sessions.server.ClientSession;
import org.eclipse.persistence.sessions.server.ConnectionPool;
import org.eclipse.persistence.sessions.server.ServerSession;

/**
 * EclipseLink settings.
 *
 * <p>No connection test after a failed statement: in a transaction that PostgreSQL has aborted, the
 * test fails as well, and
 * EclipseLink would retry for seconds and hide the true SQLSTATE behind 25P02.
 *
 * <p>The connection is returned after each call, not at the end of the transaction. The pool
 * reserves it for the
 * transaction, so the next call, and the caller's own JDBC, get the same one. Payara hands it out
 * again only after its
 * return and takes a second one from the pool otherwise: with as many transactions as connections,
 * each would hold one and
 * wait for another.
 *
 * <p>No connection at startup: Payara initialises EclipseLink before any bean of the application,
 * and would not deploy the
 * application while the database is away.
 */
public class EclipseLinkSettings implements SessionCustomizer {
  @Override
  public void customize(Session session) {
    ((DatabaseLogin) session.getDatasourceLogin()).setConnectionHealthValidatedOnError(false);
    ServerSession server = (ServerSession) session;
    bePatient(server.getReadConnectionPool());
    server.getConnectionPools().values().forEach(EclipseLinkSettings::bePatient);
    session.getEventManager().addListener(new GivingBack());
  }

  private static void bePatient(ConnectionPool pool) {
    DatasourceLogin login = (DatasourceLogin) pool.getLogin();
    if (login.getConnector() instanceof JNDIConnector connector && connector.getDataSource() != null
        && !(connector instanceof PatientConnector)) {
      login.setConnector(new PatientConnector(connector.getDataSource()));
    }
  }

  private static final class GivingBack extends SessionEventAdapter {
    @Override
    public void postExecuteQuery(SessionEvent event) {
      if (event.getSession() instanceof UnitOfWorkImpl unit
          && unit.getParent() instanceof ClientSession client) {
        client.releaseJTSConnection();
      }
    }
  }

  /**
   * Tolerates a missing connection, at startup only; the first call connects. What a call waits for
   * its connection is measured.
   */
  private static final class PatientConnector extends JNDIConnector {
    private static final long serialVersionUID = 1L;

    PatientConnector(DataSource dataSource) {
      super(dataSource);
    }

    @Override
    public Connection connect(Properties properties, Session session) {
      try {
        return ConnectionWaits.timed(() -> super.connect(properties, session));
      } catch (DatabaseException absent) {
        if (session instanceof ServerSession server && !server.isLoggedIn()) {
          return null;
        }
        throw absent;
      }
    }
  }
}
