package ee.tasker.platform.sql;

import ee.tasker.platform.SqlState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Finds out by what happens, and not by names, whether a pooler between this server and PostgreSQL
 * gives each connection a session of its own, or lends one session to several connections, a
 * transaction each.
 */
public final class ServerSessions {
  /** A busy pooler may lend the session to others in between. */
  private static final int ROUNDS = 10;

  /** More than any threshold from which on a driver prepares a statement, unless it is unusual. */
  private static final int EXECUTIONS = 12;

  private static final String WHO = "select pg_backend_pid()";
  private static final String NO_SUCH_STATEMENT = "26000";
  private static final String SAME_STATEMENT = "42P05";

  private ServerSessions() {
  }

  /**
   * Whether transactions of the two connections are run by one session. Neither is in a transaction
   * before and after.
   */
  public static boolean areShared(Connection one, Connection other) throws SQLException {
    int first = session(one);
    for (int round = 0; round < ROUNDS; round++) {
      // Idle between two transactions: a pooler may lend its session to the other one.
      if (sessionInTransaction(other) == first || session(one) != first) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a statement that the driver has prepared is unknown to the next transaction, because
   * another session runs it. False too where statements are never prepared, or where the pooler
   * prepares them anew.
   */
  public static boolean loseStatements(Connection one, Connection other) throws SQLException {
    try (PreparedStatement who = one.prepareStatement(WHO)) {
      for (int i = 0; i < EXECUTIONS; i++) {
        session(who);
      }
      for (int round = 0; round < ROUNDS; round++) {
        int before = session(who);
        run(other, "begin");
        try {
          // Does the other one now hold the session in which the statement was prepared?
          if (session(other) == before) {
            return isUnknownInATransaction(one, who);
          }
        } finally {
          run(other, "rollback");
        }
      }
      return false;
    } catch (SQLException e) {
      if (isLostStatement(e)) {
        return true;
      }
      throw e;
    }
  }

  /** Outside of a transaction the driver would prepare it again and hide the loss. */
  private static boolean isUnknownInATransaction(Connection one, PreparedStatement who)
      throws SQLException {
    run(one, "begin");
    try {
      session(who);
      return false;
    } catch (SQLException e) {
      if (isLostStatement(e)) {
        return true;
      }
      throw e;
    } finally {
      run(one, "rollback");
    }
  }

  /** Whether a call failed because a prepared statement was unknown, or known already. */
  public static boolean isLostStatement(Throwable fault) {
    String state = SqlState.of(fault);
    return NO_SUCH_STATEMENT.equals(state) || SAME_STATEMENT.equals(state);
  }

  private static int sessionInTransaction(Connection connection) throws SQLException {
    // As text: a pooler may refuse it and close the connection, and an application server that has
    // begun a transaction would then fail to end it.
    run(connection, "begin");
    int session = session(connection);
    run(connection, "rollback");
    return session;
  }

  private static void run(Connection connection, String command) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  /** The process of PostgreSQL that runs this connection's statements now. */
  public static int session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(WHO)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static int session(PreparedStatement who) throws SQLException {
    try (ResultSet row = who.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }
}
