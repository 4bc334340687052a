package ee.tasker.platform;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import javax.transaction.xa.XAException;

/** Distinguishes transient database faults from statements that can never succeed. */
public final class DatabaseFaults {

  /**
   * SQLSTATE of a write to a standby, or to a database that was made read-only: the connection
   * leads to the wrong server.
   */
  public static final String READ_ONLY = "25006";

  /**
   * Classes of SQLSTATE that come from the connection, the transaction or the server: the list of
   * {@code
   * tasker.is_transient_error}, and a test compares the two.
   */
  private static final Set<String> TRANSIENT = Set.of("08", "25", "28", "3D", "40", "53", "55",
      "57", "58");

  private static final String DISK_FULL = "53100";
  private static final String TOO_MANY_CONNECTIONS = "53300";

  private DatabaseFaults() {
  }

  /**
   * True when the same call may succeed later: the database is away, out of connections, disk or
   * memory, or it ended the
   * statement because of its time, a lock or another transaction. Neither the call nor its data are
   * to blame.
   */
  public static boolean isTransient(Throwable fault) {
    String state = SqlState.of(fault);
    return state == null ? hasNoConnection(fault) : isTransient(state);
  }

  /** The same check for an SQLSTATE. */
  public static boolean isTransient(String state) {
    return state.length() >= 2 && TRANSIENT.contains(state.substring(0, 2));
  }

  /**
   * True when PostgreSQL refused the data itself (class 22) or a check on it (class 23): the same
   * call would fail again.
   */
  public static boolean isAboutTheData(Throwable fault) {
    String state = SqlState.of(fault);
    return state != null && isAboutTheData(state);
  }

  /** The same check for an SQLSTATE. */
  public static boolean isAboutTheData(String state) {
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
  }

  /**
   * True when the database gave the call up, because it took too long or too much memory, or waited
   * too long for a lock: the other calls go on, and the same
   * call with other data would have succeeded. Nothing was committed.
   */
  public static boolean isAboutTheCall(Throwable fault) {
    return isTooExpensive(fault) || isLocked(fault);
  }

  /** True when the call was cancelled, or took more memory than there is. */
  public static boolean isTooExpensive(Throwable fault) {
    String state = SqlState.of(fault);
    return state != null
        && (state.equals("57014") || state.equals("53200") || state.equals("53400"));
  }

  /**
   * True when there is no such function, or none with these arguments: the database has another
   * version than the caller expects.
   */
  public static boolean isAboutTheVersion(Throwable fault) {
    return "42883".equals(SqlState.of(fault));
  }

  /** True when the call waited for a lock for longer than it may. */
  public static boolean isLocked(Throwable fault) {
    return "55P03".equals(SqlState.of(fault));
  }

  /**
   * True when the database itself refused, so that nothing was committed. False for a lost
   * connection, a server shutdown,
   * and any fault without an SQLSTATE, such as a failed commit: the transaction may have been
   * committed.
   */
  public static boolean isRefusal(Throwable fault) {
    String state = SqlState.of(fault);
    return state != null && !state.startsWith("08") && !state.startsWith("57P")
        && !state.startsWith("58") && !state.startsWith("XX");
  }

  /**
   * True when the connection leads to a standby or a demoted primary: nothing was written, and
   * another connection may lead
   * to the primary.
   */
  public static boolean isReadOnly(Throwable fault) {
    return READ_ONLY.equals(SqlState.of(fault));
  }

  /**
   * True when the primary could not be reached, the pool had no free connection, or the primary
   * disconnected before it
   * confirmed a commit.
   */
  public static boolean isUnreachable(Throwable fault) {
    String state = SqlState.of(fault);
    return state == null ? isUnconfirmedCommit(fault) || hasNoConnection(fault)
        : state.startsWith("08") || state.startsWith("57P") || READ_ONLY.equals(state);
  }

  /**
   * True when the database cannot be used by any call, or by none that writes: it is away, accepts
   * no more connections,
   * rejects the server's user or password, or its disk is full. Each of these is {@linkplain
   * #isTransient transient}.
   */
  public static boolean isOutage(Throwable fault) {
    String state = SqlState.of(fault);
    return state == null ? hasNoConnection(fault)
        : state.startsWith("08") || state.startsWith("57P") || isLoginRefused(fault)
            || state.equals(READ_ONLY)
            || state.equals(TOO_MANY_CONNECTIONS) || state.equals(DISK_FULL);
  }

  /**
   * True when the database rejects the server's user or password, or has no database of that name.
   */
  public static boolean isLoginRefused(Throwable fault) {
    String state = SqlState.of(fault);
    return state != null && (state.startsWith("28") || state.startsWith("3D"));
  }

  /** True when the database has no room for what was written. */
  public static boolean isDiskFull(Throwable fault) {
    return DISK_FULL.equals(SqlState.of(fault));
  }

  /**
   * A pool without a free connection reports this in the words of Jakarta Connectors; not every
   * server adds an SQLSTATE.
   */
  private static boolean hasNoConnection(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException || cause instanceof SQLTransientConnectionException) {
        return true;
      }
      for (Class<?> type = cause.getClass(); type != null; type = type.getSuperclass()) {
        // By name: the classes of Jakarta Connectors belong to the server, and not every server
        // exposes them to
        // applications.
        if (type.getName().equals("jakarta.resource.ResourceException")) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * True when a commit was requested and its outcome is unknown: transaction managers report this
   * in their own words,
   * without an SQLSTATE.
   */
  public static boolean isUnconfirmedCommit(Throwable fault) {
    for (Throwable cause = fault; cause != null
        && SqlState.of(fault) == null; cause = cause.getCause()) {
      if (cause instanceof XAException || cause instanceof RollbackException
          || cause instanceof HeuristicMixedException
          || cause instanceof HeuristicRollbackException || cause instanceof SystemException) {
        return true;
      }
    }
    return false;
  }

  /** The driver's own message: that of the innermost, since a pool wraps it in one of its own. */
  public static String message(Throwable fault) {
    String message = fault.toString();
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        message = cause.getMessage();
      }
    }
    return message;
  }
}
