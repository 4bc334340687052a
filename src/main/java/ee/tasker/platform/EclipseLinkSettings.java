package ee.tasker.platform;

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
 * What EclipseLink is told in its own words.
 *
 * <p>It does not test the connection after a failed statement: inside a transaction that PostgreSQL has aborted, its test
 * fails too, and it would retry for seconds and hide the true SQLSTATE behind 25P02.
 *
 * <p>It gives its connection back after each call, and not at the end of the transaction. The pool keeps it for the
 * transaction, so the next call, and the caller's own JDBC, get the same one. Payara lends it again only when it has been
 * given back, and takes a second one from the pool otherwise: as many transactions as there are connections would each hold
 * one and wait for another.
 *
 * <p>It does without a connection at the start: Payara has it connect before any bean of the application is made, and would
 * not deploy an application whose database comes later.
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
      if (event.getSession() instanceof UnitOfWorkImpl unit && unit.getParent() instanceof ClientSession client) {
        client.releaseJTSConnection();
      }
    }
  }

  /** Takes it that there may be no connection yet, at the start and only then; the first call connects. */
  private static final class PatientConnector extends JNDIConnector {
    private static final long serialVersionUID = 1L;

    PatientConnector(DataSource dataSource) {
      super(dataSource);
    }

    @Override
    public Connection connect(Properties properties, Session session) {
      try {
        return super.connect(properties, session);
      } catch (DatabaseException absent) {
        if (session instanceof ServerSession server && !server.isLoggedIn()) {
          return null;
        }
        throw absent;
      }
    }
  }
}
