package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.SqlState;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.log.Outage;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * The standby that answers reads which may be stale. It answers only if it is a standby of the
 * present primary and fresh
 * enough; in every other case the caller asks the primary. After a failure it is left alone for
 * some seconds, so that
 * requests do not wait for a host that is down. Thread-safe.
 */
@ApplicationScoped
public class Replica {
  private static final Log LOG = Log.of(Replica.class);
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int POSITION_SECONDS = 2;
  private static final State UNKNOWN = new State(false, Optional.empty(), Optional.empty());

  @Inject
  private Settings settings;

  @Inject
  private Meters meters;

  private final Outage outage = new Outage();
  private ReplayLag lag;
  private volatile State state = UNKNOWN;
  private volatile Long failedAt;

  /** @param staleness how far behind the replica was at most */
  record Answer(String text, Duration staleness) {
  }

  /** What became of the latest read: whether it was answered, how stale it was, what was wrong. */
  public record State(boolean isUsable, Optional<Duration> staleness, Optional<String> problem) {
  }

  @PostConstruct
  void begin() {
    lag = new ReplayLag(
        settings.replica().map(Settings.ReplicaSettings::maxStaleness).orElse(Duration.ZERO));
  }

  public boolean isConfigured() {
    return settings.replica().isPresent();
  }

  public State state() {
    return state;
  }

  boolean needsPosition() {
    return lag.isDue(System.nanoTime());
  }

  /** @param asked when the primary was asked, of {@link System#nanoTime} */
  void primaryWasAt(long asked, String position) {
    lag.note(asked, WalPosition.parse(position));
  }

  /**
   * Runs the query on the replica, outside the caller's transaction: a datasource without XA cannot
   * join that of the
   * primary.
   *
   * @return empty when the primary has to be asked
   */
  @Transactional(Transactional.TxType.NOT_SUPPORTED)
  public Optional<Answer> read(String sql, Duration allowed, Object... arguments) {
    Long failed = failedAt;
    if (failed != null && System.nanoTime() - failed < PAUSE_NANOS) {
      meters.replicaRead("failed");
      return Optional.empty();
    }
    try (Connection connection = dataSource().getConnection()) {
      // Before the query, whose snapshot then has at least what was replayed until now.
      Optional<WalPosition> replayed = position(connection);
      if (replayed.isEmpty()) {
        failed("the datasource does not lead to a standby", null);
        return Optional.empty();
      }
      Optional<Duration> staleness = lag.of(replayed.get(), System.nanoTime());
      if (staleness.isEmpty() || staleness.get().compareTo(allowed) > 0
          || staleness.get().compareTo(longest()) > 0) {
        meters.replicaRead("behind");
        state = new State(false, staleness,
            Optional.of("the replica is further behind than was allowed"));
        return Optional.empty();
      }
      String text = text(connection, sql, arguments);
      answered(staleness.get());
      return Optional.of(new Answer(text, staleness.get()));
    } catch (SQLException | NamingException e) {
      failed(DatabaseFaults.message(e), e);
      return Optional.empty();
    }
  }

  private Duration longest() {
    return settings.replica().orElseThrow().maxStaleness();
  }

  private DataSource dataSource() throws NamingException {
    return InitialContext.doLookup(settings.replica().orElseThrow().dataSource());
  }

  private static Optional<WalPosition> position(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(POSITION_SECONDS);
      try (ResultSet rows = statement.executeQuery(WalPosition.OF_STANDBY)) {
        return rows.next() ? Optional.ofNullable(rows.getString(1)).map(WalPosition::parse)
            : Optional.empty();
      }
    }
  }

  private String text(Connection connection, String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout((int) settings.statementTimeout().toSeconds());
      for (int i = 0; i < arguments.length; i++) {
        Object argument = arguments[i];
        statement.setObject(i + 1, argument instanceof UUID || argument instanceof JsonValue
            ? argument.toString() : argument);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }

  private void answered(Duration staleness) {
    meters.replicaRead("answered");
    failedAt = null;
    state = new State(true, Optional.of(staleness), Optional.empty());
    Outage.Over over = outage.end(System.nanoTime());
    if (over != null) {
      LOG.write(LogEvent.REPLICA_BACK, "away_seconds", over.lasted().toSeconds(), "failed_reads",
          over.failures());
    }
  }

  /**
   * A query that a conflict with recovery ended, or that failed for another reason of its own, says
   * nothing about the next.
   */
  private void failed(String problem, Exception fault) {
    meters.replicaRead("failed");
    state = new State(false, Optional.empty(), Optional.of(problem));
    if (fault == null || fault instanceof NamingException || DatabaseFaults.isOutage(fault)
        || SqlState.of(fault) == null) {
      failedAt = System.nanoTime();
    }
    int failures = outage.failed(System.nanoTime());
    if (failures > 0) {
      LOG.write(LogEvent.REPLICA_LEFT, "failed_reads", failures, "cause", problem);
    }
  }
}
