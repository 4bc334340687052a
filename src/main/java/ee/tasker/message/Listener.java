package ee.tasker.message;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.DirectConnection;
import ee.tasker.platform.sql.ServerSessions;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for notifications of other servers on a dedicated connection, because a pooled one cannot
 * be held that long.
 * Reconnects after a lost connection, with a pause of 0.2 seconds at first and 10 at most; the
 * fallback poller covers the
 * gap.
 */
@Singleton(name = "TaskerListener")
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Listener {
  private static final Log LOG = Log.of(Listener.class);
  private static final int WAIT_MS = 5_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  @Resource
  private ManagedThreadFactory threads;

  @Inject
  private Settings settings;

  @Inject
  private ServerIdentity server;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private StartSequence start;

  /** Since when the listening connection has been missing, and why. */
  public record Absence(long sinceNanos, String cause) {

    static Absence now(String cause) {
      return new Absence(System.nanoTime(), cause);
    }

    public Duration length() {
      return Duration.ofNanos(System.nanoTime() - sinceNanos);
    }
  }

  /** It is of no use: what would be notified is another connection that has the session then. */
  private static final class SharedSession extends SQLException {
    private static final long serialVersionUID = 1L;

    SharedSession() {
      super("it leads to a pooler in transaction mode, where LISTEN has no effect: set "
          + "DB_LISTEN_HOST and DB_LISTEN_PORT to the address of PostgreSQL itself");
    }
  }

  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean connected;
  /** Why it is not connected, and since when; health reports it. */
  private volatile Absence absence = Absence.now("not connected yet");
  private volatile Connection connection;
  private Thread thread;

  @PostConstruct
  void start() {
    start.then(this::listenSoon);
  }

  private synchronized void listenSoon() {
    if (settings.events() && stopped.getCount() > 0) {
      thread = threads.newThread(this::listenUntilStopped);
      thread.setName("tasker-listener");
      thread.start();
    }
  }

  @PreDestroy
  synchronized void stop() {
    stopped.countDown();
    closeQuietly();
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** True also when notifications are off: then no connection is needed. */
  public boolean isHealthy() {
    return connected || !settings.events();
  }

  /** Empty while it listens, and when notifications are off. */
  public Optional<Absence> absence() {
    return isHealthy() ? Optional.empty() : Optional.of(absence);
  }

  private void listenUntilStopped() {
    Duration pause = FIRST_PAUSE;
    while (stopped.getCount() > 0) {
      try {
        listen();
      } catch (SQLException e) {
        if (connected) {
          pause = FIRST_PAUSE;
        }
        boolean isKnown = !connected && Objects.equals(absence.cause(), e.getMessage());
        absence = connected ? Absence.now(e.getMessage())
            : new Absence(absence.sinceNanos(), e.getMessage());
        connected = false;
        closeQuietly();
        if (e instanceof SharedSession) {
          pause = LONGEST_PAUSE;
          if (!isKnown) {
            LOG.write(LogEvent.LISTENER_POOLED, "problem", e.getMessage());
          }
        } else if (stopped.getCount() > 0) {
          LOG.write(LogEvent.LISTENER_LOST, e, "retry_ms", pause.toMillis());
        }
      }
      pause = waitFor(pause);
    }
    closeQuietly();
  }

  private Duration waitFor(Duration pause) {
    try {
      if (stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        return pause;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopped.countDown();
    }
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
  }

  private void listen() throws SQLException {
    try (Connection fresh = connect(settings.listen());
        Statement statement = fresh.createStatement()) {
      connection = fresh;
      int session = ownSession(fresh);
      statement.execute("listen tasker_wakeup");
      statement.execute("listen pgmq_message_ready");
      connected = true;
      LOG.write(LogEvent.LISTENER_CONNECTED, "server", server.uuid());
      // Notifications sent while the connection was lost are gone: check for all work once.
      workNotifier.received(WorkNotifier.ORCHESTRATION);
      PGConnection notifications = fresh.unwrap(PGConnection.class);
      while (stopped.getCount() > 0) {
        PGNotification[] received = notifications.getNotifications(WAIT_MS);
        if (received == null || received.length == 0) {
          // A half-open connection is detected only by using it.
          refuseStandby(statement);
          if (ServerSessions.session(fresh) != session) {
            throw new SharedSession();
          }
          continue;
        }
        for (PGNotification notification : received) {
          receive(notification);
        }
      }
    }
  }

  /**
   * Behind a floating address or a proxy, the connection may now lead to a standby, on which no
   * notification ever arrives.
   */
  static void refuseStandby(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("select pg_is_in_recovery()")) {
      row.next();
      if (row.getBoolean(1)) {
        throw new SQLException("the database is a standby, which sends no notifications",
            DatabaseFaults.READ_ONLY);
      }
    }
  }

  /**
   * The session that this connection has to itself. PostgreSQL names its process when it accepts a
   * connection, a pooler something else, and whether that keeps a session for each connection
   * shows when there is a second one. Asked before LISTEN, which would stay behind in a session of
   * others.
   */
  private int ownSession(Connection fresh) throws SQLException {
    int session = ServerSessions.session(fresh);
    if (fresh.unwrap(PGConnection.class).getBackendPID() != session) {
      try (Connection second = connect(settings.listen())) {
        if (ServerSessions.areShared(fresh, second)) {
          throw new SharedSession();
        }
      }
    }
    return session;
  }

  private void receive(PGNotification notification) {
    String[] words = notification.getParameter().split(" ", 2);
    if (!"tasker_wakeup".equals(notification.getName())) {
      workNotifier.received(WorkNotifier.ORCHESTRATION);
    } else if (words.length < 2 || !server.uuid().toString().equals(words[1])) {
      workNotifier.received(words[0]);
    }
  }

  /** A standby refuses LISTEN and receives no notifications. */
  static Connection connect(Settings.ListenSettings to) throws SQLException {
    return DirectConnection.toPrimary(to, "tasker-listener");
  }

  private void closeQuietly() {
    Connection old = connection;
    connection = null;
    if (old != null) {
      try {
        old.close();
      } catch (SQLException e) {
        LOG.write(LogEvent.LISTENER_LOST, e);
      }
    }
  }
}
