package ee.tasker.platform;

import org.eclipse.persistence.config.SessionCustomizer;
import org.eclipse.persistence.sessions.DatabaseLogin;
import org.eclipse.persistence.sessions.Session;

/**
 * Keeps EclipseLink from testing the connection after a failed statement: inside a transaction that PostgreSQL has
 * aborted, its test fails too, and it would retry for seconds and hide the true SQLSTATE behind 25P02.
 */
public class HonestErrors implements SessionCustomizer {
  @Override
  public void customize(Session session) {
    ((DatabaseLogin) session.getDatasourceLogin()).setConnectionHealthValidatedOnError(false);
  }
}
