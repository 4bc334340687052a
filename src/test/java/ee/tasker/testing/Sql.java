package ee.tasker.testing;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.postgresql.PGConnection;

/**
 * A session of the test database that speaks plain SQL. JSON goes in and out as text; parameters of
 * type
 * {@link Instant}, {@link UUID} and collections of text or UUIDs are turned into the database's
 * types.
 * {@link #open()} commits every statement; {@link #session()} is a transaction that ends with
 * {@link #commit()},
 * {@link #rollback()} or {@link #close()}. Not thread-safe, except that {@link #later} runs one
 * statement aside.
 */
public final class Sql implements AutoCloseable {
  /** Sessions that are still open; a test may leave closing them to the end. */
  private static final Set<Sql> OPEN = ConcurrentHashMap.newKeySet();

  /**
   * Ended sessions of the test database that its next sessions may take over: the functions that
   * they have called are compiled and planned there.
   */
  private static final Deque<Connection> IDLE = new ConcurrentLinkedDeque<>();

  private static final int MOST_IDLE = 8;

  /** Where sessions are opened; null for the test database. */
  private static volatile Source elsewhere;

  private final Connection connection;
  private final boolean reusable;
  private final int switches;
  private final long pid;
  private final Collection<CompletableFuture<?>> running = new ConcurrentLinkedQueue<>();
  private boolean closed;

  private Sql(boolean autoCommit, String user) {
    try {
      reusable = elsewhere == null && user == null;
      switches = reusable ? TestDatabase.get().switches() : 0;
      connection = elsewhere != null ? elsewhere.connect()
          : user == null ? idleOrNew() : TestDatabase.get().connectAs(user);
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    pid = pid(connection);
    OPEN.add(this);
  }

  private static Connection idleOrNew() throws SQLException {
    Connection idle;
    while ((idle = IDLE.poll()) != null) {
      if (idle.isValid(5)) {
        return idle;
      }
      idle.close();
    }
    return TestDatabase.get().connect();
  }

  /** The processes of the sessions that are kept for others, and of those for housekeeping. */
  static Long[] kept() {
    return Stream.concat(IDLE.stream().map(Sql::pid), TestDatabase.get().pids())
        .toArray(Long[]::new);
  }

  /** Has the database count at once what was called in this session. */
  void publishCounts() {
    run("select pg_stat_force_next_flush()");
  }

  private static long pid(Connection connection) {
    try {
      return connection.unwrap(PGConnection.class).getBackendPID();
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  /**
   * Ends the sessions that were kept for others: for those who need to be alone in the database, or
   * in another one.
   */
  static void endIdle() {
    Connection idle;
    while ((idle = IDLE.poll()) != null) {
      try {
        idle.close();
      } catch (SQLException e) {
        throw new SqlProblem(e);
      }
    }
  }

  /** Makes connections. */
  @FunctionalInterface
  public interface Source {
    Connection connect() throws SQLException;
  }

  /**
   * Until the end of the action, sessions are those of another database: what builds tasks for
   * tests of functions builds them under a server.
   */
  public static void elsewhere(Source source, Runnable action) {
    elsewhere = source;
    try {
      action.run();
    } finally {
      elsewhere = null;
      closeAll();
    }
  }

  /** Ends every session that is still open. */
  static void closeAll() {
    Set.copyOf(OPEN).forEach(Sql::close);
  }

  /** A session in which every statement is its own transaction. */
  public static Sql open() {
    return new Sql(true, null);
  }

  /** The same session, not closed by {@link #closeAll}. */
  static Sql retained(Sql sql) {
    OPEN.remove(sql);
    return sql;
  }

  /** The process of this session. */
  long pid() {
    return pid;
  }

  /** Ends a session that was set up for a purpose of its own: it is of no use to others. */
  void end() {
    closed = true;
    OPEN.remove(this);
    try {
      connection.close();
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  /** Whether the database still answers in this session. */
  boolean isAlive() {
    try {
      return connection.isValid(5);
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  /** The same as another login than the owner of everything. */
  public static Sql openAs(String user) {
    return new Sql(true, user);
  }

  /** A session whose statements belong to one transaction until it is ended. */
  public static Sql session() {
    return new Sql(false, null);
  }

  /** All rows, columns by name, values as the driver gives them. */
  public List<Map<String, Object>> rows(String sql, Object... arguments) {
    return query(sql, arguments, result -> {
      try {
        List<Map<String, Object>> rows = new ArrayList<>();
        while (result.next()) {
          Map<String, Object> row = new LinkedHashMap<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.put(result.getMetaData().getColumnLabel(i), result.getObject(i));
          }
          rows.add(row);
        }
        return rows;
      } catch (SQLException e) {
        throw new SqlProblem(e);
      }
    });
  }

  /** The first column of every row. */
  public List<String> texts(String sql, Object... arguments) {
    return query(sql, arguments, result -> {
      try {
        List<String> texts = new ArrayList<>();
        while (result.next()) {
          texts.add(result.getString(1));
        }
        return texts;
      } catch (SQLException e) {
        throw new SqlProblem(e);
      }
    });
  }

  /** The one value of the one row; null when it is null or there is no row. */
  public String text(String sql, Object... arguments) {
    List<String> texts = texts(sql, arguments);
    return texts.isEmpty() ? null : texts.get(0);
  }

  public Long number(String sql, Object... arguments) {
    String text = text(sql, arguments);
    return text == null ? null : Long.valueOf(text);
  }

  /** The truth of the one value; null counts as false. */
  public boolean isTrue(String sql, Object... arguments) {
    return "t".equals(text(sql, arguments));
  }

  public UUID uuid(String sql, Object... arguments) {
    String text = text(sql, arguments);
    return text == null ? null : UUID.fromString(text);
  }

  public Instant instant(String sql, Object... arguments) {
    return query(sql, arguments, result -> {
      try {
        OffsetDateTime value = result.next() ? result.getObject(1, OffsetDateTime.class) : null;
        return value == null ? null : value.toInstant();
      } catch (SQLException e) {
        throw new SqlProblem(e);
      }
    });
  }

  public JsonObject object(String sql, Object... arguments) {
    return value(sql, arguments).asJsonObject();
  }

  public JsonArray array(String sql, Object... arguments) {
    return value(sql, arguments).asJsonArray();
  }

  private JsonValue value(String sql, Object... arguments) {
    try (JsonReader reader = Json.createReader(new StringReader(text(sql, arguments)))) {
      return reader.readValue();
    }
  }

  /** Runs a statement without a result; returns the number of rows it touched. */
  public int run(String sql, Object... arguments) {
    try (PreparedStatement statement = prepare(sql, arguments)) {
      return statement.execute() ? 0 : Math.max(statement.getUpdateCount(), 0);
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  public void commit() {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  public void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    OPEN.remove(this);
    try {
      boolean isFree = reusable && switches == TestDatabase.get().switches()
          && IDLE.size() < MOST_IDLE
          && running.stream().allMatch(CompletableFuture::isDone);
      if (!connection.isClosed() && !connection.getAutoCommit()) {
        connection.rollback();
      }
      if (!connection.isClosed() && isFree) {
        connection.setAutoCommit(true);
        TestDatabase.get().prepared(connection);
        IDLE.push(connection);
      } else {
        connection.close();
      }
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  /** Starts something in this session on another thread and returns at once. */
  public <T> Later<T> later(Function<Sql, T> work) {
    CompletableFuture<T> result = CompletableFuture.supplyAsync(() -> work.apply(this));
    running.add(result);
    return new Later<>(result);
  }

  /** Something that runs in its session, and may have to wait for a lock there. */
  public final class Later<T> {
    private final CompletableFuture<T> future;

    private Later(CompletableFuture<T> future) {
      this.future = future;
    }

    /**
     * Returns when the session waits for a lock of another one; fails when it came to its end
     * without waiting.
     */
    public Later<T> untilItWaits() {
      try (Sql observer = open()) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!observer
            .isTrue("select wait_event_type = 'Lock' from pg_stat_activity where pid = ?", pid)) {
          if (future.isDone()) {
            throw new AssertionError("the session did not wait, it returned " + get());
          }
          if (System.nanoTime() > deadline) {
            throw new AssertionError("the session neither waits nor ends");
          }
          // The session needs the processor to come to its wait.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
      }
      return this;
    }

    /** The result, once it is there. */
    public T get() {
      try {
        return future.get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException problem ? problem
            : new IllegalStateException(e.getCause());
      } catch (InterruptedException | TimeoutException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private <T> T query(String sql, Object[] arguments, Function<ResultSet, T> reader) {
    try (PreparedStatement statement = prepare(sql, arguments);
        ResultSet result = statement.executeQuery()) {
      return reader.apply(result);
    } catch (SQLException e) {
      throw new SqlProblem(e);
    }
  }

  private PreparedStatement prepare(String sql, Object... arguments) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      if (argument instanceof Instant instant) {
        statement.setObject(i + 1, instant.atOffset(ZoneOffset.UTC));
      } else if (argument instanceof JsonValue json) {
        statement.setObject(i + 1, json.toString(), java.sql.Types.OTHER);
      } else if (argument instanceof Collection<?> values) {
        boolean isText = values.stream().allMatch(String.class::isInstance) && !values.isEmpty();
        statement.setArray(i + 1,
            connection.createArrayOf(isText ? "text" : "uuid", values.toArray()));
      } else if (argument instanceof String text) {
        // Untyped, so that the function's own parameter type decides.
        statement.setObject(i + 1, text, java.sql.Types.OTHER);
      } else if (argument == null) {
        statement.setNull(i + 1, java.sql.Types.OTHER);
      } else {
        statement.setObject(i + 1, argument);
      }
    }
    return statement;
  }

  /** A statement that the database refused. */
  public static final class SqlProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String state;

    SqlProblem(SQLException cause) {
      super(cause.getMessage(), cause);
      state = cause.getSQLState();
    }

    /** The SQLSTATE, ours begin with TK. */
    public String state() {
      return state;
    }
  }
}
