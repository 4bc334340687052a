package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Whether the datasource goes through a pooler in a way in which calls fail: one that runs each
 * transaction in another session, while the driver prepares statements. Asked before this server
 * takes up work, because nearly every call would fail and another try would not help.
 */
@ApplicationScoped
public class PoolerCheck {
  static final String LOST_STATEMENTS = "prepared statements are lost between transactions, so the "
      + "datasource goes through a pooler in transaction mode: set DB_PREPARE_THRESHOLD=0, or the "
      + "pooler's pool_mode to session";
  static final String NO_TRANSACTIONS = "the datasource goes through a pooler in statement mode, "
      + "which has no transactions: set the pooler's pool_mode to transaction or session";

  private static final Log LOG = Log.of(PoolerCheck.class);

  private volatile String problem;

  /** What calls fail of, as seen at the last check; empty if they do not. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** @throws StartSequence.NoDatabase when calls would fail of it, or nothing answers */
  void expectFitting(DataSource dataSource) {
    try {
      Optional<String> found = check(dataSource);
      if (found.isPresent()) {
        throw new StartSequence.UnusableDatabase(found.get());
      }
    } catch (SQLException e) {
      throw new StartSequence.NoDatabase(e);
    }
  }

  /**
   * Logs a problem once, however often it is found.
   *
   * @return what {@link #problem} says from now on
   */
  Optional<String> check(DataSource dataSource) throws SQLException {
    String before = problem;
    problem = find(dataSource);
    if (problem != null && before == null) {
      LOG.write(LogEvent.POOLER_UNUSABLE, "problem", problem);
    }
    return problem();
  }

  private static String find(DataSource dataSource) throws SQLException {
    try (Connection one = dataSource.getConnection();
        Connection other = dataSource.getConnection()) {
      return ServerSessions.areShared(one, other) && ServerSessions.loseStatements(one, other)
          ? LOST_STATEMENTS : null;
    } catch (SQLException e) {
      if (ServerSessions.isLostStatement(e)) {
        return LOST_STATEMENTS;
      }
      if (DatabaseFaults.message(e).contains("statement pooling")) {
        return NO_TRANSACTIONS;
      }
      throw e;
    }
  }
}
