package ee.tasker.platform;

import org.eclipse.persistence.config.SessionCustomizer;
import org.eclipse.persistence.internal.sessions.UnitOfWorkImpl;
import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionEvent;
import org.eclipse.persistence.sessions.SessionEventAdapter;
import org.eclipse.persistence.sessions.server.ClientSession;

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
 */
public class EclipseLinkSettings implements SessionCustomizer {
  @Override
  public void customize(Session session) {
    ((DatabaseLogin) session.getDatasourceLogin()).setConnectionHealthValidatedOnError(false);
    session.getEventManager().addListener(new GivingBack());
  }

  private static final class GivingBack extends SessionEventAdapter {
    @Override
    public void postExecuteQuery(SessionEvent event) {
      if (event.getSession() instanceof UnitOfWorkImpl unit && unit.getParent() instanceof ClientSession client) {
        client.releaseJTSConnection();
      }
    }
  }
}
