package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Speaks to a Tasker EE server, or to several behind one address. Immutable and thread-safe; one
 * for a program is enough.
 *
 * <pre>{@code
 * TaskerClient tasker = TaskerClient.at("https://tasker.example.org").key(System.getenv("TASKER_KEY")).build();
 * SubmittedTask order = tasker.submit(TaskRequest.of("orders", "fulfil").context(order));
 * Task done = tasker.await(order.taskUuid(), Duration.ofMinutes(5));
 * }</pre>
 *
 * <p><b>Errors.</b> A refusal is a {@link ProblemException}; no answer is an {@link
 * UnreachableException}. Nothing else is thrown for
 * what happens on the way.
 *
 * <p><b>Repetitions.</b> The client repeats a request up to {@link Builder#retries} times if the
 * connection breaks, no answer comes in
 * time, or the server is unavailable (502, 503, 504), busy with the same request, or cut the
 * request off (408). It does so only for
 * requests that read, for those with an {@code Idempotency-Key}, which it generates for every
 * operation that accepts one, and for
 * requests that were never sent because no connection came about. Between attempts it waits as
 * {@code Retry-After} says, or from
 * 0.2 s on, doubling.
 *
 * <p><b>Transactions.</b> Each call is a transaction of the server's. The client takes part in none
 * of the caller's; inside an
 * application server that has Tasker EE, inject {@code TaskSubmissions} for that.
 */
public final class TaskerClient {
  private static final Set<Operation> STREAMS = Set.of(Operation.STREAM_EVENTS,
      Operation.STREAM_TASK_EVENTS, Operation.STREAM_DOMAIN_EVENTS);

  private static final int LONGEST_WAIT_SECONDS = 60;
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  private final String base;
  private final String authorization;
  private final Duration timeout;
  private final int retries;
  private final String userAgent;
  private final HttpClient http;

  private TaskerClient(Builder builder) {
    base = builder.base;
    authorization = builder.authorization;
    timeout = builder.timeout;
    retries = builder.retries;
    userAgent = builder.userAgent;
    http = builder.http != null ? builder.http
        : HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(builder.connectTimeout)
            .followRedirects(HttpClient.Redirect.NEVER).build();
  }

  /**
   * @param url the address of the server, with its context root if it has one: {@code
   *   https://tasker.example.org}
   * @throws IllegalArgumentException if it is not an http or https address, or has a password,
   *   query or fragment
   */
  public static Builder at(String url) {
    return new Builder(url);
  }

  /** The address. */
  public URI url() {
    return URI.create(base);
  }

  // ---- Tasks

  /**
   * Submits a task and answers when it is committed. @throws ProblemException {@code
   * duplicate-task}, {@code unknown-template}, {@code invalid-context} …
   */
  public SubmittedTask submit(TaskRequest request) {
    JsonObject answer = send(Call.of(Operation.SUBMIT_TASK).body(request.json())).json();
    return new SubmittedTask(UUID.fromString(answer.getString("task_uuid")),
        TaskState.of(answer.getString("state")), answer.getString("version"),
        answer.getBoolean("duplicate", false));
  }

  /**
   * @throws ProblemException {@code task-not-found}, if there is none or the caller may not read it
   */
  public Task task(UUID task) {
    return new Task(send(Call.of(Operation.GET_TASK).path("task_uuid", task)).json());
  }

  /**
   * Waits until the task is terminal or blocked, by long polls.
   *
   * @param longest how long at most
   * @return the task, which is neither terminal nor blocked if the time was not enough
   */
  public Task await(UUID task, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    while (true) {
      long left = Math.max(0, end - System.nanoTime());
      long seconds = Math.min(LONGEST_WAIT_SECONDS, (left + 999_999_999) / 1_000_000_000);
      Task shown = new Task(
          send(Call.of(Operation.GET_TASK).path("task_uuid", task).query("wait", seconds)
              .patience(Duration.ofSeconds(seconds))).json());
      if (shown.state().isTerminalOrBlocked() || left == 0) {
        return shown;
      }
    }
  }

  /**
   * A page of at most 100 tasks. @param cursor {@link TaskPage#next()} of the page before, or null
   * for the first
   */
  public TaskPage tasks(TaskFilter filter, int limit, String cursor) {
    Call call = Call.of(Operation.LIST_TASKS).query("limit", limit).query("cursor", cursor);
    filter.parameters().forEach(parameter -> call.query(parameter.getKey(), parameter.getValue()));
    JsonObject page = send(call).json();
    return new TaskPage(
        page.getJsonArray("tasks").getValuesAs(JsonObject.class).stream().map(Task::new).toList(),
        page.isNull("next") ? Optional.empty() : Optional.of(page.getString("next")));
  }

  /** All tasks that match, newest first; each iteration reads them page by page as it goes. */
  public Iterable<Task> tasks(TaskFilter filter) {
    return () -> new Pages<>() {
      @Override
      Optional<String> read(String cursor, Collection<Task> read) {
        TaskPage page = tasks(filter, 100, cursor);
        read.addAll(page.tasks());
        return page.next();
      }
    };
  }

  /**
   * Asks for a cancel; a second request changes nothing. @return the task as it is now, which may
   * still run
   */
  public Task cancel(UUID task, Cancel cancel) {
    Call call = Call.of(Operation.CANCEL_TASK).path("task_uuid", task);
    cancel.parameters().forEach(parameter -> call.query(parameter.getKey(), parameter.getValue()));
    return new Task(send(call).json());
  }

  /**
   * Acts on a task. @throws ProblemException of status 409, if its state does not allow the action
   */
  public Task act(UUID task, TaskAction action) {
    return new Task(
        send(Call.of(Operation.ACT_ON_TASK).path("task_uuid", task).body(action.json())).json());
  }

  /** The steps of a task with results and errors. */
  public List<Step> steps(UUID task) {
    return send(Call.of(Operation.LIST_STEPS).path("task_uuid", task)).json().getJsonArray("steps")
        .getValuesAs(JsonObject.class).stream()
        .map(Step::new).toList();
  }

  /**
   * The workers of a batch with results and errors, in the order of the batches; each iteration
   * reads them page by page as it goes.
   *
   * @param batchStep {@code step_uuid} of one of the task's {@code batches}
   */
  public Iterable<Step> batchWorkers(UUID task, UUID batchStep) {
    return () -> new Pages<>() {
      @Override
      Optional<String> read(String cursor, Collection<Step> read) {
        JsonObject page = send(Call.of(Operation.LIST_STEPS).path("task_uuid", task)
            .query("batch", batchStep).query("limit", 100)
            .query("cursor", cursor)).json();
        page.getJsonArray("steps").getValuesAs(JsonObject.class)
            .forEach(step -> read.add(new Step(step)));
        return page.isNull("next") ? Optional.empty() : Optional.of(page.getString("next"));
      }
    };
  }

  /**
   * Acts on a step. @throws ProblemException of status 409, if its state does not allow the action
   */
  public Step act(UUID task, UUID step, StepAction action) {
    return new Step(send(Call.of(Operation.ACT_ON_STEP).path("task_uuid", task)
        .path("step_uuid", step).body(action.json())).json());
  }

  /**
   * The events of a task from its creation to its end, or from the event after {@code lastEventId}
   * if that is not null. To be closed.
   */
  public EventStream events(UUID task, String lastEventId) {
    return new EventStream(this, Call.of(Operation.STREAM_TASK_EVENTS).path("task_uuid", task),
        lastEventId);
  }

  /**
   * The events of all tasks from now on, or domain events; the call {@link Operation#STREAM_EVENTS}
   * or {@link Operation#STREAM_DOMAIN_EVENTS} has the
   * filters. To be closed.
   */
  public EventStream events(Call call, String lastEventId) {
    return new EventStream(this, call, lastEventId);
  }

  // ---- Templates

  /**
   * Registers a template. @return whether it is new @throws ProblemException {@code
   * invalid-template} with all violations, {@code template-exists}
   */
  public boolean registerTemplate(String yaml) {
    return send(Call.of(Operation.REGISTER_TEMPLATE).body("application/yaml", yaml)).json()
        .getBoolean("registered");
  }

  // ---- Any operation

  /**
   * Sends any request.
   *
   * @throws ProblemException if the server refuses it
   * @throws UnreachableException if no answer comes
   * @throws IllegalArgumentException if a parameter of the path is missing
   */
  public Reply send(Call call) {
    HttpRequest request = request(call, timeout.plus(call.patience()));
    boolean repeatable = call.operation().onlyReads()
        || request.headers().firstValue("Idempotency-Key").isPresent();
    try {
      for (int attempt = 0;; attempt++) {
        boolean last = attempt >= retries;
        Duration delay = Duration.ZERO;
        try {
          HttpResponse<String> answer = http.send(request,
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
          if (answer.statusCode() / 100 == 2 || tellsHealth(call, answer)) {
            return new Reply(answer.statusCode(), answer.headers(), answer.body());
          }
          ProblemException problem = problem(answer.statusCode(), answer.headers(), answer.body());
          if (last || !repeatable || !isPassing(problem)) {
            throw problem;
          }
          delay = problem.retryAfter().orElse(delay);
        } catch (IOException e) {
          boolean neverSent = e instanceof ConnectException
              || e instanceof HttpConnectTimeoutException;
          if (last || !repeatable && !neverSent) {
            throw unreachable(e);
          }
        }
        pause(attempt, delay);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Opens a stream; its problems are those of {@link #send}, but it repeats nothing. */
  InputStream open(Call call) {
    try {
      HttpResponse<InputStream> answer = http.send(request(call, timeout),
          HttpResponse.BodyHandlers.ofInputStream());
      if (answer.statusCode() == 200) {
        return answer.body();
      }
      try (InputStream body = answer.body()) {
        throw problem(answer.statusCode(), answer.headers(),
            new String(body.readNBytes(1 << 20), StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw unreachable(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private HttpRequest request(Call call, Duration within) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + call.target()))
        .timeout(within)
        .header("Accept", STREAMS.contains(call.operation())
            ? "text/event-stream" : "application/json, */*;q=0.5")
        .header("User-Agent", userAgent)
        .method(call.operation().method(), call.body() == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(call.body(), StandardCharsets.UTF_8));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    if (call.contentType() != null) {
      request.header("Content-Type", call.contentType());
    }
    if (call.operation().acceptsIdempotencyKey() && retries > 0
        && !call.headers().containsKey("Idempotency-Key")) {
      request.header("Idempotency-Key", UUID.randomUUID().toString());
    }
    call.headers().forEach(request::setHeader);
    return request.build();
  }

  /** The health checks answer 503 when something is down, which is no refusal. */
  private static boolean tellsHealth(Call call, HttpResponse<String> answer) {
    return call.operation().path().startsWith("/health") && answer.statusCode() == 503
        && answer.body().contains("\"checks\"");
  }

  private static boolean isPassing(ProblemException problem) {
    return switch (problem.status()) {
      case 408, 502, 503, 504 -> true;
      case 409 -> problem.code().equals("request-in-progress");
      default -> false;
    };
  }

  private static ProblemException problem(int status, HttpHeaders headers, String body) {
    return new ProblemException(status, problemOf(status, headers, body),
        headers.firstValue("Retry-After").filter(seconds -> seconds.matches("\\d{1,6}"))
            .map(Long::parseLong).map(Duration::ofSeconds)
            .orElse(null));
  }

  /**
   * What a proxy or another program answers is no problem document: it becomes one of the code
   * {@code refused}.
   */
  private static JsonObject problemOf(int status, HttpHeaders headers, String body) {
    if (headers.firstValue("Content-Type").orElse("").contains("json")) {
      try (JsonReader reader = Json.createReader(new StringReader(body))) {
        if (reader.readValue() instanceof JsonObject problem && problem.get("code") != null) {
          return problem;
        }
      } catch (JsonException e) {
        // As any other body that is no problem document.
      }
    }
    return Json.createObjectBuilder().add("title", "HTTP status " + status).add("status", status)
        .add("code", "refused")
        .add("detail", headers.firstValue("Location").filter(location -> status / 100 == 3)
            .map(location -> "the address redirects to " + location + "; use that one")
            .orElse("the answer does not come from a Tasker EE server, or not in its form"))
        .build();
  }

  private static void pause(int attempt, Duration asked) throws InterruptedException {
    long own = (200L << Math.min(attempt, 7)) + ThreadLocalRandom.current().nextLong(100);
    Thread.sleep(Math.min(LONGEST_DELAY.toMillis(), Math.max(own, asked.toMillis())));
  }

  private UnreachableException unreachable(IOException e) {
    String why = e instanceof HttpConnectTimeoutException ? "no connection within the time-out"
        : e instanceof HttpTimeoutException ? "no answer within " + timeout.toSeconds() + " s"
            : e instanceof ConnectException
                ? "no connection" + (e.getMessage() == null ? "" : ": " + e.getMessage())
                : Objects.requireNonNullElse(e.getMessage(), "the connection broke");
    return new UnreachableException("Cannot reach " + base + ": " + why, e);
  }

  private static UnreachableException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new UnreachableException("The request was interrupted", e);
  }

  /** How to reach a server and who asks. Not thread-safe. */
  public static final class Builder {
    private final String base;
    private String authorization;
    private Duration timeout = Duration.ofSeconds(30);
    private Duration connectTimeout = Duration.ofSeconds(5);
    private int retries = 4;
    private String userAgent = "tasker-ee-client";
    private HttpClient http;

    private Builder(String url) {
      URI uri = URI.create(url);
      if (uri.getScheme() == null
          || !uri.getScheme().equalsIgnoreCase("http") && !uri.getScheme().equalsIgnoreCase("https")
          || uri.getHost() == null || uri.getUserInfo() != null || uri.getQuery() != null
          || uri.getFragment() != null) {
        throw new IllegalArgumentException("\"" + (uri.getUserInfo() == null ? url : "…")
            + "\" is not an address of the form https://host:port, without user, query and fragment");
      }
      base = url.replaceAll("/+$", "");
    }

    /** An API key, which begins with {@code tkr_}. */
    public Builder key(String key) {
      authorization = "ApiKey " + key;
      return this;
    }

    /** A signed token (JWT). */
    public Builder token(String token) {
      authorization = "Bearer " + token;
      return this;
    }

    public Builder user(String name, String password) {
      authorization = "Basic " + Base64.getEncoder()
          .encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
      return this;
    }

    /** For one answer, without what the request asks the server to wait; 30 s. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** For a connection; 5 s. Not with {@link #http}. */
    public Builder connectTimeout(Duration timeout) {
      connectTimeout = timeout;
      return this;
    }

    /**
     * How often a request is repeated at most; 4. With 0 the client generates no idempotency keys
     * either.
     */
    public Builder retries(int retries) {
      if (retries < 0) {
        throw new IllegalArgumentException("retries must not be negative");
      }
      this.retries = retries;
      return this;
    }

    /** The header {@code User-Agent}. */
    public Builder userAgent(String userAgent) {
      this.userAgent = userAgent;
      return this;
    }

    /** Another HTTP client: with a proxy, or with certificates of one's own. */
    public Builder http(HttpClient http) {
      this.http = http;
      return this;
    }

    public TaskerClient build() {
      return new TaskerClient(this);
    }
  }
}
