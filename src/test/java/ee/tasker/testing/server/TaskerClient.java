package ee.tasker.testing.server;

import ee.tasker.run.DatabaseAddress;
import ee.tasker.run.Login;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Speaks to one server and to its database, in the words of the tests. Thread-safe. */
public final class TaskerClient {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(90);
  private static final HttpClient HTTP = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10))
      .build();

  private final URI base;
  private final DatabaseAddress database;
  private final Map<String, String> credentials;

  public TaskerClient(URI base, DatabaseAddress database) {
    this(base, database, Map.of("Authorization", Login.FOR_TESTS.basic()));
  }

  private TaskerClient(URI base, DatabaseAddress database, Map<String, String> credentials) {
    this.base = base;
    this.database = database;
    this.credentials = credentials;
  }

  /** The same with other headers than those of the administrator. */
  public TaskerClient with(Map<String, String> headers) {
    return new TaskerClient(base, database, headers);
  }

  /**
   * The same client with only the listed permissions: {@code tasks:read}, or {@code tasks:read in
   * orders}; by an API key.
   */
  public TaskerClient asOneWhoMay(Collection<String> permissions) {
    String key = "tkr_" + UUID.randomUUID() + UUID.randomUUID();
    Object uuid = value(
        "select tasker.create_api_key(?, encode(sha256(convert_to(?, 'UTF8')), 'hex'), 'tkr_test', null, 'test')",
        "of a test", key);
    sql("select tasker.grant_access(null, ?, null, split_part(permission, ' in ', 1), nullif(split_part(permission, ' in ', 2), ''), 'test') "
        + "from unnest(string_to_array(?, ',')) permission", uuid, String.join(",", permissions));
    return with(Map.of("X-API-Key", key));
  }

  /** The headers by which it is authenticated. */
  public Map<String, String> credentials() {
    return credentials;
  }

  public URI base() {
    return base;
  }

  // ---- HTTP

  public Answer get(String path) {
    return send(request(path).GET());
  }

  public Answer delete(String path) {
    return send(request(path).DELETE());
  }

  public Answer post(String path, String json) {
    return send(request(path).header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  public Answer postTemplate(String yaml) {
    return send(request("/v1/templates").header("Content-Type", "application/yaml")
        .POST(HttpRequest.BodyPublishers.ofString(yaml)));
  }

  public Answer send(HttpRequest.Builder request) {
    try {
      return Answer.of(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * For answers that may be streams without an end: of those no more than the first part is read.
   */
  public Answer sendForBeginning(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> response = HTTP.send(request.build(),
          HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        boolean isStream = response.headers().firstValue("Content-Type").orElse("")
            .startsWith("text/event-stream");
        byte[] body = isStream ? in.readNBytes(8) : in.readAllBytes();
        return Answer.of(response, new String(body, java.nio.charset.StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public CompletableFuture<Answer> sendLater(HttpRequest.Builder request) {
    return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
        .thenApply(Answer::of);
  }

  public HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
        .timeout(ANSWER_WITHIN).header("Accept",
            "application/json, application/problem+json");
    credentials.forEach(request::header);
    return request;
  }

  // ---- templates and tasks

  /**
   * Registers every template of a class path resource, separated by lines of {@code ---}; the same
   * again changes nothing.
   */
  public void register(String resource) {
    try (InputStream in = TaskerClient.class.getResourceAsStream(resource)) {
      for (String yaml : new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
          .split("(?m)^---$")) {
        Answer answer = postTemplate(yaml.strip() + "\n");
        if (answer.status() / 100 != 2) {
          throw new AssertionError("template of " + resource + " was refused: " + answer);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A task of a template of namespace {@code testing}, version 1.0.0. */
  public UUID submit(String template, String context) {
    return submit("testing", template, context);
  }

  public UUID submit(String namespace, String template, String context) {
    Answer answer = post("/v1/tasks", taskRequest(namespace, template, context));
    if (answer.status() != 201) {
      throw new AssertionError("expected a new task: " + answer);
    }
    return answer.taskUuid();
  }

  /** A request in single quotes is one in double quotes. */
  public static String taskRequest(String namespace, String template, String context) {
    return quoted("{'namespace': '" + namespace + "', 'name': '" + template
        + "', 'version': '1.0.0', 'context': " + context + "}");
  }

  public static String quoted(String text) {
    return text.replace('\'', '"');
  }

  /** The task once it is terminal or blocked; fails the test if that takes longer than a minute. */
  public JsonObject awaitTerminalOrBlocked(UUID task) {
    return awaitTerminalOrBlocked(task, Duration.ofSeconds(60));
  }

  /** Retries on 503, because the tests cut connections. */
  public JsonObject awaitTerminalOrBlocked(UUID task, Duration within) {
    long end = System.nanoTime() + within.toNanos();
    Answer answer;
    do {
      answer = get("/v1/tasks/" + task + "?wait="
          + Math.max(1, Math.min(Duration.ofNanos(end - System.nanoTime()).toSeconds(), 60)));
    } while (answer.status() == 503 && System.nanoTime() < end);
    JsonObject document = answer.object();
    if (!List.of("complete", "error", "cancelled", "resolved_manually", "blocked_by_failures")
        .contains(document.getString("state", ""))) {
      throw new AssertionError(
          "the task did not come to rest within " + within + ": " + answer + "\n" + steps(task));
    }
    return document;
  }

  public Map<String, JsonObject> steps(UUID task) {
    Map<String, JsonObject> steps = new LinkedHashMap<>();
    get("/v1/tasks/" + task + "/workflow_steps").list("steps")
        .forEach(step -> steps.put(step.getString("name"), step));
    return steps;
  }

  // ---- database

  /** A connection in a zone that is not UTC, for the caller to close. */
  public Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(
        "jdbc:postgresql://" + database.host() + ":" + database.port()
            + "/tasker?options=-c%20TimeZone=Pacific/Chatham",
        "tasker",
        "tasker");
    return connection;
  }

  /** Rows of a query, or none for a statement. */
  public List<Map<String, Object>> sql(String sql, Object... arguments) {
    try (Connection connection = connect()) {
      return sql(connection, sql, arguments);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static List<Map<String, Object>> sql(Connection connection, String sql,
      Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      List<Map<String, Object>> rows = new ArrayList<>();
      if (statement.execute()) {
        ResultSet results = statement.getResultSet();
        while (results.next()) {
          Map<String, Object> row = new LinkedHashMap<>();
          for (int column = 1; column <= results.getMetaData().getColumnCount(); column++) {
            row.put(results.getMetaData().getColumnLabel(column), results.getObject(column));
          }
          rows.add(row);
        }
      }
      return rows;
    }
  }

  /** The single value of a query. */
  public Object value(String sql, Object... arguments) {
    return sql(sql, arguments).get(0).values().iterator().next();
  }

  public long count(String sql, Object... arguments) {
    return ((Number) value(sql, arguments)).longValue();
  }

  public JsonObject jsonOf(String sql, Object... arguments) {
    try (
        JsonReader reader = Json.createReader(new StringReader(value(sql, arguments).toString()))) {
      return reader.readObject();
    }
  }

  /**
   * Number of rows of every table of the engine and of its queues, by name, but for those that
   * servers add to by themselves.
   */
  public Map<String, Long> rowCounts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Map<String, Object> table : sql(
        "select table_schema || '.' || quote_ident(table_name) as name from information_schema.tables"
            + " where table_schema in ('tasker', 'pgmq') and table_type = 'BASE TABLE' and table_name not in ('servers', 'flyway_schema_history', 'write_requests', 'metric_totals', 'metric_templates') and table_name not like '%tallies' order by 1")) {
      counts.put((String) table.get("name"), count("select count(*) from " + table.get("name")));
    }
    return counts;
  }

  // ---- time

  /** For a client that has nothing to wait for; proves nothing. */
  public static void pause(Duration time) {
    java.util.concurrent.locks.LockSupport.parkNanos(time.toNanos());
  }

  /**
   * Looks until it is so; fails the test when that takes too long. Looking is all it does: it
   * proves nothing by waiting.
   */
  public static void until(String what, Duration within, BooleanSupplier condition) {
    long end = System.nanoTime() + within.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + within + ": " + what);
      }
      java.util.concurrent.locks.LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }
}
