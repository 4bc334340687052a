package ee.tasker.platform;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.transaction.xa.XAException;

/** Tells faults that pass from statements that will never work. */
public final class DatabaseFaults {

  /** SQLSTATE of a write to a standby, or to a database that was made read-only: the connection leads to the wrong place. */
  public static final String READ_ONLY = "25006";

  private DatabaseFaults() {
  }

  /** True when PostgreSQL refused the data itself (class 22) or a check on it (class 23): the same call would fail again. */
  public static boolean isAboutTheData(Throwable fault) {
    String state = sqlState(fault);
    return state != null && isAboutTheData(state);
  }

  /** The same of an SQLSTATE. */
  public static boolean isAboutTheData(String state) {
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
  }

  /**
   * True when the database itself said no, so that nothing was committed. False for a lost connection, a server that shuts down, and
   * whatever has no SQLSTATE, as a commit that failed: it may have happened all the same.
   */
  public static boolean isRefusal(Throwable fault) {
    String state = sqlState(fault);
    return state != null && !state.startsWith("08") && !state.startsWith("57P") && !state.startsWith("58") && !state.startsWith("XX");
  }

  /** True when the connection leads to a standby or a primary that was demoted: nothing was written, and another connection may lead to the primary. */
  public static boolean isReadOnly(Throwable fault) {
    return READ_ONLY.equals(sqlState(fault));
  }

  /** True when the primary could not be reached, the pool had no connection to lend, or the primary went away before it said whether a commit happened. */
  public static boolean isUnreachable(Throwable fault) {
    String state = sqlState(fault);
    return state == null ? isUnconfirmedCommit(fault) || hasNoConnection(fault)
        : state.startsWith("08") || state.startsWith("57P") || READ_ONLY.equals(state);
  }

  /**
   * True when it is not this call that is at fault but the database that cannot be used by anyone here: it is away, takes no more
   * connections, or does not take the password or the name that the server comes with.
   */
  public static boolean isOutage(Throwable fault) {
    String state = sqlState(fault);
    return state == null ? hasNoConnection(fault)
        : state.startsWith("08") || state.startsWith("57P") || state.startsWith("28") || state.equals(READ_ONLY) || state.startsWith("3D")
            || state.equals("53300");
  }

  /** A pool with no connection to lend, because all are lent or none can be made, says so in the words of Jakarta Connectors, and not every server adds an SQLSTATE. */
  private static boolean hasNoConnection(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException || cause instanceof SQLTransientConnectionException) {
        return true;
      }
      for (Class<?> type = cause.getClass(); type != null; type = type.getSuperclass()) {
        // By its name: the classes of Jakarta Connectors are the server's, and not every server shows them to an application.
        if (type.getName().equals("jakarta.resource.ResourceException")) {
          return true;
        }
      }
    }
    return false;
  }

  /** True when a commit was asked for and nobody knows whether it happened: transaction managers say so in their own words, without an SQLSTATE. */
  public static boolean isUnconfirmedCommit(Throwable fault) {
    for (Throwable cause = fault; cause != null && sqlState(fault) == null; cause = cause.getCause()) {
      if (cause instanceof XAException || cause instanceof RollbackException || cause instanceof HeuristicMixedException
          || cause instanceof HeuristicRollbackException || cause instanceof SystemException) {
        return true;
      }
    }
    return false;
  }

  public static String sqlState(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getSQLState();
      }
    }
    return null;
  }

  /** The driver's own words. */
  public static String message(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return cause.getMessage();
      }
    }
    return fault.toString();
  }
}
